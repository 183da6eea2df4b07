#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/verifier_state.h"

namespace spyre::kernels::ktir {

/// ins and outs are tensors (or scalars in ins) and every result has the type of its out.
bool FunctionVerifier::check_destinations(const Operation& op) {
  const std::span<const ValueId> outs = op.segment(1);
  if (outs.empty()) {
    error(op, "it needs a tensor in outs(...)");
    return false;
  }
  for (const ValueId id : outs) {
    if (type(id).is_tensor()) continue;
    error(op, fmt::format("{} in outs is {}, it must be a tensor", shown(id), to_string(type(id))));
    return false;
  }
  for (const ValueId id : op.segment(0)) {
    if (type(id).is_tensor() || type(id).is_scalar()) continue;
    error(op, fmt::format("{} in ins is {}, it must be a tensor", shown(id), to_string(type(id))));
    return false;
  }
  if (!has_results(op, outs.size())) return false;
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (!same(op, result(op, i), type(outs[i]), "the result")) return false;
  }
  return true;
}

void FunctionVerifier::check_linalg(const Operation& op) {
  const std::span<const ValueId> ins = op.segment(0);
  if (ins.size() != op.info->operands || op.segment(1).size() != 1 || !op.regions.empty()) {
    return error(
        op, fmt::format("it takes {} values in ins(...) and 1 in outs(...), here are {} and {}",
                        op.info->operands, ins.size(), op.segment(1).size()));
  }
  if (!check_destinations(op)) return;
  const Type& out = result(op);
  if (op.is(OpCode::linalg_fill)) {
    const Type& filler = type(ins[0]);
    const bool fits = filler.is_scalar() || (filler.is_tensor() && filler.rank() == 0);
    if (!fits || filler.element != out.element) {
      error(op, fmt::format("{} cannot fill {}", to_string(filler), to_string(out)));
    }
    return;
  }
  if (op.is(OpCode::linalg_matmul)) return check_matmul(op, false);
  if (op.is(OpCode::linalg_batch_matmul)) return check_matmul(op, true);
  for (const ValueId id : ins) {
    if (!type(id).is_tensor() || !shapes_agree(type(id).shape, out.shape) ||
        type(id).element != out.element) {
      error(op, fmt::format("{} is {}, it must be like the result, {}", shown(id),
                            to_string(type(id)), to_string(out)));
    }
  }
}

/// C(m, n) += A(m, k) * B(k, n), with a leading batch dimension if `batched`.
void FunctionVerifier::check_matmul(const Operation& op, bool batched) {
  const Type& a = type(op.segment(0)[0]);
  const Type& b = type(op.segment(0)[1]);
  const Type& c = result(op);
  const std::size_t first = batched ? 1 : 0;
  for (const Type* each : {&a, &b, &c}) {
    if (each->is_tensor() && each->rank() == first + 2) continue;
    return error(
        op, fmt::format("it multiplies tensors of rank {}, not {}", first + 2, to_string(*each)));
  }
  const bool batches =
      !batched || (sizes_agree(a.shape[0], b.shape[0]) && sizes_agree(a.shape[0], c.shape[0]));
  const bool inner = sizes_agree(a.shape[first + 1], b.shape[first]);
  const bool outer = sizes_agree(a.shape[first], c.shape[first]) &&
                     sizes_agree(b.shape[first + 1], c.shape[first + 1]);
  if (!batches || !inner || !outer) {
    error(op, fmt::format("{} times {} does not give {}", shape_text(a.shape), shape_text(b.shape),
                          shape_text(c.shape)));
  }
  if (a.element != b.element || a.element.is_float() != c.element.is_float() ||
      c.element.width < a.element.width) {
    error(op, fmt::format("{} times {} cannot be added up in {}", to_string(a.element),
                          to_string(b.element), to_string(c.element)));
  }
}

