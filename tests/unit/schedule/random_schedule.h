// Schedules of random shape, for tests of what a schedule survives.
#pragma once

#include "tests/unit/schedule/random_parts.h"

namespace spyre::kernels {

/// Schedules of random shape; every name and every expression in them is valid.
class RandomSchedule : private RandomParts {
 public:
  explicit RandomSchedule(std::uint32_t seed) : RandomParts(seed) {}

  Schedule make() {
    Schedule schedule;
    schedule.file = "random";
    schedule.machine = choose(2) == 0 ? "spyre" : "";
    for (int i = choose(3); i-- > 0;) schedule.meta["key" + std::to_string(i)] = random_text();
    Tensor ids;
    ids.name = "ids";
    ids.type = DataType::int32;
    ids.kind = TensorKind::index;
    ids.dims = {"d0"};
    ids.shape = {4};
    ids.layout = default_layout(1, 32);
    ids.values = {1, -2, 2147483647, 0};
    schedule.tensors.push_back(ids);
    for (int i = 0; i < 3; ++i) schedule.tensors.push_back(tensor(i));
    for (int i = 0; i < 3; ++i) schedule.tensors.push_back(strided_tensor(i));
    for (int i = choose(3); i-- > 0;) schedule.resident.push_back(buffer("r" + std::to_string(i)));
    for (int i = 0; i < 2; ++i) schedule.kernels.push_back(kernel(schedule, i));
    for (int i = 0; i < 2; ++i) {
      schedule.launches.push_back({launch(schedule, {}), {}});
      LaunchLoop outer{"s", choose(3), choose(9), {}};
      LaunchLoop inner{"t", 0, choose(9), {}};
      inner.body.push_back({launch(schedule, {"s", "t"}), {}});
      outer.body.push_back({inner, {}});
      outer.body.push_back({launch(schedule, {"s"}), {}});
      schedule.launches.push_back({outer, {}});
    }
    return schedule;
  }

 private:
  /// A gather or scatter of the second tensor with strides, through the first.
  void add_indexed(const Schedule& schedule, TransferStatement& action) {
    const Tensor& table = schedule.tensors[4];
    const Tensor& tensor = schedule.tensors[5];
    action.remote = remote(tensor);
    action.remote.size.clear();
    const std::size_t rank = 1 + static_cast<std::size_t>(choose(4));
    for (std::size_t i = 0; i < rank; ++i) action.tile_dims.push_back(1 + choose(20));
    action.tile_strides = distances(rank);
    for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
      if (dim > 0 && choose(2) == 0) continue;
      IndexedDim indexed{dim, table.name, {}, distances(rank), {}};
      indexed.at = expressions(table.shape.size(), true);
      action.indexed.push_back(indexed);
    }
  }
  /// Perhaps one number in the place of a tile or behind the tiles, where the function takes it.
  void add_number(VectorStatement& action) {
    const models::VectorFunctionInfo& info = models::info(action.function);
    const std::size_t tiles = action.from.size();
    NumberOperand number;
    number.place = tiles;
    if (info.optional_numbers > 0) {
      if (choose(2) == 0) return;
    } else if (action.function == models::VectorFunction::fill ||
               action.function == models::VectorFunction::fma ||
               action.function == models::VectorFunction::mul) {
      number.place = static_cast<std::size_t>(choose(static_cast<int>(tiles)));
      action.from.pop_back();
    } else {
      return;
    }
    static constexpr std::array kConstants{0.5, -1.0, 3.0, 1e-5, 1e30};
    if (choose(2) == 0) {
      number.expression = expression();
    } else {
      number.constant = kConstants[static_cast<std::size_t>(choose(5))];
    }
    action.number = number;
  }
  void add_pattern(VectorStatement& action) {
    using models::VectorFunction;
    const bool may_have = action.function == VectorFunction::transpose && choose(2) == 0;
    if (action.function != VectorFunction::rearrange && !may_have) return;
    PatternText pattern;
    const std::size_t rank = 1 + static_cast<std::size_t>(choose(6));
    for (std::size_t i = 0; i < rank; ++i) pattern.sizes.push_back(1 + choose(100));
    pattern.strides = distances(rank, -1000);
    pattern.offset = maybe();
    action.pattern = pattern;
  }
  Statement statement(const Schedule& schedule, const std::vector<Buffer>& buffers, int depth) {
    Statement statement;
    if (choose(3) == 0) statement.when = expression();
    if (choose(3) == 0) statement.line = 1 + choose(500);
    const auto& tensor = schedule.tensors[static_cast<std::size_t>(1 + choose(3))];
    static constexpr std::array kTransfers{models::Opcode::load, models::Opcode::store,
                                           models::Opcode::gather, models::Opcode::scatter};
    static constexpr std::array kRing{models::Opcode::send, models::Opcode::multicast,
                                      models::Opcode::receive, models::Opcode::reduce};
    switch (choose(depth < 3 ? 6 : 5)) {
      case 0: {
        TransferStatement action;
        action.opcode = kTransfers[static_cast<std::size_t>(choose(4))];
        action.local = local(buffers);
        action.remote = remote(tensor);
        if (action.opcode == models::Opcode::load) action.share = dims();
        if (action.opcode == models::Opcode::gather || action.opcode == models::Opcode::scatter) {
          if (choose(2) == 0) {
            add_indexed(schedule, action);
          } else {
            action.index = remote(schedule.tensors[0]);
          }
        } else if (choose(3) == 0) {
          action.share.clear();
          action.remote = remote(schedule.tensors[static_cast<std::size_t>(5 + choose(2))]);
        }
        statement.action = action;
        break;
      }
      case 1: {
        MatmulStatement action{local(buffers), local(buffers), local(buffers), maybe(), {}};
        if (choose(2) == 0) action.corelets = 1 + choose(2);
        statement.action = action;
        break;
      }
      case 2: {
        VectorStatement action;
        action.function = models::kVectorFunctions[static_cast<std::size_t>(
                                                       choose(models::kVectorFunctions.size()))]
                              .function;
        action.into = local(buffers);
        for (int i = models::info(action.function).sources; i-- > 0;) {
          action.from.push_back(local(buffers));
        }
        add_number(action);
        add_pattern(action);
        if (models::is_reduction(action.function)) action.axis = choose(2);
        statement.action = action;
        break;
      }
      case 3: {
        RingStatement action;
        action.opcode = kRing[static_cast<std::size_t>(choose(4))];
        if (action.opcode != models::Opcode::receive) action.from = local(buffers);
        action.into = local(buffers);
        if (action.opcode == models::Opcode::send) action.to = expression();
        if (action.opcode == models::Opcode::multicast || action.opcode == models::Opcode::reduce)
          action.over = over();
        if (action.opcode == models::Opcode::receive) action.count = maybe();
        statement.action = action;
        break;
      }
      case 4: {
        SyncStatement action;
        const int which = choose(3);
        if (which != 0) action.semaphore = "s" + std::to_string(choose(2));
        if (which == 1) {
          action.opcode = models::Opcode::wait;
          action.count = maybe();
        } else if (which == 2) {
          action.opcode = models::Opcode::signal;
          action.to = maybe();
          if (!action.to) action.over = over();
        }
        statement.action = action;
        break;
      }
      default: {
        ForStatement loop;
        loop.variable = "i" + std::to_string(depth);
        loop.start = Expression(choose(9) - 4);
        loop.stop = expression();
        if (choose(3) == 0) loop.step = Expression(choose(2) == 0 ? -2 : 3);
        visible_.push_back(loop.variable);
        for (int i = choose(4); i-- > 0;) {
          loop.body.push_back(this->statement(schedule, buffers, depth + 1));
        }
        visible_.pop_back();
        statement.action = loop;
      }
    }
    return statement;
  }

