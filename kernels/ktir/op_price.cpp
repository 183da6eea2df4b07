#include "kernels/ktir/op_price.h"

namespace spyre::kernels::ktir {
namespace {

PriceClass math_class(OpCode code) {
  switch (code) {
    case OpCode::math_absi:
      return PriceClass::integer;
    case OpCode::math_absf:
    case OpCode::math_ceil:
    case OpCode::math_floor:
    case OpCode::math_round:
    case OpCode::math_roundeven:
    case OpCode::math_trunc:
    case OpCode::math_copysign:
    case OpCode::math_fma:
      return PriceClass::simd;
    default:
      return PriceClass::transcendental;
  }
}

PriceClass linalg_class(OpCode code) {
  switch (code) {
    case OpCode::linalg_matmul:
    case OpCode::linalg_batch_matmul:
      return PriceClass::matmul;
    case OpCode::linalg_reduce:
    case OpCode::linalg_generic:
      return PriceClass::region;
    case OpCode::linalg_exp:
    case OpCode::linalg_log:
    case OpCode::linalg_sqrt:
    case OpCode::linalg_rsqrt:
    case OpCode::linalg_tanh:
      return PriceClass::transcendental;
    case OpCode::linalg_copy:
    case OpCode::linalg_fill:
    case OpCode::linalg_broadcast:
    case OpCode::linalg_transpose:
    case OpCode::linalg_index:
    case OpCode::linalg_yield:
      return PriceClass::free;
    default:
      return PriceClass::simd;
  }
}

PriceClass ktdp_class(OpCode code) {
  switch (code) {
    case OpCode::ktdp_load:
    case OpCode::ktdp_store:
      return PriceClass::transfer;
    case OpCode::ktdp_inter_tile_produce:
    case OpCode::ktdp_inter_tile_reduce:
      return PriceClass::region;
    case OpCode::ktdp_inter_tile_consume:
    case OpCode::ktdp_inter_tile_reduce_scatter:
    case OpCode::ktdp_inter_tile_gather:
    case OpCode::ktdp_inter_tile_all_to_all:
    case OpCode::ktdp_inter_tile_scatter:
      return PriceClass::unsupported;
    default:
      return PriceClass::free;
  }
}

}  // namespace

PriceClass price_class(OpCode code) {
  const OpInfo& info = op_info(code);
  if (info.form == OpForm::cast || code == OpCode::arith_constant) return PriceClass::free;
  if (info.dialect() == "math") return math_class(code);
  if (info.dialect() == "linalg") return linalg_class(code);
  if (info.dialect() == "ktdp") return ktdp_class(code);
  if (info.dialect() == "arith") {
    // A select costs a SIMD step whatever it selects, a scalar index too (softmax_wide).
    const bool integer = info.elements == ElementClass::integer;
    return integer ? PriceClass::integer : PriceClass::simd;
  }
  if (info.dialect() == "spyreop") {
    const bool division = code == OpCode::spyreop_realdiv || code == OpCode::spyreop_reciprocal;
    return division ? PriceClass::simd : PriceClass::transcendental;
  }
  return code == OpCode::scf_for || code == OpCode::scf_if || code == OpCode::tensor_generate
             ? PriceClass::region
             : PriceClass::free;
}

}  // namespace spyre::kernels::ktir
