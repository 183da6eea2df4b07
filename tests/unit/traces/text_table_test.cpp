#include "traces/text_table.h"

#include <gtest/gtest.h>

namespace spyre::traces {
namespace {

TEST(TextTable, NamesStandLeftAndNumbersRight) {
  TextTable table({"op", "B"});
  table.add_row({"qkv", "1,024"});
  table.add_row({"attention", "7"});
  EXPECT_EQ(table.text(),
            "  op             B\n"
            "  qkv        1,024\n"
            "  attention      7\n");
}

TEST(TextTable, ALongNameIsCutSoThatTheLineFitsTheTerminal) {
  TextTable table({"op", "B"});
  table.add_row({std::string(200, 'x'), std::string(20, '1')});
  table.add_row({"short", "2"});
  const std::string text = table.text();
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(end - begin, kTerminalColumns);
    begin = end + 1;
  }
  EXPECT_NE(text.find("xx..  1111"), std::string::npos);
}

TEST(TextTable, ANameThatFitsExactlyStaysWhole) {
  // Two gaps of two, and ten columns for the number.
  const std::string name(kTerminalColumns - 4 - 10, 'x');
  TextTable table({"op", "B"});
  table.add_row({name, std::string(10, '1')});
  EXPECT_NE(table.text().find(name + "  1"), std::string::npos);
  TextTable wider({"op", "B"});
  wider.add_row({name + "y", std::string(10, '1')});
  EXPECT_NE(wider.text().find("x..  1"), std::string::npos);
}

TEST(TextTable, OnlyTheHeaderIsBoldAndOnlyWhenAsked) {
  TextTable table({"op", "B"});
  table.add_row({"qkv", "7"});
  EXPECT_EQ(table.text(false).find('\033'), std::string::npos);
  EXPECT_EQ(table.text(true), "\033[1m  op   B\033[0m\n  qkv  7\n");
}

}  // namespace
}  // namespace spyre::traces
