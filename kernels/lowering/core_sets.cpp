#include "kernels/lowering/core_sets.h"

#include <algorithm>

namespace spyre::kernels::lowering {
namespace {

Integer core_variable(std::int64_t count) {
  return Integer::variable("core", {0, count - 1});
}

}  // namespace

Cores cores_of(const ktir::IntegerSet& set, std::vector<std::int64_t> symbols, std::int64_t count) {
  symbols.resize(set.symbols);
  Cores result;
  for (std::int64_t core = 0; core < count; ++core) {
    if (set.contains(std::vector<std::int64_t>{core}, symbols)) result.push_back(core);
  }
  return result;
}

Integer membership(const Groups& groups, std::int64_t count) {
  Cores all;
  for (const Cores& group : groups) all.insert(all.end(), group.begin(), group.end());
  std::ranges::sort(all);
  if (static_cast<std::int64_t>(all.size()) == count) return 1;
  if (all.empty()) return 0;
  const Integer core = core_variable(count);
  const std::int64_t first = all.front();
  const auto number = static_cast<std::int64_t>(all.size());
  if (all.back() - first + 1 == number) {
    return both(less(first - 1, core), less(core, all.back() + 1));
  }
  const std::int64_t step = all[1] - first;
  const bool even =
      std::ranges::all_of(all, [&](std::int64_t each) { return (each - first) % step == 0; });
  if (even && first < step && (count - 1 - first) / step + 1 == number) {
    return equal(modulo(core, step), first);
  }
  Integer any = 0;
  for (const std::int64_t each : all) any = either(any, equal(core, each));
  return any;
}

Integer chosen(const Groups& groups, const Groups& values, std::int64_t count) {
  const Integer core = core_variable(count);
  const auto holds = [&](const auto& formula) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t i = 0; i < groups[g].size(); ++i) {
        if (formula(groups[g][i]) != values[g][i]) return false;
      }
    }
    return true;
  };
  std::int64_t first_core = 0;
  std::int64_t first_value = 0;
  std::int64_t largest = 0;
  bool any = false;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      if (!any) {
        first_core = groups[g][i];
        first_value = values[g][i];
      }
      any = true;
      largest = std::max(largest, values[g][i]);
    }
  }
  if (holds([&](std::int64_t) { return first_value; })) return first_value;
  const std::int64_t shift = first_core - first_value;
  if (holds([&](std::int64_t c) { return c - shift; })) return core - shift;
  for (std::int64_t divisor = 1; divisor <= count; ++divisor) {
    if (holds([&](std::int64_t c) { return c / divisor; })) return floor_divide(core, divisor);
    if (holds([&](std::int64_t c) { return c / divisor % (largest + 1); })) {
      return modulo(floor_divide(core, divisor), largest + 1);
    }
  }
  Integer sum = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      sum = sum + equal(core, groups[g][i]) * values[g][i];
    }
  }
  return sum;
}

Integer rank(const Groups& groups, std::int64_t count) {
  Groups places;
  for (const Cores& group : groups) {
    places.emplace_back();
    for (std::size_t i = 0; i < group.size(); ++i) {
      places.back().push_back(static_cast<std::int64_t>(i));
    }
  }
  return chosen(groups, places, count);
}

Integer per_group(const Groups& groups, const std::vector<std::int64_t>& values,
                  std::int64_t count) {
  Groups all;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    all.emplace_back(groups[g].size(), values[g]);
  }
  return chosen(groups, all, count);
}

}  // namespace spyre::kernels::lowering
