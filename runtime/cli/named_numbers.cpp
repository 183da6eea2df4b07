#include "runtime/cli/named_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "models/diagnostics/diagnostics.h"

namespace spyre::runtime {

std::map<std::string, std::int64_t> named_numbers(const std::string& option,
                                                  const std::vector<std::string>& words) {
  std::map<std::string, std::int64_t> numbers;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    std::int64_t number = -1;
    bool whole = false;
    if (equals != std::string::npos && equals > 0) {
      const char* const end = word.data() + word.size();
      const auto read = std::from_chars(word.data() + equals + 1, end, number);
      whole = read.ec == std::errc() && read.ptr == end && number >= 0;
    }
    if (!whole) {
      throw models::InputError(
          fmt::format("{} {}: write NAME=number, as in {} ROWS=64,COLS=128", option, word, option));
    }
    const std::string name = word.substr(0, equals);
    if (!numbers.emplace(name, number).second) {
      throw models::InputError(fmt::format("{} {}: {} is given twice", option, word, name));
    }
  }
  return numbers;
}

void set_numbers(const std::string& option, const std::vector<std::string>& words,
                 const std::map<std::string, std::int64_t*>& known) {
  for (const auto& [name, number] : named_numbers(option, words)) {
    const auto found = known.find(name);
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const auto& entry : known) names.push_back(entry.first);
      throw models::InputError(fmt::format("{} {}={}: there is no '{}'; give {}", option, name,
                                           number, name, fmt::join(names, ", ")));
    }
    *found->second = number;
  }
}

}  // namespace spyre::runtime
