// Products of matrices.
#include "kernels/ops/batched_matmul.h"
#include "kernels/ops/registry.h"
#include "kernels/planner/planner.h"

namespace spyre::kernels {
namespace {

Schedule plan_matrix_product(const OpSizes& sizes, const OpOptions& options,
                             const models::Machine& machine) {
  PlanOptions plan;
  plan.cores = options.cores;
  plan.k_split = options.k_split;
  plan.wish = {options.m_cores, options.n_cores, options.tile_rows, options.tile_columns,
               options.tile_depth};
  check_size("M", sizes.at("M"));
  check_size("N", sizes.at("N"));
  check_size("K", sizes.at("K"));
  return plan_matmul(sizes.at("M"), sizes.at("N"), sizes.at("K"), options.type, machine, plan);
}

Schedule plan_batch(const OpSizes& sizes, const OpOptions& options, const models::Machine& machine,
                    bool one_matrix) {
  return plan_batched_matmul(
      {sizes.at("B"), sizes.at("M"), sizes.at("N"), sizes.at("K"), one_matrix}, options, machine);
}

const std::vector<OpParameter> kBatch{{"B", 8, "matrices in the batch"},
                                      {"M", 256, "rows of A and C"},
                                      {"N", 256, "columns of B and C"},
                                      {"K", 256, "columns of A, rows of B"}};

}  // namespace

std::vector<Op> matrix_ops() {
  const std::vector<OpInput> a_and_b{{"a", OpInput::Fill::normal, {}},
                                     {"b", OpInput::Fill::normal, {}}};
  Op matmul{"matmul",
            "matrix",
            "C[M,N] = A[M,K] B[K,N]",
            {},
            {true, false, true},
            a_and_b,
            {"c"},
            "matmul",
            2,
            {},
            plan_matrix_product};
  matmul.parameters = {kBatch.begin() + 1, kBatch.end()};
  for (OpParameter& parameter : matmul.parameters) parameter.value = 512;
  return {matmul,
          {"bmm",
           "matrix",
           "C[b] = A[b] B[b], all [B, ...]",
           kBatch,
           {true, true, false},
           a_and_b,
           {"c"},
           "bmm",
           2,
           {},
           [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
             return plan_batch(sizes, options, machine, false);
           }},
          {"bmm-shared",
           "matrix",
           "C[b] = A[b] W, one matrix W[K,N]",
           kBatch,
           {true, true, false},
           a_and_b,
           {"c"},
           "bmm",
           2,
           {},
           [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
             return plan_batch(sizes, options, machine, true);
           }}};
}

}  // namespace spyre::kernels
