#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <limits>

#include "models/diagnostics/yaml_reader.h"
#include "runtime/suite/role_check.h"
#include "runtime/suite/suite.h"

namespace spyre::runtime {
namespace {

using models::DiagnosticSink;
using models::MapReader;

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMostRepeats = std::int64_t{1} << 24;
constexpr std::int64_t kHighest = std::int64_t{1} << 48;
constexpr std::int64_t kMostCores = 1024;

class RunReader {
 public:
  RunReader(const YAML::Node& node, const std::string& path, const std::string& folder,
            DiagnosticSink& sink)
      : map_(node, path, sink), path_(path), folder_(folder), sink_(sink) {}

  SuiteRun read() {
    SuiteRun run;
    if (!map_.valid()) return run;
    run.where = sink_.position(map_.mark());
    run.file = map_.text("file");
    run.function = map_.text_or("function", "");
    run.name =
        map_.text_or("name", run.function.empty() ? std::filesystem::path(run.file).stem().string()
                                                  : run.function);
    read_expectation(run);
    read_arguments(run);
    read_memory(run);
    run.reference = map_.text_or("reference", "");
    read_roles(run);
    read_tolerance(run);
    map_.finish();
    if (sink_.empty()) check_roles(run, sink_);
    return run;
  }

 private:
  void read_expectation(SuiteRun& run) {
    const std::optional<YAML::Node> node = map_.optional("expect");
    if (!node) return;
    const std::string text = node->IsScalar() ? node->Scalar() : "";
    constexpr std::string_view kError = "error";
    if (text == "ok") return;
    if (text == "parse-only") {
      run.expect.kind = SuiteExpectation::Kind::parse_only;
    } else if (text == kError || text.starts_with("error: ")) {
      run.expect.kind = SuiteExpectation::Kind::error;
      if (text != kError) run.expect.message = text.substr(kError.size() + 2);
    } else {
      sink_.error(node->Mark(),
                  fmt::format("'{}' is '{}'; it must be ok, parse-only, error, or \"error: part of "
                              "the message\"",
                              map_.name_of("expect"), text));
    }
  }

  void read_arguments(SuiteRun& run) {
    const std::optional<YAML::Node> node = map_.optional("arguments");
    if (!node) return;
    each_entry(*node, "arguments",
               [&](const std::string& name, const YAML::Node& value, const std::string& path) {
                 if (!value.IsMap()) {
                   run.arguments[name].spec = spec_of(value, path, true);
                   return;
                 }
                 MapReader map(value, path, sink_);
                 run.arguments[name] = array_of(map, true);
                 map.finish();
               });
  }

  void read_memory(SuiteRun& run) {
    const std::optional<YAML::Node> node = map_.optional("memory");
    if (!node) return;
    each_entry(
        *node, "memory",
        [&](const std::string& name, const YAML::Node& value, const std::string& path) {
          MapReader map(value, path, sink_);
          SuiteImage image;
          image.array = array_of(map, false);
          image.in_elements = map.has("element");
          if (map.valid() && map.has("element") == map.has("byte")) {
            sink_.error(map.mark(),
                        fmt::format("'{}' must have one of 'element' and 'byte'", path));
          }
          image.position = static_cast<std::uint64_t>(map.integer_or("element", 0, 0, kHighest) +
                                                      map.integer_or("byte", 0, 0, kHighest));
          image.lx_core = static_cast<std::int32_t>(map.integer_or("core", -1, 0, kMostCores - 1));
          map.finish();
          if (run.arguments.contains(name)) {
            sink_.error(value.Mark(), fmt::format("'{}' has the name of an argument", path));
          }
          run.memory[name] = image;
        });
  }

  void read_roles(SuiteRun& run) {
    const std::optional<YAML::Node> node = map_.optional("roles");
    if (!node) return;
    each_entry(
        *node, "roles",
        [&](const std::string& role, const YAML::Node& value, const std::string& path) {
          if (!value.IsScalar()) {
            sink_.error(
                value.Mark(),
                fmt::format("'{}' must be a number or the name of an argument or of memory", path));
            return;
          }
          const std::string text = value.Scalar();
          if (run.arguments.contains(text) || run.memory.contains(text)) {
            run.roles[role] = text;
          } else if (!text.empty() &&
                     text.find_first_not_of("+-.0123456789eE") == std::string::npos) {
            run.roles[role] =
                models::scalar_number(value, path, std::numeric_limits<double>::lowest(),
                                      std::numeric_limits<double>::max(), sink_)
                    .value_or(0);
          } else {
            sink_.error(value.Mark(),
                        fmt::format("'{}' is '{}', which is no argument and no memory of this run",
                                    path, text));
          }
        });
  }

