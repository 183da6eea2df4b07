// A schedule in the making: tensors, kernels, and what they are called.
//
// Not modelled: how a host would choose layouts; every tensor has the default device layout of its
// shape unless its builder says otherwise.
#pragma once

#include <string>
#include <vector>

#include "kernels/ops/op_options.h"
#include "kernels/planner/schedule_builder.h"

namespace spyre::kernels {

class OpPlan {
 public:
  /// `title` names the run in reports. The machine must outlive the plan.
  OpPlan(std::string title, const OpOptions& options, const models::Machine& machine);

  /// Default device layout, or that of a batch.
  void tensor(const std::string& name, DataType type, TensorKind kind,
              std::vector<std::int64_t> shape);
  void batch(const std::string& name, DataType type, TensorKind kind,
             std::vector<std::int64_t> shape, BatchLayout layout);
  /// Elements as an array of a host has them, row-major.
  void strided(const std::string& name, DataType type, TensorKind kind,
               std::vector<std::int64_t> shape);

  void kernel(Kernel kernel);
  /// Throws InputError if the tensors together are larger than the DRAM that is open to them.
  [[nodiscard]] Schedule take();

  [[nodiscard]] const models::Machine& machine() const { return machine_; }
  [[nodiscard]] const OpOptions& options() const { return options_; }
  [[nodiscard]] std::int64_t per_stick(DataType type) const;
  [[nodiscard]] std::int64_t per_stick() const { return per_stick(options_.type); }
  [[nodiscard]] std::int64_t lx() const { return machine_.lx.usable_bytes(); }

 private:
  Tensor& add(const std::string& name, DataType type, TensorKind kind,
              std::vector<std::int64_t> shape);

  const models::Machine& machine_;
  OpOptions options_;
  Schedule schedule_;
  std::vector<PlannedKernel> kernels_;
};

/// Throws InputError: `needed` bytes of LX are more than there are, and what would help.
[[noreturn]] void refuse_lx(const OpPlan& plan, const std::string& kernel, std::int64_t needed,
                            const std::string& remedy);

/// The largest number of `unit`s up to `wanted` that needs no more LX than there is. `bytes` gives
/// the LX that so many take. Throws InputError if not even one does.
template <typename Bytes>
std::int64_t fit_tile(const OpPlan& plan, const std::string& kernel, std::int64_t wanted,
                      std::int64_t unit, Bytes bytes, const std::string& remedy) {
  std::int64_t size = wanted;
  while (size > unit && bytes(size) > plan.lx()) {
    const std::int64_t smaller = (size / 2 + unit - 1) / unit * unit;
    size = smaller < size ? smaller : size - unit;
  }
  if (bytes(size) > plan.lx()) refuse_lx(plan, kernel, bytes(size), remedy);
  return size;
}

}  // namespace spyre::kernels
