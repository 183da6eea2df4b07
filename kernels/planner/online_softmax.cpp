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

}  // namespace spyre::kernels
