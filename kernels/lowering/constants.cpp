// Tensors made from numbers: constants, empty ones, fills and single elements.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/ktir/scalar_evaluator.h"
#include "kernels/lowering/element_type.h"
#include "kernels/lowering/lowerer.h"
#include "models/formats/convert.h"

namespace spyre::kernels::lowering {
namespace {

/// Constants of several different numbers are written one by one.
constexpr std::size_t kMostWritten = 256;

double number_of(const ktir::AttributePtr& attribute, const ScalarType& element) {
  if (const auto* integer = ktir::value_of<ktir::IntegerValue>(attribute)) {
    return static_cast<double>(integer->value);
  }
  if (const auto* flag = ktir::value_of<bool>(attribute)) return *flag ? 1 : 0;
  const auto* real = ktir::value_of<ktir::RealValue>(attribute);
  if (real == nullptr) return 0;
  if (real->bits && element.kind == ScalarKind::df16) {
    const auto bits = static_cast<std::uint16_t>(*real->bits);
    const std::array<std::byte, 2> code{std::byte(bits & 0xff), std::byte(bits >> 8)};
    std::array<float, 1> value{};
    models::decode(models::Format::dl16, code, value);
    return static_cast<double>(value[0]);
  }
  return rounded(real->value, element);
}

TensorValue uniform(const ScalarType& element, Shape shape, double value) {
  TensorValue result{element, std::move(shape), Number{value, {}}, {}, {}};
  if (!element.is_float()) {
    result.range = Range{static_cast<std::int64_t>(value), static_cast<std::int64_t>(value)};
  }
  return result;
}

}  // namespace

void Lowerer::lower_constant(const Operation& op) {
  const ktir::Type& result = type(op.results[0]);
  const ktir::AttributePtr value = op.attribute("value");
  if (const auto* dense = ktir::value_of<ktir::DenseValue>(value)) {
    return lower_dense_constant(op, *dense);
  }
  if (result.element.is_float()) {
    return set(op.results[0], uniform(result.element, {}, number_of(value, result.element)));
  }
  if (const auto* integer = ktir::value_of<ktir::IntegerValue>(value)) {
    return set(op.results[0], Integer(ktir::wrapped(integer->value, result.element)));
  }
  set(op.results[0], Integer(static_cast<std::int64_t>(number_of(value, result.element))));
}

void Lowerer::lower_dense_constant(const Operation& op, const ktir::DenseValue& dense_value) {
  const ktir::Type& result = type(op.results[0]);
  std::vector<double> numbers;
  for (const ktir::AttributePtr& element : dense_value.elements) {
    numbers.push_back(number_of(element, result.element));
  }
  const auto same = [&](double number) { return number == numbers.front(); };
  if (!numbers.empty() && std::ranges::all_of(numbers, same)) {
    return set(op.results[0], uniform(result.element, result.shape, numbers.front()));
  }
  // A shape for tensor.reshape is known from the result's type.
  const std::span<const ktir::DefUse::Use> uses = uses_.uses(op.results[0]);
  const bool only_shape = std::ranges::all_of(uses, [](const ktir::DefUse::Use& use) {
    return use.user->is(OpCode::tensor_reshape) && use.operand == 1;
  });
  if (only_shape) return;
  if (numbers.size() > kMostWritten) {
    fail(op, fmt::format("a constant of {} different elements is not supported (at most {}): load "
                         "it from memory",
                         numbers.size(), kMostWritten));
  }
  const BufferId buffer =
      new_buffer(op, tile_type_of(result.element, op), usual_geometry(result.shape));
  const Geometry geometry = state_.program.geometry(buffer);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const LxRectangle one{buffer, place / geometry.columns, place % geometry.columns, 1, 1};
    BufferTile into = state_.program.tile(one);
    state_.program.vector(VectorFunction::fill, into, {{std::nullopt, true, numbers[i], {}}});
  }
  TensorValue value = dense(result.element, result.shape, buffer);
  if (!result.element.is_float()) {
    const auto [low, high] = std::ranges::minmax(numbers);
    value.range = Range{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
  }
  set(op.results[0], value);
}

/// Public kernels rely on zeros in it.
void Lowerer::lower_empty(const Operation& op) {
  Shape shape = type(op.results[0]).shape;
  std::size_t next = 0;
  for (std::int64_t& size : shape) {
    if (size == ktir::kDynamic) size = known_integer(op.operands[next++], op, "a size");
  }
  set(op.results[0], uniform(type(op.results[0]).element, shape, 0));
}

void Lowerer::lower_from_elements(const Operation& op) {
  const ktir::Type& result = type(op.results[0]);
  const std::vector<TensorValue> values = tensors(op.operands, op);
  if (values.size() == 1) {
    TensorValue value = values[0];
    value.shape = result.shape;
    if (auto* reading = std::get_if<Reading>(&value.content)) {
      reading->strides.assign(value.shape.size(), 0);
    }
    return set(op.results[0], value);
  }
  if (values.size() > kMostWritten) {
    fail(op, fmt::format("{} elements are too many (at most {})", values.size(), kMostWritten));
  }
  const BufferId buffer =
      new_buffer(op, tile_type_of(result.element, op), usual_geometry(result.shape));
  const Geometry geometry = state_.program.geometry(buffer);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const LxRectangle one{buffer, place / geometry.columns, place % geometry.columns, 1, 1};
    BufferTile into = state_.program.tile(one);
    if (const Number* number = values[i].number()) {
      state_.program.vector(VectorFunction::fill, into,
                            {{std::nullopt, true, number->constant, number->formula}});
    } else {
      state_.program.vector(VectorFunction::copy, into,
                            {{arranged(op, values[i], {1, 1}), true, 0, std::nullopt}});
    }
  }
  set(op.results[0], dense(result.element, result.shape, buffer));
}

void Lowerer::lower_fill(const Operation& op) {
  TensorValue value = tensor(op.segment(0)[0], op);
  const TensorValue destination = tensor(op.segment(1)[0], op);
  value.shape = destination.shape;
  if (auto* reading = std::get_if<Reading>(&value.content)) {
    reading->strides.assign(value.shape.size(), 0);
  }
  set(op.results[0], value);
}

}  // namespace spyre::kernels::lowering
