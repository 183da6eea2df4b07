// Transposes, concatenations, copies of chosen rows.
#include "kernels/ops/moves.h"
#include "kernels/ops/registry.h"

namespace spyre::kernels {
namespace {

constexpr std::int64_t kMostParts = 16;

std::vector<OpInput> parts() {
  std::vector<OpInput> inputs;
  for (std::int64_t i = 0; i < kMostParts; ++i) {
    inputs.push_back({"x" + std::to_string(i), OpInput::Fill::normal, {}});
  }
  return inputs;
}

}  // namespace

std::vector<Op> move_ops() {
  const OpInput x{"x", OpInput::Fill::normal, {}};
  Op transpose{"transpose",
               "moves",
               "y[c, r] = x[r, c], across sticks",
               {{"ROWS", 1024, "rows of x"}, {"COLS", 1024, "columns of x"}},
               {},
               {x},
               {"y"},
               "transpose",
               0,
               {},
               {}};
  transpose.plan = [](const OpSizes& sizes, const OpOptions& options,
                      const models::Machine& machine) {
    return plan_transpose({sizes.at("ROWS"), sizes.at("COLS")}, options, machine);
  };
  Op outer{"transpose-outer",
           "moves",
           "y[m, r, :] = x[r, m, :], whole sticks",
           {{"ROWS", 64, "first dim of x"},
            {"MIDDLE", 64, "second dim of x"},
            {"COLS", 256, "last dim"}},
           {},
           {x},
           {"y"},
           "transpose_outer",
           0,
           {},
           {}};
  outer.plan = [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
    return plan_outer_transpose({sizes.at("ROWS"), sizes.at("MIDDLE"), sizes.at("COLS")}, options,
                                machine);
  };
  Op concat{"concat",
            "moves",
            "y = x0, x1, ... along an axis",
            {{"ROWS", 512, "rows of each part"},
             {"COLS", 512, "columns of each part"},
             {"PARTS", 2, "parts, at most 16"},
             {"AXIS", 0, "0: one below the other, 1: side by side"}},
            {},
            parts(),
            {"y"},
            "concat",
            0,
            {},
            {}};
  concat.plan = [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
    check_size("PARTS", sizes.at("PARTS"), 1, kMostParts);
    return plan_concat({sizes.at("ROWS"), sizes.at("COLS"), sizes.at("PARTS"), sizes.at("AXIS")},
                       options, machine);
  };
  Op embedding{"embedding",
               "moves",
               "y[t, :] = table[ids[t], :], ids read at run time",
               {{"TOKENS", 512, "rows of y"},
                {"VOCAB", 4096, "rows of the table"},
                {"COLS", 1024, "columns of the table"}},
               {},
               {{"table", OpInput::Fill::normal, {}}, {"ids", OpInput::Fill::index, "VOCAB"}},
               {"y"},
               "embedding",
               0,
               {},
               {}};
  embedding.plan = [](const OpSizes& sizes, const OpOptions& options,
                      const models::Machine& machine) {
    return plan_embedding({sizes.at("TOKENS"), sizes.at("VOCAB"), sizes.at("COLS")}, options,
                          machine);
  };
  return {transpose, outer, concat, embedding};
}

}  // namespace spyre::kernels
