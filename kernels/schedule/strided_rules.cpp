#include "kernels/schedule/strided_rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace spyre::kernels {
namespace {

class StridedJudge {
 public:
  StridedJudge(const StepPlace& place, const Step& step, Findings& findings)
      : place_(place),
        step_(step),
        report_(place, step, findings),
        instruction_(*step.instruction) {}

  void run() {
    if (instruction_.indexed != 0) {
      check_unindexed_dims();
      for (std::size_t i = 0; i < indexed().dims.size(); ++i) check_table(i);
    } else if (!step_.skipped) {
      check_place();
    }
  }

 private:
  [[nodiscard]] const IndexedTransfer& indexed() const {
    return place_.kernel->indexed[instruction_.indexed - 1];
  }
  [[nodiscard]] const Tensor& tensor(std::size_t index) const {
    return place_.context->schedule->tensors[index];
  }

  /// `offset` may lead to any place in the memory that holds the tensor.
  void check_place() {
    const Tensor& moved = tensor(instruction_.remote.tensor);
    const MemoryAround& memory = (*place_.memory)[instruction_.remote.tensor];
    std::int64_t first = step_.offset;
    std::int64_t last = step_.offset;
    for (std::size_t dim = 0; dim < moved.strides.size(); ++dim) {
      first += step_.remote.offset[dim] * moved.strides[dim];
      last += (step_.remote.offset[dim] + step_.remote.size[dim] - 1) * moved.strides[dim];
    }
    if (first >= -memory.before && last < memory.behind) return;
    report_.error("out-of-range", [&] {
      return fmt::format("elements {} to {} from the start of '{}' lie outside {}", first, last,
                         moved.name, memory.name);
    });
  }

  /// Where a number is added, a coordinate may begin anywhere.
  void check_unindexed_dims() {
    const Tensor& moved = tensor(instruction_.remote.tensor);
    for (std::size_t dim = 0; dim < moved.shape.size(); ++dim) {
      const auto is_dim = [dim](const IndexedTransfer::Dim& entry) { return entry.dim == dim; };
      const std::vector<IndexedTransfer::Dim>& dims = indexed().dims;
      if (std::none_of(dims.begin(), dims.end(), is_dim)) {
        check_offset(moved, dim, step_.remote.offset[dim]);
      }
    }
  }

  bool check_offset(const Tensor& of, std::size_t dim, std::int64_t offset) {
    if (offset >= 0 && offset < of.shape[dim]) return true;
    report_.error("out-of-range", [&] {
      return fmt::format("offset {} of '{}' lies outside dimension {}, which has {}", offset,
                         of.name, dim < of.dims.size() ? of.dims[dim] : std::to_string(dim),
                         of.shape[dim]);
    });
    return false;
  }

  void check_table(std::size_t which) {
    const IndexedTransfer::Dim& dim = indexed().dims[which];
    const Tensor& table = tensor(dim.table);
    std::int64_t last = 0;
    std::int64_t end = 1;
    for (std::size_t i = 0; i < table.strides.size(); ++i) {
      if (!check_offset(table, i, step_.tables[which][i])) return;
      last += step_.tables[which][i] * table.strides[i];
      end += (table.shape[i] - 1) * table.strides[i];
    }
    for (std::size_t i = 0; i < dim.along.size(); ++i) {
      last += (indexed().tile_dims[i] - 1) * dim.along[i];
    }
    if (last < end) return;
    report_.error("out-of-range", [&] {
      return fmt::format("this tile reads '{}' up to its entry {}, the last is {}", table.name,
                         last, end - 1);
    });
  }

  const StepPlace& place_;
  const Step& step_;
  StepFindings report_;
  const Instruction& instruction_;
};

}  // namespace

std::vector<MemoryAround> memory_around(const Schedule& schedule, const Placement& placement,
                                        const models::Machine& machine) {
  std::vector<MemoryAround> memory;
  for (std::size_t i = 0; i < schedule.tensors.size(); ++i) {
    const Tensor& tensor = schedule.tensors[i];
    const std::int64_t element = models::bytes_of(tensor.type, 1);
    const auto address = static_cast<std::int64_t>(placement.tensor_address[i]);
    const std::int64_t usable =
        tensor.lx_core ? machine.lx.usable_bytes() : machine.dram.usable_bytes;
    memory.push_back({address / element, (usable - address) / element,
                      tensor.lx_core ? fmt::format("the LX of core {}", *tensor.lx_core) : "DRAM"});
  }
  return memory;
}

void check_strided(const StepPlace& place, const Step& step, Findings& findings) {
  StridedJudge(place, step, findings).run();
}

}  // namespace spyre::kernels
