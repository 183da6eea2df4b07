// The project's kernels cut short and with bytes changed: each either loads and reads back from its
// canonical text, or is refused with an InputError that names a place.
#include <gtest/gtest.h>

#include <random>

#include "kernels/ktir/lexer.h"
#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

/// Whether the text loaded.
bool try_text(const std::string& text) {
  std::string printed;
  try {
    printed = print_module(load_module(text, "mutant").module);
  } catch (const models::InputError& error) {
    EXPECT_FALSE(error.diagnostics().empty());
    for (const models::Diagnostic& diagnostic : error.diagnostics()) {
      EXPECT_GE(diagnostic.where.line, 1) << diagnostic.message;
      EXPECT_GE(diagnostic.where.column, 1) << diagnostic.message;
    }
    return false;
  }
  EXPECT_EQ(print_module(load_module(printed, "printed").module), printed);
  return true;
}

TEST(KtirMutations, TruncatedKernelsAreRefusedOrComplete) {
  for (const auto& path : own_files()) {
    SCOPED_TRACE(path.filename());
    const std::string text = file_text(path);
    for (std::size_t length = 0; length < text.size(); length += 7)
      try_text(text.substr(0, length));
  }
}

TEST(KtirMutations, ChangedBytesNeverCrash) {
  std::mt19937 random(2024);
  const std::string interesting = "%#!@^()[]{}<>,:=+-*?x0189.\"\\ \n\xff";
  int loaded = 0;
  for (const auto& path : own_files()) {
    SCOPED_TRACE(path.filename());
    const std::string text = file_text(path);
    for (int round = 0; round < 600; ++round) {
      std::string mutant = text;
      const auto changes = 1 + random() % 3;
      for (std::size_t i = 0; i < changes; ++i) {
        const std::size_t at = random() % mutant.size();
        switch (random() % 4) {
          case 0:
            mutant[at] = static_cast<char>(random() % 256);
            break;
          case 1:
            mutant[at] = interesting[random() % interesting.size()];
            break;
          case 2:
            mutant.erase(at, 1 + random() % 20);
            break;
          default:
            mutant.insert(at, mutant.substr(random() % mutant.size(), 1 + random() % 40));
        }
        if (mutant.empty()) mutant = "x";
      }
      loaded += try_text(mutant) ? 1 : 0;
    }
  }
  EXPECT_GT(loaded, 50);  // some changes hit comments and names
}

TEST(KtirMutations, SwappedTokensNeverCrash) {
  std::mt19937 random(99);
  for (const auto& path : own_files()) {
    SCOPED_TRACE(path.filename());
    const std::string text = file_text(path);
    Lexer lexer(text);
    std::vector<std::string> tokens;
    for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
      tokens.push_back(
          text.substr(token.where.offset, lexer.position().offset - token.where.offset));
    }
    for (int round = 0; round < 300; ++round) {
      std::vector<std::string> mutant = tokens;
      std::swap(mutant[random() % mutant.size()], mutant[random() % mutant.size()]);
      std::string joined;
      for (const std::string& token : mutant) joined += token + (token.ends_with('\n') ? "" : " ");
      try_text(joined);
    }
  }
}

}  // namespace
}  // namespace spyre::kernels::ktir
