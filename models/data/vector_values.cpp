#include "models/data/vector_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "models/data/composite_functions.h"
#include "models/formats/convert.h"
#include "models/formats/elementwise.h"
#include "models/formats/reductions.h"

namespace spyre::models {
namespace {

std::size_t elements(const LxOperand& tile) {
  return std::size_t{tile.rows} * tile.columns;
}

/// Sources with the number at its place: how many operands there are in all.
std::size_t operand_count(const TileOp& op) {
  return op.source_count + (op.number_place >= 0 ? 1U : 0U);
}

/// Which tile operand `index` is; -1 for the number.
int tile_of(const TileOp& op, std::size_t index) {
  const auto place = static_cast<std::size_t>(op.number_place);
  if (op.number_place < 0 || index < place) return static_cast<int>(index);
  return index == place ? -1 : static_cast<int>(index) - 1;
}

template <typename Number>
void elementwise(const TileOp& op, const LxView& lx, std::array<std::vector<Number>, 4>& sources,
                 std::vector<Number>& result) {
  std::array<Number, 1> number{};
  if constexpr (std::is_integral_v<Number>) {
    number[0] = static_cast<Number>(static_cast<std::int64_t>(op.number));
  } else {
    number[0] = static_cast<Number>(op.number);
  }
  Operands<Number> operands;
  for (std::size_t i = 0; i < operand_count(op); ++i) {
    const int tile = tile_of(op, i);
    if (tile < 0) {
      operands[i] = {number, 1, 1};
      continue;
    }
    const LxOperand& source = op.sources[static_cast<std::size_t>(tile)];
    read_tile(lx, source, sources[i]);
    operands[i] = {sources[i], source.rows, source.columns};
  }
  result.resize(elements(op.destination));
  apply_elementwise(op.function, operands, op.destination.columns, std::span<Number>(result));
  write_tile(lx, op.destination, std::span<const Number>(result));
}

/// A tile whose sticks follow each other: its elements can be taken stick by stick, in any order
/// that all operands share.
bool is_solid(const LxOperand& tile) {
  return tile.first_lane == 0 && tile.rows == tile.pitch_rows && bits(tile.type) >= 8;
}

bool same_shape(const LxOperand& a, const LxOperand& b) {
  return a.rows == b.rows && a.columns == b.columns && a.type == b.type;
}

/// Elementwise over whole sticks, padding lanes included: what they come to does not matter, and
/// the work goes on in long runs. Operands must be solid tiles of one shape and type, or numbers.
bool elementwise_in_sticks(const TileOp& op, const LxView& lx, VectorScratch& scratch) {
  const LxOperand& destination = op.destination;
  if (!is_solid(destination) || is_integer(destination.type)) return false;
  for (std::size_t i = 0; i < op.source_count; ++i) {
    const LxOperand& source = op.sources[i];
    const bool single = source.rows == 1 && source.columns == 1;
    if (is_integer(source.type)) return false;
    if (!single && !(is_solid(source) && same_shape(source, destination))) return false;
  }
  const Format format = format_of(destination.type, lx.numerics);
  const auto lanes = static_cast<std::size_t>(lx.stick_bytes * 8 / bits(destination.type));
  const std::size_t count =
      (destination.columns + lanes - 1) / lanes * lanes * std::size_t{destination.rows};
  const auto bytes = static_cast<std::size_t>(bytes_of(format, static_cast<std::int64_t>(count)));
  const std::array<float, 1> number{static_cast<float>(op.number)};

  Operands<float> operands;
  for (std::size_t i = 0; i < operand_count(op); ++i) {
    const int tile = tile_of(op, i);
    if (tile < 0) {
      operands[i] = {number, 1, 1};
      continue;
    }
    const LxOperand& source = op.sources[static_cast<std::size_t>(tile)];
    if (source.rows == 1 && source.columns == 1) {
      read_tile(lx, source, scratch.sources[i]);
      operands[i] = {scratch.sources[i], 1, 1};
    } else {
      scratch.sources[i].resize(count);
      decode(format, lx.bytes.subspan(source.address, bytes), scratch.sources[i]);
      operands[i] = {scratch.sources[i], 1, count};
    }
  }
  scratch.result.resize(count);
  apply_elementwise(op.function, operands, count, scratch.result);
  encode(format, scratch.result, lx.bytes.subspan(destination.address, bytes));
  return true;
}

bool all_integers(const TileOp& op) {
  return std::all_of(op.sources.begin(), op.sources.begin() + op.source_count,
                     [](const LxOperand& source) { return is_integer(source.type); });
}

void execute_elementwise(const TileOp& op, const LxView& lx, VectorScratch& scratch) {
  // Comparisons of integers give an integer mask; what mixes types is computed in fp32.
  const bool integers = is_integer(op.destination.type) && all_integers(op) &&
                        (op.source_count > 0 || op.number == std::trunc(op.number));
  if (integers) {
    elementwise(op, lx, scratch.integer_sources, scratch.integer_result);
  } else if (!elementwise_in_sticks(op, lx, scratch)) {
    elementwise(op, lx, scratch.sources, scratch.result);
  }
}

template <typename Number>
void rearrange(const TileOp& op, const LxView& lx, std::vector<Number>& source,
               std::vector<Number>& result) {
  const LxOperand& from = op.sources[0];
  read_tile(lx, from, source);
  Pattern pattern = op.pattern;
  if (pattern.rank == 0) {  // transpose of rows and columns
    pattern.rank = 2;
    pattern.sizes = {from.columns, from.rows};
    pattern.strides = {1, from.columns};
  }
  result.assign(elements(op.destination), Number{});
  std::array<std::uint32_t, Pattern::kMaxRank> index{};
  std::int64_t place = pattern.offset;
  const std::size_t last = pattern.rank - 1U;
  const std::int64_t stride = pattern.strides[last];
  for (std::size_t i = 0; i < result.size();) {
    const std::size_t run = std::min<std::size_t>(pattern.sizes[last], result.size() - i);
    for (std::size_t k = 0; k < run; ++k) {
      const std::int64_t at = place + static_cast<std::int64_t>(k) * stride;
      if (at >= 0 && at < static_cast<std::int64_t>(source.size())) {
        result[i + k] = source[static_cast<std::size_t>(at)];
      }
    }
    i += run;
    for (std::size_t d = last; d-- > 0;) {
      place += pattern.strides[d];
      if (++index[d] < pattern.sizes[d]) break;
      place -= pattern.strides[d] * pattern.sizes[d];
      index[d] = 0;
    }
    if (run == 0) break;
  }
  write_tile(lx, op.destination, std::span<const Number>(result));
}

Reduction reduction_of(VectorFunction function) {
  if (function == VectorFunction::reduce_max) return Reduction::max;
  return function == VectorFunction::reduce_min ? Reduction::min : Reduction::sum;
}

void reduce(const TileOp& op, const LxView& lx, VectorScratch& scratch) {
  const LxOperand& from = op.sources[0];
  std::vector<float>& x = scratch.sources[0];
  std::vector<float>& y = scratch.result;
  read_tile(lx, from, x);
  const Reduction reduction = reduction_of(op.function);
  if (op.axis == 1) {
    y.resize(from.rows);
    reduce_rows(reduction, Format::fp32, from.columns, x, y);
  } else {
    const float infinity = std::numeric_limits<float>::infinity();
    y.assign(from.columns, reduction == Reduction::sum   ? 0.0F
                           : reduction == Reduction::max ? -infinity
                                                         : infinity);
    const VectorFunction combine = reduction == Reduction::sum   ? VectorFunction::add
                                   : reduction == Reduction::max ? VectorFunction::max
                                                                 : VectorFunction::min;
    for (std::uint32_t row = 0; row < from.rows; ++row) {
      Operands<float> operands;
      operands[0] = {y, 1, from.columns};
      operands[1] = {std::span(x).subspan(std::size_t{row} * from.columns, from.columns), 1,
                     from.columns};
      apply_elementwise(combine, operands, from.columns, y);
    }
  }
  // The results follow each other in the destination, be it a row or a column.
  y.resize(elements(op.destination));
  write_tile(lx, op.destination, y);
}

void iota(const TileOp& op, const LxView& lx, VectorScratch& scratch) {
  const LxOperand& to = op.destination;
  const auto start = static_cast<std::int64_t>(op.number);
  scratch.integer_result.resize(elements(to));
  for (std::size_t i = 0; i < scratch.integer_result.size(); ++i) {
    const std::size_t index = op.axis == 0 ? i / to.columns : i % to.columns;
    scratch.integer_result[i] = static_cast<std::int32_t>(start + static_cast<std::int64_t>(index));
  }
  if (is_integer(to.type)) return write_tile(lx, to, scratch.integer_result);
  scratch.result.assign(scratch.integer_result.begin(), scratch.integer_result.end());
  write_tile(lx, to, scratch.result);
}

Rows rows_of(const LxOperand& tile, const std::vector<float>& values) {
  return {values, tile.rows, tile.columns};
}

void composite(const TileOp& op, const LxView& lx, VectorScratch& scratch) {
  std::array<Rows, 4> x;
  for (std::size_t i = 0; i < op.source_count; ++i) {
    read_tile(lx, op.sources[i], scratch.sources[i]);
    x[i] = rows_of(op.sources[i], scratch.sources[i]);
  }
  std::vector<float>& y = scratch.result;
  const float number = static_cast<float>(op.number);
  const float epsilon = op.number_place < 0 ? kDefaultEpsilon : number;
  if (op.function == VectorFunction::rescale_add) {
    read_tile(lx, op.destination, y);
  } else {
    y.resize(elements(op.destination));
  }
  switch (op.function) {
    case VectorFunction::rmsnorm:
      rmsnorm(x[0], x[1], epsilon, y);
      break;
    case VectorFunction::layernorm:
      layernorm(x[0], x[1], x[2], epsilon, y);
      break;
    case VectorFunction::rope:
      rope(x[0], x[1], y);
      break;
    case VectorFunction::softmax_step:
      softmax_step(x[0], op.number_place < 0 ? 1.0F : number, scratch.sources[1], y);
      write_tile(lx, op.sources[1], scratch.sources[1]);
      break;
    case VectorFunction::softmax_finish:
      softmax_finish(x[0], x[1], y);
      break;
    case VectorFunction::rescale_add:
      rescale_add(x[0], x[1], y);
      break;
    default:
      throw std::invalid_argument(std::string(info(op.function).name) + " has no arithmetic");
  }
  write_tile(lx, op.destination, y);
}

}  // namespace

void execute_vector(const TileOp& op, const LxView& lx, VectorScratch& scratch) {
  if (is_elementwise(op.function)) return execute_elementwise(op, lx, scratch);
  switch (op.function) {
    case VectorFunction::bitcast:
      read_bytes(lx, op.sources[0], scratch.bytes);
      return write_bytes(lx, op.destination, scratch.bytes);
    case VectorFunction::iota:
      return iota(op, lx, scratch);
    case VectorFunction::transpose:
    case VectorFunction::rearrange:
      if (is_integer(op.destination.type) && is_integer(op.sources[0].type)) {
        return rearrange(op, lx, scratch.integer_sources[0], scratch.integer_result);
      }
      return rearrange(op, lx, scratch.sources[0], scratch.result);
    case VectorFunction::reduce_sum:
    case VectorFunction::reduce_max:
    case VectorFunction::reduce_min:
      return reduce(op, lx, scratch);
    default:
      return composite(op, lx, scratch);
  }
}

}  // namespace spyre::models
