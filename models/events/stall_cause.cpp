#include "models/events/observer.h"

namespace spyre::models {

std::string_view to_string(StallCause cause) {
  switch (cause) {
    case StallCause::launch:
      return "launch";
    case StallCause::dram_read:
      return "dram_read";
    case StallCause::dram_write:
      return "dram_write";
    case StallCause::multicast_wait:
      return "multicast_wait";
    case StallCause::ring:
      return "ring";
    case StallCause::signal_wait:
      return "signal_wait";
    case StallCause::barrier:
      return "barrier";
    case StallCause::pipeline_fill:
      return "pipeline_fill";
    case StallCause::lx_conflict:
      return "lx_conflict";
    case StallCause::slot_wait:
      return "slot_wait";
  }
  return "";
}

}  // namespace spyre::models
