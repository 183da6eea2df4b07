// Options of the form NAME=number,NAME=number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spyre::runtime {

/// Throws InputError for what is not NAME=number (of 0 or more), or a name given twice.
[[nodiscard]] std::map<std::string, std::int64_t> named_numbers(
    const std::string& option, const std::vector<std::string>& words);
/// Sets those that are given. Throws InputError for names that are not among `known`.
void set_numbers(const std::string& option, const std::vector<std::string>& words,
                 const std::map<std::string, std::int64_t*>& known);

}  // namespace spyre::runtime
