#include "kernels/ktir/core_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/scalar_evaluator.h"

namespace spyre::kernels::ktir {
namespace {

/// Every turn of a loop is walked: a kernel beyond this is refused rather than left running for
/// minutes.
constexpr std::int64_t kMostWork = 20'000'000;

}  // namespace

CoreWalk::CoreWalk(WalkContext& context, std::int64_t core)
    : context_(context),
      core_(core),
      values_(context.function.values.size()),
      body_loops_(context.function.values.size()) {
  const std::vector<ValueId>& arguments = context.function.body.arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = context.arguments[i];
    if (argument.kind != BoundArgument::Kind::real) values_[arguments[i]] = argument.integer;
  }
}

SumOfCosts::Core CoreWalk::run() {
  walk(context_.function.body);
  return costs_;
}

std::int64_t CoreWalk::integer(const Operation& op, ValueId id) const {
  if (const auto* value = bound<std::int64_t>(id)) return *value;
  site(op).fail(fmt::format("'%{}' is not known before the run: it depends on data",
                            context_.function.value(id).name.substr(0, 64)));
}

std::vector<std::int64_t> CoreWalk::integers(const Operation& op,
                                             std::span<const ValueId> ids) const {
  std::vector<std::int64_t> values;
  values.reserve(ids.size());
  for (const ValueId id : ids) values.push_back(integer(op, id));
  return values;
}

void CoreWalk::count_work(const Operation& op, std::int64_t steps) {
  context_.work += steps;
  if (context_.work <= kMostWork) return;
  site(op).fail(
      fmt::format("the kernel executes more than {} operations, too many to price one by "
                  "one",
                  kMostWork));
}

void CoreWalk::add_to(std::int64_t& total, std::int64_t amount, const Operation& op) const {
  if (__builtin_add_overflow(total, amount, &total)) {
    site(op).fail("the kernel moves or computes more than 64 bits can count");
  }
}

void CoreWalk::walk(const Region& region) {
  for (const Operation& op : region.operations) {
    if (!op.info->is_terminator()) {
      visit(op);
      continue;
    }
    yielded_.clear();
    for (const ValueId id : op.operands) yielded_.push_back(values_[id]);
  }
}

void CoreWalk::visit_for(const Operation& op) {
  const std::vector<std::int64_t> bounds = integers(op, op.segment(0));
  if (bounds[2] <= 0) site(op).fail(fmt::format("the step is {}: it must be positive", bounds[2]));
  std::vector<Binding> carried;
  for (const ValueId id : op.segment(1)) carried.push_back(values_[id]);
  const Region& body = op.regions.front();
  for (std::int64_t i = bounds[0]; i < bounds[1];) {
    count_work(op);
    values_[body.arguments[0]] = i;
    for (std::size_t k = 0; k < carried.size(); ++k) {
      values_[body.arguments[k + 1]] = std::move(carried[k]);
    }
    walk(body);
    carried = yielded_;
    if (__builtin_add_overflow(i, bounds[2], &i)) break;
  }
  for (std::size_t k = 0; k < carried.size(); ++k) values_[op.results[k]] = std::move(carried[k]);
}

void CoreWalk::visit_if(const Operation& op) {
  const std::size_t branch = integer(op, op.operands[0]) != 0 ? 0 : 1;
  yielded_.clear();
  if (branch < op.regions.size()) walk(op.regions[branch]);
  for (std::size_t k = 0; k < op.results.size(); ++k) values_[op.results[k]] = yielded_[k];
}

/// Core number = (z * ny + y) * nx + x; with fewer results than grid entries they are x, then y.
void CoreWalk::bind_tile_id(const Operation& op) {
  const std::vector<std::int64_t> grid = context_.function.grid();
  std::int64_t rest = core_;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const std::int64_t size = i < grid.size() ? grid[i] : 1;
    values_[op.results[i]] = rest % size;
    rest /= size;
  }
}

void CoreWalk::bind_constant(const Operation& op) {
  AttributePtr value = op.attribute("value");
  if (const auto* dense = value_of<DenseValue>(value)) {
    if (!dense->is_splat()) return;
    value = dense->elements.front();
  }
  const ScalarType& element = type(op.results[0]).element;
  if (const auto* number = value_of<IntegerValue>(value);
      number != nullptr && !element.is_float()) {
    values_[op.results[0]] = wrapped(number->value, element);
  } else if (const auto* truth = value_of<bool>(value)) {
    values_[op.results[0]] = std::int64_t{*truth ? 1 : 0};
  }
}

void CoreWalk::bind_runtime_argument(const Operation& op) {
  const Type& argument = type(op.operands[0]);
  const auto* field = value_of<StringValue>(op.attribute("field"));
  if (field == nullptr || field->text == "value") {
    values_[op.results[0]] = values_[op.operands[0]];
    return;
  }
  const auto& stated = field->text == "granularity" ? argument.granularity : argument.upper_bound;
  if (stated) values_[op.results[0]] = *stated;
}

void CoreWalk::bind_select(const Operation& op) {
  const auto* condition = bound<std::int64_t>(op.operands[0]);
  if (condition != nullptr) values_[op.results[0]] = values_[op.operands[*condition != 0 ? 1 : 2]];
}

