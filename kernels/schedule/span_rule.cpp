#include "kernels/schedule/span_rule.h"

#include <algorithm>

#include <fmt/format.h>

namespace spyre::kernels {
namespace {

std::uint64_t length(const ByteRange& range) {
  return range.end - range.begin;
}

}  // namespace

SpanRule::SpanRule(const WalkContext& context, const models::Machine& machine)
    : context_(context),
      limit_(static_cast<std::uint64_t>(machine.limits.span_bytes)),
      reach_(models::kMaxCores, std::vector<Reach>(context.tensors.size())) {
  for (std::size_t i = 0; i < context.tensors.size(); ++i) {
    if (context.tensors[i].bytes > limit_) large_.push_back(i);
  }
}

void SpanRule::touch(std::uint32_t core, std::size_t tensor, const Rectangle& rectangle,
                     const SourcePosition& where) {
  const TensorGeometry& geometry = context_.tensors[tensor];
  if (geometry.bytes <= limit_) return;
  Reach& reach = reach_[core][tensor];
  const ByteRange range = touched_range(geometry, rectangle);
  if (reach.launch != launch_) {
    reach = {launch_, range, rectangle, &where};
    return;
  }
  if (range.begin >= reach.range.begin && range.end <= reach.range.end) return;
  reach.range.begin = std::min(reach.range.begin, range.begin);
  reach.range.end = std::max(reach.range.end, range.end);
  reach.where = &where;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    const std::int64_t end = std::max(reach.box.offset[dim] + reach.box.size[dim],
                                      rectangle.offset[dim] + rectangle.size[dim]);
    reach.box.offset[dim] = std::min(reach.box.offset[dim], rectangle.offset[dim]);
    reach.box.size[dim] = end - reach.box.offset[dim];
  }
}

void SpanRule::finish_launch(const CompiledKernel& kernel, const std::string& name,
                             Findings& findings) {
  for (std::uint32_t core = 0; core < kernel.cores; ++core) {
    for (const std::size_t tensor : large_) {
      const Reach& reach = reach_[core][tensor];
      if (reach.launch != launch_ || length(reach.range) <= limit_) continue;
      if (!findings.is_new("span", *reach.where)) continue;
      const Tensor& description = context_.schedule->tensors[tensor];
      findings.error(
          "span", *reach.where,
          fmt::format(
              "core {} reaches a span of {} B of '{}' in launch '{}', the limit is {} B: {}", core,
              length(reach.range), description.name, name, limit_,
              remedy(context_.tensors[tensor], description, reach.box)));
    }
  }
}

/// The smallest split of the outermost dimensions, in equal contiguous parts, whose parts are
/// within the limit.
std::string SpanRule::remedy(const TensorGeometry& geometry, const Tensor& tensor,
                             Rectangle box) const {
  std::string splits;
  for (std::size_t i = 0; i < geometry.rank; ++i) {
    const std::size_t dim = geometry.order[i];
    const std::int64_t unit = dim == geometry.stick_dim ? geometry.elements_per_stick : 1;
    const std::int64_t pieces = (box.size[dim] + unit - 1) / unit;
    if (pieces == 1) continue;
    const std::string name = dim < tensor.dims.size() ? tensor.dims[dim] : std::to_string(dim);
    for (std::int64_t ways = 2; ways <= pieces; ++ways) {
      Rectangle part = box;
      part.size[dim] = (pieces + ways - 1) / ways * unit;
      const std::uint64_t span = length(touched_range(geometry, part));
      if (span > limit_) continue;
      return fmt::format("split {}{} in {} parts over cores or launches ({} B each)", splits, name,
                         ways, span);
    }
    splits += fmt::format("{} in {} and ", name, pieces);
    box.size[dim] = unit;
  }
  return "no split of its dimensions is small enough";
}

}  // namespace spyre::kernels
