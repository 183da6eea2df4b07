// Whether a run gives its reference what it needs.
#pragma once

#include "models/diagnostics/yaml_reader.h"
#include "runtime/suite/suite.h"

namespace spyre::runtime {

/// Reports a reference that does not exist, roles that it lacks or does not know, numbers where
/// arrays are due and the reverse, and a run that compares nothing.
void check_roles(const SuiteRun& run, models::DiagnosticSink& sink);

}  // namespace spyre::runtime
