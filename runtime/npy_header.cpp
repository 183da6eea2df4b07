#include "runtime/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "kernels/ktir/type.h"
#include "models/diagnostics/diagnostics.h"

namespace spyre::runtime {
namespace {

constexpr std::string_view kValid =
    "valid is {'descr': '<f2', 'fortran_order': False, 'shape': (3, 4)}";

/// At most 40 printable characters.
std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string shown(text.substr(0, kLongest));
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text.size() > kLongest ? shown + "..." : shown;
}

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    NpyHeader header;
    bool type = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        header.type = descriptor();
        type = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = truth();
        order = true;
      } else if (key == "shape" && !shape) {
        header.shape = sizes();
        shape = true;
      } else {
        fail(fmt::format("the key '{}' is unknown or stands twice", excerpt(key)));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ < text_.size()) fail(fmt::format("'{}' follows it", excerpt(text_.substr(at_))));
    if (!type || !order || !shape) fail("a key is missing");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw models::InputError(
        fmt::format("{}: this is no .npy header, {}; {}", file_, what, kValid));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (take(c)) return;
    fail(at_ == text_.size()
             ? fmt::format("it ends where a '{}' is due", c)
             : fmt::format("a '{}' is due before '{}'", c, excerpt(text_.substr(at_))));
  }

  std::string quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    if (quote != '\'' && quote != '"') {
      fail(fmt::format("a name in quotes is due at '{}'", excerpt(text_.substr(at_))));
    }
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quote is not closed");
    std::string name(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return name;
  }

  std::string descriptor() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') {
      throw models::InputError(fmt::format(
          "{}: the elements are structures; save each of their fields as an array of its own",
          file_));
    }
    return quoted();
  }

  bool truth() {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += std::string_view(word).size();
      return value;
    }
    fail(fmt::format("True or False is due at '{}'", excerpt(text_.substr(at_))));
  }

  std::vector<std::int64_t> sizes() {
    std::vector<std::int64_t> shape;
    expect('(');
    bool comma = true;
    while (!take(')')) {
      if (!comma) expect(',');
      skip_space();
      std::int64_t size = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
      if (error != std::errc{} || size < 0) {
        fail(fmt::format("a size is due at '{}'", excerpt(text_.substr(at_))));
      }
      at_ += static_cast<std::size_t>(end - begin);
      if (shape.size() == kernels::ktir::kMaxRank) {
        fail(fmt::format("there are more than {} dimensions", kernels::ktir::kMaxRank));
      }
      shape.push_back(size);
      comma = take(',');
    }
    return shape;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
  return HeaderParser(text, file).parse();
}

std::string npy_header_text(const NpyHeader& header) {
  std::string sizes;
  for (const std::int64_t size : header.shape) sizes += fmt::format("{}, ", size);
  if (header.shape.size() > 1) sizes.resize(sizes.size() - 2);
  if (header.shape.size() == 1) sizes.pop_back();  // "(3,)"
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", header.type,
                     header.fortran_order ? "True" : "False", sizes);
}

}  // namespace spyre::runtime
