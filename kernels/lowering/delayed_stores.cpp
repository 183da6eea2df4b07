#include "kernels/lowering/delayed_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace spyre::kernels::lowering {
namespace {

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The text in brackets unless it is a name or number.
std::string bracketed(const std::string& text) {
  return std::ranges::all_of(text, is_part_of_name) ? text : "(" + text + ")";
}

std::string unbracketed(const std::string& text) {
  return text.front() == '(' && text.back() == ')' ? text.substr(1, text.size() - 2) : text;
}

/// The expression with another formula in place of a variable.
Expression replaced(const Expression& expression, const std::string& variable,
                    const std::string& by) {
  const std::string& text = expression.text();
  std::string result;
  if (text == variable) return Expression::parse(unbracketed(by), expression.where());
  for (std::size_t i = 0; i < text.size();) {
    const bool starts = i == 0 || !is_part_of_name(text[i - 1]);
    const std::size_t end = i + variable.size();
    const bool found = starts && text.compare(i, variable.size(), variable) == 0 &&
                       (end >= text.size() || !is_part_of_name(text[end]));
    result += found ? by : std::string(1, text[i]);
    i = found ? end : i + 1;
  }
  return Expression::parse(result, expression.where());
}

void replace_all(std::vector<Expression>& expressions, const std::string& variable,
                 const std::string& by) {
  for (Expression& each : expressions) each = replaced(each, variable, by);
}

Statement with_variable(Statement statement, const std::string& variable, const std::string& by) {
  auto& transfer = std::get<TransferStatement>(statement.action);
  replace_all(transfer.local.at, variable, by);
  replace_all(transfer.local.size, variable, by);
  replace_all(transfer.remote.at, variable, by);
  replace_all(transfer.remote.size, variable, by);
  if (transfer.remote.offset)
    transfer.remote.offset = replaced(*transfer.remote.offset, variable, by);
  for (IndexedDim& dim : transfer.indexed) replace_all(dim.at, variable, by);
  if (statement.when) statement.when = replaced(*statement.when, variable, by);
  return statement;
}

void add_condition(Statement& statement, const std::string& condition) {
  const std::string text =
      statement.when ? fmt::format("({}) and {}", statement.when->text(), condition) : condition;
  statement.when = Expression::parse(text, {});
}

bool is_store(const TransferStatement& transfer) {
  return transfer.opcode == models::Opcode::store || transfer.opcode == models::Opcode::scatter;
}

class LoopRewriter {
 public:
  LoopRewriter(const Program& program, const std::map<std::string, std::size_t>& touches,
               std::set<std::string>& delayed)
      : program_(program), touches_(touches), delayed_(delayed) {}

  /// The loop, rewritten, and what follows it.
  std::vector<Statement> rewrite(Statement statement);

 private:
  struct Buffer {
    std::size_t first = 0, count = 0, last_write = 0;
  };
  [[nodiscard]] bool touches_memory(const TransferStatement& a, const TransferStatement& b) const;
  [[nodiscard]] static std::vector<std::string> memory_of(const TransferStatement& transfer);

  const Program& program_;
  const std::map<std::string, std::size_t>& touches_;
  std::set<std::string>& delayed_;
};

std::vector<std::string> LoopRewriter::memory_of(const TransferStatement& transfer) {
  std::vector<std::string> names{transfer.remote.tensor};
  for (const IndexedDim& dim : transfer.indexed) names.push_back(dim.table);
  return names;
}

bool LoopRewriter::touches_memory(const TransferStatement& a, const TransferStatement& b) const {
  const auto tensor = [&](const std::string& name) -> const Tensor& {
    return *std::ranges::find(program_.tensors(), name, &Tensor::name);
  };
  for (const std::string& x : memory_of(a)) {
    for (const std::string& y : memory_of(b)) {
      if (tensor(x).lx_core != tensor(y).lx_core) continue;
      const Range& first = program_.tensor_bytes().at(x);
      const Range& second = program_.tensor_bytes().at(y);
      if (first.low <= second.high && second.low <= first.high) return true;
    }
  }
  return false;
}

std::vector<Statement> LoopRewriter::rewrite(Statement statement) {
  auto& loop = std::get<ForStatement>(statement.action);
  std::vector<Statement>& body = loop.body;
  std::map<std::string, Buffer> buffers;
  std::vector<std::size_t> loads;
  std::vector<std::size_t> stores;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const auto& action = body[i].action;
    const bool plain = std::holds_alternative<TransferStatement>(action) ||
                       std::holds_alternative<VectorStatement>(action) ||
                       std::holds_alternative<MatmulStatement>(action);
    if (!plain) return {std::move(statement)};
    for_each_tile(action, [&](const BufferTile& tile, bool written) {
      Buffer& buffer = buffers[tile.buffer];
      if (buffer.count++ == 0) buffer.first = i;
      if (written) buffer.last_write = i;
    });
    if (const auto* transfer = std::get_if<TransferStatement>(&action)) {
      (is_store(*transfer) ? stores : loads).push_back(i);
    }
  }
  const auto transfer = [&](std::size_t i) -> const TransferStatement& {
    return std::get<TransferStatement>(body[i].action);
  };
  std::map<std::size_t, std::size_t> goes_behind;  // store -> the load it follows
  for (const std::size_t store : stores) {
    const Buffer& buffer = buffers[transfer(store).local.buffer];
    std::optional<std::size_t> behind;
    for (const std::size_t load : loads) {
      if (load < buffer.first) behind = load;
    }
    const bool own = touches_.at(transfer(store).local.buffer) == buffer.count;
    const bool apart = std::ranges::none_of(
        loads, [&](std::size_t load) { return touches_memory(transfer(store), transfer(load)); });
    if (behind && own && apart && buffer.last_write < store) goes_behind[store] = *behind;
  }
  // Stores that may meet in memory keep their order: all of them move, or none.
  for (const std::size_t a : stores) {
    for (const std::size_t b : stores) {
      if (a == b || goes_behind.contains(a) == goes_behind.contains(b)) continue;
      if (touches_memory(transfer(a), transfer(b))) return {std::move(statement)};
    }
  }
  if (goes_behind.empty()) return {std::move(statement)};

