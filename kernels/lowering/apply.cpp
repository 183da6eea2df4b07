// One vector function over whole tensors: which geometry it works in, which buffer takes the
// result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/lowering/element_type.h"
#include "kernels/lowering/lowerer.h"

namespace spyre::kernels::lowering {
namespace {

/// The numbers that an integer function gives for operands of those ranges, where that is simple.
std::optional<Range> range_after(VectorFunction function, std::span<const TensorValue> operands,
                                 const ScalarType& element) {
  if (element.is_float()) return std::nullopt;
  if (element.width == 1) return Range{0, 1};
  std::vector<Range> ranges;
  for (const TensorValue& operand : operands) {
    if (!operand.range) return std::nullopt;
    ranges.push_back(*operand.range);
  }
  switch (function) {
    case VectorFunction::copy:
      return ranges[0];
    case VectorFunction::add:
      return ranges[0] + ranges[1];
    case VectorFunction::sub:
      return ranges[0] - ranges[1];
    case VectorFunction::mul:
      return ranges[0] * ranges[1];
    case VectorFunction::max:
      return Range{std::max(ranges[0].low, ranges[1].low),
                   std::max(ranges[0].high, ranges[1].high)};
    case VectorFunction::min:
      return Range{std::min(ranges[0].low, ranges[1].low),
                   std::min(ranges[0].high, ranges[1].high)};
    case VectorFunction::select:
      return Range{std::min(ranges[1].low, ranges[2].low),
                   std::max(ranges[1].high, ranges[2].high)};
    case VectorFunction::div:
      if (ranges[0].low >= 0 && ranges[1].low > 0) return Range{0, ranges[0].high / ranges[1].low};
      return std::nullopt;
    case VectorFunction::rem:
      if (ranges[0].low >= 0 && ranges[1].low > 0) return Range{0, ranges[1].high - 1};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<double> Lowerer::folded(VectorFunction function,
                                      std::span<const TensorValue> operands,
                                      const ScalarType& element) {
  std::vector<double> values;
  for (const TensorValue& operand : operands) {
    const Number* number = operand.number();
    if (number == nullptr || number->formula) return std::nullopt;
    values.push_back(number->constant);
  }
  if (!element.is_float() && function != VectorFunction::copy) return std::nullopt;
  switch (function) {  // exact in double for the types of tiles, or rounded once below
    case VectorFunction::copy:
      return rounded(values[0], element);
    case VectorFunction::neg:
      return -values[0];
    case VectorFunction::abs:
      return std::abs(values[0]);
    case VectorFunction::add:
      return rounded(values[0] + values[1], element);
    case VectorFunction::sub:
      return rounded(values[0] - values[1], element);
    case VectorFunction::mul:
      return rounded(values[0] * values[1], element);
    case VectorFunction::div:
      return rounded(values[0] / values[1], element);
    default:
      return std::nullopt;
  }
}

std::vector<std::string> Lowerer::combined_cut(const Operation& op,
                                               std::span<const TensorValue> operands) const {
  std::vector<std::string> result;
  for (const TensorValue& operand : operands) {
    if (!operand.cut.empty()) result.resize(operand.shape.size());
  }
  for (std::size_t d = 0; d < result.size(); ++d) {
    bool first = true;
    for (const TensorValue& operand : operands) {
      const Reading* reading = operand.reading();
      if (reading == nullptr || reading->strides[d] == 0 || operand.shape[d] == 1) continue;
      const std::string& mine = operand.cut.empty() ? std::string() : operand.cut[d];
      if (!first && mine != result[d]) {
        fail(op,
             "its operands come from views that may end inside the tile at different places: "
             "their tiles must be cut alike");
      }
      result[d] = mine;
      first = false;
    }
  }
  if (std::ranges::all_of(result, [](const std::string& each) { return each.empty(); })) return {};
  return result;
}

Geometry Lowerer::best_geometry(const Shape& shape, std::span<const TensorValue> operands) const {
  std::vector<Geometry> candidates{usual_geometry(shape)};
  const std::int64_t elements = elements_of(shape);
  for (const TensorValue& operand : operands) {
    const Reading* reading = operand.reading();
    if (reading == nullptr) continue;
    const std::int64_t columns = state_.program.geometry(reading->buffer).columns;
    if (elements % columns != 0) continue;
    const Geometry like_it{elements / columns, columns};
    if (std::ranges::find(candidates, like_it) == candidates.end()) candidates.push_back(like_it);
  }
  Geometry best = candidates.front();
  std::int64_t fewest = -1;
  for (const Geometry& candidate : candidates) {
    std::int64_t moved = 0;
    for (const TensorValue& operand : operands) {
      const Reading* reading = operand.reading();
      if (reading == nullptr) continue;
      const Geometry own = state_.program.geometry(reading->buffer);
      if (rectangle_of(operand.shape, *reading, own, candidate, true)) continue;
      moved += spacing(operand.shape, reading->strides, candidate.rows, candidate.columns)
                   ? own.elements()
                   : elements;
    }
    if (fewest >= 0 && moved >= fewest) continue;
    fewest = moved;
    best = candidate;
  }
  return best;
}

/// Whether the value goes to memory while the next turn of the loop is under way: then it needs a
/// tile that the next turn's loads leave alone.
bool Lowerer::is_stored_late(ValueId id) const {
  if (!options_.delay_stores || loops_.empty()) return false;
  const ktir::Region& body = loops_.back().op->regions[0];
  const bool nested = std::ranges::any_of(
      body.operations, [](const Operation& op) { return op.is(OpCode::scf_for); });
  if (nested) return false;
  return std::ranges::any_of(uses_.uses(id), [&](const ktir::DefUse::Use& use) {
    const Operation& user = *use.user;
    const bool reads_on = user.is(OpCode::tensor_expand_shape) ||
                          user.is(OpCode::tensor_collapse_shape) || user.is(OpCode::tensor_reshape);
    if (reads_on && use.operand == 0) return is_stored_late(user.results[0]);
    return user.is(OpCode::ktdp_store) && &user >= body.operations.data() &&
           &user < body.operations.data() + body.operations.size();
  });
}

/// A buffer among the operands that the result may take: it is not needed any more.
std::optional<BufferId> Lowerer::reusable(std::span<const VectorOperand> operands, DataType type,
                                          const Geometry& geometry) const {
  std::optional<BufferId> found;
  if (target_ && is_stored_late(*target_)) return found;
  for (const VectorOperand& operand : operands) {
    if (!operand.tile) continue;
    const BufferId buffer = operand.tile->buffer;
    const bool whole = operand.tile->row.is(0) && operand.tile->column.is(0) &&
                       operand.tile->rows == geometry.rows &&
                       operand.tile->columns == geometry.columns &&
                       state_.program.geometry(buffer) == geometry;
    if (!whole || state_.program.type(buffer) != type || !is_dead(buffer)) continue;
    // Another operand that is a row or column of it would change while it is read.
    const bool read_otherwise = std::ranges::any_of(operands, [&](const VectorOperand& other) {
      return other.tile && other.tile->buffer == buffer &&
             (other.tile->rows != geometry.rows || other.tile->columns != geometry.columns);
    });
    if (read_otherwise) continue;
    const bool carried = std::ranges::any_of(loops_, [&](const OpenLoop& loop) {
      return std::ranges::find(loop.carried, std::optional(buffer)) != loop.carried.end();
    });
    if (carried) return buffer;
    if (!found) found = buffer;
  }
  return found;
}

TensorValue Lowerer::apply(const Operation& op, VectorFunction function,
                           std::vector<TensorValue> operands, const ScalarType& element) {
  Shape shape = operands[0].shape;
  for (const TensorValue& operand : operands) {
    if (operand.reading() != nullptr) shape = operand.shape;
  }
  TensorValue result{element, shape, Number{}, range_after(function, operands, element), {}};
  if (const auto value = folded(function, operands, element)) {
    result.content = Number{*value, {}};
    return result;
  }
  const DataType type = tile_type_of(element, op);
  if (result.range && type == DataType::int32 &&
      !result.range->within(-(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 1)) {
    fail(op, "the result may leave the range of the 32-bit integers that tiles hold");
  }
  result.cut = combined_cut(op, operands);
  // Dimensions along which every operand repeats itself are computed once.
  Shape small = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool repeats = std::ranges::all_of(operands, [&](const TensorValue& operand) {
      return operand.reading() == nullptr || operand.reading()->strides[d] == 0;
    });
    if (repeats) small[d] = 1;
  }
  for (TensorValue& operand : operands) operand.shape = small;
  const Geometry geometry = best_geometry(small, operands);
  std::vector<VectorOperand> from;
  bool has_number = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Number* number = operands[i].number();
    const bool tiles_left =
        std::ranges::any_of(operands, [](const auto& each) { return each.reading() != nullptr; });
    // One number may stand in an operation, and not alone.
    if (number != nullptr && !has_number && (tiles_left || i > 0)) {
      has_number = true;
      from.push_back({std::nullopt, true, number->constant, number->formula});
      continue;
    }
    from.push_back({arranged(op, operands[i], geometry, true), true, 0, std::nullopt});
  }
  const std::optional<BufferId> reused = reusable(from, type, geometry);
  const BufferId into = reused ? *reused : new_buffer(op, type, geometry);
  if (reused) overwritten(*reused);
  state_.program.vector(function, state_.program.whole(into), from);
  Reading reading{into, dense_strides(small), 0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (small[d] != shape[d]) reading.strides[d] = 0;
  }
  result.content = reading;
  return result;
}

}  // namespace spyre::kernels::lowering
