// Ids G... name the golden values of the course's public sources (docs/models.md says what they
// are).
#include "models/analytic/kv_cache.h"

#include <gtest/gtest.h>

namespace spyre::models {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

TEST(KvCache, BytesPerTokenOfDistilgpt2AreG162) {
  EXPECT_EQ(kv_bytes_per_token(6, 12, 64, DataType::fp32), 36864);
  EXPECT_EQ(kv_bytes_per_token(6, 12, 64, DataType::fp16), 18432);
}

TEST(KvCache, GrowthOver1024TokensIsG163) {
  EXPECT_EQ(1024 * kv_bytes_per_token(6, 12, 64, DataType::fp32), 36 * kMiB);
  EXPECT_EQ(1024 * kv_bytes_per_token(6, 12, 64, DataType::fp16), 18 * kMiB);
}

TEST(KvCache, FewerKvHeadsShrinkItAsG165Says) {
  EXPECT_EQ(kv_bytes_per_token(6, 12, 64, DataType::fp16), 18432);
  EXPECT_EQ(kv_bytes_per_token(6, 4, 64, DataType::fp16), 6144);
  EXPECT_EQ(kv_bytes_per_token(6, 3, 64, DataType::fp16), 4608);
  EXPECT_EQ(kv_bytes_per_token(6, 1, 64, DataType::fp16), 1536);
}

TEST(KvCache, TokensInOneScratchpadAreG170) {
  EXPECT_EQ(kv_tokens_that_fit(2 * kMiB, kv_bytes_per_token(6, 12, 64, DataType::fp16)), 113);
  EXPECT_EQ(kv_tokens_that_fit(2 * kMiB, kv_bytes_per_token(1, 12, 64, DataType::fp16)), 682);
  EXPECT_EQ(kv_tokens_that_fit(2 * kMiB, kv_bytes_per_token(6, 1, 64, DataType::fp16)), 1365);
}

TEST(KvCache, TokensOfOneGqaLayerInLxAreG160) {
  EXPECT_EQ(kv_tokens_that_fit(2 * kMiB, kv_bytes_per_token(1, 8, 128, DataType::fp16)), 512);
  EXPECT_EQ(kv_tokens_that_fit(64 * kMiB, kv_bytes_per_token(1, 8, 128, DataType::fp16)), 16384);
  EXPECT_EQ(kv_tokens_that_fit(64 * kMiB, kv_bytes_per_token(40, 8, 128, DataType::fp16)), 409);
}

TEST(KvCache, OddInt4RowsStartOnAByte) {
  EXPECT_EQ(kv_bytes_per_token(3, 1, 5, DataType::int4), 2 * 3 * 3);
  EXPECT_EQ(kv_bytes_per_token(3, 1, 6, DataType::int4), 2 * 3 * 3);
}

TEST(KvCache, ConversationsOnH100AreG186) {
  const std::int64_t weights = 2 * 8030261248;
  EXPECT_EQ(sequences_that_fit(80000000000, weights, 8192, 131072), 59);
  EXPECT_EQ(sequences_that_fit(80000000000, weights, 4096, 131072), 119);
  EXPECT_EQ(sequences_that_fit(80000000000, weights, 2048, 131072), 238);
}

TEST(KvCache, ConversationsOnSpyreAreG188) {
  const std::int64_t weights = 2 * 8170864640;
  EXPECT_EQ(sequences_that_fit(128000000000, weights, 8192, 163840), 83);
  EXPECT_EQ(sequences_that_fit(128000000000, weights, 3072, 163840), 221);
}

TEST(KvCache, OneByteLessThanAConversationIsNone) {
  EXPECT_EQ(sequences_that_fit(1000 + 64 * 10, 1000, 64, 10), 1);
  EXPECT_EQ(sequences_that_fit(1000 + 64 * 10 - 1, 1000, 64, 10), 0);
  EXPECT_EQ(sequences_that_fit(999, 1000, 64, 10), 0);
}

TEST(KvCache, CrossoverContextDividesByTheBatch) {
  // Llama-3.1-8B: 122,532 tokens alone, 3,829 each in a batch of 32.
  EXPECT_EQ(static_cast<std::int64_t>(kv_crossover_context(2 * 8030261248, 1, 131072)), 122532);
  EXPECT_EQ(static_cast<std::int64_t>(kv_crossover_context(2 * 8030261248, 32, 131072)), 3829);
}

}  // namespace
}  // namespace spyre::models
