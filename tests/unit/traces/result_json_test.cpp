// The JSON that others read: its fields and types are a promise.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/traces/result_fixture.h"
#include "traces/result_json.h"

namespace spyre::traces::test {
namespace {

using Json = nlohmann::ordered_json;

Json written(const RunResult& result) {
  return Json::parse(write_result_json(result));
}

TEST(ResultJson, HasEveryPromisedFieldWithItsType) {
  const Json json = written(make_result());
  for (const char* key : {"model", "phase", "dtype"}) EXPECT_TRUE(json.at(key).is_string()) << key;
  for (const char* key :
       {"batch", "context", "chunk", "cores", "cycles", "flops", "requests", "tile_ops"}) {
    EXPECT_TRUE(json.at(key).is_number_integer()) << key;
  }
  for (const char* key : {"time_ms", "roofline_ms", "tokens_per_s", "mbu_peak", "mbu_measured",
                          "mfu", "achieved_gbps", "ridge_point", "load_imbalance"}) {
    EXPECT_TRUE(json.at(key).is_number_float()) << key;
  }
  for (const char* key : {"weights", "kv_read", "kv_write", "embedding", "activations", "constants",
                          "padding", "reread", "total"}) {
    EXPECT_TRUE(json.at("bytes").at(key).is_number_unsigned()) << key;
  }
  for (const char* key : {"read_bytes", "write_bytes", "ecc_bytes"}) {
    EXPECT_TRUE(json.at("dram").at(key).is_number_unsigned()) << key;
  }
  for (const char* key : {"total", "matrix", "vector", "stalled", "idle"}) {
    EXPECT_TRUE(json.at("core_cycles").at(key).is_number_unsigned()) << key;
  }
  ASSERT_EQ(json.at("ops").size(), 2U);
  const Json& op = json.at("ops").at(0);
  EXPECT_TRUE(op.at("name").is_string());
  EXPECT_TRUE(op.at("bound").is_string());
  for (const char* key : {"layer", "flops", "bytes"})
    EXPECT_TRUE(op.at(key).is_number_integer()) << key;
  for (const char* key : {"intensity", "ridge", "roofline_ms", "time_ms"}) {
    EXPECT_TRUE(op.at(key).is_number_float()) << key;
  }
}

TEST(ResultJson, BytesAddUpToTheirTotalAndToWhatTheChannelsMoved) {
  const Json json = written(make_result());
  std::uint64_t sum = 0;
  for (const auto& [key, value] : json.at("bytes").items())
    sum += key == "total" ? 0 : value.get<std::uint64_t>();
  EXPECT_EQ(json.at("bytes").at("total"), sum);
  EXPECT_EQ(json.at("dram").at("read_bytes"), 100'000'000U);
  EXPECT_EQ(json.at("dram").at("write_bytes"), 1'760'000U);
  EXPECT_EQ(sum, 101'760'000U);
  std::uint64_t by_channel = 0;
  for (const Json& channel : json.at("dram").at("bytes_by_channel"))
    by_channel += channel.get<std::uint64_t>();
  EXPECT_EQ(by_channel, sum);
}

TEST(ResultJson, StallsAddUpAndEveryCauseIsNamed) {
  const Json json = written(make_result());
  ASSERT_EQ(json.at("stalls").size(), models::kStallCauses);
  std::uint64_t sum = 0;
  for (std::size_t cause = 0; cause < models::kStallCauses; ++cause) {
    sum += json.at("stalls")
               .at(std::string(to_string(static_cast<models::StallCause>(cause))))
               .get<std::uint64_t>();
  }
  const Json& cycles = json.at("core_cycles");
  EXPECT_EQ(cycles.at("stalled"), sum);
  EXPECT_EQ(cycles.at("total"),
            json.at("per_core").size() * json.at("cycles").get<std::uint64_t>());
  EXPECT_EQ(cycles.at("total"),
            cycles.at("matrix").get<std::uint64_t>() + cycles.at("vector").get<std::uint64_t>() +
                cycles.at("stalled").get<std::uint64_t>() + cycles.at("idle").get<std::uint64_t>());
}

TEST(ResultJson, WhatIsNotKnownIsNull) {
  RunResult result = make_result();
  result.meta.clear();
  const Json json = written(result);
  for (const char* key : {"batch", "context", "chunk", "tokens_per_s"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  EXPECT_EQ(json.at("model"), "");
  EXPECT_EQ(json.at("ops").at(0).at("layer"), 0);
  EXPECT_TRUE(json.at("ops").at(1).at("layer").is_null());
}

TEST(ResultJson, LargeCountsAreExact) {
  RunResult result = make_result();
  result.bytes.weights = (std::uint64_t{1} << 60) + 1;  // a double could not hold it
  EXPECT_EQ(written(result).at("bytes").at("weights"), (std::uint64_t{1} << 60) + 1);
}

TEST(ResultJson, HoldsTheMachineThatWasInEffect) {
  const Json json = written(make_result());
  EXPECT_EQ(json.at("machine").at("name"), "test");
  const Json& entry = json.at("machine").at("dram.channels");
  EXPECT_EQ(entry.at("value"), "16");
  EXPECT_EQ(entry.at("source"), "a data sheet");
  EXPECT_TRUE(entry.at("confidence").is_string());
}

TEST(ResultJson, IsTheSameTextForTheSameResult) {
  const std::string text = write_result_json(make_result());
  EXPECT_EQ(text, write_result_json(make_result()));
  EXPECT_EQ(text.back(), '\n');
  EXPECT_TRUE(text.starts_with("{\n  \"model\": \"toy\",\n  \"phase\": \"decode\","));
}

TEST(ResultJson, NamesWithAnyBytesStayJson) {
  RunResult result = make_result();
  result.ops[0].name = "a\"b\\c\n\xff";
  EXPECT_EQ(written(result).at("ops").at(0).at("name"), "a\"b\\c\n\xEF\xBF\xBD");
}

void collect_keys(const Json& json, std::vector<std::string>& keys) {
  if (json.is_array() && !json.empty()) return collect_keys(json.at(0), keys);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    keys.push_back(key);
    if (key != "machine" && key != "stalls") collect_keys(value, keys);
  }
}

TEST(ResultJson, EveryFieldIsDescribedInTheManual) {
  std::ifstream file(SPYRE_EMU_SOURCE_DIR "/docs/results.md");
  std::ostringstream text;
  text << file.rdbuf();
  std::vector<std::string> keys;
  collect_keys(written(make_result()), keys);
  ASSERT_GT(keys.size(), 60U);
  for (const std::string& key : keys)
    EXPECT_NE(text.str().find("`" + key + "`"), std::string::npos) << key;
}

}  // namespace
}  // namespace spyre::traces::test
