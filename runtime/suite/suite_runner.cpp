#include "runtime/suite/suite_runner.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <exception>
#include <filesystem>

#include "kernels/ktir/load.h"
#include "kernels/ktir/printer.h"
#include "models/diagnostics/yaml_reader.h"
#include "runtime/host_values.h"
#include "runtime/suite/comparison.h"
#include "runtime/suite/suite_request.h"

namespace spyre::runtime {
namespace {

using Kind = SuiteExpectation::Kind;

bool is_chosen(const SuiteRun& run, const std::string& pattern) {
  return pattern.empty() || fnmatch(pattern.c_str(), run.file.c_str(), 0) == 0 ||
         fnmatch(pattern.c_str(), run.name.c_str(), 0) == 0;
}

std::string position_text(std::size_t element, const std::vector<std::int64_t>& shape) {
  std::string text;
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t i = shape.size(); i-- > 0;) {
    text = fmt::format("{}{}{}", rest % shape[i], text.empty() ? "" : ", ", text);
    rest /= shape[i];
  }
  return "[" + text + "]";
}

/// "16,777,216 bytes" as "16777216 bytes".
std::string without_separators(const std::string& text) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && i > 0 && digit(i - 1) && digit(i + 1)) continue;
    plain += text[i];
  }
  return plain;
}

/// Throws InputError unless the module reads back from its own canonical text.
void parse_only(const std::string& text, const std::string& file) {
  const std::string printed = print_module(kernels::ktir::load_module(text, file).module);
  const std::string again =
      print_module(kernels::ktir::load_module(printed, file + ", as printed").module);
  if (again != printed) {
    throw models::InputError(file + ": its canonical text reads back as another module");
  }
}

class RunJudge {
 public:
  RunJudge(const SuiteRun& run, const KernelRunner& runner, const SuiteOptions& options)
      : run_(run), runner_(runner), options_(options) {
    row_.file = run.file;
    row_.kernel = run.name;
  }

  SuiteRow judge() {
    try {
      attempt();
    } catch (const models::InputError& error) {
      refused(error.what());
    } catch (const std::exception& error) {
      fail(fmt::format("internal error: {}", error.what()));
    }
    return row_;
  }

  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  void fail(std::string reason) {
    row_.status = SuiteStatus::failed;
    row_.reason = std::move(reason);
  }

  void refused(const std::string& message) {
    if (run_.expect.kind != Kind::error || !ran_) return fail(message);
    const std::string& part = run_.expect.message;
    if (message.find(part) == std::string::npos &&
        without_separators(message).find(part) == std::string::npos) {
      return fail(fmt::format("refused as expected, but not with '{}': {}", part, message));
    }
    row_.status = SuiteStatus::refused;
    row_.reason = message;
  }

  void attempt() {
    const std::string path = (std::filesystem::path(options_.directory) / run_.file).string();
    const std::string text = models::read_text_file(path);
    if (run_.expect.kind == Kind::parse_only) {
      parse_only(text, path);
      row_.status = SuiteStatus::parsed;
      return;
    }
    const KernelRequest request = make_request(run_, text, path);
    const KernelOutcome outcome = timed_run(request);
    row_.cycles = outcome.result.cycles;
    interrupted_ = outcome.result.interrupted;
    if (interrupted_) return fail("interrupted");
    if (run_.expect.kind == Kind::error) return fail("it ran, but was to be refused");
    row_.status = SuiteStatus::ran;
    if (options_.kernel.data && !run_.reference.empty()) compare_outputs(request, outcome);
  }

