#include "kernels/schedule/vector_rules.h"

#include <fmt/format.h>

namespace spyre::kernels {
namespace {

using models::VectorFunction;

/// How the operands of a function go together.
enum class Operands {
  elementwise,  ///< each as large as the result, or one row or column that is repeated
  tables,       ///< they may repeat their columns in blocks as well: one norm for each head
  free          ///< each has a form of its own
};

Operands operands_of(VectorFunction function) {
  switch (function) {
    case VectorFunction::rmsnorm:
    case VectorFunction::layernorm:
    case VectorFunction::rope:
      return Operands::tables;
    case VectorFunction::fill:
    case VectorFunction::iota:
    case VectorFunction::softmax_step:
    case VectorFunction::softmax_finish:
    case VectorFunction::rescale_add:
    case VectorFunction::transpose:
    case VectorFunction::rearrange:
      return Operands::free;
    default:
      return models::is_reduction(function) ? Operands::free : Operands::elementwise;
  }
}

class VectorJudge {
 public:
  VectorJudge(const StepPlace& place, const Step& step, Findings& findings)
      : place_(place),
        step_(step),
        report_(place, step, findings),
        instruction_(*step.instruction) {}

  void run() {
    if (instruction_.pattern.rank > 0) check_pattern();
    if (instruction_.function == VectorFunction::bitcast) check_bitcast();
    if (instruction_.function == VectorFunction::fill) check_fill();
    const Operands operands = operands_of(instruction_.function);
    if (operands != Operands::free) check_operands(operands == Operands::tables);
  }

 private:
  void check_operands(bool tables) {
    for (std::size_t i = 0; i < instruction_.source_count; ++i) {
      const TileView& view = step_.sources[i];
      if (!view.exact || view.empty()) continue;
      const bool rows = view.rows == step_.m || view.rows == 1;
      const bool columns =
          view.columns == step_.n || view.columns == 1 || (tables && step_.n % view.columns == 0);
      if (rows && columns) continue;
      report_.error("shape-mismatch", [&] {
        return fmt::format("operand '{}' of {} is {} x {}, the others are {} x {}",
                           place_.buffer_name(view), models::info(instruction_.function).name,
                           view.rows, view.columns, step_.m, step_.n);
      });
    }
  }

  void check_pattern() {
    const models::Pattern& pattern = instruction_.pattern;
    std::int64_t elements = 1;
    std::int64_t first = step_.pattern_offset;
    std::int64_t last = first;
    for (std::size_t i = 0; i < pattern.rank; ++i) {
      elements *= pattern.sizes[i];
      const std::int64_t reach = (std::int64_t{pattern.sizes[i]} - 1) * pattern.strides[i];
      (reach < 0 ? first : last) += reach;
    }
    const TileView& into = step_.destination;
    if (elements != into.rows * into.columns) {
      report_.error("shape-mismatch", [&] {
        return fmt::format(
            "the pattern gives {} elements, the tile that it makes in '{}' is {} x "
            "{}",
            elements, place_.buffer_name(into), into.rows, into.columns);
      });
    }
    const TileView& from = step_.sources[0];
    if (!from.exact || (first >= 0 && last < from.rows * from.columns)) return;
    report_.error("out-of-range", [&] {
      return fmt::format("the pattern reads elements {} to {} of '{}', which holds {} x {}", first,
                         last, place_.buffer_name(from), from.rows, from.columns);
    });
  }

  void check_bitcast() {
    const DataType from = type_of(step_.sources[0]);
    const DataType into = type_of(step_.destination);
    if (models::bits(from) == models::bits(into)) return;
    report_.error("type-mismatch", [&] {
      return fmt::format(
          "'{}' is {} and '{}' is {}: bits are kept only where elements are equally "
          "wide",
          place_.buffer_name(step_.sources[0]), models::to_string(from),
          place_.buffer_name(step_.destination), models::to_string(into));
    });
  }

  void check_fill() {
    if (instruction_.source_count == 0) return;
    const TileView& from = step_.sources[0];
    if (!from.exact || (from.rows == 1 && from.columns == 1)) return;
    report_.error("shape-mismatch", [&] {
      return fmt::format("'{}' is {} x {}: fill repeats one element", place_.buffer_name(from),
                         from.rows, from.columns);
    });
  }

  [[nodiscard]] DataType type_of(const TileView& view) const {
    return place_.kernel->buffers[view.buffer].type;
  }

  const StepPlace& place_;
  const Step& step_;
  StepFindings report_;
  const Instruction& instruction_;
};

}  // namespace

void check_vector(const StepPlace& place, const Step& step, Findings& findings) {
  VectorJudge(place, step, findings).run();
}

}  // namespace spyre::kernels
