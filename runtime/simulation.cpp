#include "runtime/simulation.h"

#include <memory>
#include <stdexcept>
#include <systemc>

#include "models/card/card.h"

namespace spyre::runtime {
namespace {

/// A kernel context of its own for one simulation. The context must outlive the modules made under
/// it.
class KernelContext {
 public:
  KernelContext() : context_(std::make_unique<sc_core::sc_simcontext>()) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context_.get();
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  }
  ~KernelContext() {
    context_.reset();
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = nullptr;
  }
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;

 private:
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

// Between two looks at the stop flag. Long against an event, short against a person's patience.
constexpr models::Picoseconds kSlicePs = 100'000'000;

std::string stuck_cores(const models::Card& card) {
  std::string text;
  for (std::size_t core = 0; core < card.cores.size(); ++core) {
    const std::string waits = card.cores[core].sequencer.waits_for();
    if (!waits.empty()) text += "core " + std::to_string(core) + " waits for " + waits + "\n";
  }
  return text;
}

}  // namespace

SimulationOutcome simulate(const models::Machine& machine, models::ProgramSource& program,
                           models::DataPlane& data, const std::vector<models::Observer*>& observers,
                           const SimulationOptions& options) {
  const KernelContext context;
  const models::ObserverList observer_list(observers);
  models::Card card("card", machine, program, data, observer_list);

  SimulationOutcome outcome;
  while (!card.host_link.job_done()) {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) {
      outcome.end = SimulationOutcome::End::interrupted;
      break;
    }
    sc_core::sc_start(sc_core::sc_time::from_value(kSlicePs), sc_core::SC_EXIT_ON_STARVATION);
    if (options.progress) {
      options.progress(sc_core::sc_time_stamp().value(), card.command_processor.launches());
    }
    if (!card.host_link.job_done() && !sc_core::sc_pending_activity()) {
      outcome.end = SimulationOutcome::End::deadlocked;
      outcome.deadlock = stuck_cores(card);
      break;
    }
  }

  outcome.time_ps =
      card.host_link.job_done() ? card.host_link.done_ps() : sc_core::sc_time_stamp().value();
  outcome.requests = card.memory_controller.requests();
  outcome.launches = card.command_processor.launches();
  outcome.ring_busy_ps = card.ring.timeline().busy_ps();
  for (const models::Core& core : card.cores)
    outcome.tile_ops += core.sequencer.completed_operations();
  const models::MemorySystem& memory = card.memory_controller.memory();
  for (std::size_t channel = 0; channel < memory.channels(); ++channel) {
    outcome.channels.push_back(memory.counters(channel));
  }
  return outcome;
}

}  // namespace spyre::runtime
