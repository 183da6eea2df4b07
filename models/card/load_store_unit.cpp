#include "models/card/load_store_unit.h"

#include <algorithm>
#include <bit>

#include "models/card/lx_scratchpad.h"
#include "models/card/simulated_time.h"

namespace spyre::models {

LoadStoreUnit::LoadStoreUnit(sc_core::sc_module_name name, std::uint32_t core,
                             const Machine& machine, const DataPlane& data,
                             const ObserverList& observers)
    : sc_module(name), core_(core), machine_(machine), data_(data), observers_(observers) {
  op_socket.register_nb_transport_fw(this, &LoadStoreUnit::start);
  memory_socket.register_nb_transport_bw(this, &LoadStoreUnit::respond);
  shared_load_socket.register_nb_transport_bw(this, &LoadStoreUnit::shared_load);

  const auto window_size = static_cast<std::size_t>(machine.load_store.outstanding_requests);
  for (auto& slots : free_slots_) slots.assign(window_size, 0);
  requests_ = std::vector<Request>(2 * window_size);
  for (std::uint32_t id = 0; id < requests_.size(); ++id) {
    requests_[id].extension.slot = id;
    requests_[id].payload.set_extension(&requests_[id].extension);
    free_requests_.push_back(id);
  }
  shared_payload_.set_extension(&shared_extension_);
}

LoadStoreUnit::~LoadStoreUnit() {
  // The extensions are members: take them back before the payloads delete them.
  for (Request& request : requests_) request.payload.clear_extension(&request.extension);
  shared_payload_.clear_extension(&shared_extension_);
}

tlm::tlm_sync_enum LoadStoreUnit::start(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                        sc_core::sc_time& delay) {
  auto* extension = payload.get_extension<TileOpExtension>();
  const TileOp& op = *extension->op;
  const auto max_bytes = static_cast<std::uint32_t>(machine_.load_store.max_request_bytes);
  Transfer& transfer = transfers_.emplace_back();
  transfer.payload = &payload;
  transfer.extension = extension;
  transfer.rows = RequestIterator(op.runs, max_bytes);
  transfer.index = RequestIterator(op.index_runs, max_bytes);
  transfer.write = op.opcode == Opcode::store || op.opcode == Opcode::scatter;
  transfer.shared = std::popcount(op.sharers) > 1;
  transfer.not_before = transfer.last = time_after(delay);
  extension->waits_for_sharers = transfer.shared;
  if (transfer.shared) {
    tell_ring(transfer, SharedLoadExtension::Step::join, transfer.not_before);
  } else if (op.lx_core >= 0) {
    copy_between_lx(transfer);
  } else {
    begin_issuing(transfer);
  }
  return tlm::TLM_ACCEPTED;
}

void LoadStoreUnit::begin_issuing(Transfer& transfer) {
  issuing_ = &transfer;
  issue();
  if (transfer.all_issued && transfer.in_flight == 0) complete(transfer);
}

void LoadStoreUnit::resolve_rows(Transfer& transfer) {
  const TileOp& op = *transfer.extension->op;
  if (op.index_terms.empty() || !op.runs.empty()) return;
  try {
    data_.resolve(op, transfer.resolved);
  } catch (const IndexError& error) {
    SC_REPORT_ERROR("/spyre/dram/index", error.what());
  }
  transfer.rows = RequestIterator(
      transfer.resolved, static_cast<std::uint32_t>(machine_.load_store.max_request_bytes));
}

void LoadStoreUnit::copy_between_lx(Transfer& transfer) {
  const TileOp& op = *transfer.extension->op;
  const LxOperand& local = transfer.write ? op.sources[0] : op.destination;
  const auto other = static_cast<std::uint32_t>(op.lx_core);
  Picoseconds time = transfer.not_before;
  if (transfer.write) time = lx_transfer(local, local.bytes, false, time);
  if (other != core_) {
    shared_extension_.step = SharedLoadExtension::Step::forward;
    shared_extension_.leader = transfer.write ? core_ : other;
    shared_extension_.sharers = CoreSet{1} << (transfer.write ? other : core_);
    shared_extension_.bytes = local.bytes;
    sc_core::sc_time arrival = delay_until(time);
    shared_load_socket->b_transport(shared_payload_, arrival);
    time = time_after(arrival);
  }
  if (!transfer.write) time = lx_transfer(local, local.bytes, true, time);
  transfer.last = time;
  transfer.all_issued = true;
  tell_sequencer(transfer, tlm::END_REQ, time);
  retire(transfer);
}

void LoadStoreUnit::issue() {
  Transfer& transfer = *issuing_;
  const TileOp& op = *transfer.extension->op;
  if (!transfer.index_arrived) {
    while (!transfer.index.done() && !window(false).empty()) {
      send(transfer, transfer.index, op.index_tensor, false);
    }
    if (!transfer.index.done() || transfer.in_flight > 0) return;
    transfer.index_arrived = true;
    resolve_rows(transfer);
    transfer.not_before = std::max(transfer.not_before, transfer.last);
  }
  while (!transfer.rows.done() && !window(transfer.write).empty()) {
    send(transfer, transfer.rows, op.tensor, transfer.write);
  }
  if (!transfer.rows.done()) return;
  transfer.all_issued = true;
  issuing_ = nullptr;
  if (transfer.shared) tell_ring(transfer, SharedLoadExtension::Step::issued, transfer.not_before);
  tell_sequencer(transfer, tlm::END_REQ, transfer.not_before);
}

void LoadStoreUnit::send(Transfer& transfer, RequestIterator& requests, std::uint16_t tensor,
                         bool write) {
  std::vector<Picoseconds>& slots = window(write);
  const auto earliest = std::min_element(slots.begin(), slots.end());
  Picoseconds time = std::max({transfer.not_before, *earliest, now_ps()});
  slots.erase(earliest);
  transfer.not_before = time;

  const RequestIterator::Request cut = requests.next();
  if (write) time = lx_transfer(transfer.extension->op->sources[0], cut.bytes, false, time);
  const std::uint32_t id = free_requests_.back();
  free_requests_.pop_back();
  Request& request = requests_[id];
  request.transfer = &transfer;
  request.tensor = tensor;
  request.issued = time;
  request.extension.multicast = transfer.shared;
  request.payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  request.payload.set_address(cut.address);
  request.payload.set_data_length(cut.bytes);
  request.payload.set_streaming_width(cut.bytes);
  request.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  ++transfer.in_flight;

  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = delay_until(time);
  if (memory_socket->nb_transport_fw(request.payload, phase, delay) == tlm::TLM_COMPLETED) {
    SC_REPORT_ERROR("/spyre/dram/address",
                    ("request of " + std::to_string(cut.bytes) + " bytes at address " +
                     std::to_string(cut.address) + " lies beyond the card's memory")
                        .c_str());
  }
}

tlm::tlm_sync_enum LoadStoreUnit::respond(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                          sc_core::sc_time& delay) {
  Request& request = requests_[payload.get_extension<RequestExtension>()->slot];
  Transfer& transfer = *request.transfer;
  const TileOp& op = *transfer.extension->op;
  const bool write = payload.is_write();
  Picoseconds time = time_after(delay);
  if (!write) time = lx_transfer(op.destination, payload.get_data_length(), true, time);

  observers_.request({transfer.extension->launch, core_, request.tensor, write,
                      payload.get_address(), payload.get_data_length(), request.issued, time});
  window(write).push_back(time);
  free_requests_.push_back(request.extension.slot);
  --transfer.in_flight;

  if (transfer.shared) {
    shared_extension_.step = SharedLoadExtension::Step::forward;
    shared_extension_.leader = core_;
    shared_extension_.sharers = op.sharers;
    shared_extension_.tag = op.share_tag;
    shared_extension_.bytes = payload.get_data_length();
    sc_core::sc_time arrival = delay_until(time);
    shared_load_socket->b_transport(shared_payload_, arrival);
    time = time_after(arrival);
  }
  transfer.last = std::max(transfer.last, time);

  if (issuing_ != nullptr) issue();
  if (transfer.all_issued && transfer.in_flight == 0) complete(transfer);
  return tlm::TLM_COMPLETED;
}

void LoadStoreUnit::complete(Transfer& transfer) {
  if (transfer.shared) tell_ring(transfer, SharedLoadExtension::Step::complete, transfer.last);
  retire(transfer);
}

void LoadStoreUnit::retire(Transfer& transfer) {
  tell_sequencer(transfer, tlm::BEGIN_RESP, transfer.last);
  transfer.payload = nullptr;
  while (!transfers_.empty() && transfers_.front().payload == nullptr) transfers_.pop_front();
}

void LoadStoreUnit::tell_sequencer(Transfer& transfer, tlm::tlm_phase phase, Picoseconds time) {
  sc_core::sc_time delay = delay_until(std::max(time, now_ps()));
  op_socket->nb_transport_bw(*transfer.payload, phase, delay);
}

void LoadStoreUnit::tell_ring(const Transfer& transfer, SharedLoadExtension::Step step,
                              Picoseconds time) {
  shared_extension_.step = step;
  shared_extension_.sharers = transfer.extension->op->sharers;
  shared_extension_.tag = transfer.extension->op->share_tag;
  shared_extension_.bytes = 0;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = delay_until(std::max(time, now_ps()));
  shared_load_socket->nb_transport_fw(shared_payload_, phase, delay);
}

tlm::tlm_sync_enum LoadStoreUnit::shared_load(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                              sc_core::sc_time& delay) {
  const auto& extension = *payload.get_extension<SharedLoadExtension>();
  const auto found =
      std::find_if(transfers_.begin(), transfers_.end(), [&](const Transfer& transfer) {
        return transfer.payload != nullptr && transfer.shared &&
               transfer.extension->op->sharers == extension.sharers &&
               transfer.extension->op->share_tag == extension.tag;
      });
  Transfer& transfer = *found;
  const Picoseconds time = time_after(delay);
  switch (extension.step) {
    case SharedLoadExtension::Step::start:
      tell_sequencer(transfer, SHARERS_JOINED, time);
      transfer.not_before = std::max(transfer.not_before, time);
      if (extension.leader == core_) begin_issuing(transfer);
      break;
    case SharedLoadExtension::Step::issued:
      tell_sequencer(transfer, tlm::END_REQ, time);
      break;
    case SharedLoadExtension::Step::complete:
      // The bytes have come in piece by piece since the requests went out.
      transfer.last = std::max(
          time, lx_transfer(transfer.extension->op->destination,
                            transfer.extension->op->destination.bytes, true, transfer.not_before));
      retire(transfer);
      break;
    case SharedLoadExtension::Step::join:
    case SharedLoadExtension::Step::forward:
      break;
  }
  return tlm::TLM_COMPLETED;
}

Picoseconds LoadStoreUnit::lx_transfer(const LxOperand& tile, std::uint32_t bytes, bool write,
                                       Picoseconds time) {
  set_lx_access(lx_access_, tile.address, bytes, write);
  sc_core::sc_time delay = delay_until(time);
  lx_socket->b_transport(lx_access_, delay);
  if (lx_access_.is_response_error()) {
    SC_REPORT_ERROR("/spyre/lx/address", ("tile at LX address " + std::to_string(tile.address) +
                                          " lies beyond the scratchpad")
                                             .c_str());
  }
  return time_after(delay);
}

}  // namespace spyre::models
