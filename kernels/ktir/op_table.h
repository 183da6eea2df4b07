// The operations of KTIR that are understood, one row each: name, syntactic form, operands,
// regions.
//
// Operand groups (Operation::segments) of the ops that have several:
//   scf.for                     lower, upper and step; initial values
//   linalg.*                    ins; outs
//   construct_memory_view       offset; dynamic sizes; dynamic strides
//   construct_access_tile       view; values in the subscripts; symbols
//   construct_indirect_...      base view; index views; values in the subscripts; symbols
//   inter_tile_*                futures; identity values
//   expand_shape                tensor; dynamic output sizes
//   extract_slice, insert_slice tensors; dynamic offsets; dynamic sizes; dynamic strides
// Source of the list: the operations met in the public KTIR files, and the scalar arith and math
// operations beside them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace spyre::kernels::ktir {

enum class OpCode {
  arith_addi,
  arith_subi,
  arith_muli,
  arith_divsi,
  arith_divui,
  arith_ceildivsi,
  arith_ceildivui,
  arith_floordivsi,
  arith_remsi,
  arith_remui,
  arith_andi,
  arith_ori,
  arith_xori,
  arith_shli,
  arith_shrsi,
  arith_shrui,
  arith_maxsi,
  arith_maxui,
  arith_minsi,
  arith_minui,
  arith_addf,
  arith_subf,
  arith_mulf,
  arith_divf,
  arith_remf,
  arith_maximumf,
  arith_minimumf,
  arith_maxnumf,
  arith_minnumf,
  arith_negf,
  arith_index_cast,
  arith_index_castui,
  arith_extf,
  arith_truncf,
  arith_sitofp,
  arith_uitofp,
  arith_fptosi,
  arith_fptoui,
  arith_extsi,
  arith_extui,
  arith_trunci,
  arith_bitcast,
  arith_cmpi,
  arith_cmpf,
  arith_constant,
  arith_select,
  math_exp,
  math_exp2,
  math_expm1,
  math_log,
  math_log2,
  math_log10,
  math_log1p,
  math_sqrt,
  math_rsqrt,
  math_cbrt,
  math_sin,
  math_cos,
  math_tan,
  math_tanh,
  math_erf,
  math_absf,
  math_ceil,
  math_floor,
  math_round,
  math_roundeven,
  math_trunc,
  math_absi,
  math_powf,
  math_atan2,
  math_copysign,
  math_fma,
  spyreop_exp,
  spyreop_sqrt,
  spyreop_reciprocal,
  spyreop_sigmoid,
  spyreop_gelu,
  spyreop_silu,
  spyreop_layernormscale,
  spyreop_realdiv,
  spyreop_softplus,
  linalg_add,
  linalg_sub,
  linalg_mul,
  linalg_div,
  linalg_max,
  linalg_min,
  linalg_exp,
  linalg_log,
  linalg_abs,
  linalg_ceil,
  linalg_floor,
  linalg_negf,
  linalg_sqrt,
  linalg_rsqrt,
  linalg_tanh,
  linalg_reciprocal,
  linalg_square,
  linalg_copy,
  linalg_fill,
  linalg_matmul,
  linalg_batch_matmul,
  linalg_broadcast,
  linalg_transpose,
  linalg_reduce,
  linalg_generic,
  linalg_index,
  linalg_yield,
  tensor_empty,
  tensor_splat,
  tensor_extract,
  tensor_expand_shape,
  tensor_collapse_shape,
  tensor_reshape,
  tensor_extract_slice,
  tensor_insert_slice,
  tensor_from_elements,
  tensor_dim,
  tensor_cast,
  tensor_generate,
  tensor_yield,
  memref_dim,
  memref_cast,
  scf_for,
  scf_if,
  scf_yield,
  func_return,
  ktdp_get_compute_tile_id,
  ktdp_construct_memory_view,
  ktdp_construct_distributed_memory_view,
  ktdp_construct_access_tile,
  ktdp_construct_indirect_access_tile,
  ktdp_load,
  ktdp_store,
  ktdp_runtime_arg_extract,
  ktdp_inter_tile_produce,
  ktdp_inter_tile_reduce,
  ktdp_inter_tile_consume,
  ktdp_inter_tile_reduce_scatter,
  ktdp_inter_tile_gather,
  ktdp_inter_tile_all_to_all,
  ktdp_inter_tile_scatter,
  ktdp_yield_partial,
  ktdp_yield_reduced,
};

enum class OpForm {
  elementwise,  ///< op %a, %b : T, one result of type T
  compare,      ///< op predicate, %a, %b : T, one result of i1
  cast,         ///< op %a : T to U
  linalg,       ///< op ins(...) outs(...) -> T
  yield,        ///< op %a, %b : T, U; ends a region
  custom,       ///< a syntax of its own
};

/// What the elements of an elementwise operation must be.
enum class ElementClass { any, integer, floating };

struct OpInfo {
  std::string_view name;
  OpCode code;
  OpForm form;
  std::size_t operands;  ///< of elementwise, compare and cast; ins of linalg; 0 where it varies
  ElementClass elements;
  std::size_t regions;

  [[nodiscard]] bool is_terminator() const { return form == OpForm::yield; }
  [[nodiscard]] std::string_view dialect() const { return name.substr(0, name.find('.')); }
};

/// Every supported operation, in the order of the table.
[[nodiscard]] std::span<const OpInfo> op_table();
/// nullptr if the operation is not supported.
[[nodiscard]] const OpInfo* find_op(std::string_view name);
/// How many operand groups an operation has; 1 for most.
[[nodiscard]] std::size_t operand_groups(const OpInfo& info);
[[nodiscard]] const OpInfo& op_info(OpCode code);
/// "did you mean ...", or the supported operations of the same dialect.
[[nodiscard]] std::string alternatives_to(std::string_view name);

}  // namespace spyre::kernels::ktir
