#include "runtime/fidelity/kernel_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "models/diagnostics/diagnostics.h"

namespace spyre::runtime {
namespace {

struct Field {
  std::string_view text;
  int column = 1;
};

const char* const kSizes[] = {"b",       "m",       "k",       "n",      "mid",
                              "split_b", "split_m", "split_n", "split_k"};
const char* const kOthers[] = {"id",       "op",       "split_kind", "rows",        "cols",
                               "cores",    "tiles",    "lx",         "layout_a",    "layout_b",
                               "layout_c", "io_bytes", "us_median",  "ibm_model_us"};

std::vector<Field> split(std::string_view line) {
  std::vector<Field> fields;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = line.find(',', begin);
    fields.push_back({line.substr(begin, comma == std::string_view::npos ? comma : comma - begin),
                      static_cast<int>(begin) + 1});
    if (comma == std::string_view::npos) return fields;
    begin = comma + 1;
  }
}

class TableParser {
 public:
  explicit TableParser(std::string file) : file_(std::move(file)) {}

  void line(std::string_view text) {
    ++line_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.starts_with('#')) return;
    if (text.empty()) fail(1, "the line is empty; delete it");
    if (const std::size_t quote = text.find('"'); quote != std::string_view::npos) {
      fail(static_cast<int>(quote) + 1, "quoted fields are not read; write the value alone");
    }
    const std::vector<Field> fields = split(text);
    if (columns_.empty()) return header(fields);
    if (fields.size() != width_) {
      fail(fields.back().column,
           fmt::format("the row has {} fields, the header {}", fields.size(), width_));
    }
    row(fields);
  }

  std::vector<MeasuredKernel> take() {
    if (columns_.empty()) fail(0, "there is no header line");
    if (kernels_.empty()) fail(0, "the table has no rows");
    return std::move(kernels_);
  }

 private:
  [[noreturn]] void fail(int column, const std::string& message) const {
    throw models::InputError(message, {file_, column == 0 ? 0 : line_, column});
  }

  void header(const std::vector<Field>& fields) {
    width_ = fields.size();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!columns_.emplace(fields[i].text, i).second) {
        fail(fields[i].column, fmt::format("column '{}' comes twice", fields[i].text));
      }
    }
    const auto need = [&](const char* name) {
      if (!columns_.contains(name)) fail(1, fmt::format("there is no column '{}'", name));
    };
    for (const char* name : kOthers) need(name);
    for (const char* name : kSizes) need(name);
  }

  [[nodiscard]] const Field& field(const std::vector<Field>& fields, std::string_view name) const {
    return fields[columns_.find(name)->second];
  }

  std::string word(const std::vector<Field>& fields, std::string_view name) const {
    return std::string(field(fields, name).text);
  }

  std::int64_t whole(const std::vector<Field>& fields, std::string_view name,
                     std::int64_t low) const {
    const Field& cell = field(fields, name);
    std::int64_t value = 0;
    const char* const end = cell.text.data() + cell.text.size();
    const auto [stop, error] = std::from_chars(cell.text.data(), end, value);
    if (error != std::errc() || stop != end || value < low) {
      fail(cell.column,
           fmt::format("{}: '{}' is not a whole number of {} or more", name, cell.text, low));
    }
    return value;
  }

  double time(const std::vector<Field>& fields, std::string_view name) const {
    const Field& cell = field(fields, name);
    double value = 0;
    const char* const end = cell.text.data() + cell.text.size();
    const auto [stop, error] = std::from_chars(cell.text.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value) || value <= 0) {
      fail(cell.column, fmt::format("{}: '{}' is not a time above 0", name, cell.text));
    }
    return value;
  }

  void row(const std::vector<Field>& fields) {
    MeasuredKernel kernel;
    kernel.line = line_;
    kernel.id = word(fields, "id");
    kernel.op = word(fields, "op");
    if (kernel.id.empty()) fail(field(fields, "id").column, "id is empty");
    if (kernel.op.empty()) fail(field(fields, "op").column, "op is empty");
    if (!ids_.insert(kernel.id).second) {
      fail(field(fields, "id").column, fmt::format("id '{}' comes twice", kernel.id));
    }
    kernel.split_kind = word(fields, "split_kind");
    kernel.rows = whole(fields, "rows", 1);
    kernel.cols = whole(fields, "cols", 1);
    kernel.cores = whole(fields, "cores", 1);
    kernel.tiles = whole(fields, "tiles", 0);
    kernel.lx = whole(fields, "lx", 0) != 0;
    for (const char* name : kSizes) {
      if (!field(fields, name).text.empty()) kernel.sizes[name] = whole(fields, name, 1);
    }
    kernel.layout_a = word(fields, "layout_a");
    kernel.layout_b = word(fields, "layout_b");
    kernel.layout_c = word(fields, "layout_c");
    kernel.io_bytes = whole(fields, "io_bytes", 0);
    kernel.measured_us = time(fields, "us_median");
    kernel.model_us = time(fields, "ibm_model_us");
    kernels_.push_back(std::move(kernel));
  }

  std::string file_;
  int line_ = 0;
  std::size_t width_ = 0;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::set<std::string> ids_;
  std::vector<MeasuredKernel> kernels_;
};

}  // namespace

std::optional<std::int64_t> MeasuredKernel::size(std::string_view name) const {
  const auto found = sizes.find(name);
  return found == sizes.end() ? std::nullopt : std::optional(found->second);
}

std::vector<MeasuredKernel> parse_kernel_table(const std::string& text, const std::string& file) {
  TableParser parser(file);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    parser.line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return parser.take();
}

std::vector<MeasuredKernel> read_kernel_table(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw models::InputError("cannot read the table", {path});
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw models::InputError("cannot read the table", {path});
  return parse_kernel_table(text, path);
}

}  // namespace spyre::runtime
