#include "models/machine/machine_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "models/diagnostics/yaml_reader.h"
#include "models/machine/machine_fields.h"

namespace spyre::models {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string& spyre_text() {
  static const std::string text =
      read_text_file(std::string(SPYRE_EMU_SOURCE_DIR) + "/models/machines/spyre.yaml");
  return text;
}

/// spyre.yaml with the one place that reads `from` changed.
std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from << " is not unique";
  return text.replace(at, from.size(), to);
}

std::string place_of(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t start = text.rfind('\n', at) + 1;
  return "m.yaml:" + std::to_string(line) + ":" + std::to_string(at - start + 1);
}

std::vector<std::string> faults(const std::string& text, std::vector<std::string> overrides = {}) {
  std::vector<std::string> lines;
  try {
    (void)parse_machine(text, "m.yaml", overrides);
  } catch (const InputError& error) {
    for (const Diagnostic& fault : error.diagnostics()) lines.push_back(to_string(fault));
  }
  return lines;
}

std::vector<std::string> override_faults(std::vector<std::string> overrides) {
  return faults(spyre_text(), std::move(overrides));
}

TEST(MachineReader, ReportsEveryFaultOfAFileInOnePass) {
  std::string text = edited(spyre_text(), "  channels: {value: 16,", "  chanels: {value: 16,");
  text = edited(text, "rcd: {value: 15,", "rcd: {value: fifteen,");
  text = edited(
      text,
      "  hop_cycles: {value: 2, unit: cycles, confidence: assumed,\n"
      "               source: \"not public; one cycle for the link and one for the router\"}\n",
      "");
  text = edited(text, "count: {value: 32,", "count: {value: 320,");
  EXPECT_THAT(
      faults(text),
      ElementsAre(place_of(text, "320") + ": error: 'cores.count' is 320: it must be from 1 to 64",
                  place_of(text,
                           "bytes_per_cycle: {value: 128, unit: B/cycle, confidence: documented,\n"
                           "                    source: \"per direction") +
                      ": error: missing key 'ring.hop_cycles'",
                  place_of(text, "capacity_bytes") + ": error: missing key 'dram.channels'",
                  place_of(text, "chanels") +
                      ": error: unknown key 'dram.chanels': did you mean 'channels'?",
                  place_of(text, "fifteen") +
                      ": error: 'dram.timing.rcd' is 'fifteen': it must be a whole number"));
}

TEST(MachineReader, RejectsAnotherUnit) {
  const std::string text =
      edited(spyre_text(), "tck_ps: {value: 1250, unit: ps", "tck_ps: {value: 1250, unit: ns");
  EXPECT_THAT(
      faults(text),
      ElementsAre(place_of(text, "ns, confidence: inferred,\n             source: \"6400") +
                  ": error: 'dram.timing.tck_ps.unit' is 'ns': it must be 'ps', and the value "
                  "in that unit"));
}

TEST(MachineReader, RejectsAValueWithoutSourceUnitOrConfidence) {
  const std::string text = edited(
      spyre_text(),
      "banks: {value: 16, unit: banks, confidence: assumed,\n          source: \"not public\"}",
      "banks: {value: 16, source: \"\", confidence: sure, note: x}");
  EXPECT_THAT(
      faults(text),
      ElementsAre(
          HasSubstr("missing key 'lx.banks.unit'"), HasSubstr("'lx.banks.source' is empty"),
          HasSubstr("'lx.banks.confidence' is 'sure': it must be one of documented, inferred, "
                    "calibrated, assumed"),
          HasSubstr("unknown key 'lx.banks.note'")));
}

TEST(MachineReader, ShowsTheFormWhenABareNumberIsGiven) {
  const std::string text = edited(
      spyre_text(),
      "banks: {value: 16, unit: banks, confidence: assumed,\n          source: \"not public\"}",
      "banks: 16");
  EXPECT_THAT(
      faults(text),
      ElementsAre(place_of(text, "16\n  bank_bytes") +
                  ": error: 'lx.banks' must be a map such as {value: ..., unit: banks, source: "
                  "\"...\", confidence: assumed}"));
}

TEST(MachineReader, NamesAMissingGroupOnce) {
  EXPECT_THAT(faults("name: x\ntitle: y\nclock: 3\n"),
              testing::Contains("m.yaml:3:8: error: 'clock' must be a map of keys and values"));
  const std::vector<std::string> found = faults("name: x\ntitle: y\n");
  EXPECT_EQ(found.size(), 11u);
  EXPECT_THAT(found, testing::Each(StartsWith("m.yaml:1:1: error: missing key '")));
}

