// What `--waves` is going to record, said before the run.
#pragma once

#include <string>
#include <vector>

#include "runtime/step_pipeline.h"
#include "traces/wave_window.h"

namespace spyre::runtime {

/// "waves: layer 0, 5 launches (qkv, attention, attn_out, mlp_up, mlp_down), at most 64 MB". Throws
/// models::InputError when the run has layers, but not this one, or no launch at all.
[[nodiscard]] std::string wave_plan(const std::vector<PlannedLaunch>& launches,
                                    const traces::WaveOptions& options);

}  // namespace spyre::runtime
