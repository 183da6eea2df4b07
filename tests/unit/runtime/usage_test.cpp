// Words of a command line that mean nothing, and numbers that are none.
#include <gtest/gtest.h>

#include "runtime/cli/usage.h"

namespace spyre::runtime {
namespace {

class FaultOfWords : public ::testing::Test {
 protected:
  FaultOfWords() {
    CLI::App* decode = application.add_subcommand("decode");
    decode->add_option("-m,--model", model);
    decode->add_option("-b,--batch", batch);
    decode->add_flag("--ops");
    CLI::App* machine = application.add_subcommand("machine");
    machine->add_subcommand("list");
    machine->add_subcommand("show");
  }
  std::string fault(std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    return fault_of_words(application, static_cast<int>(words.size()), words.data());
  }

  CLI::App application{"", "program"};
  std::string model, batch;
};

TEST_F(FaultOfWords, AWrongCommandIsNamedWithTheNearest) {
  EXPECT_EQ(
      fault({"decod"}),
      "there is no command 'decod' (did you mean 'decode'?); the commands are decode, machine");
  EXPECT_EQ(fault({"xyzzy"}), "there is no command 'xyzzy'; the commands are decode, machine");
  EXPECT_EQ(fault({"machine", "shwo"}),
            "there is no command 'shwo' (did you mean 'show'?); the commands are list, show");
}

TEST_F(FaultOfWords, AWrongOptionIsNamedWithTheNearest) {
  EXPECT_EQ(fault({"decode", "--modle", "x"}),
            "decode has no option '--modle' (did you mean '--model'?)");
  EXPECT_EQ(fault({"decode", "--modle=x"}),
            "decode has no option '--modle' (did you mean '--model'?)");
  EXPECT_EQ(fault({"decode", "--ops", "--nonsense"}), "decode has no option '--nonsense'");
}

TEST_F(FaultOfWords, ValuesAreNoWords) {
  EXPECT_EQ(fault({"decode", "--model", "--batch"}), "");  // a value, however it looks
  EXPECT_EQ(fault({"decode", "-b", "4", "--model=x", "--ops"}), "");
  EXPECT_EQ(fault({"decode", "-b4"}), "");
}

TEST_F(FaultOfWords, AMissingCommandIsTold) {
  EXPECT_EQ(fault({}), "a command is missing; the commands are decode, machine");
  EXPECT_EQ(fault({"machine"}), "a command is missing; the commands are list, show");
}

TEST(WholeNumber, AcceptsItsRangeAndNothingElse) {
  std::string text;
  const auto answer = [&](std::string given) {
    text = std::move(given);
    return whole_number(1, 32)(text);
  };
  EXPECT_EQ(answer("1"), "");
  EXPECT_EQ(answer("32"), "");
  for (const char* wrong :
       {"0", "33", "-1", "abc", "", "4x", " 4", "4.0", "1e1", "99999999999999999999"}) {
    EXPECT_EQ(answer(wrong), "'" + std::string(wrong) + "' is not a whole number from 1 to 32");
  }
  text = "-1";
  EXPECT_EQ(whole_number(0)(text), "'-1' is not a whole number of 0 or more");
}

}  // namespace
}  // namespace spyre::runtime
