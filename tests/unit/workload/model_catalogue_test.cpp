#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/workload/config_text.h"

namespace spyre::kernels {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::string complaint_about(const std::string& name) {
  try {
    (void)find_model(name);
  } catch (const models::InputError& error) {
    return error.what();
  }
  return "";
}

class ModelCatalogue : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("spyre_emu_models_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    unsetenv("SPYRE_EMU_MODELS");
  }
  void TearDown() override {
    unsetenv("SPYRE_EMU_MODELS");
    fs::remove_all(folder_);
  }
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void use_own_folder() const { setenv("SPYRE_EMU_MODELS", folder_.c_str(), 1); }

  fs::path folder_;
};

TEST_F(ModelCatalogue, ShippedModelsAreFoundByNameInAnyCase) {
  EXPECT_THAT(model_names(),
              IsSupersetOf({"distilgpt2", "gpt2", "granite-3.3-8b", "llama-2-13b", "llama-2-7b",
                            "llama-3.1-8b", "mistral-7b", "qwen3-8b"}));
  EXPECT_EQ(find_model("Granite-3.3-8B").name, "granite-3.3-8b");
  for (const std::string& name : model_names()) EXPECT_EQ(find_model(name).name, name);
}

TEST_F(ModelCatalogue, UnknownNameGetsTheNearestOne) {
  EXPECT_THAT(complaint_about("granite-3.3-8"), HasSubstr("did you mean 'granite-3.3-8b'?"));
  EXPECT_THAT(complaint_about("LLAMA-3.1-8"), HasSubstr("did you mean 'llama-3.1-8b'?"));
  EXPECT_THAT(complaint_about("zzz"), HasSubstr("no model is called 'zzz'; known are distilgpt2"));
  EXPECT_THAT(complaint_about(""), HasSubstr("no model is called ''"));
}

TEST_F(ModelCatalogue, PathsToAFileOrAFolderWork) {
  write("mine/config.json", kLlamaText);
  EXPECT_EQ(find_model((folder_ / "mine").string()).name, "mine");
  EXPECT_EQ(find_model((folder_ / "mine/").string()).name, "mine");
  EXPECT_EQ(find_model((folder_ / "mine/config.json").string()).hidden, 64);
  EXPECT_THAT(complaint_about((folder_ / "absent").string()), HasSubstr("absent"));
  EXPECT_THAT(complaint_about(folder_.string()), HasSubstr("config.json"));
}

TEST_F(ModelCatalogue, OwnFolderIsSearchedFirst) {
  write("gpt2.json", kLlamaText);
  write("tiny/config.json", kGpt2Text);
  write("notes.txt", "no model");
  EXPECT_EQ(find_model("gpt2").layers, 12);
  use_own_folder();
  EXPECT_EQ(find_model("gpt2").layers, 2);
  EXPECT_EQ(find_model("TINY").name, "tiny");
  EXPECT_THAT(model_names(), Contains("tiny"));
  EXPECT_EQ(find_model("distilgpt2").layers, 6);
}

TEST_F(ModelCatalogue, FaultsInAFoundFileNameThatFile) {
  write("broken.json", "{");
  use_own_folder();
  EXPECT_THAT(complaint_about("broken"), HasSubstr("broken.json:1:2: error: syntax error"));
}

TEST_F(ModelCatalogue, OwnFolderThatIsNoneIsAnError) {
  setenv("SPYRE_EMU_MODELS", "/no/such/folder", 1);
  EXPECT_THAT(complaint_about("gpt2"),
              HasSubstr("SPYRE_EMU_MODELS is '/no/such/folder', which is not a folder"));
}

}  // namespace
}  // namespace spyre::kernels
