// Carries out a lowered schedule on numbers, to see that it computes what the kernel says.
//
// Every core runs in turn until it waits. Slots, regions and the sizes that travel with tiles are
// as docs/schedule.md has them; a tile that another one of its region has replaced reads as NaN.
// Results are rounded to the buffers' types.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/schedule/schedule.h"
#include "models/formats/convert.h"

namespace spyre::kernels::lowering {

class ScheduleValues {
 public:
  explicit ScheduleValues(const Schedule& schedule, std::int64_t bytes)
      : schedule_(schedule), kernel_(schedule.kernels.front()) {
    memory.resize(static_cast<std::size_t>(bytes));
    for (const auto& [dim, size] : kernel_.grid) cores_ *= size;
    lx.resize(static_cast<std::size_t>(cores_));
  }

  std::vector<double> memory;                      ///< by byte address of each element
  std::vector<std::map<std::int64_t, double>> lx;  ///< what ct_local views name, by core

  void run() {
    for (std::int64_t core = 0; core < cores_; ++core) {
      Core& state = state_.emplace_back();
      state.id = core;
      std::int64_t rest = core;
      for (const auto& [dim, size] : kernel_.grid) {
        state.values[dim] = rest % size;
        rest /= size;
      }
      state.values["core"] = core;
      state.values["cores"] = cores_;
      for (const Buffer& buffer : kernel_.buffers) {
        Tiles& tiles = state.buffers[buffer.name];
        tiles.slots.resize(static_cast<std::size_t>(buffer.slots));
      }
      unroll(kernel_.body, state.values, state.program);
    }
    bool moved = true;
    while (moved) {
      moved = false;
      for (Core& core : state_) {
        while (core.next < core.program.size() && step(core)) moved = true;
      }
    }
    for (const Core& core : state_) {
      if (core.next < core.program.size()) throw std::runtime_error("a core waits for ever");
    }
  }

 private:
  using Values = std::map<std::string, std::int64_t>;
  struct Tile {
    std::int64_t rows = 0, columns = 0;
    std::vector<double> numbers;
  };
  struct Tiles {
    std::vector<Tile> slots;
    std::size_t current = 0;
    bool started = false;
    std::int64_t arrived = 0;
  };
  struct Item {
    const Statement* statement = nullptr;
    Values values;
  };
  struct Core {
    std::int64_t id = 0;
    Values values;
    std::map<std::string, Tiles> buffers;
    std::map<std::string, std::int64_t> semaphores;
    std::vector<Item> program;
    std::size_t next = 0;
  };

  static std::int64_t evaluate(Expression expression, const Values& values) {
    SymbolTable symbols;
    std::vector<std::int64_t> numbers;
    for (const auto& [name, value] : values) {
      symbols.add(name);
      numbers.push_back(value);
    }
    expression.bind(symbols);
    return expression.evaluate(numbers);
  }

  void unroll(const std::vector<Statement>& body, const Values& values, std::vector<Item>& out) {
    for (const Statement& statement : body) {
      if (statement.when && evaluate(*statement.when, values) == 0) continue;
      const auto* loop = std::get_if<ForStatement>(&statement.action);
      if (loop == nullptr) {
        out.push_back({&statement, values});
        continue;
      }
      const std::int64_t stop = evaluate(loop->stop, values);
      const std::int64_t step = loop->step ? evaluate(*loop->step, values) : 1;
      for (std::int64_t i = evaluate(loop->start, values); i < stop; i += step) {
        Values inner = values;
        inner[loop->variable] = i;
        unroll(loop->body, inner, out);
      }
    }
  }

  const Buffer& declared(const std::string& name) const {
    for (const Buffer& buffer : kernel_.buffers) {
      if (buffer.name == name) return buffer;
    }
    throw std::runtime_error("no buffer " + name);
  }
  const Tensor& tensor(const std::string& name) const {
    for (const Tensor& each : schedule_.tensors) {
      if (each.name == name) return each;
    }
    throw std::runtime_error("no tensor " + name);
  }
  double& at(const Tensor& tensor, std::int64_t element) {
    const std::int64_t bytes = models::bits(tensor.type) / 8;
    const std::int64_t address =
        static_cast<std::int64_t>(tensor.address.value()) + element * bytes;
    if (tensor.lx_core) return lx[static_cast<std::size_t>(*tensor.lx_core)][address];
    return memory.at(static_cast<std::size_t>(address));
  }

