#include "kernels/schedule/compiled_kernel.h"

#include <algorithm>
#include <optional>

#include "kernels/schedule/reader.h"

namespace spyre::kernels {
namespace {

template <typename Named>
std::size_t index_of(const std::vector<Named>& things, const std::string& name) {
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (things[i].name == name) return i;
  }
  throw models::InputError("nothing is called \"" + name + "\"");
}

class KernelCompiler {
 public:
  KernelCompiler(const Schedule& schedule, CompiledKernel& result)
      : schedule_(schedule), result_(result), symbols_(kernel_symbols(*result.kernel)) {
    result_.values = symbols_.names().size();
    for (const std::string& param : result.kernel->params) {
      result_.params.push_back(static_cast<std::uint32_t>(symbols_.find(param)));
    }
  }

  void compile_body(const std::vector<Statement>& body, std::size_t depth) {
    result_.loop_depth = std::max(result_.loop_depth, depth);
    for (const Statement& statement : body) {
      Instruction instruction;
      instruction.statement = static_cast<std::uint32_t>(result_.positions.size());
      result_.positions.push_back(&statement.position);
      instruction.has_when = statement.when.has_value();
      if (statement.when) instruction.when = Value(*statement.when);
      if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
        compile_loop(*loop, instruction, depth);
        continue;
      }
      std::visit([&](const auto& action) { fill(action, instruction); }, statement.action);
      instruction.destination_is_source = false;
      for (std::size_t i = 0; i < instruction.source_count; ++i) {
        if (instruction.has_destination &&
            instruction.sources[i].buffer == instruction.destination.buffer) {
          instruction.destination_is_source = true;
        }
      }
      result_.code.push_back(instruction);
    }
  }

 private:
  void compile_loop(const ForStatement& loop, Instruction& instruction, std::size_t depth) {
    instruction.kind = Instruction::Kind::loop;
    instruction.start = Value(loop.start);
    instruction.stop = Value(loop.stop);
    instruction.step = loop.step ? Value(*loop.step) : Value(1);
    instruction.variable = static_cast<std::uint32_t>(symbols_.find(loop.variable));
    const std::size_t head = result_.code.size();
    result_.code.push_back(instruction);
    compile_body(loop.body, depth + 1);
    Instruction end;
    end.kind = Instruction::Kind::end_of_loop;
    end.statement = instruction.statement;
    end.variable = instruction.variable;
    end.jump = static_cast<std::uint32_t>(head + 1);
    result_.code.push_back(end);
    result_.code[head].jump = static_cast<std::uint32_t>(result_.code.size());
  }

  LocalTile local(const BufferTile& tile) const {
    LocalTile result;
    for (std::size_t i = 0; i < result_.buffers.size(); ++i) {
      // A kernel's own buffer hides a resident one of the same name.
      if (result_.buffers[i].buffer->name == tile.buffer) {
        result.buffer = static_cast<std::uint16_t>(i);
      }
    }
    result.where = &tile.position;
    result.is_part = !tile.at.empty();
    result.has_size = !tile.size.empty();
    result.size = {Value(1), Value(1)};
    align_last(tile.at, result.at);
    align_last(tile.size, result.size);
    return result;
  }

  RemoteTile remote(const TensorTile& tile) const {
    RemoteTile result;
    result.tensor = static_cast<std::uint16_t>(index_of(schedule_.tensors, tile.tensor));
    result.has_size = !tile.size.empty();
    const std::size_t rank =
        std::min(schedule_.tensors[result.tensor].shape.size(), kMaxTensorRank);
    result.size.fill(Value(1));
    const auto place = [rank](const std::vector<Expression>& from, auto& to) {
      for (std::size_t i = 0; i < std::min(from.size(), rank); ++i) {
        to[rank - 1 - i] = Value(from[from.size() - 1 - i]);
      }
    };
    place(tile.at, result.at);
    place(tile.size, result.size);
    if (tile.offset) result.offset = Value(*tile.offset);
    return result;
  }

  IndexedTransfer indexed(const TransferStatement& action) const {
    IndexedTransfer result;
    result.tile_dims = action.tile_dims;
    result.tile_strides = action.tile_strides;
    for (const IndexedDim& dim : action.indexed) {
      IndexedTransfer::Dim& resolved = result.dims.emplace_back();
      resolved.dim = dim.dim;
      resolved.table = static_cast<std::uint16_t>(index_of(schedule_.tensors, dim.table));
      for (std::size_t i = 0; i < std::min(dim.at.size(), kMaxTensorRank); ++i) {
        resolved.at[i] = Value(dim.at[i]);
      }
      resolved.along = dim.along;
    }
    return result;
  }

  static void align_last(const std::vector<Expression>& from, std::array<Value, 2>& to) {
    for (std::size_t i = 0; i < std::min<std::size_t>(from.size(), 2); ++i) {
      to[1 - i] = Value(from[from.size() - 1 - i]);
    }
  }

