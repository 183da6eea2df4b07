#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/core_walk.h"

namespace spyre::kernels::ktir {
namespace {

/// Loops of a body are bits of a word.
constexpr std::size_t kMostLoops = 64;

std::int64_t times(std::int64_t a, std::int64_t b, const Site& site) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    site.fail("it works on more elements than 64 bits can count");
  }
  return result;
}

}  // namespace

std::int64_t CoreWalk::elements_of(const Operation& op, const Type& of) const {
  if (!of.is_tensor()) return 1;
  const std::optional<std::int64_t> count = of.element_count();
  if (!count) {
    site(op).fail(
        fmt::format("{}: a price needs sizes that are known before the run", to_string(of)));
  }
  return *count;
}

void CoreWalk::charge(PriceClass price, std::int64_t elements, const Operation& op) {
  const double steps = static_cast<double>(elements) / kSimdLanes;
  switch (price) {
    case PriceClass::simd:
      costs_.simd += steps;
      break;
    case PriceClass::transcendental:
      costs_.transcendental += kTranscendentalFactor * steps;
      break;
    case PriceClass::integer:
      costs_.integer += steps;
      break;
    default:
      return;
  }
  add_to(context_.flops, elements, op);
}

/// Scalars on integers are free; on floats they cost one element.
void CoreWalk::charge_elementwise(const Operation& op, bool is_scalar, std::int64_t elements) {
  PriceClass price = price_class(op.code());
  const bool is_linalg = op.info->dialect() == "linalg";
  if (is_linalg && price == PriceClass::simd && !type(op.results[0]).element.is_float()) {
    price = PriceClass::integer;
  }
  if (price == PriceClass::integer && is_scalar) return;
  charge(price, elements, op);
}

/// 2MNK, with the batch in front.
void CoreWalk::charge_matmul(const Operation& op) {
  const Type& left = type(op.segment(0)[0]);
  const Type& right = type(op.segment(0)[1]);
  const std::int64_t columns = right.shape.back();
  if (columns == kDynamic) static_cast<void>(elements_of(op, right));  // reports it
  const std::int64_t products = times(elements_of(op, left), columns, site(op));
  const std::int64_t flops = times(2, products, site(op));
  costs_.matmul += static_cast<double>(flops) / kMatmulFlopPerCycle;
  add_to(context_.flops, flops, op);
}

/// ktir-cpu runs a body once, on whole arrays: each operation costs as many elements as its
/// operands span together. A value that depends on one loop of two is as long as that loop, and one
/// that depends on none is a scalar.
void CoreWalk::charge_body(const Region& region, std::span<const std::int64_t> extents) {
  for (const Operation& op : region.operations) {
    if (op.info->is_terminator()) continue;
    count_work(op);
    if (!op.regions.empty() || price_class(op.code()) == PriceClass::unsupported ||
        price_class(op.code()) == PriceClass::transfer) {
      site(op).fail("it has no price inside a body that runs per element");
    }
    std::uint64_t loops = 0;
    if (op.is(OpCode::linalg_index)) {
      const auto* dimension = value_of<IntegerValue>(op.attribute("dim"));
      loops = std::uint64_t{1} << static_cast<std::size_t>(dimension->value);
    }
    for (const ValueId id : op.operands) loops |= body_loops_[id];
    for (const ValueId id : op.results) body_loops_[id] = loops;
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if ((loops >> d & 1) != 0) elements = times(elements, extents[d], site(op));
    }
    if (op.results.size() == 1) charge_elementwise(op, loops == 0, elements);
  }
}

/// A tree fold: N - 1 steps per result and one more with the initial value, so the combiner runs
/// once per element of the input.
void CoreWalk::visit_reduce(const Operation& op) {
  const Region& body = op.regions.front();
  for (const ValueId id : body.arguments) body_loops_[id] = 1;
  const std::int64_t elements = elements_of(op, type(op.operands[0]));
  charge_body(body, {&elements, 1});
}

