#include "kernels/schedule/tile_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/schedule/strided_rules.h"
#include "kernels/schedule/vector_rules.h"

namespace spyre::kernels {
namespace {

using models::Opcode;

class TileJudge {
 public:
  TileJudge(const StepPlace& place, const Step& step, Findings& findings)
      : place_(place),
        step_(step),
        findings_(findings),
        report_(place, step, findings),
        instruction_(*step.instruction) {}

  void run() {
    if (step_.loop_too_long) {
      return error("loop-limit", [&] {
        return fmt::format(
            "this loop runs {} times, the machine counts to {}: split it in two "
            "nested loops",
            step_.count, place_.context->loop_limit);
      });
    }
    for (std::size_t i = 0; i < instruction_.source_count; ++i) check_source(step_.sources[i]);
    switch (instruction_.opcode) {
      case Opcode::load:
      case Opcode::gather:
        check_remote();
        check_transfer_type(step_.destination);
        check_destination();
        break;
      case Opcode::store:
      case Opcode::scatter:
        check_remote();
        check_transfer_type(step_.sources[0]);
        if (!step_.skipped) check_stored_shape();
        break;
      case Opcode::matmul:
        check_matmul();
        break;
      case Opcode::vector:
        if (step_.skipped) break;
        check_destination();
        check_vector(place_, step_, findings_);
        break;
      case Opcode::send:
      case Opcode::multicast:
        check_sent();
        break;
      case Opcode::reduce:
        check_destination();
        break;
      case Opcode::receive:
        if (!step_.skipped) check_destination();
        break;
      case Opcode::signal:
      case Opcode::wait:
      case Opcode::barrier:
        break;
    }
    if (instruction_.has_to && step_.skipped) {
      error("out-of-range", [&] {
        return fmt::format(
            "core {} does not exist in this grid of {} cores; use `when` on the "
            "cores that have no partner",
            step_.to, place_.kernel->cores);
      });
    }
    check_group();
  }

 private:
  template <typename Message>
  void error(std::string_view rule, Message message) {
    report_.error(rule, message);
  }
  [[nodiscard]] const BufferInfo& buffer(const TileView& view) const {
    return place_.kernel->buffers[view.buffer];
  }
  [[nodiscard]] const TensorGeometry& tensor() const {
    return place_.context->tensors[instruction_.remote.tensor];
  }
  [[nodiscard]] const Tensor& tensor_description() const {
    return place_.context->schedule->tensors[instruction_.remote.tensor];
  }

  /// A group of grid dims holds every core, one of the kernel's own may not.
  void check_group() {
    const bool needs_group = instruction_.opcode == Opcode::multicast ||
                             instruction_.opcode == Opcode::reduce ||
                             instruction_.opcode == Opcode::signal;
    if (!needs_group || instruction_.group == 0 || step_.cores != 0) return;
    error("out-of-range", [&] {
      return fmt::format("core {} is in no group of '{}'; use `when` on the cores outside",
                         place_.core, place_.kernel->groups[instruction_.group - 1].dims[0]);
    });
  }

  /// A transfer from or to a tensor with strides goes element by element.
  [[nodiscard]] bool moves_single_elements() const {
    const Opcode opcode = step_.instruction->opcode;
    const bool transfers = opcode == Opcode::load || opcode == Opcode::store ||
                           opcode == Opcode::gather || opcode == Opcode::scatter;
    return transfers && place_.context->tensors[step_.instruction->remote.tensor].strided;
  }

  void check_part(const TileView& view) {
    const BufferInfo& info = buffer(view);
    if (view.row < 0 || view.column < 0 || view.row >= info.rows || view.column >= info.columns) {
      error("out-of-range", [&] {
        return fmt::format("[{}, {}] lies outside buffer '{}' of {} x {}", view.row, view.column,
                           place_.buffer_name(view), info.rows, info.columns);
      });
    } else if (view.column % info.elements_per_stick != 0 && !moves_single_elements()) {
      error("alignment", [&] {
        return fmt::format("column {} of buffer '{}' is not at the start of a stick of {} elements",
                           view.column, place_.buffer_name(view), info.elements_per_stick);
      });
    }
  }

  void check_source(const TileView& view) {
    if (view.row != 0 || view.column != 0) check_part(view);
  }

  void check_destination() {
    const TileView& view = step_.destination;
    if (view.row != 0 || view.column != 0) check_part(view);
    const BufferInfo& info = buffer(view);
    if (view.row + view.rows <= info.rows && view.column + view.columns <= info.columns) return;
    error("tile-too-big", [&] {
      return fmt::format(
          "a tile of {} x {} at [{}, {}] does not fit into buffer '{}' of {} x {}: "
          "make the buffer larger or give a smaller `size`",
          view.rows, view.columns, view.row, view.column, place_.buffer_name(view), info.rows,
          info.columns);
    });
  }

  void check_transfer_type(const TileView& view) {
    const DataType in_dram = tensor_description().type;
    const DataType in_lx = buffer(view).type;
    if (in_dram == in_lx) return;
    error("type-mismatch", [&] {
      return fmt::format("'{}' is {} in {} and buffer '{}' is {}: a transfer does not convert",
                         tensor_description().name, models::to_string(in_dram),
                         (*place_.memory)[instruction_.remote.tensor].name,
                         place_.buffer_name(view), models::to_string(in_lx));
    });
  }