  std::uint32_t group(const std::vector<std::string>& dims) {
    for (std::size_t i = 0; i < result_.groups.size(); ++i) {
      if (result_.groups[i].dims == dims) return static_cast<std::uint32_t>(i);
    }
    CoreGroups groups;
    groups.dims = dims;
    const std::vector<NamedGroups>& named = result_.kernel->groups;
    const auto known = std::find_if(named.begin(), named.end(), [&](const NamedGroups& candidate) {
      return dims.size() == 1 && dims[0] == candidate.name;
    });
    if (known != named.end()) {
      groups.of_core.assign(result_.cores, 0);
      for (const std::vector<std::int64_t>& members : known->groups) {
        models::CoreSet set = 0;
        for (const std::int64_t core : members) set |= models::CoreSet{1} << core;
        for (const std::int64_t core : members) {
          groups.of_core[static_cast<std::size_t>(core)] = set;
        }
      }
      result_.groups.push_back(std::move(groups));
      return static_cast<std::uint32_t>(result_.groups.size() - 1);
    }
    const auto key =
        [&](std::uint32_t core) {  // the core's coordinates, 0 in the dims of the group
          std::int64_t rest = core;
          std::int64_t weight = 1;
          std::int64_t result = 0;
          for (const auto& [name, size] : result_.kernel->grid) {
            const std::int64_t coordinate = rest % size;
            rest /= size;
            if (std::find(dims.begin(), dims.end(), name) == dims.end())
              result += coordinate * weight;
            weight *= size;
          }
          return result;
        };
    for (std::uint32_t core = 0; core < result_.cores; ++core) {
      models::CoreSet set = 0;
      for (std::uint32_t other = 0; other < result_.cores; ++other) {
        if (dims.empty() || key(other) == key(core)) set |= models::CoreSet{1} << other;
      }
      groups.of_core.push_back(set);
    }
    result_.groups.push_back(std::move(groups));
    return static_cast<std::uint32_t>(result_.groups.size() - 1);
  }

  void set_destination(const BufferTile& tile, Instruction& instruction) const {
    instruction.destination = local(tile);
    instruction.has_destination = true;
    instruction.type = result_.buffers[instruction.destination.buffer].type;
  }
  void add_source(const BufferTile& tile, Instruction& instruction) const {
    if (instruction.source_count == instruction.sources.size()) return;
    instruction.sources[instruction.source_count++] = local(tile);
  }
  DataType type_of(const LocalTile& tile) const { return result_.buffers[tile.buffer].type; }

  void fill(const TransferStatement& action, Instruction& instruction) {
    using models::Opcode;
    instruction.opcode = action.opcode;
    const bool reads_dram = action.opcode == Opcode::load || action.opcode == Opcode::gather;
    if (reads_dram) {
      set_destination(action.local, instruction);
    } else {
      add_source(action.local, instruction);
      instruction.type = type_of(instruction.sources[0]);
    }
    instruction.remote = remote(action.remote);
    if (!action.index.tensor.empty()) instruction.index = remote(action.index);
    if (!action.tile_dims.empty()) {
      result_.indexed.push_back(indexed(action));
      instruction.indexed = static_cast<std::uint32_t>(result_.indexed.size());
    }
    if (!action.share.empty()) instruction.group = group(action.share) + 1;
  }

  void fill(const MatmulStatement& action, Instruction& instruction) {
    instruction.opcode = models::Opcode::matmul;
    set_destination(action.into, instruction);
    add_source(action.a, instruction);
    add_source(action.b, instruction);
    const DataType a = type_of(instruction.sources[0]);
    const DataType b = type_of(instruction.sources[1]);
    instruction.type = models::bits(b) > models::bits(a) ? b : a;
    instruction.has_accumulate = action.accumulate.has_value();
    if (action.accumulate) instruction.accumulate = Value(*action.accumulate);
    instruction.corelets = static_cast<std::uint8_t>(action.corelets.value_or(0));
  }

  void fill(const VectorStatement& action, Instruction& instruction) {
    instruction.opcode = models::Opcode::vector;
    instruction.function = action.function;
    set_destination(action.into, instruction);
    for (const BufferTile& tile : action.from) add_source(tile, instruction);
    instruction.axis = static_cast<std::uint8_t>(action.axis);
    if (action.number) {
      instruction.number_place = static_cast<std::int8_t>(action.number->place);
      instruction.number = action.number->constant;
      instruction.number_is_expression = action.number->expression.has_value();
      if (action.number->expression)
        instruction.number_expression = Value(*action.number->expression);
    }
    if (action.pattern) {
      models::Pattern& pattern = instruction.pattern;
      pattern.rank = static_cast<std::uint8_t>(
          std::min(action.pattern->sizes.size(), models::Pattern::kMaxRank));
      for (std::size_t i = 0; i < pattern.rank; ++i) {
        pattern.sizes[i] = static_cast<std::uint32_t>(action.pattern->sizes[i]);
        pattern.strides[i] = action.pattern->strides[i];
      }
      if (action.pattern->offset) instruction.pattern_offset = Value(*action.pattern->offset);
    }
    // The widest operand decides how many elements fill a stick, and so what a pass costs.
    for (std::size_t i = 0; i < instruction.source_count; ++i) {
      const DataType type = type_of(instruction.sources[i]);
      if (models::bits(type) > models::bits(instruction.type)) instruction.type = type;
    }
  }

