// A RunResult for people at a terminal: at most 80 columns, units in every header.
#pragma once

#include <string>

#include "traces/run_result.h"

namespace spyre::traces {

struct ReportOptions {
  bool every_op = false;  ///< one row per launch instead of one per kind of launch
  bool colour = false;    ///< ANSI bold for headings
};

[[nodiscard]] std::string write_text_report(const RunResult& result,
                                            const ReportOptions& options = {});

}  // namespace spyre::traces
