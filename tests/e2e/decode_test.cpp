// One decode step of real models: bytes to the byte, time between what the DRAM's peak allows and
// what a card that streams well takes.
#include "tests/e2e/steps.h"

namespace spyre::e2e {
namespace {

/// The step reads and writes what the closed forms say, each byte once.
void expect_ledger(const Step& step) {
  const traces::ByteCounts& bytes = step.result.bytes;
  EXPECT_EQ(bytes.weights, step.ledger.weight_bytes);
  EXPECT_EQ(bytes.kv_read, step.ledger.kv_read_bytes);
  EXPECT_EQ(bytes.kv_write, step.ledger.kv_write_bytes);
  // All sequences stand at one position: of its row the first read counts, the others are re-reads.
  std::uint64_t positions_again = 0;
  for (const traces::TensorBytes& tensor : step.result.tensors) {
    if (tensor.name == "embed.positions") positions_again = tensor.reread;
    if (tensor.kind == "weight" || tensor.kind == "kv_cache" || tensor.name == "embed") {
      EXPECT_EQ(tensor.reread, 0U) << tensor.name;
    }
  }
  EXPECT_EQ(bytes.embedding + positions_again, step.ledger.embedding_bytes);
  if (step.graph.step.batch == 1) {
    EXPECT_EQ(bytes.reread, 0U);
  }
  EXPECT_EQ(step.summary.flops, matrix_flops(step.graph));
}

void expect_decode(const Step& step) {
  expect_ledger(step);
  expect_books_balance(step.result);
  expect_every_layer(step);
  EXPECT_GE(step.summary.time_ms, step.summary.roofline_ms);
}

/// Whole models of 8 billion parameters, which take seconds: more than a minute under sanitizers,
/// where the small ones go the same way.
class WholeModel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "too slow under sanitizers";
  }
};

