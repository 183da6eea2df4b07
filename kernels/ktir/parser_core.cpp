#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "kernels/ktir/parser_state.h"

namespace spyre::kernels::ktir {

using models::Diagnostic;
using models::InputError;
using models::Severity;

namespace {

constexpr std::size_t kMaxFindings = 200;
/// Aliases may stand for this many times the text's size, and for a little text in any case.
constexpr std::size_t kAliasFactor = 64;
constexpr std::size_t kAliasFloor = std::size_t{1} << 20U;
constexpr std::size_t kLongestShown = 40;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

ParsedModule parse_module(const std::string& text, const std::string& file) {
  return Parser(text, file).run();
}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kMaxNesting) {
    parser_.fail(parser_.token_.where,
                 fmt::format("this is nested deeper than {} levels", kMaxNesting));
  }
}

Parser::Parser(const std::string& text, const std::string& file) : text_(text), lexer_(text) {
  result_.module.file = file;
  if (text.size() > kMaxTextSize) {
    fail({}, fmt::format("the text has {} bytes: at most {} are read", text.size(), kMaxTextSize));
  }
  budget_ = text.size() * kAliasFactor + kAliasFloor;
}

ParsedModule Parser::run() {
  scan_aliases();
  advance();
  parse_top_level();
  return std::move(result_);
}

Token Parser::peek() {
  const TextPosition here = lexer_.position();
  const Token next = lexer_.next();
  lexer_.seek(here);
  return next;
}

bool Parser::accept(std::string_view sign) {
  if (!token_.is(sign)) return false;
  advance();
  return true;
}

bool Parser::accept_word(std::string_view word) {
  if (!token_.is_word(word)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view sign) {
  if (!accept(sign)) fail_expected(fmt::format("'{}'", sign));
}

void Parser::expect_word(std::string_view word) {
  if (!accept_word(word)) fail_expected(fmt::format("'{}'", word));
}

Token Parser::expect_kind(TokenKind kind, std::string_view what) {
  if (token_.kind != kind) fail_expected(what);
  const Token token = token_;
  advance();
  return token;
}

std::uint64_t Parser::magnitude(const Token& token) const {
  std::string_view digits = token.text;
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (result.ec != std::errc{}) {
    fail(token.where, fmt::format("{} does not fit in 64 bits", shown(token)));
  }
  return value;
}

std::int64_t Parser::expect_integer(std::string_view what) {
  const bool negative = accept("-");
  const Token token = expect_kind(TokenKind::integer, what);
  const std::uint64_t value = magnitude(token);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    fail(token.where, fmt::format("{} does not fit in a signed 64-bit integer", shown(token)));
  }
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

std::string Parser::string_text(const Token& token) const {
  const std::string_view inside = token.text.substr(1, token.text.size() - 2);
  std::string result;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 >= inside.size()) {
      result += inside[i];
      continue;
    }
    const char next = inside[++i];
    const int high = hex_value(next);
    const int low = i + 1 < inside.size() ? hex_value(inside[i + 1]) : -1;
    if (high >= 0 && low >= 0) {
      result += static_cast<char>(high * 16 + low);
      ++i;
    } else if (next == 'n') {
      result += '\n';
    } else if (next == 't') {
      result += '\t';
    } else {
      result += next;
    }
  }
  return result;
}

void Parser::skip_balanced() {
  const Token open = token_;
  std::string closers;
  do {
    if (token_.kind == TokenKind::end) {
      fail(open.where, fmt::format("{} is never closed", shown(open)));
    }
    if (token_.is("(")) closers += ')';
    if (token_.is("[")) closers += ']';
    if (token_.is("{")) closers += '}';
    if (token_.is("<")) closers += '>';
    if (token_.kind == TokenKind::sign && token_.text.size() == 1 &&
        std::string_view(")]}>").find(token_.text) != std::string_view::npos) {
      if (closers.empty() || closers.back() != token_.text.front()) {
        fail_expected(fmt::format("'{}'", closers.empty() ? ' ' : closers.back()));
      }
      closers.pop_back();
    }
    advance();
  } while (!closers.empty());
}

void Parser::seek_into(const Token& token, std::size_t characters) {
  TextPosition where = token.where;
  where.offset += characters;
  where.column += static_cast<int>(characters);
  lexer_.seek(where);
  advance();
}

std::string Parser::shown(const Token& token) const {
  if (token.kind == TokenKind::end) return "the end of the text";
  std::size_t length = token.text.size() +
                       static_cast<std::size_t>(token.text.data() - text_.data()) -
                       token.where.offset;
  const bool cut = length > kLongestShown;
  length = cut ? kLongestShown : length;
  std::string result = "'";
  for (const char c : std::string_view(text_).substr(token.where.offset, length)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return result + (cut ? "...'" : "'");
}

void Parser::fail(const TextPosition& where, std::string message) const {
  std::vector<Diagnostic> all = result_.findings;
  all.push_back({Severity::error, "", result_.module.position(where), std::move(message)});
  throw InputError(std::move(all));
}

void Parser::fail_expected(std::string_view what) const {
  if (token_.kind == TokenKind::invalid && token_.text.starts_with('"')) {
    fail(token_.where, "this string does not end on its line");
  }
  fail(token_.where, fmt::format("expected {}, found {}", what, shown(token_)));
}

void Parser::note(const TextPosition& where, std::string message) {
  if (result_.findings.size() >= kMaxFindings) {
    fail(where, fmt::format("more than {} faults: reading stops here", kMaxFindings));
  }
  result_.findings.push_back(
      {Severity::error, "", result_.module.position(where), std::move(message)});
}

void Parser::charge(std::size_t cost, const TextPosition& where) {
  if (cost > budget_) {
    fail(where, fmt::format("the aliases stand for more than {} times the text", kAliasFactor));
  }
  budget_ -= cost;
  charged_ += cost;
}

}  // namespace spyre::kernels::ktir
