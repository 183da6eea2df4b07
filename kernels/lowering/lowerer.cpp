#include "kernels/lowering/lowerer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/lowering/element_type.h"

namespace spyre::kernels::lowering {
namespace {

constexpr std::array<const char*, 3> kGridNames{"x", "y", "z"};

Program::Grid grid_of(const ktir::Function& function) {
  Program::Grid grid;
  const std::vector<std::int64_t> sizes = function.grid();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    grid.emplace_back(i < kGridNames.size() ? kGridNames[i] : fmt::format("g{}", i), sizes[i]);
  }
  if (grid.empty()) grid.emplace_back(kGridNames[0], 1);
  return grid;
}

}  // namespace

Lowerer::Lowerer(const ktir::Module& module, const ktir::Function& function,
                 const ktir::BoundArguments& arguments, const models::Machine& machine,
                 const LoweringOptions& options)
    : module_(module),
      function_(function),
      machine_(machine),
      options_(options),
      last_uses_(function),
      uses_(function) {
  Program names("", grid_of(function));
  state_.program = Program(names.unique_name(function.name, "kernel"), grid_of(function));
  state_.values.resize(function.values.size());
  if (state_.program.cores() > machine.cores.count) {
    throw models::InputError(
        fmt::format("'{}' runs on {} cores, the machine has {}: give it a smaller grid",
                    function.name, state_.program.cores(), machine.cores.count),
        module.position(function.where));
  }
  bind_arguments(arguments);
}

Program Lowerer::run() {
  lower(function_.body);
  return std::move(state_.program);
}

void Lowerer::fail(const Operation& op, const std::string& message) const {
  throw models::InputError(fmt::format("{}: {}", op.info->name, message),
                           module_.position(op.where));
}

Origin Lowerer::origin_of(const Operation& op) const {
  return {module_.position(op.where), op.where.line};
}

std::string Lowerer::shown(ValueId id) const {
  const std::string& name = function_.value(id).name;
  return name.empty() ? "a value" : "%" + name;
}

void Lowerer::bind_arguments(const ktir::BoundArguments& arguments) {
  const std::vector<ValueId>& ids = function_.body.arguments;
  if (arguments.size() != ids.size()) {
    throw models::InputError(fmt::format("'{}' has {} arguments, {} are bound", function_.name,
                                         ids.size(), arguments.size()),
                             module_.position(function_.where));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const ktir::Type& wanted = type(ids[i]);
    const bool number = wanted.is_scalar() || wanted.kind == ktir::TypeKind::runtime_arg;
    if (!number) {
      throw models::InputError(
          fmt::format("argument {} is {}: a kernel is started with pointers (index) and numbers",
                      shown(ids[i]), to_string(wanted)),
          module_.position(function_.value(ids[i]).where));
    }
    if (!wanted.element.is_float()) {
      set(ids[i], Integer(arguments[i].integer));
      continue;
    }
    const double real = arguments[i].kind == ktir::BoundArgument::Kind::real
                            ? arguments[i].real
                            : static_cast<double>(arguments[i].integer);
    set(ids[i], TensorValue{wanted.element, {}, Number{rounded(real, wanted.element), {}}, {}, {}});
  }
}

bool Lowerer::is_integer(ValueId id) const {
  return std::holds_alternative<Integer>(state_.values[id]);
}

Integer Lowerer::integer(ValueId id, const Operation& user) const {
  if (const auto* known = std::get_if<Integer>(&state_.values[id])) return *known;
  fail(user, fmt::format("{} is only known when the kernel runs: it must follow from arguments, "
                         "tile ids and loop variables",
                         shown(id)));
}

std::int64_t Lowerer::known_integer(ValueId id, const Operation& user,
                                    std::string_view what) const {
  const Integer value = integer(id, user);
  if (value.is_constant()) return value.constant();
  fail(user, fmt::format("{} is {}, which differs between cores or turns of a loop: it must be one "
                         "number",
                         what, value.text()));
}

TensorValue Lowerer::tensor(ValueId id, const Operation& user) const {
  if (const auto* tensor = std::get_if<TensorValue>(&state_.values[id])) return *tensor;
  if (const auto* known = std::get_if<Integer>(&state_.values[id])) {
    TensorValue result{type(id).element, {}, Number{}, known->range(), {}};
    Number number;
    if (known->is_constant()) {
      number.constant = static_cast<double>(known->constant());
    } else {
      number.formula = *known;
    }
    result.content = number;
    return result;
  }
  fail(user, fmt::format("{} has no value here", shown(id)));
}

