#include "kernels/lowering/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace spyre::kernels::lowering {
namespace {

constexpr std::array<std::string_view, 9> kTaken{"core", "cores", "and",  "or",   "not",
                                                 "min",  "max",   "true", "false"};

}  // namespace

Program::Program(std::string name, Grid grid) {
  kernel_.name = std::move(name);
  kernel_.grid = std::move(grid);
  for (const std::string_view word : kTaken) variables_.emplace(word);
  for (const auto& [dim, size] : kernel_.grid) variables_.insert(dim);
}

namespace {

std::string unique_among(std::set<std::string>& names, std::string_view wanted,
                         std::string_view otherwise) {
  std::string base;
  for (const char c : wanted) {
    base += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  }
  if (base.empty()) base = otherwise;
  if (std::isdigit(static_cast<unsigned char>(base.front())) != 0) base = "v" + base;
  std::string name = base;
  for (int i = 2; !names.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

}  // namespace

std::string Program::unique_name(std::string_view wanted, std::string_view otherwise) {
  return unique_among(names_, wanted, otherwise);
}

std::string Program::unique_variable(std::string_view wanted, std::string_view otherwise) {
  return unique_among(variables_, wanted, otherwise);
}

BufferId Program::add_buffer(std::string_view name, DataType type, const Geometry& geometry,
                             std::string text) {
  Buffer buffer;
  buffer.name = unique_name(name, "tile");
  buffer.type = type;
  buffer.shape = {geometry.rows, geometry.columns};
  buffer.position = origin_.position;
  kernel_.buffers.push_back(std::move(buffer));
  notes_.push_back({std::move(text), origin_});
  return kernel_.buffers.size() - 1;
}

namespace {

void rename_in(Statement& statement, const std::string& from, const std::string& to) {
  if (auto* loop = std::get_if<ForStatement>(&statement.action)) {
    for (Statement& inner : loop->body) rename_in(inner, from, to);
    return;
  }
  for_each_tile(statement.action, [&](BufferTile& tile, bool) {
    if (tile.buffer == from) tile.buffer = to;
  });
}

}  // namespace

void Program::rename_buffer(BufferId from, BufferId to, std::size_t first) {
  std::vector<Statement>& body = current();
  for (std::size_t i = first; i < body.size(); ++i) {
    rename_in(body[i], kernel_.buffers[from].name, kernel_.buffers[to].name);
  }
}

std::string Program::add_tensor(Tensor tensor) {
  for (Tensor& known : tensors_) {
    if (known.type == tensor.type && known.shape == tensor.shape &&
        known.strides == tensor.strides && known.lx_core == tensor.lx_core &&
        known.address == tensor.address) {
      if (tensor.kind == TensorKind::index) known.kind = TensorKind::index;
      return known.name;
    }
  }
  tensor.name = unique_name(tensor.name, "memory");
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    tensor.dims.push_back(fmt::format("d{}", i));
  tensors_.push_back(std::move(tensor));
  return tensors_.back().name;
}

void Program::note_bytes(const std::string& tensor, const Range& bytes) {
  const auto [place, is_new] = tensor_bytes_.emplace(tensor, bytes);
  if (is_new) return;
  place->second = {std::min(place->second.low, bytes.low),
                   std::max(place->second.high, bytes.high)};
}

Statement Program::statement(const Scope& scope, decltype(Statement::action) action,
                             const Origin& origin) const {
  Statement result;
  result.action = std::move(action);
  Integer condition = 1;
  for (const Integer& part : scope.conditions) condition = both(condition, part);
  if (!condition.is_constant()) result.when = condition.expression();
  result.position = origin.position;
  result.line = origin.line;
  return result;
}

void Program::add(decltype(Statement::action) action) {
  Scope& scope = scopes_.back();
  scope.body.push_back(statement(scope, std::move(action), origin_));
}

void Program::add_in_scope(std::size_t scope, decltype(Statement::action) action) {
  scopes_[scope].body.push_back(statement(scopes_[scope], std::move(action), origin_));
}

void Program::open_loop(const std::string& variable, Integer start, Integer stop, Integer step) {
  Scope scope;
  scope.loop.emplace();
  scope.loop->variable = variable;
  scope.loop->start = start.expression();
  scope.loop->stop = stop.expression();
  if (!step.is(1)) scope.loop->step = step.expression();
  scope.origin = origin_;
  scopes_.push_back(std::move(scope));
}

void Program::close_loop() {
  Scope inner = std::move(scopes_.back());
  scopes_.pop_back();
  inner.loop->body = std::move(inner.body);
  if (inner.loop->body.empty()) return;
  Scope& scope = scopes_.back();
  scope.body.push_back(statement(scope, std::move(*inner.loop), inner.origin));
}

void Program::push_condition(Integer condition) {
  scopes_.back().conditions.push_back(std::move(condition));
}

void Program::pop_condition() {
  scopes_.back().conditions.pop_back();
}

std::vector<Integer> Program::all_conditions() const {
  std::vector<Integer> result;
  for (const Scope& scope : scopes_) {
    result.insert(result.end(), scope.conditions.begin(), scope.conditions.end());
  }
  return result;
}

BufferTile Program::tile(const LxRectangle& rectangle) const {
  const Geometry all = geometry(rectangle.buffer);
  BufferTile result;
  result.buffer = kernel_.buffers[rectangle.buffer].name;
  if (rectangle.row.is(0) && rectangle.column.is(0) && rectangle.rows == all.rows &&
      rectangle.columns == all.columns) {
    return result;
  }
  result.at = {rectangle.row.expression(), rectangle.column.expression()};
  result.size = {Expression(rectangle.rows), Expression(rectangle.columns)};
  return result;
}

BufferTile Program::whole(BufferId id) const {
  BufferTile result;
  result.buffer = kernel_.buffers[id].name;
  return result;
}

void Program::vector(models::VectorFunction function, BufferTile into,
                     const std::vector<VectorOperand>& from, std::int64_t axis,
                     std::optional<PatternText> pattern) {
  VectorStatement vector;
  vector.function = function;
  vector.into = std::move(into);
  for (const VectorOperand& operand : from) {
    if (operand.tile) {
      vector.from.push_back(tile(*operand.tile));
      continue;
    }
    NumberOperand number;
    number.place = vector.from.size();
    number.constant = operand.constant;
    // In brackets: a bare name would read as a buffer of that name.
    if (operand.formula) {
      number.expression = Expression::parse("(" + operand.formula->text() + ")", {});
    }
    vector.number = std::move(number);
  }
  vector.axis = axis;
  vector.pattern = std::move(pattern);
  add(std::move(vector));
}

void Program::matmul(BufferTile into, BufferTile a, BufferTile b, bool accumulate) {
  MatmulStatement matmul;
  matmul.into = std::move(into);
  matmul.a = std::move(a);
  matmul.b = std::move(b);
  if (accumulate) matmul.accumulate = Expression(1);
  add(std::move(matmul));
}

std::string Program::add_groups(std::vector<std::vector<std::int64_t>> groups) {
  for (const NamedGroups& known : kernel_.groups) {
    if (known.groups == groups) return known.name;
  }
  const std::string name = unique_variable("group", "group");
  kernel_.groups.push_back({name, std::move(groups)});
  return name;
}

std::string Program::add_semaphore(const std::vector<BufferId>& receive) {
  const std::string name = unique_name("ready", "ready");
  for (const BufferId id : receive) semaphore_buffers_[name].push_back(kernel_.buffers[id].name);
  return name;
}

std::int64_t Program::cores() const {
  std::int64_t count = 1;
  for (const auto& [dim, size] : kernel_.grid) count *= size;
  return count;
}

Kernel Program::take_kernel() {
  kernel_.body = std::move(scopes_.front().body);
  return std::move(kernel_);
}

bool is_elementwise(const Statement& statement) {
  const auto* vector = std::get_if<VectorStatement>(&statement.action);
  if (vector == nullptr) return false;
  const models::VectorFunction function = vector->function;
  return !models::is_reduction(function) && function != models::VectorFunction::transpose &&
         function != models::VectorFunction::rearrange;
}

}  // namespace spyre::kernels::lowering