  Tile read(Core& core, const BufferTile& tile, const Values& values) {
    const Tiles& tiles = core.buffers.at(tile.buffer);
    const Tile& all = tiles.slots[tiles.current];
    if (tile.at.empty()) return all;
    const std::int64_t row = evaluate(tile.at[0], values);
    const std::int64_t column = evaluate(tile.at[1], values);
    Tile part{all.rows - row, all.columns - column, {}};
    if (!tile.size.empty()) {
      part.rows = std::min(part.rows, evaluate(tile.size[0], values));
      part.columns = std::min(part.columns, evaluate(tile.size[1], values));
    }
    for (std::int64_t r = 0; r < part.rows; ++r) {
      for (std::int64_t c = 0; c < part.columns; ++c) {
        part.numbers.push_back(
            all.numbers[static_cast<std::size_t>((row + r) * all.columns + column + c)]);
      }
    }
    return part;
  }

  void write(Core& core, const BufferTile& into, Tile tile, const Values& values, bool in_place) {
    const Buffer& buffer = declared(into.buffer);
    const models::Format format = models::format_of(buffer.type, models::Numerics::ieee);
    for (double& number : tile.numbers) {
      if (buffer.type == DataType::int32) continue;
      number = static_cast<double>(models::round_to(format, static_cast<float>(number)));
    }
    if (!buffer.region.empty()) {
      for (const Buffer& other : kernel_.buffers) {
        if (other.region != buffer.region || other.name == buffer.name) continue;
        for (Tile& lost : core.buffers[other.name].slots) {
          for (double& number : lost.numbers) number = std::nan("");
        }
      }
    }
    Tiles& tiles = core.buffers[into.buffer];
    if (into.at.empty()) {
      if (tile.rows > buffer.shape[0] || tile.columns > buffer.shape[1]) {
        throw std::runtime_error("the tile is larger than " + into.buffer);
      }
      if (!in_place && tiles.started) tiles.current = (tiles.current + 1) % tiles.slots.size();
      tiles.started = true;
      tiles.slots[tiles.current] = std::move(tile);
      return;
    }
    tiles.started = true;
    Tile& all = tiles.slots[tiles.current];
    const std::int64_t row = evaluate(into.at[0], values);
    const std::int64_t column = evaluate(into.at[1], values);
    if (all.numbers.empty() || all.rows != buffer.shape[0] || all.columns != buffer.shape[1]) {
      all = {buffer.shape[0], buffer.shape[1],
             std::vector<double>(static_cast<std::size_t>(buffer.shape[0] * buffer.shape[1]),
                                 std::nan(""))};
    }
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      for (std::int64_t c = 0; c < tile.columns; ++c) {
        all.numbers.at(static_cast<std::size_t>((row + r) * all.columns + column + c)) =
            tile.numbers[static_cast<std::size_t>(r * tile.columns + c)];
      }
    }
  }

  bool step(Core& core) {
    const Item& item = core.program[core.next];
    const Statement& statement = *item.statement;
    if (const auto* transfer = std::get_if<TransferStatement>(&statement.action)) {
      move(core, *transfer, item.values);
    } else if (const auto* matmul = std::get_if<MatmulStatement>(&statement.action)) {
      multiply(core, *matmul, item.values);
    } else if (const auto* vector = std::get_if<VectorStatement>(&statement.action)) {
      compute(core, *vector, item.values);
    } else if (const auto* ring = std::get_if<RingStatement>(&statement.action)) {
      if (!exchange(core, *ring, item.values)) return false;
    } else {
      const auto& sync = std::get<SyncStatement>(statement.action);
      if (sync.opcode == models::Opcode::signal) {
        for (const std::int64_t peer : group_of(core, sync.over)) {
          ++state_[static_cast<std::size_t>(peer)].semaphores[sync.semaphore];
        }
      } else {
        const std::int64_t count = evaluate(*sync.count, item.values);
        std::int64_t& value = core.semaphores[sync.semaphore];
        if (value < count) return false;
        value -= count;
      }
    }
    ++core.next;
    return true;
  }

  std::vector<std::int64_t> group_of(const Core& core, const std::vector<std::string>& over) const {
    for (const NamedGroups& named : kernel_.groups) {
      if (named.name != over.at(0)) continue;
      for (const auto& group : named.groups) {
        for (const std::int64_t member : group) {
          if (member == core.id) return group;
        }
      }
    }
    throw std::runtime_error("the core is in no group");
  }

  bool exchange(Core& core, const RingStatement& ring, const Values& values) {
    if (ring.opcode == models::Opcode::receive) {
      Tiles& tiles = core.buffers[ring.into.buffer];
      const std::int64_t count = evaluate(*ring.count, values);
      if (tiles.arrived < count) return false;
      tiles.arrived -= count;
      return true;
    }
    const Tile tile = read(core, ring.from, values);
    for (const std::int64_t peer : group_of(core, ring.over)) {
      Core& other = state_[static_cast<std::size_t>(peer)];
      write(other, ring.into, tile, values, false);
      ++other.buffers[ring.into.buffer].arrived;
    }
    return true;
  }