namespace {

/// Whether the numbers are different and each from 0 to limit - 1.
bool are_distinct(const std::vector<std::int64_t>& numbers, std::size_t limit) {
  std::vector<bool> seen(limit);
  for (const std::int64_t number : numbers) {
    if (number < 0 || static_cast<std::size_t>(number) >= limit) return false;
    if (seen[static_cast<std::size_t>(number)]) return false;
    seen[static_cast<std::size_t>(number)] = true;
  }
  return true;
}

/// The shape without the dimensions listed.
std::vector<std::int64_t> without(const std::vector<std::int64_t>& shape,
                                  const std::vector<std::int64_t>& dimensions) {
  std::vector<std::int64_t> rest;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (std::ranges::find(dimensions, static_cast<std::int64_t>(i)) == dimensions.end()) {
      rest.push_back(shape[i]);
    }
  }
  return rest;
}

}  // namespace

void FunctionVerifier::check_broadcast(const Operation& op) {
  if (op.segment(0).size() != 1 || op.segment(1).size() != 1) {
    return error(op, "it takes one tensor in ins(...) and one in outs(...)");
  }
  const auto dimensions = integers(op, "dimensions");
  if (!dimensions || !check_destinations(op)) return;
  const Type& in = operand(op, 0);
  const Type& out = result(op);
  if (!are_distinct(*dimensions, out.rank())) {
    return error(op,
                 fmt::format("'dimensions' must name different dimensions of {}", to_string(out)));
  }
  if (!in.is_tensor() || in.element != out.element ||
      !shapes_agree(in.shape, without(out.shape, *dimensions))) {
    error(op,
          fmt::format("without the added dimensions {} is not {}", to_string(out), to_string(in)));
  }
}

void FunctionVerifier::check_transpose(const Operation& op) {
  if (op.segment(0).size() != 1 || op.segment(1).size() != 1) {
    return error(op, "it takes one tensor in ins(...) and one in outs(...)");
  }
  const auto permutation = integers(op, "permutation");
  if (!permutation || !check_destinations(op)) return;
  const Type& in = operand(op, 0);
  const Type& out = result(op);
  if (!in.is_tensor() || permutation->size() != in.rank() || out.rank() != in.rank() ||
      !are_distinct(*permutation, in.rank())) {
    return error(op,
                 fmt::format("'permutation' must name every dimension of {} once", to_string(in)));
  }
  bool agrees = in.element == out.element;
  for (std::size_t i = 0; i < out.rank(); ++i) {
    agrees =
        agrees && sizes_agree(out.shape[i], in.shape[static_cast<std::size_t>((*permutation)[i])]);
  }
  if (!agrees)
    error(op, fmt::format("permuting {} does not give {}", to_string(in), to_string(out)));
}

void FunctionVerifier::check_reduce(const Operation& op) {
  const std::span<const ValueId> ins = op.segment(0);
  const std::span<const ValueId> outs = op.segment(1);
  if (ins.empty() || ins.size() != outs.size() || op.regions.size() != 1) {
    return error(op, "it takes as many tensors in ins(...) as in outs(...), and one combiner");
  }
  const auto dimensions = integers(op, "dimensions");
  if (!dimensions || !check_destinations(op)) return;
  std::vector<Type> arguments;
  std::vector<Type> yielded;
  for (const ValueId in : ins) arguments.push_back(Type::scalar(type(in).element));
  for (const ValueId out : outs) yielded.push_back(Type::scalar(type(out).element));
  for (std::size_t i = 0; i < ins.size(); ++i) {
    const Type& in = type(ins[i]);
    if (!in.is_tensor() || !are_distinct(*dimensions, in.rank())) {
      return error(op,
                   fmt::format("'dimensions' must name different dimensions of {}", to_string(in)));
    }
    if (!shapes_agree(without(in.shape, *dimensions), type(outs[i]).shape)) {
      return error(op, fmt::format("without the reduced dimensions {} is not {}", to_string(in),
                                   to_string(type(outs[i]))));
    }
  }
  arguments.insert(arguments.end(), yielded.begin(), yielded.end());
  if (arguments_are(op, op.regions[0], arguments)) yields_are(op, op.regions[0], yielded);
}