  void fill(const RingStatement& action, Instruction& instruction) {
    using models::Opcode;
    instruction.opcode = action.opcode;
    set_destination(action.into, instruction);
    if (action.opcode != Opcode::receive) add_source(action.from, instruction);
    if (action.opcode == Opcode::multicast || action.opcode == Opcode::reduce) {
      instruction.group = group(action.over) + 1;
    }
    instruction.has_to = action.to.has_value();
    if (action.to) instruction.to = Value(*action.to);
    instruction.count = action.count ? Value(*action.count) : Value(1);
  }

  void fill(const SyncStatement& action, Instruction& instruction) {
    using models::Opcode;
    instruction.opcode = action.opcode;
    instruction.has_to = action.to.has_value();
    if (action.to) instruction.to = Value(*action.to);
    instruction.count = action.count ? Value(*action.count) : Value(1);
    if (action.opcode == Opcode::barrier) {
      instruction.group = group({}) + 1;
      return;
    }
    if (action.opcode == Opcode::signal && !action.to) instruction.group = group(action.over) + 1;
    auto& names = result_.semaphores;
    const auto found = std::find(names.begin(), names.end(), action.semaphore);
    instruction.semaphore = static_cast<std::uint16_t>(found - names.begin());
    if (found == names.end()) names.push_back(action.semaphore);
  }

  void fill(const ForStatement& /*loop*/, Instruction& /*instruction*/) {}

  const Schedule& schedule_;
  CompiledKernel& result_;
  SymbolTable symbols_;
};

BufferInfo describe(const Buffer& buffer, const models::Machine& machine) {
  BufferInfo info;
  info.buffer = &buffer;
  info.type = buffer.type;
  info.rows = buffer.shape.size() >= 2 ? buffer.shape[0] : 1;
  info.columns = buffer.shape.empty() ? 1 : buffer.shape.back();
  info.slots = std::max<std::int64_t>(buffer.slots, 1);
  info.elements_per_stick = elements_per_stick(buffer.type, machine);
  return info;
}

/// Buffers of one region share the scoreboard's number of its first one.
void join_regions(CompiledKernel& kernel) {
  kernel.region_mates.resize(kernel.buffers.size());
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    BufferInfo& buffer = kernel.buffers[i];
    buffer.scoreboard_slot = buffer.first_slot;
    if (buffer.buffer->region.empty()) continue;
    for (std::size_t j = 0; j < i; ++j) {
      const BufferInfo& earlier = kernel.buffers[j];
      if (earlier.buffer->region != buffer.buffer->region || earlier.resident != buffer.resident) {
        continue;
      }
      buffer.scoreboard_slot = earlier.scoreboard_slot;
      kernel.region_mates[i].push_back(static_cast<std::uint16_t>(j));
      kernel.region_mates[j].push_back(static_cast<std::uint16_t>(i));
    }
  }
}

}  // namespace

std::int64_t IndexedTransfer::rows() const {
  std::int64_t product = 1;
  for (std::size_t i = 0; i + 1 < tile_dims.size(); ++i) product *= tile_dims[i];
  return product;
}

Value::Value(const Expression& expression) {
  if (expression.is_constant()) {
    constant_ = std::clamp(expression.evaluate({}), -kLimit, kLimit);
  } else {
    expression_ = &expression;
  }
}

CompiledKernel compile_kernel(const Schedule& schedule, std::size_t kernel,
                              const Placement& placement, const models::Machine& machine) {
  CompiledKernel result;
  result.kernel = &schedule.kernels[kernel];
  result.resident_buffers = schedule.resident.size();
  std::int64_t cores = 1;
  for (const auto& dim : result.kernel->grid) {
    cores = std::min(cores * std::max<std::int64_t>(dim.second, 1), models::kMaxCores);
  }
  result.cores = static_cast<std::uint32_t>(cores);

  std::size_t slots = 0;
  const auto add = [&](const Buffer& buffer, std::uint32_t address, std::uint32_t bytes) {
    BufferInfo info = describe(buffer, machine);
    info.resident = result.buffers.size() < result.resident_buffers;
    info.address = address;
    info.slot_bytes = bytes;
    info.first_slot = static_cast<models::SlotId>(slots);
    slots += static_cast<std::size_t>(info.slots);
    result.buffers.push_back(info);
  };
  for (std::size_t i = 0; i < schedule.resident.size(); ++i) {
    add(schedule.resident[i], placement.resident_address[i], placement.resident_bytes[i]);
  }
  for (std::size_t i = 0; i < result.kernel->buffers.size(); ++i) {
    add(result.kernel->buffers[i], placement.buffer_address[kernel][i],
        placement.buffer_stride[kernel][i]);
  }
  result.slots = static_cast<std::uint32_t>(slots);
  join_regions(result);

  KernelCompiler(schedule, result).compile_body(result.kernel->body, 0);
  return result;
}

}  // namespace spyre::kernels