std::vector<TensorValue> Lowerer::tensors(std::span<const ValueId> ids,
                                          const Operation& user) const {
  std::vector<TensorValue> result;
  for (const ValueId id : ids) result.push_back(tensor(id, user));
  return result;
}

DataType Lowerer::tile_type_of(const ScalarType& element, const Operation& op) const {
  if (const auto known = tile_type(element)) return *known;
  fail(op, fmt::format("no tile holds {}: supported are {}", ktir::to_string(element),
                       tile_types_text()));
}

Shape Lowerer::result_shape(const Operation& op, std::size_t index, const Shape& known) const {
  const ktir::Type& result = type(op.results[index]);
  if (result.is_static()) return result.shape;
  if (ktir::shapes_agree(result.shape, known)) return known;
  fail(op, fmt::format("the size of {} is not known", to_string(result)));
}

void Lowerer::lower(const ktir::Region& region) {
  for (const Operation& op : region.operations) {
    if (op.info->is_terminator() || !last_uses_.matters(op)) continue;
    lower(op);
  }
}

void Lowerer::lower(const Operation& op) {
  position_ = last_uses_.begin(op);
  state_.program.set_origin(origin_of(op));
  target_.reset();
  if (op.results.size() == 1) {
    const auto outer = yields_to_.find(op.results[0]);
    target_ = outer == yields_to_.end() ? op.results[0] : outer->second;
  }
  const ktir::OpForm form = op.info->form;
  if (form == ktir::OpForm::linalg) return lower_linalg(op);
  switch (op.code()) {
    case OpCode::arith_constant:
      return lower_constant(op);
    case OpCode::tensor_empty:
      return lower_empty(op);
    case OpCode::tensor_splat:
      return lower_splat(op);
    case OpCode::tensor_extract:
      return lower_extract(op);
    case OpCode::tensor_expand_shape:
    case OpCode::tensor_collapse_shape:
    case OpCode::tensor_reshape:
      return lower_reshape(op);
    case OpCode::tensor_extract_slice:
      return lower_extract_slice(op);
    case OpCode::tensor_insert_slice:
      return lower_insert_slice(op);
    case OpCode::tensor_from_elements:
      return lower_from_elements(op);
    case OpCode::tensor_dim:
    case OpCode::memref_dim:
      return lower_dim(op);
    case OpCode::tensor_cast:
    case OpCode::memref_cast:
      return lower_tensor_cast(op);
    case OpCode::tensor_generate:
      return lower_generate(op);
    case OpCode::linalg_broadcast:
      return lower_broadcast(op);
    case OpCode::linalg_transpose:
      return lower_transpose(op);
    case OpCode::linalg_reduce:
      return lower_reduce(op);
    case OpCode::linalg_generic:
      return lower_generic(op);
    case OpCode::linalg_index:
      return lower_index(op);
    case OpCode::scf_for:
      return lower_for(op);
    case OpCode::scf_if:
      return lower_if(op);
    case OpCode::ktdp_get_compute_tile_id:
      return lower_tile_id(op);
    case OpCode::ktdp_construct_memory_view:
      return lower_memory_view(op);
    case OpCode::ktdp_construct_distributed_memory_view:
      return lower_distributed_view(op);
    case OpCode::ktdp_construct_access_tile:
      return lower_access_tile(op);
    case OpCode::ktdp_construct_indirect_access_tile:
      return lower_indirect_tile(op);
    case OpCode::ktdp_load:
      return lower_load(op);
    case OpCode::ktdp_store:
      return lower_store(op);
    case OpCode::ktdp_runtime_arg_extract:
      return lower_runtime_arg(op);
    case OpCode::ktdp_inter_tile_produce:
      return lower_produce(op);
    case OpCode::ktdp_inter_tile_reduce:
    case OpCode::ktdp_inter_tile_consume:
    case OpCode::ktdp_inter_tile_reduce_scatter:
    case OpCode::ktdp_inter_tile_gather:
    case OpCode::ktdp_inter_tile_all_to_all:
    case OpCode::ktdp_inter_tile_scatter:
      return lower_delivery(op);
    default:
      return lower_elementwise(op);
  }
}

}  // namespace spyre::kernels::lowering
