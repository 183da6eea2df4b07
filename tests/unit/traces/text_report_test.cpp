// The report for people: what stands in it, and that it fits the terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/traces/result_fixture.h"
#include "traces/op_table.h"
#include "traces/text_report.h"

namespace spyre::traces::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line);) width = std::max(width, line.size());
  return width;
}

/// The line that begins with `name`, with runs of blanks as one.
std::string row(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
    if (joined.starts_with(name + " ")) return joined;
  }
  return {};
}

/// A prefill chunk of 100 layers of the largest models, for minutes.
RunResult make_large_result() {
  RunResult result = make_result();
  result.meta = {
      {"model", "a-model-with-a-very-long-name-indeed-of-several-hundred-billion-parameters"},
      {"phase", "prefill"},
      {"batch", "1024"},
      {"context", "1048576"},
      {"chunk", "131072"},
      {"dtype", "fp16"}};
  result.cores = 32;
  result.cycles = 999'999'999'999;
  result.time_ps = 666'666'666'666'000;
  result.bytes.weights = 99'999'999'999'999;
  result.bytes.reread = 99'999'999'999'999;
  result.tensors[0].name =
      "a.tensor.with.a.long.name.that.nobody.would.choose.but.a.compiler.might";
  result.tensors[0].read = 99'999'999'999'999;
  for (CoreCycles& core : result.core_cycles) core.matrix = 999'999'999'999;
  result.ops.clear();
  for (int layer = 0; layer < 100; ++layer) {
    const std::string prefix = "l" + std::to_string(layer) + ".";
    result.ops.push_back({prefix + "attention", layer, 999'000'000'000'000'000, 999'900'000'000'000,
                          999.1, 479.6, 12'345.678, 123'456.789, "overhead"});
    result.ops.push_back(
        {prefix + std::string(90, 'x'), layer, 1, 1, 1e-9, 479.6, 1e-9, 1e-3, "compute"});
  }
  result.requests = 99'999'999'999;
  result.tile_ops = 99'999'999'999;
  return result;
}

TEST(TextReport, SaysWhatRanAndHowLong) {
  const std::string text = write_text_report(make_result());
  EXPECT_TRUE(text.starts_with("toy decode, batch 4, context 64, fp16, 2 cores\n"));
  EXPECT_THAT(row(text, "simulated"), HasSubstr("1.000 ms 1,500,000 cycles"));
  EXPECT_THAT(row(text, "roofline"), HasSubstr("0.750 ms simulated / roofline = 1.33"));
  EXPECT_THAT(row(text, "throughput"), HasSubstr("4000.00 tokens/s"));
  EXPECT_THAT(row(text, "DRAM"), HasSubstr("101.8 GB/s"));
  EXPECT_THAT(row(text, "MBU"), HasSubstr("48.8 % of 204.8 GB/s peak"));
  EXPECT_THAT(row(text, "MFU"), HasSubstr("50.0 % of 6.1 TFLOP/s peak (fp16, 2 cores)"));
  EXPECT_THAT(row(text, "ridge"), HasSubstr("30.0 FLOP/B"));
}

TEST(TextReport, BytesAreListedByKindWithTheirShares) {
  const std::string text = write_text_report(make_result());
  EXPECT_EQ(row(text, "weights"), "weights 90,000,000 88.44");
  EXPECT_EQ(row(text, "attn.wq"),
            "attn.wq 90,000,000 88.44");  // useful bytes: padding and re-reads have rows
  EXPECT_EQ(row(text, "stick padding"), "stick padding 160,000 0.16");
  EXPECT_EQ(row(text, "re-read"), "re-read 1,600,000 1.57");
  EXPECT_EQ(row(text, "total"), "total 101,760,000 100.00");
}

TEST(TextReport, CoreTimeIsListedByCause) {
  const std::string text = write_text_report(make_result());
  EXPECT_EQ(row(text, "stalled: dram_read"), "stalled: dram_read 600,000 1.25");
  EXPECT_EQ(row(text, "total: 32"), "total: 32 cores x cycles 48,000,000 100.00");
  EXPECT_THAT(text, Not(HasSubstr("lx_conflict")));  // nothing stalled on it
}

TEST(TextReport, EveryLineFitsTheTerminal) {
  for (const bool every_op : {false, true}) {
    EXPECT_LE(widest(write_text_report(make_result(), {every_op, false})), 80U);
    EXPECT_LE(widest(write_text_report(make_large_result(), {every_op, false})), 80U);
  }
}

TEST(TextReport, ColourIsOnlyThereWhenAsked) {
  EXPECT_THAT(write_text_report(make_result()), Not(HasSubstr("\033")));
  EXPECT_THAT(write_text_report(make_result(), {false, true}), HasSubstr("\033[1mtoy decode"));
}

TEST(TextReport, AStoppedRunSaysSo) {
  RunResult result = make_result();
  EXPECT_THAT(write_text_report(result), Not(HasSubstr("INTERRUPTED")));
  result.interrupted = true;
  EXPECT_THAT(write_text_report(result), HasSubstr("INTERRUPTED"));
}

TEST(TextReport, AnEmptyRunIsAReportToo) {
  RunResult result;
  result.machine = models::make_test_machine();
  const std::string text = write_text_report(result);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
}

TEST(OpTable, HasAColumnForEveryFigureOfTheRoofline) {
  const std::string text = op_table(make_result().ops, false, false);
  EXPECT_TRUE(row(text, "op").starts_with("op n FLOP B FLOP/B ridge roof ms ms ratio bound"))
      << text;
  EXPECT_EQ(row(text, "qkv"), "qkv 1 3.07 G 50.0 M 61.4 30.0 0.5000 0.6000 1.20 memory");
  EXPECT_EQ(row(text, "head"), "head 1 0 50.0 M 0 - 0.2500 0.4000 1.60 overhead");
}

TEST(OpTable, LaunchesThatDifferInTheLayerAloneShareARow) {
  std::vector<OpResult> ops;
  for (int layer = 0; layer < 12; ++layer) {
    ops.push_back({"l" + std::to_string(layer) + ".qkv", layer, 100, 10, 10.0, 30.0, 1.0, 2.0,
                   layer < 5 ? "compute" : "memory"});
  }
  ops.push_back({"l1.qkv", -1, 1, 1, 1.0, 30.0, 1.0, 1.0, "ring"});  // a name, not a layer
  const std::vector<OpGroup> groups = group_ops(ops);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "qkv");
  EXPECT_EQ(groups[0].count, 12U);
  EXPECT_EQ(groups[0].flops, 1200U);
  EXPECT_DOUBLE_EQ(groups[0].time_ms, 24.0);
  EXPECT_EQ(groups[0].bound(), "memory");  // 14 of 24 ms
  EXPECT_EQ(groups[1].name, "l1.qkv");
}

TEST(OpTable, LaunchesOneByOneKeepTheirNames) {
  const std::string text = op_table(make_result().ops, true, false);
  EXPECT_EQ(row(text, "l0.qkv"), "l0.qkv 3.07 G 50.0 M 61.4 30.0 0.5000 0.6000 1.20 memory");
}

TEST(OpTable, DifferentRidgesInOneGroupAreNotAveraged) {
  std::vector<OpResult> ops{{"l0.a", 0, 1, 1, 1.0, 30.0, 1.0, 1.0, "ring"},
                            {"l1.a", 1, 1, 1, 1.0, 60.0, 1.0, 1.0, "ring"}};
  EXPECT_THAT(row(op_table(ops, false, false), "a"), HasSubstr(" mixed "));
}

}  // namespace
}  // namespace spyre::traces::test
