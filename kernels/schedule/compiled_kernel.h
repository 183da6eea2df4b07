// A kernel's statements as a flat list: names resolved to indices, loops to jumps, constant
// expressions to numbers.
//
// Statement numbers count every statement of the kernel, loops included, in the order in which they
// are written.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/schedule/placement.h"
#include "kernels/schedule/schedule.h"
#include "kernels/schedule/tile_geometry.h"
#include "models/isa/tile_op.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// An expression, or the number that it always has. The expression must outlive it. Values are kept
/// within 2^40, far above any count or element position of the machine, so that sums of a few of
/// them cannot overflow.
class Value {
 public:
  static constexpr std::int64_t kLimit = std::int64_t{1} << 40;

  Value() = default;
  explicit Value(std::int64_t constant) : constant_(std::clamp(constant, -kLimit, kLimit)) {}
  explicit Value(const Expression& expression);
  [[nodiscard]] std::int64_t operator()(std::span<const std::int64_t> values) const {
    if (expression_ == nullptr) return constant_;
    return std::clamp(expression_->evaluate(values), -kLimit, kLimit);
  }
  /// Whether it always is `number`.
  [[nodiscard]] bool is(std::int64_t number) const {
    return expression_ == nullptr && constant_ == number;
  }
  /// Whether it depends on the variable at this place of the value array, or is nothing but it.
  [[nodiscard]] bool uses(std::size_t variable) const {
    return expression_ != nullptr && expression_->uses(variable);
  }
  [[nodiscard]] bool is_variable(std::size_t variable) const {
    return expression_ != nullptr && expression_->is_variable(variable);
  }

 private:
  const Expression* expression_ = nullptr;
  std::int64_t constant_ = 0;
};

/// A buffer as the walk sees it: resident buffers first, then the kernel's own, numbered through.
struct BufferInfo {
  const Buffer* buffer = nullptr;
  bool resident = false;
  DataType type = DataType::fp16;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t slots = 1;
  std::int64_t elements_per_stick = 1;
  std::uint32_t address = 0;  ///< of slot 0
  std::uint32_t slot_bytes = 0;
  models::SlotId first_slot = 0;       ///< the launch-wide number of slot 0
  models::SlotId scoreboard_slot = 0;  ///< the same, but one number for all buffers of a region
};

/// BufferTile, resolved. One-dimensional positions are columns.
struct LocalTile {
  std::uint16_t buffer = 0;
  bool is_part = false;  ///< `at` was given
  bool has_size = false;
  std::array<Value, 2> at{};
  std::array<Value, 2> size{};
  const SourcePosition* where = nullptr;
};

/// TensorTile, resolved; `at` and `size` are aligned to the tensor's last dimension.
struct RemoteTile {
  std::uint16_t tensor = 0;
  bool has_size = false;
  std::array<Value, kMaxTensorRank> at{};
  std::array<Value, kMaxTensorRank> size{};
  Value offset;  ///< elements
};

/// TransferStatement::indexed, resolved.
struct IndexedTransfer {
  struct Dim {
    std::size_t dim = 0;  ///< of the tensor
    std::uint16_t table = 0;
    std::array<Value, kMaxTensorRank> at{};
    std::vector<std::int64_t> along;
  };
  std::vector<Dim> dims;
  std::vector<std::int64_t> tile_dims;
  std::vector<std::int64_t> tile_strides;

  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t columns() const { return tile_dims.empty() ? 1 : tile_dims.back(); }
};

struct Instruction {
  enum class Kind : std::uint8_t { operation, loop, end_of_loop };
  Kind kind = Kind::operation;
  models::Opcode opcode = models::Opcode::barrier;
  models::VectorFunction function = models::VectorFunction::copy;
  std::uint8_t source_count = 0;
  bool has_destination = false;
  bool has_when = false;
  bool has_accumulate = false;
  bool has_to = false;
  bool destination_is_source = false;
  std::uint8_t corelets = 0;
  DataType type = DataType::fp16;
  std::uint16_t semaphore = 0;
  std::uint32_t statement = 0;
  std::uint32_t group =
      0;  ///< 0 = none, else 1 + index into CompiledKernel::groups: `share` or `over`
  std::uint32_t indexed = 0;  ///< 0 = none, else 1 + index into CompiledKernel::indexed
  std::int8_t number_place = -1;
  std::uint8_t axis = 1;
  double number = 0;  ///< unless number_expression is bound
  bool number_is_expression = false;
  Value number_expression;
  models::Pattern pattern;
  Value pattern_offset;
  std::uint32_t jump = 0;  ///< loop: behind its end; end of loop: the first statement of the body
  std::uint32_t variable = 0;  ///< loop: where its value stands in the value array
  Value when, accumulate, to, count;
  Value start, stop, step;
  LocalTile destination;
  std::array<LocalTile, 4> sources;
  RemoteTile remote;
  RemoteTile index;
};

/// Cores that differ only in some grid dims, for each core of the grid.
struct CoreGroups {
  std::vector<std::string> dims;
  std::vector<models::CoreSet> of_core;
};

struct CompiledKernel {
  const Kernel* kernel = nullptr;
  std::vector<Instruction> code;
  std::vector<const SourcePosition*> positions;  ///< by statement number
  std::vector<BufferInfo> buffers;
  std::vector<CoreGroups> groups;
  std::vector<IndexedTransfer> indexed;
  /// By buffer: the other buffers of its region.
  std::vector<std::vector<std::uint16_t>> region_mates;
  std::vector<std::string> semaphores;
  std::vector<std::uint32_t> params;  ///< where each parameter stands in the value array
  std::size_t values = 0;             ///< length of the value array
  std::size_t loop_depth = 0;
  std::size_t resident_buffers = 0;
  std::uint32_t cores = 0;
  std::uint32_t slots = 0;

  [[nodiscard]] models::CoreSet core_set() const {
    return cores >= models::kMaxCores ? ~models::CoreSet{0} : (models::CoreSet{1} << cores) - 1;
  }
};

/// The kernel must have passed the reader. Cores beyond kMaxCores are left out: the checker reports
/// them.
[[nodiscard]] CompiledKernel compile_kernel(const Schedule& schedule, std::size_t kernel,
                                            const Placement& placement,
                                            const models::Machine& machine);

}  // namespace spyre::kernels