TEST_F(WholeModel, GraniteReadsEveryWeightAndTheCacheOnce) {
  const Step step = run_step(kernels::find_model("granite-3.3-8b"), decode_step(4096));
  expect_decode(step);
  const traces::ByteCounts& bytes = step.result.bytes;
  EXPECT_EQ(bytes.weights, 16'341'729'280U);
  EXPECT_EQ(bytes.kv_read, 671'088'640U);
  EXPECT_EQ(bytes.kv_write, 163'840U);
  EXPECT_EQ(bytes.embedding, 8'192U);
  EXPECT_EQ(step.graph.model.layers, 40);
  // 17.01 GB at 204.8 GB/s; a card at its measured 150 GB/s would take 113.4 ms.
  EXPECT_GE(step.summary.time_ms, 83.1);
  EXPECT_LE(step.summary.time_ms, 140.0);
  EXPECT_EQ(step.result.cores, 32);
}

TEST_F(WholeModel, LlamaOnlyGathersItsInputEmbedding) {
  const Step step = run_step(kernels::find_model("llama-3.1-8b"), decode_step(1024));
  expect_decode(step);
  EXPECT_EQ(step.result.bytes.weights, 15'009'849'344U);
  EXPECT_EQ(step.result.bytes.embedding, 8'192U);
  // Counted in KV heads, not in query heads.
  EXPECT_EQ(step.result.bytes.kv_read, 134'217'728U);
  EXPECT_EQ(step.result.bytes.kv_write, 131'072U);
  // The weights alone take 73.3 ms at 204.8 GB/s.
  EXPECT_GE(step.summary.time_ms, 73.3);
  EXPECT_LE(step.summary.time_ms, 73.3 * 140 / 83.1);
}

TEST_F(WholeModel, QwenNormsItsHeadsAndReadsEveryByteOnce) {
  const Step step = run_step(kernels::find_model("qwen3-8b"), decode_step(4096));
  expect_decode(step);
  EXPECT_LE(step.summary.time_ms, step.summary.roofline_ms * 140 / 83.1);
}

TEST(Decode, Distilgpt2ReadsEveryByteOnce) {
  const Step step = run_step(kernels::find_model("distilgpt2"), decode_step(512));
  expect_decode(step);
  // Token and position: two rows of 768.
  EXPECT_EQ(step.result.bytes.embedding, 2U * 768 * 2);
}

class DecodeOf : public ::testing::TestWithParam<std::string> {};

TEST_P(DecodeOf, ReadsEveryByteOnceInTwoLayersAndAllAroundThem) {
  expect_decode(run_step(shortened(GetParam(), 2), decode_step(64)));
}

INSTANTIATE_TEST_SUITE_P(Shipped, DecodeOf, ::testing::ValuesIn(kernels::model_names()),
                         model_test_name);

TEST(Decode, ABatchSharesTheWeightsAndNothingElse) {
  const kernels::ModelConfig model = kernels::find_model("distilgpt2");
  const Step one = run_step(model, decode_step(64));
  const Step many = run_step(model, decode_step(64, 32));
  expect_decode(many);
  EXPECT_EQ(many.result.bytes.weights, one.result.bytes.weights);
  EXPECT_EQ(many.result.bytes.kv_read, 32 * one.result.bytes.kv_read);
  EXPECT_EQ(many.result.bytes.kv_write, 32 * one.result.bytes.kv_write);
  EXPECT_EQ(many.summary.flops, 32 * one.summary.flops);
  EXPECT_GT(*many.summary.tokens_per_s, *one.summary.tokens_per_s);
}

TEST(Decode, ABatchOf32OfALargeModelReadsEveryByteOnce) {
  expect_decode(run_step(shortened("granite-3.3-8b", 1), decode_step(kSanitized ? 64 : 1024, 32)));
}

kernels::StepOptions with_weights(kernels::StepOptions step, models::DataType type) {
  step.weight_type = type;
  return step;
}

TEST(Decode, NarrowWeightsTakeExactlyTheirShareOfTheBytes) {
  const kernels::ModelConfig model = shortened("llama-3.1-8b", 1);
  const kernels::StepOptions options = decode_step(64);
  const Step fp16 = run_step(model, options);
  for (const auto& [type, share] : {std::pair{models::DataType::fp8, 2U},
                                    {models::DataType::int8, 2U},
                                    {models::DataType::int4, 4U}}) {
    SCOPED_TRACE(models::to_string(type));
    const Step narrow = run_step(model, with_weights(options, type));
    expect_decode(narrow);
    EXPECT_EQ(narrow.result.bytes.weights * share, fp16.result.bytes.weights);
    EXPECT_EQ(narrow.result.bytes.kv_read, fp16.result.bytes.kv_read);
    EXPECT_LT(narrow.result.time_ps, fp16.result.time_ps);
  }
}

TEST(Decode, EveryNumberOfCoresMovesTheSameBytes) {
  const kernels::ModelConfig model = kernels::find_model("distilgpt2");
  models::Picoseconds before = 0;
  for (const std::int64_t cores : {1, 2, 4, 8, 16, 32}) {
    SCOPED_TRACE(cores);
    const Step step = run_step(model, decode_step(100), cores);
    expect_decode(step);
    EXPECT_EQ(step.result.cores, cores);
    if (before != 0) {
      // Eight cores or sixteen share one request path: no faster, but no slower either.
      EXPECT_LT(static_cast<double>(step.result.time_ps), 1.02 * static_cast<double>(before));
    }
    before = step.result.time_ps;
  }
}

// Blocks of 64 tokens: around one block's end, and with no cache at all.
TEST(Decode, TheCacheIsReadToTheToken) {
  const kernels::ModelConfig model = shortened("distilgpt2", 1);
  for (const std::int64_t context : {0, 1, 63, 64, 65, 1023}) {
    SCOPED_TRACE(context);
    const Step step = run_step(model, decode_step(context));
    expect_decode(step);
    // Keys and values of 12 heads of 64 in fp16.
    EXPECT_EQ(step.result.bytes.kv_read, static_cast<std::uint64_t>(context) * 2 * 12 * 64 * 2);
  }
}

}  // namespace
}  // namespace spyre::e2e
