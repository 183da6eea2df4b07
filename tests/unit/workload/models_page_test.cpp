// docs/models.md prints figures of the shipped models: they are these, to the digit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kernels/workload/graph.h"

namespace spyre::kernels {
namespace {

using ::testing::HasSubstr;

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

/// The row of `model` in the page's table: a decode step in fp16, batch 1, one cached token.
std::string table_row(const ModelConfig& model) {
  StepOptions step;
  step.context = 1;
  const StepLedger ledger = step_ledger(build_graph(model, step));
  return fmt::format("| `{}` | {} | {} | {} | {} / {} × {} | {} | {} | {} | {} | {} | {} | {} |",
                     model.name, model.architecture, model.layers, model.hidden, model.heads,
                     model.kv_heads, model.head_dim, model.intermediate,
                     grouped(static_cast<std::uint64_t>(model.vocabulary)),
                     model.tied_embeddings ? "yes" : "no",
                     grouped(static_cast<std::uint64_t>(model.max_positions)),
                     grouped(static_cast<std::uint64_t>(model.parameters())),
                     grouped(ledger.weight_bytes), grouped(ledger.kv_read_bytes));
}

TEST(ModelsPage, TableHasARowPerShippedModel) {
  std::ifstream page(SPYRE_EMU_SOURCE_DIR "/docs/models.md");
  ASSERT_TRUE(page) << "docs/models.md";
  std::stringstream text;
  text << page.rdbuf();
  for (const std::string& name : model_names()) {
    EXPECT_THAT(text.str(), HasSubstr(table_row(find_model(name)) + "\n"));
  }
}

}  // namespace
}  // namespace spyre::kernels