  void check_remote() {
    const TensorGeometry& geometry = tensor();
    if (geometry.strided) check_strided(place_, step_, findings_);
    if (instruction_.indexed != 0) return;
    for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
      if (step_.remote.offset[dim] >= 0) continue;
      error("out-of-range", [&] {
        return fmt::format("offset {} of '{}' is negative in dimension {}",
                           step_.remote.offset[dim], tensor_description().name,
                           dimension_name(dim));
      });
    }
    const std::int64_t offset = geometry.rank > 0 ? step_.remote.offset[geometry.stick_dim] : 0;
    if (!geometry.strided && offset >= 0 && offset % geometry.elements_per_stick != 0) {
      error("alignment", [&] {
        return fmt::format(
            "offset {} of '{}' in dimension {} is not at the start of a stick of {} "
            "{} elements",
            offset, tensor_description().name, dimension_name(geometry.stick_dim),
            geometry.elements_per_stick, models::to_string(tensor_description().type));
      });
    }
    if (instruction_.opcode == Opcode::gather || instruction_.opcode == Opcode::scatter) {
      check_indices();
    }
  }

  [[nodiscard]] std::string dimension_name(std::size_t dim) const {
    const std::vector<std::string>& names = tensor_description().dims;
    return dim < names.size() ? names[dim] : std::to_string(dim);
  }

  void check_indices() {
    const Tensor& index = place_.context->schedule->tensors[instruction_.index.tensor];
    const TensorGeometry& index_geometry = place_.context->tensors[instruction_.index.tensor];
    if (tensor().rank > 0 && tensor().stick_dim == 0) {
      error("shape-mismatch", [&] {
        return fmt::format("'{}' has its sticks along dimension 0, which is indexed",
                           tensor_description().name);
      });
    }
    if (index.values.empty()) {
      report_.warning("index-values", [&] {
        return fmt::format("'{}' has no `values`: rows 0, 1, 2 ... of '{}' are taken", index.name,
                           tensor_description().name);
      });
    }
    if (tensor().rank == 0) return;
    for (std::int64_t i = 0; i < step_.indices; ++i) {
      const std::int64_t row = indexed_row(index, index_geometry, step_, i);
      if (row >= 0 && row < tensor().shape[0]) continue;
      error("index-range", [&] {
        return fmt::format("index {} of this tile of '{}' chooses row {} of '{}', which has {}", i,
                           index.name, row, tensor_description().name, tensor().shape[0]);
      });
      return;
    }
  }

  void check_stored_shape() {
    const TileView& from = step_.sources[0];
    const bool scatters = instruction_.opcode == Opcode::scatter;
    std::int64_t rows = rows_of(tensor(), step_.remote) * (scatters ? step_.indices : 1);
    std::int64_t columns = tensor().rank > 0 ? step_.remote.size[tensor().stick_dim] : 1;
    if (instruction_.indexed != 0) {
      const IndexedTransfer& indexed = place_.kernel->indexed[instruction_.indexed - 1];
      rows = indexed.rows();
      columns = indexed.columns();
    }
    if (rows == from.rows && columns == from.columns) return;
    const auto message = [&](std::string_view rest) {
      return fmt::format("{} x {} elements of '{}' are stored from a tile of {} x {} in '{}': {}",
                         rows, columns, tensor_description().name, from.rows, from.columns,
                         place_.buffer_name(from), rest);
    };
    if (rows > from.rows || columns > from.columns) {
      error("shape-mismatch", [&] { return message("the tile does not hold them"); });
    } else if (from.exact) {
      report_.warning("shape-mismatch", [&] { return message("the rest of the tile is lost"); });
    }
  }

  void check_matmul() {
    const TileView& a = step_.sources[0];
    const TileView& b = step_.sources[1];
    if (step_.skipped) return;
    const bool fits = (a.columns == b.rows) || (!a.exact && a.columns > b.rows) ||
                      (!b.exact && b.rows > a.columns);
    if (!fits) {
      error("shape-mismatch", [&] {
        return fmt::format(
            "A '{}' is {} x {} and B '{}' is {} x {}: the columns of A must be as "
            "many as the rows of B",
            place_.buffer_name(a), a.rows, a.columns, place_.buffer_name(b), b.rows, b.columns);
      });
    }
    check_destination();
    const TileView& before = step_.accumulator;
    const bool whole = !instruction_.destination.is_part;
    if (step_.accumulates && whole && !before.empty() && before.exact && step_.destination.exact &&
        (before.rows != step_.m || before.columns != step_.n)) {
      error("shape-mismatch", [&] {
        return fmt::format("a product of {} x {} is added to a tile of {} x {} in '{}'", step_.m,
                           step_.n, before.rows, before.columns,
                           place_.buffer_name(step_.destination));
      });
    }
  }

  void check_sent() {
    if (step_.skipped) return;
    check_destination();
    const TileView& from = step_.sources[0];
    const DataType type = buffer(from).type;
    const DataType into = buffer(step_.destination).type;
    if (type == into) return;
    error("type-mismatch", [&] {
      return fmt::format("'{}' is {} and '{}' is {}: the ring does not convert",
                         place_.buffer_name(from), models::to_string(type),
                         place_.buffer_name(step_.destination), models::to_string(into));
    });
  }

  const StepPlace& place_;
  const Step& step_;
  Findings& findings_;
  StepFindings report_;
  const Instruction& instruction_;
};

}  // namespace

std::string StepPlace::text() const {
  return fmt::format(" (core {}, launch '{}')", core, *launch);
}

void check_tiles(const StepPlace& place, const Step& step, Findings& findings) {
  TileJudge(place, step, findings).run();
}

}  // namespace spyre::kernels
