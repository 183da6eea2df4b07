#include "traces/op_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/number_text.h"
#include "traces/text_table.h"

namespace spyre::traces {
namespace {

/// "l12.qkv" without its layer.
std::string kind_of(const OpResult& op) {
  const std::string prefix = fmt::format("l{}.", op.layer);
  return op.layer >= 0 && op.name.starts_with(prefix) ? op.name.substr(prefix.size()) : op.name;
}

void add(OpGroup& group, const OpResult& op) {
  group.lowest_ridge = group.count == 0 ? op.ridge : std::min(group.lowest_ridge, op.ridge);
  group.highest_ridge = std::max(group.highest_ridge, op.ridge);
  ++group.count;
  group.flops += op.flops;
  group.bytes += op.bytes;
  group.roofline_ms += op.roofline_ms;
  group.time_ms += op.time_ms;
  group.time_by_bound[op.bound] += op.time_ms;
}

/// Without FLOPs there is nothing to compare it with; launches of one kind may differ in it.
std::string ridge_text(const OpGroup& group) {
  if (group.flops == 0) return "-";
  const std::string lowest = three_digits(group.lowest_ridge);
  return lowest == three_digits(group.highest_ridge) ? lowest : "mixed";
}

/// An operation that has next to nothing to do may be any number of times its roofline.
std::string ratio_text(const OpGroup& group) {
  if (group.roofline_ms <= 0) return "-";
  const double ratio = group.time_ms / group.roofline_ms;
  return ratio >= 9999.5 ? ">9999" : three_digits(ratio);
}

std::vector<std::string> figures(const OpGroup& group) {
  const auto flops = static_cast<double>(group.flops);
  const auto bytes = static_cast<double>(group.bytes);
  return {with_prefix(flops),
          with_prefix(bytes),
          group.bytes == 0 ? "-" : three_digits(flops / bytes),
          ridge_text(group),
          short_milliseconds(group.roofline_ms),
          short_milliseconds(group.time_ms),
          ratio_text(group),
          group.bound()};
}

}  // namespace

std::string OpGroup::bound() const {
  const auto longest =
      std::ranges::max_element(time_by_bound, {}, [](const auto& entry) { return entry.second; });
  return longest == time_by_bound.end() ? std::string() : longest->first;
}

std::vector<OpGroup> group_ops(const std::vector<OpResult>& ops) {
  std::vector<OpGroup> groups;
  std::map<std::string, std::size_t> index;
  for (const OpResult& op : ops) {
    const auto [found, added] = index.try_emplace(kind_of(op), groups.size());
    if (added) groups.emplace_back().name = found->first;
    add(groups[found->second], op);
  }
  return groups;
}

std::string op_table(const std::vector<OpResult>& ops, bool every_op, bool colour) {
  std::vector<std::string> header{"op",      "FLOP", "B",     "FLOP/B", "ridge",
                                  "roof ms", "ms",   "ratio", "bound"};
  if (!every_op) header.insert(header.begin() + 1, "n");
  TextTable table(std::move(header));
  const auto add_row = [&](std::vector<std::string> cells, const OpGroup& group) {
    for (std::string& figure : figures(group)) cells.push_back(std::move(figure));
    table.add_row(std::move(cells));
  };
  if (every_op) {
    for (const OpResult& op : ops) {
      OpGroup alone;
      add(alone, op);
      add_row({op.name}, alone);
    }
  } else {
    for (const OpGroup& group : group_ops(ops))
      add_row({group.name, with_separators(group.count)}, group);
  }
  return table.text(colour);
}

}  // namespace spyre::traces