  void multiply(Core& core, const MatmulStatement& matmul, const Values& values) {
    const Tile a = read(core, matmul.a, values);
    const Tile b = read(core, matmul.b, values);
    if (a.columns != b.rows) throw std::runtime_error("matmul of tiles that do not fit");
    Tile c{a.rows, b.columns, std::vector<double>(static_cast<std::size_t>(a.rows * b.columns))};
    const bool accumulate = matmul.accumulate && evaluate(*matmul.accumulate, values) != 0;
    if (accumulate) c = read(core, matmul.into, values);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t j = 0; j < b.columns; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < a.columns; ++k) {
          sum += a.numbers[static_cast<std::size_t>(i * a.columns + k)] *
                 b.numbers[static_cast<std::size_t>(k * b.columns + j)];
        }
        c.numbers[static_cast<std::size_t>(i * b.columns + j)] += sum;
      }
    }
    write(core, matmul.into, c, values, accumulate);
  }

  void move(Core& core, const TransferStatement& transfer, const Values& values) {
    const Tensor& remote = tensor(transfer.remote.tensor);
    const bool into_lx =
        transfer.opcode == models::Opcode::load || transfer.opcode == models::Opcode::gather;
    const std::int64_t offset =
        transfer.remote.offset ? evaluate(*transfer.remote.offset, values) : 0;
    std::int64_t base = offset;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    for (std::size_t d = 0; d < transfer.remote.at.size(); ++d) {
      const std::int64_t first = evaluate(transfer.remote.at[d], values);
      base += first * remote.strides[d];
      if (!transfer.tile_dims.empty()) continue;
      sizes.push_back(std::min(evaluate(transfer.remote.size[d], values), remote.shape[d] - first));
      strides.push_back(remote.strides[d]);
    }
    if (!transfer.tile_dims.empty()) {
      sizes = transfer.tile_dims;
      strides = transfer.tile_strides;
    }
    Tile tile{1, sizes.back(), {}};
    for (std::size_t d = 0; d + 1 < sizes.size(); ++d) tile.rows *= sizes[d];
    const Tile from = into_lx ? Tile{} : read(core, transfer.local, values);
    if (!into_lx && (from.rows != tile.rows || from.columns < tile.columns)) {
      throw std::runtime_error("a store of another size than its tile");
    }
    std::vector<std::int64_t> place(sizes.size());
    for (std::int64_t i = 0; i < tile.rows * tile.columns; ++i) {
      std::int64_t element = base;
      for (std::size_t d = 0; d < sizes.size(); ++d) element += place[d] * strides[d];
      for (const IndexedDim& dim : transfer.indexed) {
        const Tensor& table = tensor(dim.table);
        std::int64_t entry = 0;
        for (std::size_t d = 0; d < dim.at.size(); ++d) {
          entry += evaluate(dim.at[d], values) * table.strides[d];
        }
        for (std::size_t d = 0; d < sizes.size(); ++d) entry += place[d] * dim.along[d];
        element += static_cast<std::int64_t>(at(table, entry)) * remote.strides[dim.dim];
      }
      if (into_lx) {
        tile.numbers.push_back(at(remote, element));
      } else {
        at(remote, element) = from.numbers[static_cast<std::size_t>(
            i / tile.columns * from.columns + i % tile.columns)];
      }
      for (std::size_t d = sizes.size(); d-- > 0;) {
        if (++place[d] < sizes[d]) break;
        place[d] = 0;
      }
    }
    if (into_lx) write(core, transfer.local, tile, values, false);
  }

  void compute(Core& core, const VectorStatement& vector, const Values& values);
  static double function(models::VectorFunction function, const std::vector<double>& x);

  const Schedule& schedule_;
  const Kernel& kernel_;
  std::int64_t cores_ = 1;
  std::vector<Core> state_;
};

inline double ScheduleValues::function(models::VectorFunction function,
                                       const std::vector<double>& x) {
  using models::VectorFunction;
  switch (function) {
    case VectorFunction::copy:
      return x[0];
    case VectorFunction::add:
      return x[0] + x[1];
    case VectorFunction::sub:
      return x[0] - x[1];
    case VectorFunction::mul:
      return x[0] * x[1];
    case VectorFunction::div:
      return x[0] / x[1];
    case VectorFunction::max:
      return std::max(x[0], x[1]);
    case VectorFunction::min:
      return std::min(x[0], x[1]);
    case VectorFunction::neg:
      return -x[0];
    case VectorFunction::sqrt:
      return std::sqrt(x[0]);
    case VectorFunction::rsqrt:
      return 1 / std::sqrt(x[0]);
    case VectorFunction::exp:
      return std::exp(x[0]);
    case VectorFunction::tanh:
      return std::tanh(x[0]);
    case VectorFunction::equal:
      return x[0] == x[1] ? 1 : 0;
    case VectorFunction::less:
      return x[0] < x[1] ? 1 : 0;
    case VectorFunction::less_equal:
      return x[0] <= x[1] ? 1 : 0;
    case VectorFunction::select:
      return x[0] != 0 ? x[1] : x[2];
    default:
      throw std::runtime_error("a function that these tests do not know");
  }
}

