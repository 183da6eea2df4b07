// The comparison with a measured card as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "runtime/fidelity/fidelity_runner.h"

namespace spyre::runtime {

/// A table of the families, the worst rows, and the rows left out by reason.
[[nodiscard]] std::string fidelity_text(const std::vector<FidelityRow>& rows);

/// rows[{id, op, simulated_us, measured_us, skipped}] and
/// families[{op, rows, rms_pct, mean_pct, spearman, ibm_rms_pct}]; what is not known is null. Ends
/// with a newline.
[[nodiscard]] std::string fidelity_json(const std::vector<FidelityRow>& rows);

}  // namespace spyre::runtime
