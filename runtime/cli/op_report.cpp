#include "runtime/cli/op_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cmath>

#include "traces/number_text.h"
#include "traces/summary.h"

namespace spyre::runtime {
namespace {

/// "2^-9", or "exact" for 0.
std::string bound_text(double bound) {
  if (bound == 0) return "exact";
  int exponent = 0;
  if (std::frexp(bound, &exponent) == 0.5) return fmt::format("2^{}", exponent - 1);
  return fmt::format("{:.1e}", bound);
}

std::string error_text(const std::optional<OpValues>& values) {
  return values ? fmt::format("{:.1e}", values->max_relative) : "-";
}

std::string row(const char* name, const std::string& a, const std::string& b, double ratio) {
  std::string text = fmt::format("  {:<22} {:>18} {:>18}", name, a, b);
  if (ratio > 0) text += fmt::format(" {:>8.2f}", ratio);
  return text + "\n";
}

std::string bytes_row(const char* name, std::uint64_t a, std::uint64_t b) {
  return row(name, traces::with_separators(a), traces::with_separators(b),
             a > 0 ? static_cast<double>(b) / static_cast<double>(a) : 0);
}

std::string sizes_text(const kernels::Op& op) {
  std::string text;
  for (const kernels::OpParameter& parameter : op.parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", parameter.name, parameter.value);
  }
  return text;
}

}  // namespace

std::string op_list_text() {
  std::string text;
  std::string family;
  std::string usual;
  for (const kernels::Op& op : kernels::all_ops()) {
    const std::string sizes = sizes_text(op);
    if (op.family != family) {
      text += fmt::format("{}{}: {}\n", family.empty() ? "" : "\n", op.family, sizes);
      family = op.family;
      usual = sizes;
    }
    text += fmt::format("  {:<16} {}\n", op.name, op.summary);
    if (sizes != usual) text += fmt::format("  {:<16}   {}\n", "", sizes);
  }
  return text;
}

std::string values_text(const std::optional<OpValues>& values) {
  if (!values) return "values: not computed\n";
  std::string text =
      fmt::format("values: max relative error {:.1e} (bound {}) over {} elements\n",
                  values->max_relative, bound_text(values->bound),
                  traces::with_separators(static_cast<std::uint64_t>(values->elements)));
  if (!values->right()) text += fmt::format("values: WRONG: {}\n", values->worst);
  return text;
}

std::string side_by_side_text(const std::string& name, const OpOutcome& outcome,
                              const std::string& other_name, const OpOutcome& other,
                              const std::optional<OpValues>& difference) {
  const traces::RunResult& a = outcome.result;
  const traces::RunResult& b = other.result;
  const double a_ms = static_cast<double>(a.time_ps) * 1e-9;
  const double b_ms = static_cast<double>(b.time_ps) * 1e-9;
  std::string text = fmt::format("  {:<22} {:>18} {:>18} {:>8}\n", "", name, other_name, "ratio");
  text += row("time, ms", fmt::format("{:.4f}", a_ms), fmt::format("{:.4f}", b_ms),
              a_ms > 0 ? b_ms / a_ms : 0);
  text += bytes_row("DRAM bytes", a.bytes.total(), b.bytes.total());
  text += bytes_row("  read", a.bytes.read, b.bytes.read);
  text += bytes_row("  written", a.bytes.written, b.bytes.written);
  text += bytes_row("FLOP", traces::summarise(a).flops, traces::summarise(b).flops);
  text += row("max relative error", error_text(outcome.values), error_text(other.values), 0);
  if (difference) {
    text += fmt::format("  the two differ by at most {:.1e}: {}\n", difference->max_relative,
                        difference->right()
                            ? fmt::format("equal within {}", bound_text(difference->bound))
                            : "NOT EQUAL, " + difference->worst);
  }
  return text + "\n";
}

void add_values_json(const std::optional<OpValues>& values, nlohmann::ordered_json& json) {
  if (!values) return;
  json["values"] = {{"max_relative_error", values->max_relative},
                    {"bound", values->bound},
                    {"elements", values->elements},
                    {"right", values->right()}};
}

}  // namespace spyre::runtime
