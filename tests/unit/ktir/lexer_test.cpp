#include "kernels/ktir/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spyre::kernels::ktir {
namespace {

struct Seen {
  TokenKind kind;
  std::string text;
  int line;
  int column;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> tokens_of(const std::string& text) {
  Lexer lexer(text);
  std::vector<Seen> seen;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    seen.push_back({token.kind, std::string(token.text), token.where.line, token.where.column});
  }
  return seen;
}

TEST(KtirLexer, GivesEveryTokenItsLineAndColumn) {
  const std::vector<Seen> expected{
      {TokenKind::value_name, "c0_0", 1, 1}, {TokenKind::sign, ":", 1, 6},
      {TokenKind::integer, "2", 1, 7},       {TokenKind::sign, "=", 1, 9},
      {TokenKind::word, "ktdp.load", 2, 3},  {TokenKind::value_name, "0", 2, 13},
      {TokenKind::hash_name, "1", 2, 15},    {TokenKind::sign, "->", 2, 17},
      {TokenKind::bang_name, "ktdp.x", 3, 1}};
  EXPECT_EQ(tokens_of("%c0_0:2 = // a comment -> %no\n  ktdp.load %0#1->\n!ktdp.x"), expected);
}

TEST(KtirLexer, ReadsEverySpellingOfANumber) {
  for (const char* integer : {"0", "42", "0xFC00", "0xff800000"}) {
    EXPECT_EQ(tokens_of(integer), (std::vector<Seen>{{TokenKind::integer, integer, 1, 1}}));
  }
  for (const char* real : {"0.0", "1.", "1.0e+4", "2.5E-05", "1e5", "000000e-1"}) {
    EXPECT_EQ(tokens_of(real), (std::vector<Seen>{{TokenKind::real, real, 1, 1}}));
  }
}

TEST(KtirLexer, LeavesDimensionListsToTheTypeParser) {
  const std::vector<Seen> expected{{TokenKind::integer, "4", 1, 1},
                                   {TokenKind::word, "x", 1, 2},
                                   {TokenKind::sign, "?", 1, 3},
                                   {TokenKind::word, "x8xf16", 1, 4},
                                   {TokenKind::sign, ">", 1, 10}};
  EXPECT_EQ(tokens_of("4x?x8xf16>"), expected);
}

TEST(KtirLexer, KeepsADashBeforeAnArrowOutOfAName) {
  const std::vector<Seen> expected{{TokenKind::value_name, "a-b", 1, 1},
                                   {TokenKind::sign, "->", 1, 5}};
  EXPECT_EQ(tokens_of("%a-b->"), expected);
}

TEST(KtirLexer, EndsAStringAtItsQuoteAndNotAtAnEscapedOne) {
  const std::vector<Seen> expected{{TokenKind::string, R"("a \" // b")", 1, 1},
                                   {TokenKind::symbol_name, R"("q")", 1, 13}};
  EXPECT_EQ(tokens_of(R"("a \" // b" @"q")"), expected);
}

TEST(KtirLexer, ReportsWhatNoTokenStartsWith) {
  for (const char* text : {"\"open", "\"line\n\"", "%", "#", "&", "\x01", "\xff", "@"}) {
    const std::vector<Seen> seen = tokens_of(text);
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.front().kind, TokenKind::invalid) << text;
  }
}

TEST(KtirLexer, GoesOnWhereItIsTold) {
  Lexer lexer("ab cd");
  const Token first = lexer.next();
  EXPECT_EQ(lexer.next().text, "cd");
  lexer.seek(first.where);
  EXPECT_EQ(lexer.next().text, "ab");
  EXPECT_EQ(lexer.next().where.column, 4);
  EXPECT_EQ(lexer.next().kind, TokenKind::end);
  EXPECT_EQ(lexer.next().kind, TokenKind::end);
}

}  // namespace
}  // namespace spyre::kernels::ktir
