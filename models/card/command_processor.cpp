#include "models/card/command_processor.h"

#include "models/card/simulated_time.h"

namespace spyre::models {

CommandProcessor::CommandProcessor(sc_core::sc_module_name name, const Machine& machine,
                                   ProgramSource& program, sc_core::sc_vector<Core>& cores,
                                   const ObserverList& observers)
    : sc_module(name),
      core_sockets("core_socket", cores.size()),
      machine_(machine),
      program_(program),
      cores_(cores),
      observers_(observers),
      core_launches_(cores.size()) {
  SC_HAS_PROCESS(CommandProcessor);
  host_socket.register_nb_transport_fw(this, &CommandProcessor::run_program);
  for (std::size_t core = 0; core < core_sockets.size(); ++core) {
    core_sockets[core].register_nb_transport_bw(this, &CommandProcessor::core_done,
                                                static_cast<int>(core));
    core_launches_[core].extension.launch = &launch_;
    core_launches_[core].payload.set_extension(&core_launches_[core].extension);
  }
  SC_METHOD(next_launch);
  sensitive << next_;
  dont_initialize();
}

CommandProcessor::~CommandProcessor() {
  for (CoreLaunch& launch : core_launches_) launch.payload.clear_extension(&launch.extension);
}

tlm::tlm_sync_enum CommandProcessor::run_program(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                                 sc_core::sc_time& delay) {
  job_ = &payload;
  // From the beginning of time: the host's launch is part of the run.
  begin_ps_ = 0;
  next_.notify(delay);
  return tlm::TLM_ACCEPTED;
}

void CommandProcessor::next_launch() {
  if (launches_ > 0) end_launch();
  if (!program_.next_launch(launch_)) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host_socket->nb_transport_bw(*job_, phase, delay);
    return;
  }
  ++launches_;
  observers_.launch_begin(launch_, begin_ps_);
  start_cores(now_ps() + static_cast<Picoseconds>(machine_.host.kernel_launch_ps));
}

void CommandProcessor::start_cores(Picoseconds start) {
  start_ps_ = start;
  running_ = launch_.cores;
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    const auto id = static_cast<std::uint32_t>(core);
    if (!takes_part(core)) continue;
    observers_.core_interval(
        {launch_.index, id, CoreActivity::stalled, StallCause::launch, begin_ps_, start});
    cores_[core].ring_port.reset(launch_);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = delay_until(start);
    core_sockets[core]->nb_transport_fw(core_launches_[core].payload, phase, delay);
  }
  if (running_ == 0) next_.notify(delay_until(start));
}

tlm::tlm_sync_enum CommandProcessor::core_done(int core, tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                               sc_core::sc_time& delay) {
  core_launches_[static_cast<std::size_t>(core)].done_ps = time_after(delay);
  running_ &= ~(CoreSet{1} << core);
  if (running_ == 0) next_.notify(delay);
  return tlm::TLM_COMPLETED;
}

void CommandProcessor::end_launch() {
  const Picoseconds end = now_ps();
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    const auto id = static_cast<std::uint32_t>(core);
    if (takes_part(core)) {
      observers_.core_interval({launch_.index, id, CoreActivity::stalled, StallCause::barrier,
                                core_launches_[core].done_ps, end});
    } else {
      observers_.core_interval(
          {launch_.index, id, CoreActivity::idle, StallCause::launch, begin_ps_, end});
    }
  }
  observers_.launch_end({launch_, begin_ps_, start_ps_, end});
  begin_ps_ = end;
}

}  // namespace spyre::models
