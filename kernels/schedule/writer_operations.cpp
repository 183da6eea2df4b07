// Scalars, lists and single operations as text.
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "kernels/schedule/number_text.h"
#include "kernels/schedule/writer_parts.h"

namespace spyre::kernels {
namespace {

using models::Opcode;

bool is_plain_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') ||
         std::string_view("_.-+*/%()<>= ").find(c) != std::string_view::npos;
}

bool is_null_word(std::string_view text) {
  return text == "null" || text == "Null" || text == "NULL";
}

std::string tile(const BufferTile& buffer) {
  if (buffer.at.empty() && buffer.size.empty()) return scalar(buffer.buffer);
  FlowMap map;
  map.add("buffer", scalar(buffer.buffer));
  map.add_rectangle(buffer.at, buffer.size);
  return map.text();
}

std::string tile(const TensorTile& tensor) {
  if (tensor.at.empty() && tensor.size.empty()) return scalar(tensor.tensor);
  FlowMap map;
  map.add("tensor", scalar(tensor.tensor));
  map.add_rectangle(tensor.at, tensor.size);
  return map.text();
}

void add_indexed(const TransferStatement& statement, FlowMap& map) {
  FlowMap tile;
  tile.add("dims", list(statement.tile_dims));
  tile.add("strides", list(statement.tile_strides));
  map.add("tile", tile.text());
  std::vector<std::string> entries;
  for (const IndexedDim& indexed : statement.indexed) {
    FlowMap entry;
    entry.add("dim", std::to_string(indexed.dim));
    entry.add("table", scalar(indexed.table));
    entry.add_rectangle(indexed.at, {});
    entry.add("along", list(indexed.along));
    entries.push_back(entry.text());
  }
  map.add("indexed", list(entries));
}

Opcode describe(const TransferStatement& statement, FlowMap& map) {
  const bool reads_dram = statement.opcode == Opcode::load || statement.opcode == Opcode::gather;
  map.add(reads_dram ? "into" : "from", tile(statement.local));
  map.add(reads_dram ? "from" : "to", scalar(statement.remote.tensor));
  if (!statement.index.tensor.empty()) map.add("index", tile(statement.index));
  if (!statement.indexed.empty()) add_indexed(statement, map);
  map.add_rectangle(statement.remote.at, statement.remote.size);
  map.add("offset", statement.remote.offset);
  if (statement.share.size() == 1) map.add("share", scalar(statement.share[0]));
  if (statement.share.size() > 1) map.add("share", list(statement.share));
  return statement.opcode;
}

Opcode describe(const MatmulStatement& statement, FlowMap& map) {
  map.add("into", tile(statement.into));
  map.add("a", tile(statement.a));
  map.add("b", tile(statement.b));
  map.add("accumulate", statement.accumulate);
  if (statement.corelets) map.add("corelets", std::to_string(*statement.corelets));
  return Opcode::matmul;
}

/// Quotes tell an expression from a constant where the two look alike.
std::string text_of(const NumberOperand& number) {
  if (!number.expression) return number_text(number.constant);
  const std::string& text = number.expression->text();
  return is_number_text(text) ? quoted(text) : scalar(text);
}

Opcode describe(const VectorStatement& statement, FlowMap& map) {
  map.add("op", models::info(statement.function).name);
  map.add("into", tile(statement.into));
  std::vector<std::string> sources;
  for (const BufferTile& source : statement.from) sources.push_back(tile(source));
  if (statement.number) {
    const std::size_t place = std::min(statement.number->place, sources.size());
    sources.insert(sources.begin() + static_cast<std::ptrdiff_t>(place),
                   text_of(*statement.number));
  }
  if (sources.size() == 1) map.add("from", sources[0]);
  if (sources.size() > 1) map.add("from", list(sources));
  if (statement.axis != 1) map.add("axis", std::to_string(statement.axis));
  if (statement.pattern) {
    FlowMap pattern;
    pattern.add("sizes", list(statement.pattern->sizes));
    pattern.add("strides", list(statement.pattern->strides));
    pattern.add("offset", statement.pattern->offset);
    map.add("pattern", pattern.text());
  }
  return Opcode::vector;
}

Opcode describe(const RingStatement& statement, FlowMap& map) {
  if (statement.opcode != Opcode::receive) map.add("from", tile(statement.from));
  map.add("into", tile(statement.into));
  map.add("to", statement.to);
  if (!statement.over.empty()) map.add("over", list(statement.over));
  map.add("count", statement.count);
  return statement.opcode;
}

Opcode describe(const SyncStatement& statement, FlowMap& map) {
  if (statement.opcode == Opcode::barrier) return statement.opcode;
  map.add("semaphore", scalar(statement.semaphore));
  map.add("to", statement.to);
  // A signal to every core says so: `over: []`.
  if (statement.opcode == Opcode::signal && !statement.to) map.add("over", list(statement.over));
  map.add("count", statement.count);
  return statement.opcode;
}

Opcode describe(const ForStatement& /*loop*/, FlowMap& /*map*/) {
  return Opcode::barrier;
}

}  // namespace

std::string scalar(const std::string& text) {
  const bool plain =
      !text.empty() && !is_null_word(text) && text.back() != ' ' &&
      std::all_of(text.begin(), text.end(), is_plain_character) &&
      (std::isalnum(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_' || text[0] == '(' ||
       (text[0] == '-' && text.size() > 1 && text[1] >= '0' && text[1] <= '9'));
  return plain ? text : quoted(text);
}

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string list(const std::vector<std::string>& entries) {
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

std::string list(const std::vector<Expression>& expressions) {
  std::vector<std::string> entries;
  for (const Expression& expression : expressions) entries.push_back(scalar(expression.text()));
  return list(entries);
}

std::string list(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

models::Opcode describe(const Statement& statement, FlowMap& map) {
  return std::visit([&](const auto& action) { return describe(action, map); }, statement.action);
}

}  // namespace spyre::kernels
