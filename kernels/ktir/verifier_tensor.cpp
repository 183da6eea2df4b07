#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/verifier_state.h"

namespace spyre::kernels::ktir {
namespace {

std::size_t dynamic_count(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(std::ranges::count(shape, kDynamic));
}

}  // namespace

void FunctionVerifier::check_empty(const Operation& op) {
  if (!has_counts(op, op.operands.size(), 1)) return;
  const Type& tensor = result(op);
  if (!tensor.is_tensor()) {
    return error(op, fmt::format("it makes a tensor, not {}", to_string(tensor)));
  }
  if (op.operands.size() != dynamic_count(tensor.shape)) {
    return error(op, fmt::format("{} has {} dynamic sizes, here are {}", to_string(tensor),
                                 dynamic_count(tensor.shape), op.operands.size()));
  }
  for (const ValueId id : op.operands) same(op, type(id), Type::index(), shown(id));
}

void FunctionVerifier::check_splat(const Operation& op) {
  if (!has_counts(op, 1, 1)) return;
  const Type& tensor = result(op);
  if (!tensor.is_tensor() || !tensor.is_static()) {
    return error(op, fmt::format("it makes a tensor of fixed shape, not {}", to_string(tensor)));
  }
  same(op, operand(op, 0), Type::scalar(tensor.element), "the value");
}

void FunctionVerifier::check_extract(const Operation& op) {
  if (op.operands.empty() || !operand(op, 0).is_tensor()) {
    return error(op, "it takes a tensor and one index per dimension");
  }
  const Type& tensor = operand(op, 0);
  if (!has_counts(op, tensor.rank() + 1, 1)) return;
  same(op, result(op), Type::scalar(tensor.element), "the result");
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    const ValueId id = op.operands[i + 1];
    if (!same(op, type(id), Type::index(), shown(id))) return;
    const std::optional<std::int64_t> index = constants_->value(id);
    if (index && (*index < 0 || (tensor.shape[i] != kDynamic && *index >= tensor.shape[i]))) {
      error(op, fmt::format("index {} is {}, outside {}", i, *index, to_string(tensor)));
    }
  }
}

/// The groups name the dimensions of the longer shape in order, one group per dimension of the
/// shorter one, whose size is the group's product.
void FunctionVerifier::check_reassociation(const Operation& op) {
  if (op.operands.empty() || !has_counts(op, op.operands.size(), 1)) return;
  const bool expand = op.is(OpCode::tensor_expand_shape);
  const Type& from = operand(op, 0);
  const Type& to = result(op);
  const auto* groups = value_of<ArrayValue>(op.attribute("reassociation"));
  if (!from.is_tensor() || !to.is_tensor() || from.element != to.element || groups == nullptr) {
    return error(op, "it takes a tensor to another of the same elements by a list of groups");
  }
  const Type& longer = expand ? to : from;
  const Type& shorter = expand ? from : to;
  const std::string mismatch =
      fmt::format("the groups do not take {} to {}", to_string(from), to_string(to));
  if (groups->elements.size() != shorter.rank()) return error(op, mismatch);
  std::size_t next = 0;
  for (std::size_t i = 0; i < shorter.rank(); ++i) {
    const auto members = integers_of(groups->elements[i]);
    if (!members || members->empty()) return error(op, mismatch);
    std::vector<std::int64_t> sizes;
    for (const std::int64_t member : *members) {
      if (member != static_cast<std::int64_t>(next) || next >= longer.rank()) {
        return error(op, mismatch);
      }
      sizes.push_back(longer.shape[next++]);
    }
    const auto product = Type::tensor(sizes, longer.element).element_count();
    if (product && !sizes_agree(*product, shorter.shape[i])) return error(op, mismatch);
  }
  // Without groups a tensor of ones collapses to rank 0.
  const bool ones = shorter.rank() == 0 && std::ranges::all_of(longer.shape, [](std::int64_t size) {
                      return size == 1 || size == kDynamic;
                    });
  if (next != longer.rank() && !ones) return error(op, mismatch);
  if (!op.attribute("static_output_shape")) {
    if (op.operands.size() > 1) error(op, "its output_shape is missing");
    return;
  }
  const auto sizes = integers(op, "static_output_shape");
  if (!sizes) return;
  if (!shapes_agree(*sizes, to.shape)) {
    error(op, fmt::format("output_shape is {}, the result {}", shape_text(*sizes), to_string(to)));
  }
  if (op.segment(1).size() != dynamic_count(*sizes)) {
    error(op, fmt::format("output_shape has {} dynamic sizes, here are {}", dynamic_count(*sizes),
                          op.segment(1).size()));
  }
  for (const ValueId id : op.segment(1)) same(op, type(id), Type::index(), shown(id));
}

void FunctionVerifier::check_reshape(const Operation& op) {
  if (!has_counts(op, 2, 1)) return;
  const Type& from = operand(op, 0);
  const Type& shape = operand(op, 1);
  const Type& to = result(op);
  if (!from.is_tensor() || !to.is_tensor() || from.element != to.element) {
    return error(op, fmt::format("it cannot turn {} into {}", to_string(from), to_string(to)));
  }
  if (!shape.is_tensor() || shape.rank() != 1 || shape.element.is_float() ||
      !sizes_agree(shape.shape[0], static_cast<std::int64_t>(to.rank()))) {
    return error(op, fmt::format("the shape is {}, it must be a tensor of {} integers",
                                 to_string(shape), to.rank()));
  }
  const auto before = from.element_count();
  const auto after = to.element_count();
  if (before && after && *before != *after) {
    error(op, fmt::format("{} has {} elements, {} has {}", to_string(from), *before, to_string(to),
                          *after));
  }
}

