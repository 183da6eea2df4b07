// The public KTIR files, where they lie beside the source tree or where SPYRE_EMU_SHARED says.
// Their list says which are valid; what a later stage refuses (tiles larger than a core's memory)
// loads.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

std::filesystem::path shared_folder() {
  if (const char* given = std::getenv("SPYRE_EMU_SHARED"))
    return std::filesystem::path(given) / "ktir";
  return std::filesystem::path(SPYRE_EMU_SOURCE_DIR).parent_path() / "shared" / "ktir";
}

/// File and status from the list's second table: | file | kernel | grid | status | ...
std::map<std::string, std::string> listed_files(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  std::istringstream list(file_text(folder / "INDEX.md"));
  bool kernels = false;
  for (std::string line; std::getline(list, line);) {
    kernels = kernels || line.starts_with("## Kernels");
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '|');) {
      const std::size_t first = cell.find_first_not_of(' ');
      const std::size_t last = cell.find_last_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    if (kernels && cells.size() > 4 && cells[1].find('/') != std::string::npos) {
      files.emplace(cells[1], cells[4]);
    }
  }
  return files;
}

class KtirSharedFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_folder() / "INDEX.md")) {
      GTEST_SKIP() << "no public KTIR files in " << shared_folder()
                   << ": set SPYRE_EMU_SHARED to the folder that holds ktir/";
    }
    files_ = listed_files(shared_folder());
    ASSERT_GE(files_.size(), 30U) << "the list has another form";
  }
  std::map<std::string, std::string> files_;
};

TEST_F(KtirSharedFiles, LoadUnchanged) {
  for (const auto& [name, status] : files_) {
    if (status.find("not KTIR") != std::string::npos) continue;
    SCOPED_TRACE(name);
    const std::string text = file_text(shared_folder() / name);
    ASSERT_FALSE(text.empty());
    const std::vector<std::string> faults = faults_of(text);
    EXPECT_TRUE(faults.empty()) << faults.front();
  }
}

TEST_F(KtirSharedFiles, ReadBackFromCanonicalTextAsTheSameModule) {
  for (const auto& [name, status] : files_) {
    if (status.find("not KTIR") != std::string::npos) continue;
    SCOPED_TRACE(name);
    const Module module = load_module(file_text(shared_folder() / name), "first").module;
    const std::string text = print_module(module);
    const Module again = load_module(text, "second").module;
    EXPECT_TRUE(same_module(module, again));
    EXPECT_EQ(print_module(again), text);
  }
}

TEST_F(KtirSharedFiles, ADeviceDescriptionHasNothingToRun) {
  std::size_t devices = 0;
  for (const auto& [name, status] : files_) {
    if (status.find("not KTIR") == std::string::npos) continue;
    ++devices;
    EXPECT_EQ(
        faults_of(file_text(shared_folder() / name)),
        std::vector<std::string>{"1:1: there is no function to run: a kernel is a func.func"});
  }
  EXPECT_EQ(devices, 1U);
}

TEST_F(KtirSharedFiles, TilesThatContradictTheirSetsAreWarnedOf) {
  const auto warnings_of = [](const std::string& name) {
    return load_module(file_text(shared_folder() / name), name).warnings.size();
  };
  EXPECT_EQ(warnings_of("ktir-mlir-frontend/tensor-extract-slice.mlir"), 1U);
  EXPECT_EQ(warnings_of("ktir-mlir-frontend/construct-access-tile.mlir"), 2U);
  EXPECT_EQ(warnings_of("ktir-cpu/triton-ktir/matmul_fwd_ktir.mlir"), 0U);
}

}  // namespace
}  // namespace spyre::kernels::ktir