TEST(MachineReader, RejectsKeysThatStandTwice) {
  const std::string text = edited(spyre_text(), "name: spyre\n", "name: spyre\nname: other\n");
  EXPECT_THAT(faults(text), ElementsAre(HasSubstr("the key 'name' stands twice")));
}

TEST(MachineReader, AppliesOverridesAndMarksThem) {
  const MachineDescription description =
      read_machine("spyre", std::vector<std::string>{"dram.channels=4", "dram.refresh=none",
                                                     "dram.address_map=rbc", "dram.channels=8"});
  EXPECT_EQ(description.machine.dram.channels, 8);
  EXPECT_EQ(description.machine.dram.refresh, RefreshMode::none);
  EXPECT_EQ(description.machine.dram.address_map, "rbc");
  EXPECT_DOUBLE_EQ(description.machine.dram.peak_bytes_per_second(), 102.4e9);
  const MachineEntry& entry = description.entries[find_machine_field("dram.channels").value()];
  EXPECT_EQ(entry.value, "8");
  EXPECT_EQ(entry.unit, "channels");
  EXPECT_EQ(entry.source, "--set");
  EXPECT_EQ(entry.confidence, Confidence::assumed);
}

TEST(MachineOverride, NamesTheOptionInEveryFault) {
  EXPECT_THAT(
      override_faults({"dram.channels=x"}),
      ElementsAre(
          "--set dram.channels=x: error: 'dram.channels' is 'x': it must be a whole number"));
  EXPECT_THAT(
      override_faults({"dram.channels="}),
      ElementsAre("--set dram.channels=: error: 'dram.channels' is '': it must be a whole number"));
  EXPECT_THAT(override_faults({"dram.channels=8.5"}), ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(override_faults({"dram.channels= 8"}), ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(
      override_faults({"dram.channels=0"}),
      ElementsAre("--set dram.channels=0: error: 'dram.channels' is 0: it must be from 1 to 1024"));
  EXPECT_THAT(override_faults({"dram.channels=-1"}), ElementsAre(HasSubstr("from 1 to 1024")));
  EXPECT_THAT(override_faults({"dram.channels=99999999999999999999"}),
              ElementsAre(HasSubstr("from 1 to 1024")));
}

TEST(MachineOverride, RejectsAnOptionOfAnotherForm) {
  for (const char* option : {"dram.channels", "", "=8", "="}) {
    EXPECT_THAT(override_faults({option}),
                ElementsAre(std::string("--set ") + option +
                            ": error: it must be key=value, such as dram.channels=8"));
  }
}

TEST(MachineOverride, ProposesTheNearestKey) {
  EXPECT_THAT(override_faults({"dram.chanels=8"}),
              ElementsAre("--set dram.chanels=8: error: unknown key 'dram.chanels': did you mean "
                          "'dram.channels'?"));
  EXPECT_THAT(override_faults({"channels=8"}),
              ElementsAre(HasSubstr("did you mean 'dram.channels'?")));
  EXPECT_THAT(override_faults({"rcd=8"}),
              ElementsAre(HasSubstr("did you mean 'dram.timing.rcd'?")));
  EXPECT_THAT(
      override_faults({"dram.timing=8"}),
      ElementsAre(
          "--set dram.timing=8: error: 'dram.timing' is a group: name one of its values, such as "
          "'dram.timing.tck_ps'"));
  EXPECT_THAT(override_faults({"zzzzzzzz=8"}), ElementsAre(HasSubstr("lists the keys")));
  EXPECT_THAT(override_faults({"name=x"}), ElementsAre(HasSubstr("unknown key 'name'")));
}

TEST(MachineOverride, ProposesTheNearestChoice) {
  EXPECT_THAT(override_faults({"dram.refresh=all-bank"}),
              ElementsAre("--set dram.refresh=all-bank: error: 'dram.refresh' is 'all-bank': it "
                          "must be one of none, "
                          "all_bank; did you mean 'all_bank'?"));
  EXPECT_THAT(override_faults({"dram.address_map=hash"}),
              ElementsAre(HasSubstr("rbc, bgi, bi, bgx, si, six, sic")));
}

TEST(MachineOverride, ReportsFaultsOfOptionsAndFileTogether) {
  const std::string text = edited(spyre_text(), "count: {value: 32,", "count: {value: 0,");
  EXPECT_THAT(faults(text, {"dram.channels=x", "nothing"}),
              testing::UnorderedElementsAre(StartsWith("--set dram.channels=x:"),
                                            StartsWith("--set nothing:"), StartsWith("m.yaml:")));
}

struct Contradiction {
  std::vector<std::string> overrides;
  std::string where;
  std::string says;
};

class MachineContradiction : public testing::TestWithParam<Contradiction> {};

TEST_P(MachineContradiction, IsReportedAtTheOptionThatCausesIt) {
  EXPECT_THAT(override_faults(GetParam().overrides),
              testing::Contains(AllOf(StartsWith("--set " + GetParam().where + ": error: "),
                                      HasSubstr(GetParam().says))));
}

INSTANTIATE_TEST_SUITE_P(
    , MachineContradiction,
    testing::Values(
        Contradiction{{"dram.usable_bytes=137438953600"},
                      "dram.usable_bytes=137438953600",
                      "it must be at most 'dram.capacity_bytes', which is 137438953472"},
        Contradiction{
            {"dram.capacity_bytes=1073741824"},
            "dram.capacity_bytes=1073741824",
            "'dram.usable_bytes' is 120259084288: it must be at most 'dram.capacity_bytes'"},
        Contradiction{
            {"dram.row_bytes=2000"}, "dram.row_bytes=2000", "a power of two, such as 1024 or 2048"},
        Contradiction{
            {"dram.row_bytes=2000"}, "dram.row_bytes=2000", "a multiple of 'limits.stick_bytes'"},
        Contradiction{{"dram.channel_interleave_bytes=768"},
                      "dram.channel_interleave_bytes=768",
                      "512 or 1024"},
        Contradiction{{"dram.channel_interleave_bytes=64"},
                      "dram.channel_interleave_bytes=64",
                      "which is 128: 128"},
        Contradiction{
            {"dram.bank_groups=3"}, "dram.bank_groups=3", "a power of two, such as 2 or 4"},
        Contradiction{{"dram.bank_groups=8"}, "dram.bank_groups=8", "is 32: it must be at most 16"},
        Contradiction{
            {"dram.timing.ras=50"}, "dram.timing.ras=50", "at most 'dram.timing.rc', which is 49"},
        Contradiction{{"dram.timing.rc=33"}, "dram.timing.rc=33", "'dram.timing.ras' is 34"},
        Contradiction{
            {"dram.timing.rp_pb=18"}, "dram.timing.rp_pb=18", "at most 'dram.timing.rp_ab'"},
        Contradiction{{"dram.timing.rrd=17"}, "dram.timing.rrd=17", "at most 'dram.timing.faw'"},
        Contradiction{
            {"dram.timing.wtr_s=13"}, "dram.timing.wtr_s=13", "at most 'dram.timing.wtr_l'"},
        Contradiction{{"dram.timing.ccd_l=3"}, "dram.timing.ccd_l=3", "(2) or twice that (4)"},
        Contradiction{{"dram.timing.wl=21"}, "dram.timing.wl=21", "must be below rl + burst"},
        Contradiction{{"dram.timing.refi=344"}, "dram.timing.refi=344", "above 344"},
        Contradiction{{"lx.bytes=471808"}, "lx.bytes=471808", "it leaves 0"},
        Contradiction{{"lx.bytes=471900"}, "lx.bytes=471900", "it leaves 92"},
        Contradiction{{"limits.stick_bytes=96"}, "limits.stick_bytes=96", "a power of two"},
        Contradiction{
            {"dram.burst_bytes=256"}, "dram.burst_bytes=256", "'limits.stick_bytes' is 128"},
        Contradiction{
            {"load_store.max_request_bytes=200"}, "load_store.max_request_bytes=200", "128 or 256"},
        Contradiction{{"matrix.row_tile=60"}, "matrix.row_tile=60", "56 or 64"},
        Contradiction{{"limits.span_bytes=1000"}, "limits.span_bytes=1000", "896 or 1024"}));

TEST(MachineReader, AcceptsTheLastValueBeforeAContradiction) {
  for (const char* option :
       {"dram.timing.ras=49", "dram.timing.refi=345", "lx.bytes=471936", "dram.timing.wl=20",
        "dram.timing.ccd_l=2", "dram.usable_bytes=137438953472", "dram.channels=3",
        "dram.channel_interleave_bytes=128", "cores.count=1", "cores.count=64"}) {
    EXPECT_THAT(override_faults({option}), testing::IsEmpty()) << option;
  }
  EXPECT_THAT(override_faults({"dram.timing.refi=344", "dram.refresh=none"}), testing::IsEmpty());
}

TEST(MachineReader, PointsAtTheFileWhenTheFileContradictsItself) {
  const std::string text = edited(spyre_text(), "ras: {value: 34,", "ras: {value: 77,");
  EXPECT_THAT(faults(text),
              testing::Contains(place_of(text, "77,") +
                                ": error: 'dram.timing.ras' is 77: it must be at most "
                                "'dram.timing.rc', which is 49"));
}

TEST(MachineReader, DrawsNoFurtherFaultsFromAnUnreadableValue) {
  EXPECT_THAT(override_faults({"dram.capacity_bytes=x"}), testing::SizeIs(1));
  EXPECT_THAT(override_faults({"limits.stick_bytes=x"}), testing::SizeIs(1));
  EXPECT_THAT(override_faults({"matrix.pass_rows=0"}), testing::SizeIs(1));
}

TEST(MachineWriter, WritesWhatReadsBackToTheSame) {
  MachineDescription before = parse_machine(
      spyre_text(), "m.yaml", std::vector<std::string>{"dram.channels=8", "dram.refresh=none"});
  before.machine.title = "with \"quotes\", a \\ and a\ttab: {brace} # hash";
  before.entries[3].source = "line one\nline two, \xc3\xa4";
  const std::string text = write_machine(before);
  const MachineDescription after = parse_machine(text, "written.yaml");
  EXPECT_EQ(after.machine.name, before.machine.name);
  EXPECT_EQ(after.machine.title, before.machine.title);
  ASSERT_EQ(after.entries.size(), before.entries.size());
  for (std::size_t i = 0; i < after.entries.size(); ++i) {
    EXPECT_EQ(after.entries[i].key, before.entries[i].key);
    EXPECT_EQ(after.entries[i].value, before.entries[i].value);
    EXPECT_EQ(after.entries[i].unit, before.entries[i].unit);
    EXPECT_EQ(after.entries[i].source, before.entries[i].source);
    EXPECT_EQ(after.entries[i].confidence, before.entries[i].confidence);
    EXPECT_EQ(value_text(machine_fields()[i], after.machine),
              value_text(machine_fields()[i], before.machine));
  }
  EXPECT_EQ(write_machine(after), text);
}

TEST(MachineReader, EndsInASentenceOrAMachineWhateverIsCutOrChanged) {
  std::mt19937_64 random(7);
  const std::string whole = write_machine(read_machine("spyre"));
  int rejected = 0;
  for (int i = 0; i < 150; ++i) {
    std::string text = whole;
    if (i % 2 == 0)
      text.resize(random() % text.size());
    else
      text[random() % text.size()] = "{}[]:,\"#&*!|>-\n\t x0"[random() % 20];
    try {
      (void)parse_machine(text, "m.yaml");
    } catch (const InputError& error) {
      ++rejected;
      EXPECT_FALSE(error.diagnostics().empty());
      for (const Diagnostic& fault : error.diagnostics()) {
        EXPECT_GT(fault.where.line, 0) << to_string(fault);
        EXPECT_GT(fault.where.column, 0) << to_string(fault);
      }
    }
  }
  EXPECT_GT(rejected, 75);
}

class MachineDirectories : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(directory);
    setenv("SPYRE_EMU_MACHINES", ("/nowhere:" + directory.string()).c_str(), 1);
  }
  void TearDown() override {
    unsetenv("SPYRE_EMU_MACHINES");
    std::filesystem::remove_all(directory);
  }
  void write(const std::string& file, const std::vector<std::string>& overrides) const {
    std::ofstream(directory / file)
        << write_machine(parse_machine(spyre_text(), "m.yaml", overrides));
  }
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) /
      ("machines_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(MachineDirectories, AreSearchedInOrderWithTheVariableFirst) {
  write("spyre.yaml", {"dram.channels=4"});
  EXPECT_EQ(read_machine("spyre").machine.dram.channels, 4);
  unsetenv("SPYRE_EMU_MACHINES");
  EXPECT_EQ(read_machine("spyre").machine.dram.channels, 16);
}

TEST_F(MachineDirectories, AddTheirNamesToThoseThatShip) {
  write("mine.yaml", {});
  write("spyre.yaml", {});
  std::ofstream(directory / "notes.txt") << "no machine";
  EXPECT_THAT(machine_names(), testing::IsSupersetOf({"mine", "spyre"}));
  EXPECT_EQ(std::ranges::count(machine_names(), "spyre"), 1);
  EXPECT_EQ(std::ranges::count(machine_names(), "notes"), 0);
}

TEST_F(MachineDirectories, DoNotMatterForAPath) {
  write("mine.yaml", {"dram.channels=2"});
  unsetenv("SPYRE_EMU_MACHINES");
  EXPECT_EQ(read_machine((directory / "mine.yaml").string()).machine.dram.channels, 2);
}

TEST_F(MachineDirectories, ProposeTheNearestName) {
  try {
    (void)read_machine("spyer");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("there is no machine 'spyer', did you mean 'spyre'?: known are "));
  }
  EXPECT_THROW((void)read_machine("nowhere/x.yaml"), InputError);
  EXPECT_THROW((void)read_machine(""), InputError);
}

}  // namespace
}  // namespace spyre::models
