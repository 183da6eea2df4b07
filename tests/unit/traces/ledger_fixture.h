// Tensors and events made by hand for the ledgers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/schedule/placement.h"
#include "kernels/schedule/schedule.h"
#include "models/events/observer.h"
#include "tests/support/test_machine.h"

namespace spyre::traces::test {

inline constexpr std::uint64_t kStick = 128;

/// A tensor in the default layout: the last dim in sticks, rows inside them.
inline kernels::Tensor make_tensor(const std::string& name, kernels::TensorKind kind,
                                   std::vector<std::int64_t> shape,
                                   models::DataType type = models::DataType::fp16) {
  kernels::Tensor tensor;
  tensor.name = name;
  tensor.kind = kind;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.stick_dim = tensor.shape.size() - 1;
  const std::int64_t elements = std::int64_t{kStick} * 8 / models::bits(type);
  for (std::size_t dim = 0; dim + 2 < tensor.shape.size(); ++dim) tensor.layout.push_back({dim, 1});
  tensor.layout.push_back({tensor.stick_dim, elements});
  if (tensor.shape.size() > 1) tensor.layout.push_back({tensor.shape.size() - 2, 1});
  return tensor;
}

/// The same with every row contiguous.
inline kernels::Tensor make_row_tensor(const std::string& name, kernels::TensorKind kind,
                                       std::vector<std::int64_t> shape,
                                       models::DataType type = models::DataType::fp16) {
  kernels::Tensor tensor = make_tensor(name, kind, std::move(shape), type);
  const std::int64_t elements = std::int64_t{kStick} * 8 / models::bits(type);
  tensor.layout.clear();
  for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    tensor.layout.push_back({dim, dim == tensor.stick_dim ? elements : 1});
  }
  return tensor;
}

/// A DRAM with these tensors in it.
struct Dram {
  explicit Dram(std::vector<kernels::Tensor> tensors) {
    schedule.tensors = std::move(tensors);
    placement = kernels::place(schedule, machine);
  }
  [[nodiscard]] models::RequestEvent request(std::uint16_t tensor, bool write, std::uint64_t stick,
                                             std::uint64_t sticks, std::uint32_t launch = 0) const {
    return {launch,
            0,
            tensor,
            write,
            placement.tensor_address[tensor] + stick * kStick,
            static_cast<std::uint32_t>(sticks * kStick),
            0,
            1};
  }

  models::Machine machine = models::make_test_machine();
  kernels::Schedule schedule;
  kernels::Placement placement;
};

inline models::Launch make_op_launch(std::uint32_t index, const std::string& name,
                                     models::CoreSet cores = 0b11, std::int32_t layer = -1) {
  models::Launch launch;
  launch.index = index;
  launch.name = name;
  launch.kernel = name;
  launch.layer = layer;
  launch.cores = cores;
  return launch;
}

}  // namespace spyre::traces::test