  KernelOutcome timed_run(const KernelRequest& request) {
    ran_ = true;
    const std::clock_t start = std::clock();
    const auto stop_clock = [&] {
      row_.cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    try {
      KernelOutcome outcome = runner_(request, options_.kernel);
      stop_clock();
      return outcome;
    } catch (...) {
      stop_clock();
      throw;
    }
  }

  void compare_outputs(const KernelRequest& request, const KernelOutcome& outcome) {
    row_.status = SuiteStatus::ok;
    const Reference& reference = reference_named(run_.reference);
    const ReferenceArrays expected = compute_reference(reference, reference_inputs(run_, request));
    for (const std::string& output : reference.outputs) {
      const auto role = run_.roles.find(output);
      if (role == run_.roles.end()) continue;
      compare_output(std::get<std::string>(role->second), expected.at(output), outcome);
    }
  }

  void compare_output(const std::string& name, const ReferenceArray& want,
                      const KernelOutcome& outcome) {
    const auto found = outcome.arrays.find(name);
    if (found == outcome.arrays.end()) {
      return fail(fmt::format("the run gave back no array '{}'", name));
    }
    const std::vector<double> got = to_doubles(found->second);
    if (got.size() != want.values.size()) {
      return fail(fmt::format("'{}' has {} elements, the reference {}", name, got.size(),
                              want.values.size()));
    }
    const Comparison result = compare(got, want.values);
    row_.max_rel_err = std::max(row_.max_rel_err.value_or(0), result.max_relative);
    row_.max_abs_err = std::max(row_.max_abs_err.value_or(0), result.max_absolute);
    const SuiteTolerance tolerance = tolerance_for(run_.tolerance, options_.kernel.numerics);
    if (result.max_relative <= tolerance.relative || result.max_absolute <= tolerance.absolute) {
      return;
    }
    if (!row_.reason.empty()) return;  // the first output tells
    fail(fmt::format("{}{} is {:.6g}, expected {:.6g}: relative error {:.3g}, tolerance {:.3g}",
                     name, position_text(result.worst, found->second.shape), result.got,
                     result.want, result.max_relative, tolerance.relative));
  }

  const SuiteRun& run_;
  const KernelRunner& runner_;
  const SuiteOptions& options_;
  SuiteRow row_;
  bool ran_ = false;  ///< the kernel's run had begun
  bool interrupted_ = false;
};

}  // namespace

std::string_view to_string(SuiteStatus status) {
  switch (status) {
    case SuiteStatus::ok:
      return "ok";
    case SuiteStatus::ran:
      return "ran";
    case SuiteStatus::parsed:
      return "parsed";
    case SuiteStatus::refused:
      return "refused";
    case SuiteStatus::failed:
      return "failed";
  }
  return "";
}

SuiteTolerance tolerance_for(SuiteTolerance tolerance, models::Numerics numerics) {
  if (numerics == models::Numerics::ieee) return tolerance;
  constexpr double kFactor = 4;
  constexpr double kLeast = 0x1p-8;
  return {std::max(kFactor * tolerance.relative, kLeast), kFactor * tolerance.absolute};
}

std::vector<SuiteRow> run_suite(const KernelSuite& suite, const KernelRunner& runner,
                                const SuiteOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.directory, ignored)) {
    throw models::InputError(
        fmt::format("there is no folder '{}': name the one that the files of {} lie in",
                    options.directory, suite.file));
  }
  std::vector<SuiteRow> rows;
  for (const SuiteRun& run : suite.runs) {
    if (!is_chosen(run, options.only)) continue;
    RunJudge judge(run, runner, options);
    rows.push_back(judge.judge());
    if (options.on_row) options.on_row(rows.back());
    if (judge.interrupted()) break;
  }
  if (rows.empty()) {
    throw models::InputError(
        fmt::format("'{}' matches no file and no name of the {} runs in {}; *, ? and [...] stand "
                    "for characters, as in '*softmax*'",
                    options.only, suite.runs.size(), suite.file));
  }
  return rows;
}

bool all_as_expected(const std::vector<SuiteRow>& rows) {
  return std::ranges::none_of(
      rows, [](const SuiteRow& row) { return row.status == SuiteStatus::failed; });
}

}  // namespace spyre::runtime
