#include "kernels/planner/online_softmax.h"

namespace spyre::kernels {

using models::VectorFunction;

void add_softmax(KernelBuilder& kernel, const SoftmaxPlace& place, const Index& first) {
  kernel.when(first, [&] {  // any score bounds the maximum from below; a score less itself is 0
    const Local score("scores", {0, 0}, {1, place.queries});
    kernel.vector(VectorFunction::mul, Local("state", {0, place.column}),
                  {score, Number(place.scale)});
    // The correction of the first step meets nothing, but its row must be there to be read.
    for (const std::int64_t row : {1, 2}) {
      kernel.vector(VectorFunction::sub, Local("state", {row, place.column}), {score, score});
    }
  });
  const Local state("state", {0, place.column}, {kStateRows, place.queries});
  kernel.vector(VectorFunction::softmax_step, "p", {"scores", state, Number(place.scale)});
  kernel.vector(VectorFunction::transpose, "pt", {"p"});
  kernel.vector(VectorFunction::transpose, Local("scale", {place.row, 0}), {state});
}

void add_weighted_values(KernelBuilder& kernel, const SoftmaxPlace& place, const Index& first,
                         const Index& later) {
  const Local o("o", {place.row, 0});
  kernel.when(first, [&] { kernel.vector(VectorFunction::copy, o, {"pv"}); });
  kernel.when(later, [&] {
    const Local scale("scale", {place.row, 0}, {place.queries, kStateRows});
    kernel.vector(VectorFunction::rescale_add, o, {"pv", scale});
  });
}

void add_softmax_result(KernelBuilder& kernel, const Local& into, const Index& row,
                        const Index& rows, std::int64_t head_dim) {
  kernel.vector(
      VectorFunction::softmax_finish, into,
      {Local("o", {row, 0}, {rows, head_dim}), Local("scale", {row, 0}, {rows, kStateRows})});
}

void add_combination_buffers(KernelBuilder& kernel, std::int64_t rows) {
  for (const char* name : {"stats", "stats_in"}) {
    kernel.buffer(name, DataType::fp32, kStateRows, rows);
  }
  for (const char* name : {"top", "new_top", "sum", "factor", "factor_in"}) {
    kernel.buffer(name, DataType::fp32, 1, rows);
  }
  kernel.buffer("column", DataType::fp32, rows, 1);
}

void add_combination_of(KernelBuilder& kernel, std::int64_t parts, const Index& rows,
                        std::int64_t head_dim) {
  // Maxima and sums are worked on as rows: a column of "scale" is no whole stick.
  kernel.vector(VectorFunction::transpose, "stats", {Local("scale", {0, 0}, {rows, kStateRows})});
  kernel.vector(VectorFunction::copy, "top", {Local("stats", {0, 0}, {1, rows})});
  kernel.vector(VectorFunction::copy, "sum", {Local("stats", {1, 0}, {1, rows})});
  kernel.loop("r", 0, parts, 1, [&] {
    const Local o("o", {0, 0}, {rows, head_dim});
    const Local o_in("o_in", {rows * Index("r"), 0}, {rows, head_dim});
    kernel.vector(VectorFunction::transpose, "stats_in",
                  {Local("scale_in", {rows * Index("r"), 0}, {rows, kStateRows})});
    const Local top_in("stats_in", {0, 0}, {1, rows});
    kernel.vector(VectorFunction::max, "new_top", {"top", top_in});
    kernel.vector(VectorFunction::sub, "factor", {"top", "new_top"});
    kernel.vector(VectorFunction::exp, "factor", {"factor"});
    kernel.vector(VectorFunction::sub, "factor_in", {top_in, "new_top"});
    kernel.vector(VectorFunction::exp, "factor_in", {"factor_in"});
    kernel.vector(VectorFunction::mul, "sum", {"sum", "factor"});
    kernel.vector(VectorFunction::fma, "sum",
                  {Local("stats_in", {1, 0}, {1, rows}), "factor_in", "sum"});
    kernel.vector(VectorFunction::copy, "top", {"new_top"});
    kernel.vector(VectorFunction::transpose, "column", {"factor"});
    kernel.vector(VectorFunction::mul, Local("o", {0, 0}), {o, "column"});
    kernel.vector(VectorFunction::transpose, "column", {"factor_in"});
    kernel.vector(VectorFunction::fma, Local("o", {0, 0}), {o_in, "column", o});
  });
  kernel.vector(VectorFunction::copy, Local("stats", {1, 0}), {"sum"});
  kernel.vector(VectorFunction::transpose, Local("scale", {0, 0}),
                {Local("stats", {0, 0}, {kStateRows, rows})});
}

}  // namespace spyre::kernels
