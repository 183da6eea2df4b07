#include "kernels/ktir/lexer.h"

#include <array>

namespace spyre::kernels::ktir {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word_part(char c) {
  return is_letter(c) || is_digit(c) || c == '$' || c == '.';
}

}  // namespace

char Lexer::peek(std::size_t ahead) const {
  return at_.offset + ahead < text_.size() ? text_[at_.offset + ahead] : '\0';
}

void Lexer::skip_blank() {
  while (at_.offset < text_.size()) {
    const char c = text_[at_.offset];
    if (c == '/' && peek(1) == '/') {
      while (at_.offset < text_.size() && text_[at_.offset] != '\n') ++at_.offset, ++at_.column;
    } else if (c == '\n') {
      ++at_.offset;
      ++at_.line;
      at_.column = 1;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_.offset;
      ++at_.column;
    } else {
      return;
    }
  }
}

Token Lexer::take(TokenKind kind, std::size_t length, std::size_t sign_length) {
  const Token token{kind, text_.substr(at_.offset + sign_length, length - sign_length), at_};
  at_.offset += length;
  at_.column += static_cast<int>(length);
  return token;
}

std::size_t Lexer::number_length(TokenKind& kind) const {
  kind = TokenKind::integer;
  std::size_t length = 1;
  if (peek() == '0' && peek(1) == 'x' && is_hex_digit(peek(2))) {
    for (length = 3; is_hex_digit(peek(length));) ++length;
    return length;
  }
  while (is_digit(peek(length))) ++length;
  if (peek(length) == '.') {
    kind = TokenKind::real;
    ++length;
    while (is_digit(peek(length))) ++length;
  }
  if (peek(length) == 'e' || peek(length) == 'E') {
    const std::size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+' ? 1 : 0;
    if (!is_digit(peek(length + 1 + sign))) return length;
    kind = TokenKind::real;
    length += 2 + sign;
    while (is_digit(peek(length))) ++length;
  }
  return length;
}

std::size_t Lexer::name_length(std::size_t from) const {
  std::size_t length = from;
  while (is_word_part(peek(length)) || (peek(length) == '-' && peek(length + 1) != '>')) ++length;
  return length;
}

Token Lexer::string_token(TokenKind kind, std::size_t from) {
  for (std::size_t length = from + 1; at_.offset + length < text_.size(); ++length) {
    const char c = peek(length);
    if (c == '\n') break;
    if (c == '\\' && peek(length + 1) != '\n') {
      ++length;
    } else if (c == '"') {
      return take(kind, length + 1, from);
    }
  }
  return take(TokenKind::invalid, from + 1);
}

Token Lexer::next() {
  skip_blank();
  if (at_.offset >= text_.size()) return {TokenKind::end, {}, at_};
  const char c = peek();
  if (is_letter(c)) {
    std::size_t length = 1;
    while (is_word_part(peek(length))) ++length;
    return take(TokenKind::word, length);
  }
  if (is_digit(c)) {
    TokenKind kind{};
    const std::size_t length = number_length(kind);
    return take(kind, length);
  }
  if (c == '"') return string_token(TokenKind::string, 0);
  if (c == '@' && peek(1) == '"') return string_token(TokenKind::symbol_name, 1);
  constexpr std::array<std::pair<char, TokenKind>, 5> kNames{{{'%', TokenKind::value_name},
                                                              {'#', TokenKind::hash_name},
                                                              {'!', TokenKind::bang_name},
                                                              {'@', TokenKind::symbol_name},
                                                              {'^', TokenKind::block_name}}};
  for (const auto& [sign, kind] : kNames) {
    if (c != sign) continue;
    const std::size_t length = name_length(1);
    return length > 1 ? take(kind, length, 1) : take(TokenKind::invalid, 1);
  }
  constexpr std::array<std::string_view, 5> kPairs{"->", ">=", "<=", "==", "::"};
  for (const std::string_view pair : kPairs) {
    if (text_.substr(at_.offset).starts_with(pair)) return take(TokenKind::sign, 2);
  }
  constexpr std::string_view kSigns = "(){}[]<>,:=+-*?/";
  return take(kSigns.find(c) != std::string_view::npos ? TokenKind::sign : TokenKind::invalid, 1);
}

}  // namespace spyre::kernels::ktir
