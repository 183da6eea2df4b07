#include "runtime/suite/role_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/suite/references.h"

namespace spyre::runtime {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_number(const SuiteRun& run, const SuiteRole& role) {
  const std::string* name = std::get_if<std::string>(&role);
  if (name == nullptr) return true;
  const auto argument = run.arguments.find(*name);
  return argument != run.arguments.end() && argument->second.spec.is_number();
}

void check_role(const SuiteRun& run, const Reference& reference, const std::string& role,
                const SuiteRole& value, models::DiagnosticSink& sink) {
  const bool scalar = contains(reference.scalars, role);
  if (!scalar && !contains(reference.arrays, role) && !contains(reference.outputs, role)) {
    sink.error(
        run.where,
        fmt::format("the reference {} ({}) has no role '{}': its arrays are {}; its numbers "
                    "{}; its outputs {}",
                    reference.name, reference.meaning, role, fmt::join(reference.arrays, ", "),
                    reference.scalars.empty()
                        ? std::string("none")
                        : fmt::format("{}", fmt::join(reference.scalars, ", ")),
                    fmt::join(reference.outputs, ", ")));
  } else if (scalar != is_number(run, value)) {
    sink.error(run.where, fmt::format("the role '{}' of the reference {} must be {}", role,
                                      reference.name, scalar ? "a number" : "an array"));
  }
}

/// An output that lies in a core's LX is not read back.
bool is_read_back(const SuiteRun& run, const SuiteRole& role) {
  const std::string* name = std::get_if<std::string>(&role);
  if (name == nullptr) return false;
  const auto image = run.memory.find(*name);
  return image == run.memory.end() || image->second.lx_core < 0;
}

}  // namespace

void check_roles(const SuiteRun& run, models::DiagnosticSink& sink) {
  if (run.reference.empty()) {
    if (!run.roles.empty()) sink.error(run.where, "'roles' stands without a 'reference'");
    return;
  }
  const Reference* reference = nullptr;
  try {
    reference = &reference_named(run.reference);
  } catch (const models::InputError& error) {
    sink.error(run.where, error.diagnostics().front().message);
    return;
  }
  for (const auto& [role, value] : run.roles) check_role(run, *reference, role, value, sink);
  for (const auto* needed : {&reference->arrays, &reference->scalars}) {
    for (const std::string& role : *needed) {
      if (run.roles.contains(role)) continue;
      sink.error(run.where, fmt::format("the reference {} ({}) needs the role '{}'",
                                        reference->name, reference->meaning, role));
    }
  }
  bool compared = false;
  for (const std::string& output : reference->outputs) {
    const auto role = run.roles.find(output);
    if (role == run.roles.end()) continue;
    compared = true;
    if (!is_read_back(run, role->second)) {
      sink.error(run.where,
                 fmt::format("the output '{}' must be an argument or lie in DRAM", output));
    }
  }
  if (!compared) {
    sink.error(run.where, fmt::format("none of the outputs of the reference {} ({}) is compared",
                                      reference->name, fmt::join(reference->outputs, ", ")));
  }
}

}  // namespace spyre::runtime