  void read_tolerance(SuiteRun& run) {
    const std::optional<YAML::Node> node = map_.optional("tolerance");
    if (!node) return;
    MapReader map(*node, map_.name_of("tolerance"), sink_);
    const double most = std::numeric_limits<double>::max();
    run.tolerance.relative = map.number_or("relative", 0, 0, most);
    run.tolerance.absolute = map.number_or("absolute", 0, 0, most);
    map.finish();
  }

  template <class Action>
  void each_entry(const YAML::Node& node, const std::string& key, const Action& action) {
    const std::string path = map_.name_of(key);
    MapReader map(node, path, sink_);
    if (!map.valid()) return;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) continue;  // finish() reports it
      const std::string name = entry.first.Scalar();
      if (const auto value = map.optional(name)) action(name, *value, path + "." + name);
    }
    map.finish();
  }

  SuiteArray array_of(MapReader& map, bool number_allowed) {
    SuiteArray array;
    if (!map.valid()) return array;
    const YAML::Node value = map.required("value");
    if (value.IsDefined()) array.spec = spec_of(value, map.name_of("value"), number_allowed);
    array.repeat = map.integer_or("repeat", 1, 1, kMostRepeats);
    if (map.has("minus_infinity_from")) {
      array.minus_infinity_from = map.integer("minus_infinity_from", 0, kHighest);
    }
    return array;
  }

  ArgumentSpec spec_of(const YAML::Node& node, const std::string& path, bool number_allowed) {
    try {
      ArgumentSpec spec = parse_argument_spec(node.IsScalar() ? node.Scalar() : "");
      if (spec.kind == ArgumentSpec::Kind::file) {
        spec.file = (std::filesystem::path(folder_) / spec.file).string();
      }
      if (spec.is_generated() && !(spec.element && spec.shape)) {
        sink_.error(node.Mark(), fmt::format("'{}' is '{}': a suite says type and shape, as in "
                                             "zeros:f16[4096,1024]",
                                             path, spec.text));
      }
      if (spec.is_number() && !number_allowed) {
        sink_.error(node.Mark(), fmt::format("'{}' is a number; it must be an array", path));
      }
      return spec;
    } catch (const models::InputError& error) {
      sink_.error(node.Mark(), fmt::format("'{}': {}", path, error.diagnostics().front().message));
      return {};
    }
  }

  MapReader map_;
  std::string path_;
  std::string folder_;
  DiagnosticSink& sink_;
};

}  // namespace

KernelSuite parse_suite(const std::string& text, const std::string& file) {
  DiagnosticSink sink(file);
  MapReader map(models::parse_yaml(text, file), "", sink);
  (void)map.integer("suite", kVersion, kVersion);
  const YAML::Node runs = map.required("runs");
  KernelSuite suite{file, {}};
  if (runs.IsDefined() && (!runs.IsSequence() || runs.size() == 0)) {
    sink.error(runs.Mark(), "'runs' must be a list of runs");
  } else if (runs.IsDefined()) {
    const std::string folder = std::filesystem::path(file).parent_path().string();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      DiagnosticSink own(file);
      suite.runs.push_back(RunReader(runs[i], fmt::format("runs[{}]", i), folder, own).read());
      for (const models::Diagnostic& fault : own.diagnostics()) {
        sink.error(fault.where, fault.message, fault.rule);
      }
    }
  }
  map.finish();
  sink.throw_if_any();
  return suite;
}

KernelSuite read_suite(const std::string& path) {
  return parse_suite(models::read_text_file(path), path);
}

std::string shipped_suite() {
  constexpr const char* kName = "public_kernels.yaml";
  for (const char* folder : {SPYRE_EMU_SUITE_SOURCE_DIR, SPYRE_EMU_SUITE_INSTALL_DIR}) {
    const std::filesystem::path path = std::filesystem::path(folder) / kName;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path.string();
  }
  throw models::InputError(fmt::format(
      "the suite {} is neither in {} nor in {}; install the program again, or name a suite with "
      "--suite FILE",
      kName, SPYRE_EMU_SUITE_SOURCE_DIR, SPYRE_EMU_SUITE_INSTALL_DIR));
}

}  // namespace spyre::runtime
