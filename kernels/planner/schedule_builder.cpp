#include "kernels/planner/schedule_builder.h"

#include <algorithm>

namespace spyre::kernels {
namespace {

constexpr const char* kLayer = "l";

Expression expression(const Index& index) {
  return Expression::parse(index.text(), {});
}

std::vector<Expression> expressions(const std::vector<Index>& indices) {
  std::vector<Expression> result;
  result.reserve(indices.size());
  for (const Index& index : indices) result.push_back(expression(index));
  return result;
}

BufferTile buffer_tile(const Local& local) {
  return {local.buffer, expressions(local.at), expressions(local.size), {}};
}

TensorTile tensor_tile(const Remote& remote) {
  return {remote.tensor, expressions(remote.at), expressions(remote.size), {}, {}};
}

}  // namespace

KernelBuilder::KernelBuilder(std::string name, Grid grid, std::vector<std::string> params)
    : body_(&kernel_.body) {
  kernel_.name = std::move(name);
  kernel_.grid = std::move(grid);
  kernel_.params = std::move(params);
}

void KernelBuilder::buffer(const std::string& name, DataType type, std::int64_t rows,
                           std::int64_t columns, std::int64_t slots) {
  Buffer buffer;
  buffer.name = name;
  buffer.type = type;
  buffer.shape = {rows, columns};
  buffer.slots = slots;
  kernel_.buffers.push_back(std::move(buffer));
}

void KernelBuilder::add(decltype(Statement::action) action) {
  Statement statement;
  statement.action = std::move(action);
  Index condition = 1;
  for (const Index& part : conditions_) condition = both(condition, part);
  if (condition.text() == "0") return;
  if (!condition.is_constant()) statement.when = expression(condition);
  body_->push_back(std::move(statement));
}

std::vector<std::string> KernelBuilder::several(const std::vector<std::string>& dims) const {
  std::vector<std::string> result;
  for (const auto& [name, size] : kernel_.grid) {
    if (size > 1 && std::find(dims.begin(), dims.end(), name) != dims.end()) result.push_back(name);
  }
  return result;
}

void KernelBuilder::load(Local into, Remote from, std::vector<std::string> share) {
  TransferStatement transfer;
  transfer.opcode = models::Opcode::load;
  transfer.local = buffer_tile(into);
  transfer.remote = tensor_tile(from);
  transfer.share = several(share);
  add(std::move(transfer));
}

void KernelBuilder::gather(Local into, Remote from, Remote index) {
  TransferStatement transfer;
  transfer.opcode = models::Opcode::gather;
  transfer.local = buffer_tile(into);
  transfer.remote = tensor_tile(from);
  transfer.index = tensor_tile(index);
  add(std::move(transfer));
}

void KernelBuilder::store(Local from, Remote to) {
  TransferStatement transfer;
  transfer.opcode = models::Opcode::store;
  transfer.local = buffer_tile(from);
  transfer.remote = tensor_tile(to);
  add(std::move(transfer));
}

void KernelBuilder::matmul(Local into, Local a, Local b, std::optional<Index> accumulate,
                           std::int64_t corelets) {
  MatmulStatement matmul;
  matmul.into = buffer_tile(into);
  matmul.a = buffer_tile(a);
  matmul.b = buffer_tile(b);
  if (accumulate && accumulate->text() != "0") matmul.accumulate = expression(*accumulate);
  if (corelets > 0) matmul.corelets = corelets;
  add(std::move(matmul));
}

void KernelBuilder::gather(Local into, Remote from, const TileBox& tile,
                           const std::vector<TableIndex>& tables) {
  TransferStatement transfer;
  transfer.opcode = models::Opcode::gather;
  transfer.local = buffer_tile(into);
  transfer.remote = tensor_tile(from);
  transfer.tile_dims = tile.dims;
  transfer.tile_strides = tile.strides;
  for (const TableIndex& table : tables) {
    transfer.indexed.push_back({table.dim, table.table, expressions(table.at), table.along, {}});
  }
  add(std::move(transfer));
}

void KernelBuilder::vector(models::VectorFunction function, Local into,
                           const std::vector<Operand>& from, const VectorDetail& detail) {
  VectorStatement vector;
  vector.function = function;
  vector.into = buffer_tile(into);
  for (const Operand& operand : from) {
    if (const auto* local = std::get_if<Local>(&operand.source)) {
      vector.from.push_back(buffer_tile(*local));
      continue;
    }
    const Number& given = std::get<Number>(operand.source);
    NumberOperand number;
    number.place = vector.from.size();
    number.constant = given.constant;
    if (given.expression) number.expression = expression(*given.expression);
    vector.number = std::move(number);
  }
  vector.axis = detail.axis;
  if (detail.pattern) {
    PatternText pattern{detail.pattern->sizes, detail.pattern->strides, {}};
    if (detail.pattern->offset.text() != "0") pattern.offset = expression(detail.pattern->offset);
    vector.pattern = std::move(pattern);
  }
  add(std::move(vector));
}

void KernelBuilder::send(Local from, Local into, Index to) {
  RingStatement ring;
  ring.opcode = models::Opcode::send;
  ring.from = buffer_tile(from);
  ring.into = buffer_tile(into);
  ring.to = expression(to);
  add(std::move(ring));
}

void KernelBuilder::multicast(Local from, Local into, std::vector<std::string> over) {
  RingStatement ring;
  ring.opcode = models::Opcode::multicast;
  ring.from = buffer_tile(from);
  ring.into = buffer_tile(into);
  ring.over = std::move(over);
  add(std::move(ring));
}

void KernelBuilder::reduce(Local from, Local into, std::vector<std::string> over) {
  RingStatement ring;
  ring.opcode = models::Opcode::reduce;
  ring.from = buffer_tile(from);
  ring.into = buffer_tile(into);
  ring.over = std::move(over);
  add(std::move(ring));
}

void KernelBuilder::receive(Local into, Index count) {
  RingStatement ring;
  ring.opcode = models::Opcode::receive;
  ring.into = buffer_tile(into);
  ring.count = expression(count);
  add(std::move(ring));
}

void KernelBuilder::loop(const std::string& variable, Index start, Index stop, Index step,
                         const Body& body) {
  ForStatement loop;
  loop.variable = variable;
  loop.start = expression(start);
  loop.stop = expression(stop);
  if (step.text() != "1") loop.step = expression(step);
  std::vector<Statement>* const outer_body = body_;
  std::vector<Index> outer_conditions;
  outer_conditions.swap(conditions_);  // the loop itself carries them
  body_ = &loop.body;
  body();
  body_ = outer_body;
  conditions_.swap(outer_conditions);
  add(std::move(loop));
}

void KernelBuilder::when(const Index& condition, const Body& body) {
  conditions_.push_back(condition);
  body();
  conditions_.pop_back();
}

Kernel KernelBuilder::take() {
  return std::move(kernel_);
}

void add_kernels(Schedule& schedule, std::vector<PlannedKernel> kernels, std::int64_t layers) {
  LaunchLoop* layer_loop = nullptr;
  for (PlannedKernel& planned : kernels) {
    KernelLaunch launch;
    launch.kernel = planned.kernel.name;
    bool layered = false;
    for (const std::string& parameter : planned.kernel.params) {
      launch.arguments.emplace_back(parameter, Expression::parse(parameter, {}));
      layered = layered || parameter == kLayer;
    }
    if (layered) launch.layer = kLayer;
    schedule.kernels.push_back(std::move(planned.kernel));
    LaunchItem item{std::move(launch), {}};
    if (planned.parts > 1) {
      LaunchLoop loop{"part", 0, planned.parts, {}};
      loop.body.push_back(std::move(item));
      item = {std::move(loop), {}};
    }
    if (!layered) {
      layer_loop = nullptr;
      schedule.launches.push_back(std::move(item));
      continue;
    }
    if (layer_loop == nullptr) {
      schedule.launches.push_back({LaunchLoop{kLayer, 0, layers, {}}, {}});
      layer_loop = &std::get<LaunchLoop>(schedule.launches.back().item);
    }
    layer_loop->body.push_back(std::move(item));
  }
}

std::int64_t lx_bytes(const models::Machine& machine, DataType type, std::int64_t rows,
                      std::int64_t columns, std::int64_t slots) {
  const std::int64_t per_stick = machine.limits.stick_bytes * 8 / models::bits(type);
  return rows * ((columns + per_stick - 1) / per_stick) * machine.limits.stick_bytes * slots;
}

std::int64_t lx_bytes(const models::Machine& machine, const Kernel& kernel) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : kernel.buffers) {
    bytes += lx_bytes(machine, buffer.type, buffer.shape[0], buffer.shape[1], buffer.slots);
  }
  return bytes;
}

}  // namespace spyre::kernels
