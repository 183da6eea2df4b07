// The text of an argument specification.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "models/diagnostics/diagnostics.h"
#include "runtime/argument_spec.h"

namespace spyre::runtime {
namespace {

using Kind = ArgumentSpec::Kind;
using models::InputError;

constexpr std::string_view kForms =
    "valid are FILE.npy, zeros, ones, arange, constant(value), random(seed[, scale]), "
    "uniform(low, high, seed), integers(low, high, seed), a whole number, a real number; a type "
    "and a shape may follow an array: zeros:f16[4096,1024]";

struct Form {
  std::string_view name;
  Kind kind;
  std::size_t fewest, most;  ///< numbers in parentheses
};

constexpr std::array<Form, 7> kGenerated{{
    {"zeros", Kind::zeros, 0, 0},
    {"ones", Kind::ones, 0, 0},
    {"arange", Kind::arange, 0, 0},
    {"constant", Kind::constant, 1, 1},
    {"random", Kind::random, 1, 2},
    {"uniform", Kind::uniform, 3, 3},
    {"integers", Kind::integers, 3, 3},
}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> whole_text_as(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

class SpecParser {
 public:
  explicit SpecParser(const std::string& text) : text_(text) { spec_.text = text; }

  ArgumentSpec parse() {
    const std::string_view all = trimmed(text_);
    if (all.empty()) fail("it is empty");
    if (const auto number = whole_text_as<std::int64_t>(all)) {
      spec_.kind = Kind::integer;
      spec_.integer = *number;
      return spec_;
    }
    if (const auto number = whole_text_as<double>(all)) {
      spec_.kind = Kind::real;
      spec_.real = *number;
      return spec_;
    }
    const std::size_t file_end = end_of_file_name(all);
    if (file_end != 0) {
      spec_.kind = Kind::file;
      spec_.file = std::string(all.substr(0, file_end));
      read_suffix(all.substr(file_end));
      return spec_;
    }
    const std::size_t colon = all.find(':');
    read_generated(trimmed(all.substr(0, colon)));
    if (colon != std::string_view::npos) read_suffix(all.substr(colon));
    return spec_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("'{}' is no value of an argument: {}; {}", text_, what, kForms));
  }

  /// Of a name that ends in .npy, before the suffix; 0: there is none.
  static std::size_t end_of_file_name(std::string_view text) {
    constexpr std::string_view kExtension = ".npy";
    if (text.ends_with(kExtension)) return text.size();
    const std::size_t at = text.rfind(".npy:");
    return at == std::string_view::npos ? 0 : at + kExtension.size();
  }

  void read_generated(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::string_view name = trimmed(text.substr(0, open));
    for (const Form& form : kGenerated) {
      if (form.name != name) continue;
      spec_.kind = form.kind;
      std::vector<std::string_view> numbers;
      if (open != std::string_view::npos) {
        if (!text.ends_with(')')) fail("a ')' is missing");
        numbers = split(text.substr(open + 1, text.size() - open - 2));
      }
      if (numbers.size() < form.fewest || numbers.size() > form.most) {
        fail(fmt::format("{} takes {} numbers, not {}", name,
                         form.fewest == form.most ? fmt::format("{}", form.most)
                                                  : fmt::format("{} or {}", form.fewest, form.most),
                         numbers.size()));
      }
      return read_numbers(numbers);
    }
    fail(fmt::format("there is no form '{}'", name));
  }

  void read_numbers(const std::vector<std::string_view>& numbers) {
    switch (spec_.kind) {
      case Kind::constant:
        spec_.low = real(numbers[0]);
        break;
      case Kind::random:
        spec_.seed = seed(numbers[0]);
        spec_.high = numbers.size() > 1 ? finite(numbers[1]) : 1.0;
        break;
      case Kind::uniform:
        spec_.low = finite(numbers[0]);
        spec_.high = finite(numbers[1]);
        spec_.seed = seed(numbers[2]);
        if (spec_.low > spec_.high) fail("its low end lies above its high end");
        break;
      case Kind::integers:
        spec_.integer = integer(numbers[0]);
        spec_.last = integer(numbers[1]);
        spec_.seed = seed(numbers[2]);
        if (spec_.integer > spec_.last) fail("its low end lies above its high end");
        break;
      default:
        break;
    }
  }

  [[nodiscard]] double real(std::string_view text) const {
    if (const auto value = whole_text_as<double>(text)) return *value;
    fail(fmt::format("'{}' is no number", text));
  }
  [[nodiscard]] double finite(std::string_view text) const {
    const double value = real(text);
    if (!std::isfinite(value)) fail(fmt::format("'{}' is not finite", text));
    return value;
  }
  [[nodiscard]] std::int64_t integer(std::string_view text) const {
    if (const auto value = whole_text_as<std::int64_t>(text)) return *value;
    fail(fmt::format("'{}' is no whole number", text));
  }
  [[nodiscard]] std::uint64_t seed(std::string_view text) const {
    if (const auto value = whole_text_as<std::uint64_t>(text)) return *value;
    fail(fmt::format("'{}' is no seed: it must be a whole number of 0 or more", text));
  }

  /// ":f16[4096,1024]", ":f16", ":[64]" or nothing.
  void read_suffix(std::string_view text) {
    if (text.empty()) return;
    text.remove_prefix(1);
    const std::size_t open = text.find('[');
    const std::string type(trimmed(text.substr(0, open)));
    if (!type.empty()) {
      spec_.element = kernels::ktir::scalar_type_named(type);
      if (!spec_.element) fail(fmt::format("'{}' is no type; f16, bf16, f32, i32 are some", type));
      if (spec_.element->width > 64) fail(fmt::format("'{}' is wider than 64 bits", type));
    }
    if (open != std::string_view::npos) {
      read_shape(trimmed(text.substr(open)));
    } else if (type.empty()) {
      fail("a type or a shape is missing behind ':'");
    }
    if (spec_.kind == Kind::file && spec_.shape) fail("a file has a shape of its own");
  }

  void read_shape(std::string_view text) {
    if (!text.ends_with(']')) fail("a ']' is missing at its end");
    spec_.shape.emplace();
    const std::string_view inside = trimmed(text.substr(1, text.size() - 2));
    if (inside.empty()) return;
    for (const std::string_view part : split(inside)) {
      const std::int64_t size = integer(part);
      if (size < 1) fail(fmt::format("the size {} must be at least 1", size));
      if (spec_.shape->size() == kernels::ktir::kMaxRank) {
        fail(fmt::format("more than {} sizes", kernels::ktir::kMaxRank));
      }
      spec_.shape->push_back(size);
    }
  }

  const std::string& text_;
  ArgumentSpec spec_;
};

}  // namespace

ArgumentSpec parse_argument_spec(const std::string& text) {
  return SpecParser(text).parse();
}

NamedSpec parse_named_spec(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name(trimmed(std::string_view(text).substr(0, equals)));
  if (equals == std::string::npos || name.empty()) {
    throw InputError(fmt::format(
        "'{}' binds no argument; valid is NAME=VALUE, as in x_ptr=random(1) or n=256", text));
  }
  return {name, parse_argument_spec(text.substr(equals + 1))};
}

}  // namespace spyre::runtime
