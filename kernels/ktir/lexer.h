// Splits KTIR text into tokens, on demand and without a copy.
//
// A dimension list such as 4x8xf16 has no tokens of its own: "4" and "x8xf16" come out, and the
// type parser seeks back into them. Comments and white space separate tokens and are dropped.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/ktir/source.h"

namespace spyre::kernels::ktir {

enum class TokenKind {
  end,
  invalid,      ///< no token starts here; Token::text is the offending text
  word,         ///< func.func, x64xf16: a letter or '_', then letters, digits, "_$."
  value_name,   ///< %name, text without the sign; so are the next four
  hash_name,    ///< #name
  bang_name,    ///< !name
  symbol_name,  ///< @name or @"name"
  block_name,   ///< ^name
  integer,      ///< decimal or 0x...
  real,         ///< 1.0, 1.e-5, 1e5
  string,       ///< text with its quotes and escapes
  sign,         ///< punctuation: -> >= <= == :: and single characters
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  TextPosition where;

  [[nodiscard]] bool is(std::string_view sign_text) const {
    return kind == TokenKind::sign && text == sign_text;
  }
  [[nodiscard]] bool is_word(std::string_view word_text) const {
    return kind == TokenKind::word && text == word_text;
  }
};

class Lexer {
 public:
  /// The text must outlive the lexer and its tokens.
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token; TokenKind::end again and again at the end.
  Token next();
  /// Continues at a place seen before.
  void seek(const TextPosition& where) { at_ = where; }
  [[nodiscard]] const TextPosition& position() const { return at_; }
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  void skip_blank();
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  Token take(TokenKind kind, std::size_t length, std::size_t sign_length = 0);
  [[nodiscard]] std::size_t number_length(TokenKind& kind) const;
  [[nodiscard]] std::size_t name_length(std::size_t from) const;
  Token string_token(TokenKind kind, std::size_t from);

  std::string_view text_;
  TextPosition at_;
};

}  // namespace spyre::kernels::ktir
