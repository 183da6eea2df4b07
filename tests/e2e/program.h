// Starts the program as a user does, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace spyre::e2e {

struct Outcome {
  int exit_code = -1;  ///< -1: ended by a signal
  std::string out, err;
};

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    std::string pattern = ::testing::TempDir() + "spyre_emu_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  /// Runs `spyre-emu <arguments>` (quoted for a shell) in the test's folder.
  [[nodiscard]] Outcome run(const std::string& arguments,
                            const std::string& redirect = ">stdout.txt") const {
    const std::string command = "cd '" + folder_.string() + "' && '" SPYRE_EMU_PROGRAM "' " +
                                arguments + " 2>stderr.txt </dev/null " + redirect;
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("stdout.txt"), read("stderr.txt")};
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    const std::ifstream file(folder_ / name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(folder_ / name);
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace spyre::e2e