/// An element of a tensor that is the same everywhere, or of one that was loaded.
void CoreWalk::bind_extract(const Operation& op) {
  const ValueId tensor = op.operands[0];
  if (const auto* uniform = bound<std::int64_t>(tensor)) {
    values_[op.results[0]] = *uniform;
    return;
  }
  const auto* loaded = bound<std::shared_ptr<const LoadedIntegers>>(tensor);
  if (loaded == nullptr) return;
  const std::vector<std::int64_t>& shape = type(tensor).shape;
  const std::vector<std::int64_t> index = integers(op, std::span(op.operands).subspan(1));
  std::int64_t position = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) {
      site(op).fail(
          fmt::format("index {} is {}, outside {}", d, index[d], to_string(type(tensor))));
    }
    position = position * shape[d] + index[d];  // inside a static tensor
  }
  std::vector<std::int64_t> place((*loaded)->shape.size());
  for (std::size_t d = place.size(); d-- > 0;) {
    place[d] = position % (*loaded)->shape[d];
    position /= (*loaded)->shape[d];
  }
  const std::int64_t value = integer_at(*(*loaded)->tile, place, context_.read, site(op));
  values_[op.results[0]] = wrapped(value, type(tensor).element);
}

void CoreWalk::bind_dimension(const Operation& op) {
  const std::int64_t d = integer(op, op.operands[1]);
  const Type& shaped = type(op.operands[0]);
  if (d < 0 || d >= static_cast<std::int64_t>(shaped.rank())) {
    site(op).fail(fmt::format("{} has no dimension {}", to_string(shaped), d));
  }
  const auto place = static_cast<std::size_t>(d);
  if (shaped.shape[place] != kDynamic) {
    values_[op.results[0]] = shaped.shape[place];
  } else if (const auto* of = bound<MemoryViewPtr>(op.operands[0]);
             of != nullptr && !(*of)->is_distributed) {
    values_[op.results[0]] = (*of)->parts.front().sizes[place];
  }
}

void CoreWalk::bind_integer(const Operation& op) {
  if (op.results.size() != 1 || op.operands.empty()) return;
  std::vector<std::int64_t> operands;
  for (const ValueId id : op.operands) {
    const auto* value = bound<std::int64_t>(id);
    if (value == nullptr) return;
    operands.push_back(*value);
  }
  const std::optional<std::int64_t> value =
      evaluate_integer(op, operands, type(op.operands[0]).element, type(op.results[0]).element);
  if (value) values_[op.results[0]] = *value;
}

void CoreWalk::visit(const Operation& op) {
  count_work(op);
  // A value of an earlier turn of a loop must not survive.
  for (const ValueId id : op.results) values_[id] = std::monostate{};
  switch (op.code()) {
    case OpCode::scf_for:
      return visit_for(op);
    case OpCode::scf_if:
      return visit_if(op);
    case OpCode::arith_constant:
      return bind_constant(op);
    case OpCode::ktdp_get_compute_tile_id:
      return bind_tile_id(op);
    case OpCode::ktdp_runtime_arg_extract:
      return bind_runtime_argument(op);
    case OpCode::ktdp_construct_memory_view:
      return bind_view(op);
    case OpCode::ktdp_construct_distributed_memory_view:
      return bind_distributed_view(op);
    case OpCode::ktdp_construct_access_tile:
    case OpCode::ktdp_construct_indirect_access_tile:
      return bind_tile(op);
    case OpCode::ktdp_load:
    case OpCode::ktdp_store:
      return visit_transfer(op);
    case OpCode::ktdp_inter_tile_produce:
      return visit_produce(op);
    case OpCode::ktdp_inter_tile_reduce:
      return visit_inter_tile_reduce(op);
    case OpCode::linalg_matmul:
    case OpCode::linalg_batch_matmul:
      return charge_matmul(op);
    case OpCode::linalg_reduce:
      return visit_reduce(op);
    case OpCode::linalg_generic:
      return visit_generic(op);
    case OpCode::tensor_generate:
      return visit_generate(op);
    case OpCode::tensor_extract:
      return bind_extract(op);
    case OpCode::tensor_dim:
    case OpCode::memref_dim:
      return bind_dimension(op);
    case OpCode::tensor_splat:
    case OpCode::tensor_expand_shape:
    case OpCode::tensor_collapse_shape:
    case OpCode::tensor_reshape:
    case OpCode::tensor_cast:
    case OpCode::memref_cast:
    case OpCode::linalg_fill:
      values_[op.results[0]] = values_[op.operands[0]];
      return;
    default:
      break;
  }
  const PriceClass price = price_class(op.code());
  if (price == PriceClass::unsupported) {
    site(op).fail("ktir-cpu does not run it, so its timing has no price for it");
  }
  if (price != PriceClass::free && op.results.size() == 1) {
    const Type& result = type(op.results[0]);
    charge_elementwise(op, result.is_scalar(), elements_of(op, result));
  }
  if (op.is(OpCode::arith_select)) return bind_select(op);
  if (op.info->dialect() == "arith" || op.info->dialect() == "math") bind_integer(op);
}

}  // namespace spyre::kernels::ktir