  const std::string& variable = loop.variable;
  const std::string step = loop.step ? loop.step->text() : "1";
  const std::string start = loop.start.text();
  const std::string stop = loop.stop.text();
  const std::string before = fmt::format("({} - {})", variable, bracketed(step));
  const bool known = loop.start.is_constant() && loop.stop.is_constant() &&
                     (!loop.step || loop.step->is_constant());
  std::string last = fmt::format("({0} + ({1} - 1 - {0})//{2}*{2})", bracketed(start),
                                 bracketed(stop), bracketed(step));
  bool runs = false;
  if (known) {
    const std::int64_t first = loop.start.evaluate({});
    const std::int64_t end = loop.stop.evaluate({});
    const std::int64_t by = loop.step ? loop.step->evaluate({}) : 1;
    runs = end > first;
    if (runs) last = std::to_string(first + (end - 1 - first) / by * by);
  }
  std::vector<Statement> rewritten;
  std::vector<Statement> after;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (goes_behind.contains(i)) {
      Statement behind = with_variable(body[i], variable, last);
      if (!runs) add_condition(behind, fmt::format("{} < {}", start, stop));
      if (statement.when) add_condition(behind, fmt::format("({})", statement.when->text()));
      delayed_.insert(std::get<TransferStatement>(behind.action).local.buffer);
      after.push_back(std::move(behind));
      continue;
    }
    rewritten.push_back(body[i]);
    for (const auto& [store, load] : goes_behind) {
      if (load != i) continue;
      Statement moved = with_variable(body[store], variable, before);
      add_condition(moved, fmt::format("{} > {}", variable, start));
      rewritten.push_back(std::move(moved));
    }
  }
  loop.body = std::move(rewritten);
  std::vector<Statement> result;
  result.push_back(std::move(statement));
  for (Statement& each : after) result.push_back(std::move(each));
  return result;
}

void count_touches(const std::vector<Statement>& body,
                   std::map<std::string, std::size_t>& touches) {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
      count_touches(loop->body, touches);
      continue;
    }
    for_each_tile(statement.action, [&](const BufferTile& tile, bool) { ++touches[tile.buffer]; });
  }
}

std::vector<Statement> rewritten(std::vector<Statement> body, LoopRewriter& rewriter) {
  std::vector<Statement> result;
  for (Statement& statement : body) {
    auto* loop = std::get_if<ForStatement>(&statement.action);
    if (loop == nullptr) {
      result.push_back(std::move(statement));
      continue;
    }
    const bool nested = std::ranges::any_of(loop->body, [](const Statement& inner) {
      return std::holds_alternative<ForStatement>(inner.action);
    });
    if (nested) {
      loop->body = rewritten(std::move(loop->body), rewriter);
      result.push_back(std::move(statement));
      continue;
    }
    for (Statement& each : rewriter.rewrite(std::move(statement)))
      result.push_back(std::move(each));
  }
  return result;
}

}  // namespace

std::set<std::string> delay_stores(Kernel& kernel, const Program& program) {
  std::set<std::string> delayed;
  std::map<std::string, std::size_t> touches;
  count_touches(kernel.body, touches);
  LoopRewriter rewriter(program, touches, delayed);
  kernel.body = rewritten(std::move(kernel.body), rewriter);
  return delayed;
}

}  // namespace spyre::kernels::lowering
