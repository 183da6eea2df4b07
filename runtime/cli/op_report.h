// What `op` prints beside a run's report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

#include "runtime/ops/op_run.h"

namespace spyre::runtime {

/// Every op with its sizes and their defaults; those beside a family's name are those of its ops
/// that show no others.
[[nodiscard]] std::string op_list_text();
/// "values: max relative error 4.9e-04 (bound 2^-9) over 4,194,304 elements".
[[nodiscard]] std::string values_text(const std::optional<OpValues>& values);
/// Time, bytes and errors of two ops that compute the same.
[[nodiscard]] std::string side_by_side_text(const std::string& name, const OpOutcome& outcome,
                                            const std::string& other_name, const OpOutcome& other,
                                            const std::optional<OpValues>& difference);
void add_values_json(const std::optional<OpValues>& values, nlohmann::ordered_json& json);

}  // namespace spyre::runtime
