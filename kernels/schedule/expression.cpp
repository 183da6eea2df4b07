#include "kernels/schedule/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "kernels/schedule/expression_text.h"
#include "models/diagnostics/nearest_name.h"

namespace spyre::kernels {

using models::InputError;

namespace {

/// Where `name` first stands as a whole word.
std::size_t offset_of_name(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool starts = at == 0 || !is_name_part(text[at - 1]);
    if (starts && (end == text.size() || !is_name_part(text[end]))) return at;
  }
  return 0;
}

// Arithmetic wraps round at 64 bits: defined behaviour whatever a schedule says.
std::int64_t wrap(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}
std::uint64_t bits_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrap(0 - bits_of(a));
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  const std::int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

}  // namespace

std::size_t SymbolTable::add(const std::string& name) {
  if (const std::ptrdiff_t known = find(name); known >= 0) return static_cast<std::size_t>(known);
  names_.push_back(name);
  return names_.size() - 1;
}

std::ptrdiff_t SymbolTable::find(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? -1 : found - names_.begin();
}

Expression::Expression(std::int64_t constant)
    : program_{{Code::constant, constant}}, text_(std::to_string(constant)) {}

void Expression::bind(const SymbolTable& symbols) {
  // Both parse() and an earlier bind() number different names differently, so the n-th new operand
  // is names_[n].
  std::vector<std::int64_t> seen;
  std::vector<std::int64_t> bound;
  for (const std::string& name : names_) {
    const std::ptrdiff_t index = symbols.find(name);
    if (index < 0) {
      const auto nearest = models::nearest_name(name, symbols.names());
      throw InputError(fmt::format("unknown variable '{}'{}", name,
                                   nearest ? fmt::format(": did you mean '{}'?", *nearest) : ""),
                       shifted(where_, offset_of_name(text_, name)));
    }
    bound.push_back(index);
  }
  for (Instruction& instruction : program_) {
    if (instruction.code != Code::variable) continue;
    auto known = std::find(seen.begin(), seen.end(), instruction.operand);
    if (known == seen.end()) known = seen.insert(seen.end(), instruction.operand);
    instruction.operand = bound[static_cast<std::size_t>(known - seen.begin())];
  }
}

bool Expression::is_constant() const {
  return names_.empty();
}

bool Expression::uses(std::size_t variable) const {
  return std::any_of(program_.begin(), program_.end(), [variable](const Instruction& instruction) {
    return instruction.code == Code::variable &&
           instruction.operand == static_cast<std::int64_t>(variable);
  });
}

bool Expression::is_variable(std::size_t variable) const {
  return program_.size() == 1 && uses(variable);
}

std::int64_t Expression::evaluate(std::span<const std::int64_t> values) const {
  std::array<std::int64_t, kMaxExpressionValues + 1> stack;
  stack[0] = 0;
  std::size_t top = 0;  // stack[top] is the last value; stack[0] stands below the first
  for (const Instruction& instruction : program_) {
    if (instruction.code == Code::constant) {
      stack[++top] = instruction.operand;
      continue;
    }
    if (instruction.code == Code::variable) {
      assert(static_cast<std::size_t>(instruction.operand) < values.size());
      stack[++top] = values[static_cast<std::size_t>(instruction.operand)];
      continue;
    }
    std::int64_t b = stack[top];
    if (instruction.code == Code::negate) {
      stack[top] = wrap(0 - bits_of(b));
      continue;
    }
    if (instruction.code == Code::logical_not) {
      stack[top] = b == 0 ? 1 : 0;
      continue;
    }
    std::int64_t& a = stack[--top];
    switch (instruction.code) {
      case Code::add:
        a = wrap(bits_of(a) + bits_of(b));
        break;
      case Code::subtract:
        a = wrap(bits_of(a) - bits_of(b));
        break;
      case Code::multiply:
        a = wrap(bits_of(a) * bits_of(b));
        break;
      case Code::floor_divide:
        a = floor_divide(a, b);
        break;
      case Code::modulo:
        a = floor_modulo(a, b);
        break;
      case Code::minimum:
        a = std::min(a, b);
        break;
      case Code::maximum:
        a = std::max(a, b);
        break;
      case Code::less:
        a = a < b ? 1 : 0;
        break;
      case Code::less_equal:
        a = a <= b ? 1 : 0;
        break;
      case Code::greater:
        a = a > b ? 1 : 0;
        break;
      case Code::greater_equal:
        a = a >= b ? 1 : 0;
        break;
      case Code::equal:
        a = a == b ? 1 : 0;
        break;
      case Code::not_equal:
        a = a != b ? 1 : 0;
        break;
      case Code::logical_and:
        a = a != 0 && b != 0 ? 1 : 0;
        break;
      case Code::logical_or:
        a = a != 0 || b != 0 ? 1 : 0;
        break;
      default:
        break;
    }
  }
  return stack[top];
}

}  // namespace spyre::kernels