void FunctionVerifier::check_generic(const Operation& op) {
  const auto* maps = value_of<ArrayValue>(op.attribute("indexing_maps"));
  const auto* iterators = value_of<ArrayValue>(op.attribute("iterator_types"));
  if (maps == nullptr || iterators == nullptr || op.regions.size() != 1) {
    return error(op, "it needs the lists 'indexing_maps' and 'iterator_types' and one region");
  }
  for (const AttributePtr& iterator : iterators->elements) {
    const auto* name = value_of<StringValue>(iterator);
    if (name == nullptr || (name->text != "parallel" && name->text != "reduction")) {
      return error(op, "'iterator_types' holds \"parallel\" and \"reduction\" only");
    }
  }
  if (!check_destinations(op)) return;
  if (maps->elements.size() != op.operands.size()) {
    return error(op, fmt::format("{} operands have {} indexing maps", op.operands.size(),
                                 maps->elements.size()));
  }
  check_generic_shapes(op, maps->elements, iterators->elements.size());
  std::vector<Type> arguments;
  std::vector<Type> yielded;
  for (const ValueId id : op.operands) arguments.push_back(Type::scalar(type(id).element));
  for (const ValueId id : op.segment(1)) yielded.push_back(Type::scalar(type(id).element));
  if (arguments_are(op, op.regions[0], arguments)) yields_are(op, op.regions[0], yielded);
}

/// Every map has one result per dimension of its operand, and a loop that is an index has one
/// length.
void FunctionVerifier::check_generic_shapes(const Operation& op, std::span<const AttributePtr> maps,
                                            std::size_t loops) {
  std::vector<std::int64_t> lengths(loops, kDynamic);
  std::vector<bool> seen(loops);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto* map = value_of<AffineMapPtr>(maps[i]);
    if (map == nullptr || (*map)->dimensions != loops || (*map)->symbols != 0) {
      return error(op,
                   fmt::format("indexing map {} must be an affine_map of {} dimensions", i, loops));
    }
    const Type& shaped = operand(op, i);
    if ((*map)->results.size() != shaped.rank()) {
      return error(op, fmt::format("indexing map {} has {} results for {}", i,
                                   (*map)->results.size(), to_string(shaped)));
    }
    for (std::size_t d = 0; d < shaped.rank(); ++d) {
      const std::optional<std::size_t> loop = (*map)->results[d].as_dimension();
      if (!loop) continue;
      seen[*loop] = true;
      if (!sizes_agree(lengths[*loop], shaped.shape[d])) {
        return error(op, fmt::format("loop {} has length {} and, from operand {}, {}", *loop,
                                     lengths[*loop], i, shaped.shape[d]));
      }
      if (lengths[*loop] == kDynamic) lengths[*loop] = shaped.shape[d];
    }
  }
  const auto missing = std::ranges::find(seen, false);
  if (missing != seen.end()) {
    error(op, fmt::format("no operand gives the length of loop {}", missing - seen.begin()));
  }
}

void FunctionVerifier::check_index(const Operation& op) {
  if (!has_counts(op, 0, 1)) return;
  same(op, result(op), Type::index(), "the result");
  const auto* dimension = value_of<IntegerValue>(op.attribute("dim"));
  if (generic_loops_.empty()) return error(op, "it stands in the body of a linalg.generic only");
  if (dimension == nullptr || dimension->value < 0 ||
      static_cast<std::size_t>(dimension->value) >= generic_loops_.back()) {
    error(op, fmt::format("the linalg.generic around it has {} loops", generic_loops_.back()));
  }
}

}  // namespace spyre::kernels::ktir