  Kernel kernel(const Schedule& schedule, int index) {
    Kernel kernel;
    kernel.name = "kernel" + std::to_string(index);
    kernel.grid = {{"m", 1 + choose(4)}, {"n", 1 + choose(8)}};
    kernel.groups = {{"pairs", {{0}}}};
    if (kernel.grid[0].second * kernel.grid[1].second > 3) {
      kernel.groups[0].groups = {{0, 3}, {1, 2}};
    }
    visible_ = {"m", "n", "core", "cores"};
    for (int i = choose(3); i-- > 0;) {
      kernel.params.push_back("param" + std::to_string(i));
      visible_.push_back(kernel.params.back());
    }
    for (int i = 0; i <= choose(4); ++i) kernel.buffers.push_back(buffer("b" + std::to_string(i)));
    for (Buffer& buffer : kernel.buffers) {
      if (choose(3) != 0) continue;
      buffer.region = "region";
      buffer.slots = 2;
      buffer.address.reset();
    }
    std::vector<Buffer> buffers = schedule.resident;
    buffers.insert(buffers.end(), kernel.buffers.begin(), kernel.buffers.end());
    for (const char* semaphore : {"s0", "s1"}) {
      SyncStatement signal;
      signal.opcode = models::Opcode::signal;
      signal.semaphore = semaphore;
      kernel.body.push_back({signal, {}, 0, {}});
    }
    for (int i = choose(12); i-- > 0;) kernel.body.push_back(statement(schedule, buffers, 0));
    return kernel;
  }

  KernelLaunch launch(const Schedule& schedule, const std::vector<std::string>& variables) {
    const Kernel& kernel = schedule.kernels[static_cast<std::size_t>(choose(2))];
    KernelLaunch launch;
    launch.kernel = kernel.name;
    launch.name = choose(2) == 0 ? kernel.name : "named " + random_text() + ".";
    visible_ = variables;
    for (const std::string& param : kernel.params) {
      launch.arguments.emplace_back(param,
                                    variables.empty() ? Expression(choose(9) - 4) : expression());
    }
    if (!variables.empty() && choose(2) == 0) launch.layer = variables.back();
    return launch;
  }
};

}  // namespace spyre::kernels
