#include "kernels/schedule/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/schedule/reader_fixture.h"

namespace spyre::kernels {
namespace {

using models::InputError;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kData = std::string(SPYRE_EMU_TEST_DATA) + "/schedules/";

TEST(ScheduleReader, TheGemmOfTheDocumentationReads) {
  const Schedule schedule = read_schedule(kData + "gemm.yaml", spyre_like());
  EXPECT_EQ(schedule.file, kData + "gemm.yaml");
  EXPECT_EQ(schedule.machine, "spyre");
  EXPECT_EQ(schedule.meta.at("kernel"), "gemm");
  ASSERT_EQ(schedule.tensors.size(), 3U);
  EXPECT_EQ(schedule.tensors[1].kind, TensorKind::weight);
  ASSERT_EQ(schedule.tensors[1].layout.size(), 2U);
  EXPECT_EQ(schedule.tensors[1].layout[0].dim, 1U);
  EXPECT_EQ(schedule.tensors[1].layout[0].tile, 64);
  EXPECT_EQ(schedule.tensors[1].layout[1].dim, 0U);
  EXPECT_EQ(schedule.tensors[1].stick_dim, 1U);
  ASSERT_EQ(schedule.kernels.size(), 1U);
  const Kernel& kernel = schedule.kernels[0];
  EXPECT_EQ(kernel.buffers[0].slots, 2);
  ASSERT_EQ(kernel.body.size(), 2U);
  const auto& loop = std::get<ForStatement>(kernel.body[0].action);
  ASSERT_EQ(loop.body.size(), 3U);
  const auto& load = std::get<TransferStatement>(loop.body[0].action);
  EXPECT_EQ(load.share, std::vector<std::string>{"n"});
  EXPECT_EQ(loop.body[0].position.line, 22);
  EXPECT_EQ(loop.body[0].position.column, 13);
  const auto& matmul = std::get<MatmulStatement>(loop.body[2].action);
  EXPECT_EQ(matmul.accumulate->text(), "k > 0");
  EXPECT_EQ(std::get<KernelLaunch>(schedule.launches[0].item).name, "gemm");
}

TEST(ScheduleReader, TheRingExampleReads) {
  const Schedule schedule = read_schedule(kData + "ring.yaml", spyre_like());
  EXPECT_EQ(schedule.tensors[0].values.size(), 8U);
  EXPECT_EQ(schedule.resident.size(), 1U);
  const auto& loop = std::get<LaunchLoop>(schedule.launches[1].item);
  const auto& launch = std::get<KernelLaunch>(loop.body[0].item);
  EXPECT_EQ(launch.layer, "l");
  EXPECT_EQ(launch.name, "layer");
}

TEST(ScheduleReader, TheValuesExampleReads) {
  const Schedule schedule = read_schedule(kData + "values.yaml", spyre_like());
  EXPECT_THAT(schedule.tensors[0].strides, ElementsAre(2048, 128, 1));
  EXPECT_THAT(schedule.tensors[0].layout, IsEmpty());
  EXPECT_EQ(schedule.tensors[0].stick_dim, 2U);
  EXPECT_EQ(schedule.tensors[3].lx_core, 1);
  const Kernel& kernel = schedule.kernels[0];
  EXPECT_EQ(kernel.groups[0].name, "pairs");
  EXPECT_THAT(kernel.groups[0].groups, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_EQ(kernel.buffers[1].region, "work");
  EXPECT_EQ(kernel.body[0].line, 12);
  const auto& gather = std::get<TransferStatement>(kernel.body[0].action);
  EXPECT_THAT(gather.tile_dims, ElementsAre(8, 16, 128));
  EXPECT_EQ(gather.indexed[0].table, "table");
  EXPECT_THAT(gather.indexed[0].along, ElementsAre(1, 0, 0));
  const auto& pattern = std::get<VectorStatement>(kernel.body[8].action).pattern;
  ASSERT_TRUE(pattern);
  EXPECT_THAT(pattern->strides, ElementsAre(0, 1));
  EXPECT_EQ(std::get<RingStatement>(kernel.body[10].action).over[0], "pairs");
}

/// The number of a vector statement with these sources, as "place: constant" or "place: <text>".
std::string number_in(const std::string& from) {
  const std::string statement = "vector: {op: fma, into: a, from: " + from + "}";
  const Schedule schedule =
      parse_schedule(ScheduleParts::with_statement(statement).text(), "f", spyre_like());
  const auto& vector = std::get<VectorStatement>(schedule.kernels[0].body[0].action);
  if (!vector.number) return "none";
  const NumberOperand& number = *vector.number;
  return fmt::format("{}: {}", number.place,
                     number.expression ? "<" + number.expression->text() + ">"
                                       : fmt::format("{}", number.constant));
}

TEST(ScheduleReader, OneOperandMayBeANumber) {
  EXPECT_EQ(number_in("[a, b, b]"), "none");
  EXPECT_EQ(number_in("[a, 0.125, b]"), "1: 0.125");
  EXPECT_EQ(number_in("[1e-5, a, b]"), "0: 1e-05");
  EXPECT_EQ(number_in("[a, b, +.5]"), "2: 0.5");
  EXPECT_EQ(number_in("[a, b, -16]"), "2: -16");
  EXPECT_EQ(number_in("[a, b, -.inf]"), "2: -inf");
  EXPECT_EQ(number_in("[a, b, .nan]"), "2: nan");
  EXPECT_EQ(number_in("[a, b, l]"), "2: <l>");
  EXPECT_EQ(number_in("[a, b, 16*core + m]"), "2: <16*core + m>");
  EXPECT_EQ(number_in("[a, b, m-n]"), "2: <m-n>");
  EXPECT_EQ(number_in("[a, b, '16']"), "2: <16>");
}

TEST(ScheduleReader, ExpressionsAreBoundToTheKernelsSymbols) {
  ScheduleParts parts;
  parts.body =
      "    body:\n"
      "      - for: {k: [0, 2]}\n"
      "        do:\n"
      "          - for: {j: [k, 2]}\n"
      "            do: [{load: {into: a, from: x, at: [m + 10*n, core + cores + 100*l]}}]\n"
      "      - for: {k: [0, 4]}\n"
      "        do:\n"
      "          - for: {i: [0, 2]}\n"
      "            do: [{load: {into: a, from: x, at: [k, i], when: i < k}}]\n";
  const Schedule schedule = parse_schedule(parts.text(), "f", spyre_like());
  const Kernel& kernel = schedule.kernels[0];
  EXPECT_THAT(kernel_symbols(kernel).names(),
              ElementsAre("m", "n", "core", "cores", "l", "k", "j", "i"));
  const std::array<std::int64_t, 8> values{1, 2, 3, 4, 5, 6, 7, 8};
  const auto inner = [&](std::size_t outer) -> const Statement& {
    const auto& loop = std::get<ForStatement>(kernel.body[outer].action);
    return std::get<ForStatement>(loop.body[0].action).body[0];
  };
  const auto& first = std::get<TransferStatement>(inner(0).action).remote.at;
  EXPECT_EQ(first[0].evaluate(values), 21);
  EXPECT_EQ(first[1].evaluate(values), 507);
  const auto& second = std::get<TransferStatement>(inner(1).action).remote.at;
  EXPECT_EQ(second[0].evaluate(values), 6);
  EXPECT_EQ(second[1].evaluate(values), 8);
  EXPECT_EQ(inner(1).when->evaluate(values), 0);
}

TEST(ScheduleReader, LaunchArgumentsSeeLoopVariablesFromTheOutermost) {
  ScheduleParts parts;
  parts.launches =
      "launches:\n"
      "  - for: {s: [0, 2]}\n"
      "    do:\n"
      "      - for: {l: [0, 3]}\n"
      "        do: [{kernel: gemm, with: {l: 10*l + s}, layer: l}]\n"
      "  - {kernel: gemm, with: {l: 7}}\n";
  const Schedule schedule = parse_schedule(parts.text(), "f", spyre_like());
  const auto& outer = std::get<LaunchLoop>(schedule.launches[0].item);
  const auto& inner = std::get<LaunchLoop>(outer.body[0].item);
  const auto& launch = std::get<KernelLaunch>(inner.body[0].item);
  EXPECT_EQ(launch.arguments[0].first, "l");
  EXPECT_EQ(launch.arguments[0].second.evaluate(std::array<std::int64_t, 2>{1, 2}), 21);
  const auto& last = std::get<KernelLaunch>(schedule.launches[1].item);
  EXPECT_EQ(last.arguments[0].second.evaluate({}), 7);
}

TEST(ScheduleReader, DefaultLayoutFollowsTheDimsAndTheType) {
  ScheduleParts parts;
  parts.tensors =
      "tensors:\n"
      "  x: {dtype: int4, shape: [64, 4096]}\n"
      "  w: {dtype: fp8, dims: [a, b, c, d], shape: [2, 3, 4, 500]}\n"
      "  v: {dtype: fp32, shape: [5]}\n";
  const Schedule schedule = parse_schedule(parts.text(), "f", spyre_like());
  EXPECT_THAT(schedule.tensors[0].dims, ElementsAre("d0", "d1"));
  const auto order = [&](std::size_t tensor) {
    std::string text;
    for (const LayoutDim& entry : schedule.tensors[tensor].layout) {
      text += fmt::format("{}/{} ", entry.dim, entry.tile);
    }
    return text;
  };
  EXPECT_EQ(order(0), "1/256 0/1 ");
  EXPECT_EQ(order(1), "0/1 1/1 3/128 2/1 ");
  EXPECT_EQ(order(2), "0/32 ");
}

TEST(ScheduleReader, JsonIsASchedule) {
  const std::string text =
      "{\"schedule\": 1, \"tensors\": {\"x\": {\"dtype\": \"fp16\", \"shape\": [64, 64]}},\n"
      "\t\"kernels\": {\"k\": {\"cores\": {}, \"buffers\": {\"a\": {\"dtype\": \"fp16\", "
      "\"shape\": [64, 64]}},\n"
      "\t\"body\": [{\"load\": {\"into\": \"a\", \"from\": \"x\", \"at\": [0, \"64 * "
      "core\"]}}]}},\n"
      "\t\"launches\": [{\"kernel\": \"k\"}]}";
  EXPECT_THAT(faults_of(text), IsEmpty());
}

TEST(ScheduleReader, WhenMayStandInsideOrBesideAnOperation) {
  for (const char* statement :
       {"{load: {into: a, from: x, when: m == 0}}", "{load: {into: a, from: x}, when: m == 0}"}) {
    const Schedule schedule =
        parse_schedule(ScheduleParts::with_statement(statement).text(), "f", spyre_like());
    EXPECT_EQ(schedule.kernels[0].body[0].when->text(), "m == 0");
  }
}

TEST(ScheduleReader, OnePassReportsEveryFaultInFileOrder) {
  ScheduleParts parts;
  parts.head = "schedule: 1\nmachine: spyre\n@@machin: 3\n";
  parts.tensors = "tensors:\n  x: {dtype: @@fp17, shape: [64, @@0]}\n";
  parts.body =
      "    body:\n"
      "      - load: {into: @@aa, from: x, at: [0, 1@@ / 2]}\n"
      "      - @@FooNorm: {into: a, from: [a]}\n";
  parts.launches = "launches:\n  - {kernel: @@gem, with: {l: 1}}\n";
  const MarkedText marked = without_marks(parts.text());
  const std::vector<std::string> faults = faults_of(marked.text);
  ASSERT_EQ(faults.size(), marked.places.size()) << testing::PrintToString(faults);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    // The offending '/' stands one blank behind the mark.
    EXPECT_TRUE(faults[i].starts_with(marked.places[i] + ":") || i == 4) << faults[i];
  }
}

TEST(ScheduleReader, SyntaxErrorsAndEmptyFilesHaveAPlace) {
  EXPECT_THAT(faults_of(""), ElementsAre("1:1: the file is empty"));
  EXPECT_EQ(faults_of("schedule: 1\nkernels: {a: [\n").size(), 1U);
  EXPECT_THAT(faults_of("[1, 2]"),
              ElementsAre("1:1: the document must be a map of keys and values"));
  EXPECT_THROW((void)read_schedule("no/such/file.yaml", spyre_like()), InputError);
}

TEST(ScheduleReader, AnotherMachineIsRefused) {
  ScheduleParts parts;
  parts.head = "schedule: 1\nmachine: @@spyre2\n";
  const MarkedText marked = without_marks(parts.text());
  EXPECT_THAT(
      faults_of(marked.text),
      ElementsAre(marked.places[0] +
                  ": this schedule is for the machine 'spyre2', not for 'spyre': choose that "
                  "machine, or plan again for this one [machine-mismatch]"));
}

TEST(ScheduleReader, AliasesThatContainThemselvesEnd) {
  const std::vector<std::string> faults = faults_of(
      "schedule: 1\nkernels:\n  g:\n    cores: {}\n    body: &b\n      - for: {k: [0, 2]}\n"
      "        do: *b\n      - for: {k: [0, 2]}\n        do: *b\nlaunches: []\n");
  EXPECT_FALSE(faults.empty());
  EXPECT_FALSE(
      faults_of("schedule: 1\nkernels: {}\nlaunches: &l\n  - for: {k: [0, 2]}\n    do: *l\n")
          .empty());
}

TEST(ScheduleReader, LoopsAsLongAsTheMachineCountsAreAccepted) {
  const auto faults = [](const std::string& range) {
    return faults_of(ScheduleParts::with_statement("{for: {k: " + range + "}, do: []}").text());
  };
  EXPECT_THAT(faults("[0, 65535]"), IsEmpty());
  EXPECT_THAT(faults("[0, 131070, 2]"), IsEmpty());
  EXPECT_THAT(faults("[131070, 0, -2]"), IsEmpty());
  EXPECT_THAT(faults("[5, 0]"), IsEmpty());
  EXPECT_THAT(faults("[0, 100000*m]"), IsEmpty());  // judged when it runs
  EXPECT_EQ(faults("[0, 65536]").size(), 1U);
  EXPECT_EQ(faults("[0, 131071, 2]").size(), 1U);
  EXPECT_EQ(faults("[131071, 0, -2]").size(), 1U);
  EXPECT_EQ(faults("[-9223372036854775808, 9223372036854775807]").size(), 1U);
  EXPECT_EQ(faults("[0, 4, 0]").size(), 1U);
}

TEST(ScheduleReader, GridsAsLargeAsTheMachineAreAccepted) {
  const auto faults = [](const std::string& cores) {
    ScheduleParts parts;
    parts.kernel_head = "kernels:\n  gemm:\n    cores: " + cores + "\n    params: [l]\n";
    parts.body = "    body: []\n";
    return faults_of(parts.text());
  };
  EXPECT_THAT(faults("{}"), IsEmpty());
  EXPECT_THAT(faults("{m: 32}"), IsEmpty());
  EXPECT_THAT(faults("{m: 2, n: 16}"), IsEmpty());
  EXPECT_THAT(
      faults("{m: 3, n: 11}"),
      ElementsAre("11:12: 'kernels.gemm.cores' asks for 3 x 11 cores: the machine 'spyre' has "
                  "32 [cores]"));
  EXPECT_EQ(faults("{m: 33}").size(), 1U);
}

}  // namespace
}  // namespace spyre::kernels