/// Its body, and one SIMD step per element of the result for the operation itself
/// (paged_attention).
void CoreWalk::visit_generic(const Operation& op) {
  const auto* maps = value_of<ArrayValue>(op.attribute("indexing_maps"));
  const Region& body = op.regions.front();
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const AffineMap& map = **value_of<AffineMapPtr>(maps->elements[i]);
    extents.resize(std::max(extents.size(), map.dimensions));
    if (extents.size() > kMostLoops) site(op).fail("it has more than 64 loops");
    std::uint64_t loops = 0;
    for (std::size_t d = 0; d < map.results.size(); ++d) {
      for (const AffineNode& node : map.results[d].nodes()) {
        if (node.kind == AffineKind::dimension) loops |= std::uint64_t{1} << node.value;
      }
      const auto loop = map.results[d].as_dimension();
      const Type& shaped = type(op.operands[i]);
      if (!loop || !shaped.is_tensor()) continue;
      if (shaped.shape[d] == kDynamic) static_cast<void>(elements_of(op, shaped));  // reports it
      extents[*loop] = shaped.shape[d];
    }
    body_loops_[body.arguments[i]] = loops;
  }
  for (const ValueId id : op.results) charge(PriceClass::simd, elements_of(op, type(id)), op);
  charge_body(body, extents);
}

void CoreWalk::visit_generate(const Operation& op) {
  const Region& body = op.regions.front();
  const Type& made = type(op.results[0]);
  static_cast<void>(elements_of(op, made));
  if (made.rank() > kMostLoops) site(op).fail("it has more than 64 loops");
  for (std::size_t d = 0; d < body.arguments.size(); ++d) {
    body_loops_[body.arguments[d]] = std::uint64_t{1} << d;
  }
  charge_body(body, made.shape);
}

std::optional<std::int64_t> CoreWalk::group_in(const Operation& op, std::string_view name,
                                               const IntegerSet& groups) const {
  const auto* cores = value_of<IntegerSetPtr>(op.attribute(name));
  for (std::int64_t group = 0; group < context_.cores; ++group) {
    const std::span<const std::int64_t> number(&group, 1);
    if (groups.contains(number, {}) && (*cores)->contains({&core_, 1}, number)) return group;
  }
  return std::nullopt;
}

std::int64_t CoreWalk::producers_of(const Operation& produce, std::int64_t group) {
  const auto [entry, is_new] = context_.producers.try_emplace({&produce, group}, 0);
  if (!is_new) return entry->second;
  const auto* cores = value_of<IntegerSetPtr>(produce.attribute("producer_tiles_per_group"));
  for (std::int64_t core = 0; core < context_.cores; ++core) {
    if ((*cores)->contains({&core, 1}, {&group, 1})) ++entry->second;
  }
  return entry->second;
}

void CoreWalk::visit_produce(const Operation& op) {
  values_[op.results[0]] = &op;
  const Type& future = type(op.results[0]);
  const auto group = group_in(op, "producer_tiles_per_group", *future.groups);
  if (!group) return;
  values_[op.regions.front().arguments.front()] = *group;
  walk(op.regions.front());
}

/// The ring passes every core's partial result once around: N - 1 rounds on N cores of the grid,
/// whatever the group. A consumer combines those of its own group's producers, without the identity
/// value.
void CoreWalk::visit_inter_tile_reduce(const Operation& op) {
  const ValueId future = op.segment(0)[0];
  const auto* produce = bound<const Operation*>(future);
  if (produce == nullptr) site(op).fail("its future is not produced in this function");
  double bytes = 0;
  for (const Type& payload : type(future).payload) {
    bytes += static_cast<double>(elements_of(op, payload)) *
             static_cast<double>(bytes_of(payload.element));
  }
  const auto rounds = static_cast<double>(context_.cores - 1);
  costs_.comm += rounds * bytes / kRingBytesPerCycle;
  count_work(op, context_.cores);
  const auto group = group_in(op, "consumer_tiles_per_group", *type(future).groups);
  if (!group) return;
  const std::int64_t folds = producers_of(**produce, *group) - 1;
  for (std::int64_t i = 0; i < folds; ++i) walk(op.regions.front());
}

}  // namespace spyre::kernels::ktir
