// "Did you mean ...?": the known name closest to a misspelt one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spyre::models {

/// The candidate with the smallest edit distance to `name`, if that distance is at most a third of
/// the longer name's length (at least 2). Ties go to the earlier candidate.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

}  // namespace spyre::models