void FunctionVerifier::check_generate(const Operation& op) {
  if (!has_counts(op, op.operands.size(), 1, 1)) return;
  const Type& tensor = result(op);
  if (!tensor.is_tensor() || op.operands.size() != dynamic_count(tensor.shape)) {
    return error(op, fmt::format("it makes a tensor with one operand per dynamic size, not {}",
                                 to_string(tensor)));
  }
  for (const ValueId id : op.operands) same(op, type(id), Type::index(), shown(id));
  const std::vector<Type> indices(tensor.rank(), Type::index());
  if (arguments_are(op, op.regions[0], indices)) {
    yields_are(op, op.regions[0], {Type::scalar(tensor.element)});
  }
}

void FunctionVerifier::check_slice(const Operation& op) {
  const bool insert = op.is(OpCode::tensor_insert_slice);
  const std::span<const ValueId> tensors = op.segment(0);
  if (tensors.size() != (insert ? 2U : 1U) || !has_counts(op, op.operands.size(), 1)) {
    return error(op, insert ? "it takes a slice and a tensor" : "it takes one tensor");
  }
  const Type& whole = insert ? type(tensors[1]) : type(tensors[0]);
  const Type& part = insert ? type(tensors[0]) : result(op);
  if (insert && !same(op, result(op), whole, "the result")) return;
  if (!whole.is_tensor() || !part.is_tensor() || whole.element != part.element) {
    return error(op, fmt::format("{} is no slice of {}", to_string(part), to_string(whole)));
  }
  const auto offsets = integers(op, "static_offsets");
  const auto sizes = integers(op, "static_sizes");
  const auto strides = integers(op, "static_strides");
  if (!offsets || !sizes || !strides) return;
  std::size_t group = 1;
  for (const auto* each : {&*offsets, &*sizes, &*strides}) {
    if (each->size() != whole.rank() || op.segment(group).size() != dynamic_count(*each)) {
      return error(op,
                   fmt::format("offsets, sizes and strides need {} entries each", whole.rank()));
    }
    ++group;
  }
  for (const ValueId id : op.operands.size() > tensors.size()
                              ? std::span(op.operands).subspan(tensors.size())
                              : std::span<const ValueId>()) {
    if (!same(op, type(id), Type::index(), shown(id))) return;
  }
  // The part's shape is the sizes, from which ones may be dropped.
  std::size_t matched = 0;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if (matched < part.rank() && sizes_agree((*sizes)[i], part.shape[matched])) {
      ++matched;
    } else if ((*sizes)[i] != 1) {
      return error(op, fmt::format("the sizes are {}, the slice is {}", shape_text(*sizes),
                                   to_string(part)));
    }
  }
  if (matched != part.rank()) {
    return error(
        op, fmt::format("the sizes are {}, the slice is {}", shape_text(*sizes), to_string(part)));
  }
  for (std::size_t i = 0; i < whole.rank(); ++i) {
    const std::int64_t offset = (*offsets)[i];
    const std::int64_t size = (*sizes)[i];
    const std::int64_t stride = (*strides)[i];
    if (stride == 0 || size == 0) {
      if (stride == 0) error(op, fmt::format("the stride of dimension {} is 0", i));
      continue;
    }
    if (offset == kDynamic || size == kDynamic || stride == kDynamic ||
        whole.shape[i] == kDynamic) {
      continue;
    }
    std::int64_t last = 0;
    const bool far = __builtin_mul_overflow(size - 1, stride, &last) ||
                     __builtin_add_overflow(last, offset, &last);
    if (offset < 0 || stride < 0 || far || last >= whole.shape[i]) {
      error(op, fmt::format("dimension {} of the slice leaves {}", i, to_string(whole)));
    }
  }
}

void FunctionVerifier::check_from_elements(const Operation& op) {
  if (!has_counts(op, op.operands.size(), 1)) return;
  const Type& tensor = result(op);
  if (!tensor.is_tensor() ||
      tensor.element_count() != std::optional(static_cast<std::int64_t>(op.operands.size()))) {
    return error(op,
                 fmt::format("{} operands do not make {}", op.operands.size(), to_string(tensor)));
  }
  for (const ValueId id : op.operands) {
    if (!same(op, type(id), Type::scalar(tensor.element), shown(id))) return;
  }
}

void FunctionVerifier::check_dim(const Operation& op) {
  if (!has_counts(op, 2, 1)) return;
  const Type& shaped = operand(op, 0);
  const bool memref = op.is(OpCode::memref_dim);
  if (shaped.kind != (memref ? TypeKind::memref : TypeKind::tensor)) {
    return error(
        op, fmt::format("it takes a {}, not {}", memref ? "memref" : "tensor", to_string(shaped)));
  }
  same(op, result(op), Type::index(), "the result");
  if (!same(op, operand(op, 1), Type::index(), "the dimension")) return;
  const std::optional<std::int64_t> dimension = constants_->value(op.operands[1]);
  if (dimension && (*dimension < 0 || *dimension >= static_cast<std::int64_t>(shaped.rank()))) {
    error(op, fmt::format("{} has no dimension {}", to_string(shaped), *dimension));
  }
}

}  // namespace spyre::kernels::ktir