inline void ScheduleValues::compute(Core& core, const VectorStatement& vector,
                                    const Values& values) {
  using models::VectorFunction;
  std::vector<Tile> from;
  bool in_place = false;
  for (const BufferTile& tile : vector.from) {
    from.push_back(read(core, tile, values));
    in_place = in_place || tile.buffer == vector.into.buffer;
  }
  if (vector.number) {
    const NumberOperand& number = *vector.number;
    const double value = number.expression
                             ? static_cast<double>(evaluate(*number.expression, values))
                             : number.constant;
    from.insert(from.begin() + static_cast<std::ptrdiff_t>(number.place), Tile{1, 1, {value}});
  }
  const Buffer& buffer = declared(vector.into.buffer);
  Tile result{buffer.shape[0], buffer.shape[1], {}};
  if (!vector.into.size.empty()) {
    result.rows = evaluate(vector.into.size[0], values);
    result.columns = evaluate(vector.into.size[1], values);
  }
  const VectorFunction function_of = vector.function;
  const bool sized = function_of == VectorFunction::fill || function_of == VectorFunction::iota ||
                     vector.pattern.has_value();
  if (models::is_reduction(function_of)) {
    const Tile& x = from[0];
    result = vector.axis == 1 ? Tile{x.rows, 1, {}} : Tile{1, x.columns, {}};
    const std::int64_t count = vector.axis == 1 ? x.columns : x.rows;
    for (std::int64_t i = 0; i < result.rows * result.columns; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < count; ++j) {
        const double each = x.numbers[static_cast<std::size_t>(
            vector.axis == 1 ? i * x.columns + j : j * x.columns + i)];
        if (j == 0) {
          sum = each;
        } else if (function_of == VectorFunction::reduce_sum) {
          sum += each;
        } else {
          sum =
              function_of == VectorFunction::reduce_max ? std::max(sum, each) : std::min(sum, each);
        }
      }
      result.numbers.push_back(sum);
    }
  } else if (function_of == VectorFunction::transpose && !vector.pattern) {
    result = {from[0].columns, from[0].rows, {}};
    for (std::int64_t c = 0; c < from[0].columns; ++c) {
      for (std::int64_t r = 0; r < from[0].rows; ++r) {
        result.numbers.push_back(
            from[0].numbers[static_cast<std::size_t>(r * from[0].columns + c)]);
      }
    }
  } else if (!sized) {
    result = {1, 1, {}};
    for (const Tile& tile : from) {
      result.rows = std::max(result.rows, tile.rows);
      result.columns = std::max(result.columns, tile.columns);
    }
  }
  std::vector<std::int64_t> place(vector.pattern ? vector.pattern->sizes.size() : 0);
  for (std::int64_t i = 0;
       result.numbers.size() < static_cast<std::size_t>(result.rows * result.columns); ++i) {
    const std::int64_t r = i / result.columns;
    const std::int64_t c = i % result.columns;
    if (vector.pattern) {
      std::int64_t element = vector.pattern->offset ? evaluate(*vector.pattern->offset, values) : 0;
      for (std::size_t d = 0; d < place.size(); ++d)
        element += place[d] * vector.pattern->strides[d];
      for (std::size_t d = place.size(); d-- > 0;) {
        if (++place[d] < vector.pattern->sizes[d]) break;
        place[d] = 0;
      }
      result.numbers.push_back(from[0].numbers.at(static_cast<std::size_t>(element)));
    } else if (function_of == VectorFunction::fill) {
      result.numbers.push_back(from[0].numbers.at(0));
    } else if (function_of == VectorFunction::iota) {
      result.numbers.push_back(static_cast<double>(vector.axis == 0 ? r : c));
    } else {
      std::vector<double> x;
      for (const Tile& tile : from) {
        const bool fits = (tile.rows == 1 || tile.rows == result.rows) &&
                          (tile.columns == 1 || tile.columns == result.columns);
        if (!fits) throw std::runtime_error("operands that do not go together");
        x.push_back(tile.numbers.at(static_cast<std::size_t>(
            (tile.rows == 1 ? 0 : r) * tile.columns + (tile.columns == 1 ? 0 : c))));
      }
      double value = function(function_of, x);
      if (buffer.type == DataType::int32) value = std::trunc(value);
      result.numbers.push_back(value);
    }
  }
  write(core, vector.into, result, values, in_place);
}

}  // namespace spyre::kernels::lowering
