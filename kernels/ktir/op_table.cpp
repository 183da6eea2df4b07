#include "kernels/ktir/op_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "models/diagnostics/nearest_name.h"

namespace spyre::kernels::ktir {
namespace {

constexpr std::array<OpInfo, 144> kOps{{
    {"arith.addi", OpCode::arith_addi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.subi", OpCode::arith_subi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.muli", OpCode::arith_muli, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.divsi", OpCode::arith_divsi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.divui", OpCode::arith_divui, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.ceildivsi", OpCode::arith_ceildivsi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.ceildivui", OpCode::arith_ceildivui, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.floordivsi", OpCode::arith_floordivsi, OpForm::elementwise, 2, ElementClass::integer,
     0},
    {"arith.remsi", OpCode::arith_remsi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.remui", OpCode::arith_remui, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.andi", OpCode::arith_andi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.ori", OpCode::arith_ori, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.xori", OpCode::arith_xori, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.shli", OpCode::arith_shli, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.shrsi", OpCode::arith_shrsi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.shrui", OpCode::arith_shrui, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.maxsi", OpCode::arith_maxsi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.maxui", OpCode::arith_maxui, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.minsi", OpCode::arith_minsi, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.minui", OpCode::arith_minui, OpForm::elementwise, 2, ElementClass::integer, 0},
    {"arith.addf", OpCode::arith_addf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.subf", OpCode::arith_subf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.mulf", OpCode::arith_mulf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.divf", OpCode::arith_divf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.remf", OpCode::arith_remf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.maximumf", OpCode::arith_maximumf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.minimumf", OpCode::arith_minimumf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.maxnumf", OpCode::arith_maxnumf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.minnumf", OpCode::arith_minnumf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"arith.negf", OpCode::arith_negf, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"arith.index_cast", OpCode::arith_index_cast, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.index_castui", OpCode::arith_index_castui, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.extf", OpCode::arith_extf, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.truncf", OpCode::arith_truncf, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.sitofp", OpCode::arith_sitofp, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.uitofp", OpCode::arith_uitofp, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.fptosi", OpCode::arith_fptosi, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.fptoui", OpCode::arith_fptoui, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.extsi", OpCode::arith_extsi, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.extui", OpCode::arith_extui, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.trunci", OpCode::arith_trunci, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.bitcast", OpCode::arith_bitcast, OpForm::cast, 1, ElementClass::any, 0},
    {"arith.cmpi", OpCode::arith_cmpi, OpForm::compare, 2, ElementClass::integer, 0},
    {"arith.cmpf", OpCode::arith_cmpf, OpForm::compare, 2, ElementClass::floating, 0},
    {"arith.constant", OpCode::arith_constant, OpForm::custom, 0, ElementClass::any, 0},
    {"arith.select", OpCode::arith_select, OpForm::custom, 3, ElementClass::any, 0},
    {"math.exp", OpCode::math_exp, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.exp2", OpCode::math_exp2, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.expm1", OpCode::math_expm1, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.log", OpCode::math_log, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.log2", OpCode::math_log2, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.log10", OpCode::math_log10, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.log1p", OpCode::math_log1p, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.sqrt", OpCode::math_sqrt, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.rsqrt", OpCode::math_rsqrt, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.cbrt", OpCode::math_cbrt, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.sin", OpCode::math_sin, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.cos", OpCode::math_cos, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.tan", OpCode::math_tan, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.tanh", OpCode::math_tanh, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.erf", OpCode::math_erf, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.absf", OpCode::math_absf, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.ceil", OpCode::math_ceil, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.floor", OpCode::math_floor, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.round", OpCode::math_round, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.roundeven", OpCode::math_roundeven, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.trunc", OpCode::math_trunc, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"math.absi", OpCode::math_absi, OpForm::elementwise, 1, ElementClass::integer, 0},
    {"math.powf", OpCode::math_powf, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"math.atan2", OpCode::math_atan2, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"math.copysign", OpCode::math_copysign, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"math.fma", OpCode::math_fma, OpForm::elementwise, 3, ElementClass::floating, 0},
    {"spyreop.exp", OpCode::spyreop_exp, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"spyreop.sqrt", OpCode::spyreop_sqrt, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"spyreop.reciprocal", OpCode::spyreop_reciprocal, OpForm::elementwise, 1,
     ElementClass::floating, 0},
    {"spyreop.sigmoid", OpCode::spyreop_sigmoid, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"spyreop.gelu", OpCode::spyreop_gelu, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"spyreop.silu", OpCode::spyreop_silu, OpForm::elementwise, 1, ElementClass::floating, 0},
    {"spyreop.layernormscale", OpCode::spyreop_layernormscale, OpForm::elementwise, 1,
     ElementClass::floating, 0},
    {"spyreop.realdiv", OpCode::spyreop_realdiv, OpForm::elementwise, 2, ElementClass::floating, 0},
    {"spyreop.softplus", OpCode::spyreop_softplus, OpForm::custom, 1, ElementClass::floating, 0},
    {"linalg.add", OpCode::linalg_add, OpForm::linalg, 2, ElementClass::any, 0},
    {"linalg.sub", OpCode::linalg_sub, OpForm::linalg, 2, ElementClass::any, 0},
    {"linalg.mul", OpCode::linalg_mul, OpForm::linalg, 2, ElementClass::any, 0},
    {"linalg.div", OpCode::linalg_div, OpForm::linalg, 2, ElementClass::any, 0},
    {"linalg.max", OpCode::linalg_max, OpForm::linalg, 2, ElementClass::any, 0},
    {"linalg.min", OpCode::linalg_min, OpForm::linalg, 2, ElementClass::any, 0},
    {"linalg.exp", OpCode::linalg_exp, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.log", OpCode::linalg_log, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.abs", OpCode::linalg_abs, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.ceil", OpCode::linalg_ceil, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.floor", OpCode::linalg_floor, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.negf", OpCode::linalg_negf, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.sqrt", OpCode::linalg_sqrt, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.rsqrt", OpCode::linalg_rsqrt, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.tanh", OpCode::linalg_tanh, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.reciprocal", OpCode::linalg_reciprocal, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.square", OpCode::linalg_square, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.copy", OpCode::linalg_copy, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.fill", OpCode::linalg_fill, OpForm::linalg, 1, ElementClass::any, 0},
    {"linalg.matmul", OpCode::linalg_matmul, OpForm::linalg, 2, ElementClass::any, 0},
    {"linalg.batch_matmul", OpCode::linalg_batch_matmul, OpForm::linalg, 2, ElementClass::any, 0},
    {"linalg.broadcast", OpCode::linalg_broadcast, OpForm::custom, 1, ElementClass::any, 0},
    {"linalg.transpose", OpCode::linalg_transpose, OpForm::custom, 1, ElementClass::any, 0},
    {"linalg.reduce", OpCode::linalg_reduce, OpForm::custom, 0, ElementClass::any, 1},
    {"linalg.generic", OpCode::linalg_generic, OpForm::custom, 0, ElementClass::any, 1},
    {"linalg.index", OpCode::linalg_index, OpForm::custom, 0, ElementClass::any, 0},
    {"linalg.yield", OpCode::linalg_yield, OpForm::yield, 0, ElementClass::any, 0},
    {"tensor.empty", OpCode::tensor_empty, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.splat", OpCode::tensor_splat, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.extract", OpCode::tensor_extract, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.expand_shape", OpCode::tensor_expand_shape, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.collapse_shape", OpCode::tensor_collapse_shape, OpForm::custom, 0, ElementClass::any,
     0},
    {"tensor.reshape", OpCode::tensor_reshape, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.extract_slice", OpCode::tensor_extract_slice, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.insert_slice", OpCode::tensor_insert_slice, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.from_elements", OpCode::tensor_from_elements, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.dim", OpCode::tensor_dim, OpForm::custom, 0, ElementClass::any, 0},
    {"tensor.cast", OpCode::tensor_cast, OpForm::cast, 1, ElementClass::any, 0},
    {"tensor.generate", OpCode::tensor_generate, OpForm::custom, 0, ElementClass::any, 1},
    {"tensor.yield", OpCode::tensor_yield, OpForm::yield, 0, ElementClass::any, 0},
    {"memref.dim", OpCode::memref_dim, OpForm::custom, 0, ElementClass::any, 0},
    {"memref.cast", OpCode::memref_cast, OpForm::cast, 1, ElementClass::any, 0},
    {"scf.for", OpCode::scf_for, OpForm::custom, 0, ElementClass::any, 1},
    {"scf.if", OpCode::scf_if, OpForm::custom, 0, ElementClass::any, 2},
    {"scf.yield", OpCode::scf_yield, OpForm::yield, 0, ElementClass::any, 0},
    {"func.return", OpCode::func_return, OpForm::yield, 0, ElementClass::any, 0},
    {"ktdp.get_compute_tile_id", OpCode::ktdp_get_compute_tile_id, OpForm::custom, 0,
     ElementClass::any, 0},
    {"ktdp.construct_memory_view", OpCode::ktdp_construct_memory_view, OpForm::custom, 0,
     ElementClass::any, 0},
    {"ktdp.construct_distributed_memory_view", OpCode::ktdp_construct_distributed_memory_view,
     OpForm::custom, 0, ElementClass::any, 0},
    {"ktdp.construct_access_tile", OpCode::ktdp_construct_access_tile, OpForm::custom, 0,
     ElementClass::any, 0},
    {"ktdp.construct_indirect_access_tile", OpCode::ktdp_construct_indirect_access_tile,
     OpForm::custom, 0, ElementClass::any, 0},
    {"ktdp.load", OpCode::ktdp_load, OpForm::custom, 0, ElementClass::any, 0},
    {"ktdp.store", OpCode::ktdp_store, OpForm::custom, 0, ElementClass::any, 0},
    {"ktdp.runtime_arg_extract", OpCode::ktdp_runtime_arg_extract, OpForm::custom, 0,
     ElementClass::any, 0},
    {"ktdp.inter_tile_produce", OpCode::ktdp_inter_tile_produce, OpForm::custom, 0,
     ElementClass::any, 1},
    {"ktdp.inter_tile_reduce", OpCode::ktdp_inter_tile_reduce, OpForm::custom, 0, ElementClass::any,
     1},
    {"ktdp.inter_tile_consume", OpCode::ktdp_inter_tile_consume, OpForm::custom, 0,
     ElementClass::any, 0},
    {"ktdp.inter_tile_reduce_scatter", OpCode::ktdp_inter_tile_reduce_scatter, OpForm::custom, 0,
     ElementClass::any, 1},
    {"ktdp.inter_tile_gather", OpCode::ktdp_inter_tile_gather, OpForm::custom, 0, ElementClass::any,
     0},
    {"ktdp.inter_tile_all_to_all", OpCode::ktdp_inter_tile_all_to_all, OpForm::custom, 0,
     ElementClass::any, 0},
    {"ktdp.inter_tile_scatter", OpCode::ktdp_inter_tile_scatter, OpForm::custom, 0,
     ElementClass::any, 0},
    {"ktdp.yield_partial", OpCode::ktdp_yield_partial, OpForm::yield, 0, ElementClass::any, 0},
    {"ktdp.yield_reduced", OpCode::ktdp_yield_reduced, OpForm::yield, 0, ElementClass::any, 0},
}};

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (static_cast<std::size_t>(kOps[i].code) != i) return false;
  }
  return true;
}
static_assert(table_is_in_order());

/// Longer names are no misspellings, and comparing them would take long.
constexpr std::size_t kLongestCompared = 64;

}  // namespace

std::span<const OpInfo> op_table() {
  return kOps;
}

const OpInfo* find_op(std::string_view name) {
  if (name == "return") name = "func.return";
  const auto found = std::ranges::find(kOps, name, &OpInfo::name);
  return found == kOps.end() ? nullptr : &*found;
}

std::size_t operand_groups(const OpInfo& info) {
  switch (info.code) {
    case OpCode::ktdp_construct_indirect_access_tile:
    case OpCode::tensor_extract_slice:
    case OpCode::tensor_insert_slice:
      return 4;
    case OpCode::ktdp_construct_memory_view:
    case OpCode::ktdp_construct_access_tile:
      return 3;
    case OpCode::scf_for:
    case OpCode::tensor_expand_shape:
    case OpCode::linalg_broadcast:
    case OpCode::linalg_transpose:
    case OpCode::linalg_reduce:
    case OpCode::linalg_generic:
    case OpCode::ktdp_inter_tile_reduce:
    case OpCode::ktdp_inter_tile_consume:
    case OpCode::ktdp_inter_tile_reduce_scatter:
    case OpCode::ktdp_inter_tile_gather:
    case OpCode::ktdp_inter_tile_all_to_all:
    case OpCode::ktdp_inter_tile_scatter:
      return 2;
    default:
      return info.form == OpForm::linalg ? 2 : 1;
  }
}

const OpInfo& op_info(OpCode code) {
  return kOps[static_cast<std::size_t>(code)];
}

std::string alternatives_to(std::string_view name) {
  std::vector<std::string> all;
  std::vector<std::string_view> same_dialect;
  const std::string_view dialect = name.substr(0, name.find('.'));
  for (const OpInfo& info : kOps) {
    all.emplace_back(info.name);
    if (info.dialect() == dialect) same_dialect.push_back(info.name);
  }
  std::optional<std::string> nearest;
  if (name.size() <= kLongestCompared) nearest = models::nearest_name(name, all);
  std::string text = nearest ? fmt::format("did you mean '{}'?", *nearest) : std::string();
  if (!same_dialect.empty()) {
    text += fmt::format("{}supported of '{}': {}", nearest ? " " : "", dialect,
                        fmt::join(same_dialect, ", "));
  } else if (!nearest) {
    text =
        "supported are the dialects func, arith, math, linalg, tensor, memref, scf, ktdp and "
        "spyreop";
  }
  return text;
}

}  // namespace spyre::kernels::ktir
