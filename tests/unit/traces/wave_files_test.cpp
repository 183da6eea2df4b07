// The files on disk: all or nothing, and a save file that names what the dump has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "models/diagnostics/diagnostics.h"
#include "tests/unit/traces/wave_fixture.h"
#include "traces/atomic_file.h"
#include "traces/gtkw_writer.h"

namespace spyre::traces::test {
namespace {

namespace fs = std::filesystem;

class WaveFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("spyre_waves_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    machine_.cores.count = 32;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string message_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const models::InputError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
  models::Machine machine_;
};

TEST_F(WaveFiles, WritingReplacesTheOldFileAndLeavesNothingElse) {
  write_file(path("a"), "old and long");
  write_file(path("a"), "new");
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WaveFiles, AFileThatCannotBeWrittenIsNamedWithTheReason) {
  EXPECT_THAT(
      message_of([&] { write_file(path("none/a"), "x"); }),
      ::testing::HasSubstr("cannot write '" + path("none/a") + "': No such file or directory"));
  EXPECT_THAT(message_of([&] { write_file(folder_.string(), "x"); }),
              ::testing::HasSubstr("': Is a directory"));
  EXPECT_THAT(message_of([&] { write_file("", "x"); }), ::testing::HasSubstr("cannot write ''"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(WaveFiles, AFullDeviceIsAnErrorAndStaysADevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_THAT(message_of([] { write_file("/dev/full", "x"); }),
              ::testing::HasSubstr("No space left on device"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WaveFiles, ALinkStaysALinkAndAModeAMode) {
  write_file(path("target"), "old");
  fs::permissions(path("target"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("target", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read("target"), "new");
  EXPECT_EQ(fs::status(path("target")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(WaveFiles, TheSaveFileNamesOnlySignalsOfTheDump) {
  WaveRecorder recorder;
  record_launch(recorder, make_launch(0, 0, "qkv"), 1'000, 50'000);
  record_launch(recorder, make_launch(1, 0, "mlp"), 50'000, 90'000);
  write_waves(recorder, machine_, path("out.vcd"));
  EXPECT_EQ(files(), 4U);
  const ReadDump dump = read_dump(read("out.vcd"));
  EXPECT_EQ(dump.signals.size(), kCardSignals + 32 * kCoreSignals);
  std::istringstream lines(read("out.gtkw"));
  std::size_t shown = 0, opened = 0, closed = 0;
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("+{")) {
      std::string name = line.substr(line.find("} ") + 2);
      EXPECT_EQ(dump.signals.count(name.substr(0, name.find('['))), 1U) << name;
      ++shown;
    }
    opened += line == "@800200" || line == "@c00200";
    closed += line == "@1000200" || line == "@1401200";
    if (line[0] == '^') {
      EXPECT_TRUE(fs::exists(line.substr(3))) << line;
    }
  }
  EXPECT_EQ(shown, kCardSignals + 32 + 8 * kCoreSignals);
  EXPECT_EQ(opened, 9U);
  EXPECT_EQ(closed, opened);
  const std::string text = read("out.gtkw");
  EXPECT_THAT(text, ::testing::HasSubstr("[dumpfile] \"" + path("out.vcd") + "\""));
  EXPECT_THAT(text, ::testing::HasSubstr("[timestart] 1000\n"));
  EXPECT_THAT(text, ::testing::HasSubstr(" -1 1000 50000 -1 "));
  EXPECT_THAT(text, ::testing::HasSubstr("[markername] Aqkv\n[markername] Bmlp\n"));
}

TEST_F(WaveFiles, TwoWritesGiveTheSameBytes) {
  WaveRecorder recorder;
  record_launch(recorder, make_launch(0, 0, "qkv"), 1'000, 50'000);
  write_waves(recorder, machine_, path("out.vcd"));
  const std::string vcd = read("out.vcd"), gtkw = read("out.gtkw");
  write_waves(recorder, machine_, path("out.vcd"));
  EXPECT_EQ(read("out.vcd"), vcd);
  EXPECT_EQ(read("out.gtkw"), gtkw);
}

TEST_F(WaveFiles, AWindowWithNothingInItIsAnErrorAndWritesNoFile) {
  EXPECT_THAT(message_of([&] { write_waves(WaveRecorder(), machine_, path("out.vcd")); }),
              ::testing::HasSubstr("the run has no launches"));
  EXPECT_EQ(files(), 0U);
}

TEST(WavePaths, ReplaceTheEndingVcdAndNoOther) {
  EXPECT_EQ(wave_paths("a/out.vcd").gtkw, "a/out.gtkw");
  EXPECT_EQ(wave_paths("a/out.vcd").activity_names, "a/out.activity.txt");
  EXPECT_EQ(wave_paths("a.b/out").opcode_names, "a.b/out.opcode.txt");
  EXPECT_EQ(wave_paths("out.1").gtkw, "out.1.gtkw");
}

TEST(WaveNames, AreKeyedByTwoHexadecimalDigits) {
  EXPECT_THAT(activity_name_file(),
              ::testing::StartsWith("00 IDLE\n01 MATRIX\n02 VECTOR\n03 launch\n"));
  EXPECT_THAT(activity_name_file(), ::testing::HasSubstr("\n0A pipeline_fill\n"));
  EXPECT_THAT(opcode_name_file(), ::testing::HasSubstr("\n0C barrier\n"));
}

}  // namespace
}  // namespace spyre::traces::test
