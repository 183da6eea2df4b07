// One prefill chunk: near its roofline, and with no byte unaccounted for.
#include "tests/e2e/steps.h"

namespace spyre::e2e {
namespace {

void expect_chunk(const Step& step) {
  const traces::ByteCounts& bytes = step.result.bytes;
  EXPECT_EQ(bytes.weights, step.ledger.weight_bytes);
  EXPECT_EQ(bytes.kv_write, step.ledger.kv_write_bytes);
  EXPECT_EQ(bytes.embedding, step.ledger.embedding_bytes);
  // The cache before the chunk, and the chunk's own part of it if it goes through DRAM.
  EXPECT_GE(bytes.kv_read, step.ledger.kv_read_bytes);
  EXPECT_LE(bytes.kv_read, step.ledger.kv_read_bytes + step.ledger.kv_write_bytes);
  // Tiles on the diagonal are computed whole, and what no query sees is left out.
  const kernels::StepOptions& options = step.graph.step;
  const kernels::ModelConfig& model = step.graph.model;
  const std::int64_t hidden_by_causality = options.chunk * (options.chunk - 1) / 2;
  EXPECT_GE(step.summary.flops, matrix_flops(step.graph));
  EXPECT_LE(
      step.summary.flops,
      matrix_flops(step.graph) + static_cast<std::uint64_t>(4 * model.layers * model.heads *
                                                            model.head_dim * hidden_by_causality));
  expect_books_balance(step.result);
  expect_every_layer(step);
}

TEST(Prefill, AChunkOfGraniteTakesBetweenItsRooflineAndThreeTimesThat) {
  if (kSanitized) GTEST_SKIP() << "too slow under sanitizers";
  const Step step = run_step(kernels::find_model("granite-3.3-8b"), prefill_step(3584, 512));
  expect_chunk(step);
  EXPECT_EQ(step.result.bytes.weights, 16'341'729'280U);
  EXPECT_EQ(step.result.bytes.kv_write, 512U * 163'840);
  EXPECT_GE(step.summary.time_ms, step.summary.roofline_ms);
  EXPECT_LE(step.summary.time_ms, 3 * step.summary.roofline_ms);
  for (const traces::OpResult& op : step.result.ops) {
    if (op.intensity > 1.5 * op.ridge) {
      EXPECT_EQ(op.bound, "compute") << op.name;
    } else if (op.intensity < 0.1 * op.ridge) {
      EXPECT_NE(op.bound, "compute") << op.name;
    }
  }
}

class PrefillOf : public ::testing::TestWithParam<std::string> {};

TEST_P(PrefillOf, BooksAChunkOfOneLayerToTheByte) {
  expect_chunk(run_step(shortened(GetParam(), 1), prefill_step(64, 64)));
}

INSTANTIATE_TEST_SUITE_P(Shipped, PrefillOf, ::testing::ValuesIn(kernels::model_names()),
                         model_test_name);

TEST(Prefill, ChunksOfAnyLengthAfterAnyContextAreComplete) {
  const kernels::ModelConfig model = shortened("distilgpt2", 2);
  for (const auto& [context, chunk] :
       {std::pair<std::int64_t, std::int64_t>{0, 1}, {0, 64}, {1, 63}, {65, 100}, {500, 512}}) {
    SCOPED_TRACE(testing::Message() << chunk << " after " << context);
    expect_chunk(run_step(model, prefill_step(context, chunk)));
  }
}

TEST(Prefill, EveryNumberOfCoresReadsTheSameWeights) {
  const kernels::ModelConfig model = shortened("distilgpt2", 2);
  for (const std::int64_t cores : {1, 2, 3, 8, 31, 32}) {
    SCOPED_TRACE(cores);
    expect_chunk(run_step(model, prefill_step(64, 64), cores));
  }
}

}  // namespace
}  // namespace spyre::e2e
