#include "traces/result_json.h"

#include <nlohmann/json.hpp>

#include "traces/summary.h"

namespace spyre::traces {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json stalls_json(const CoreCycles& cycles) {
  Json stalls = Json::object();
  for (std::size_t cause = 0; cause < models::kStallCauses; ++cause) {
    stalls[std::string(models::to_string(static_cast<models::StallCause>(cause)))] =
        cycles.stalls[cause];
  }
  return stalls;
}

Json bytes_json(const ByteCounts& bytes) {
  return {{"weights", bytes.weights},
          {"kv_read", bytes.kv_read},
          {"kv_write", bytes.kv_write},
          {"embedding", bytes.embedding},
          {"activations", bytes.activations},
          {"constants", bytes.constants},
          {"padding", bytes.padding},
          {"reread", bytes.reread},
          {"total", bytes.total()}};
}

Json dram_json(const RunResult& result, const Summary& summary) {
  const models::ChannelCounters& channels = summary.channels;
  const auto burst = static_cast<std::uint64_t>(result.machine.dram.burst_bytes);
  Json per_channel = Json::array();
  for (const models::ChannelCounters& channel : result.channels) {
    per_channel.push_back((channel.read_bursts + channel.write_bursts) * burst);
  }
  return {
      {"read_bytes", channels.read_bursts * burst}, {"write_bytes", channels.write_bursts * burst},
      {"ecc_bytes", channels.ecc_bursts * burst},   {"row_hits", channels.row_hits},
      {"row_misses", channels.row_misses},          {"row_hit_rate", summary.row_hit_rate},
      {"bus_utilisation", summary.bus_utilisation}, {"activates", channels.activates},
      {"precharges", channels.precharges},          {"refreshes", channels.refreshes},
      {"turnarounds", channels.turnarounds},        {"bytes_by_channel", per_channel}};
}

}  // namespace

std::string write_result_json(const RunResult& result) {
  const Summary summary = summarise(result);
  Json json;
  json["model"] = meta_text(result, "model");
  json["phase"] = meta_text(result, "phase");
  json["batch"] = number_or_null(meta_number(result, "batch"));
  json["context"] = number_or_null(meta_number(result, "context"));
  json["chunk"] = number_or_null(meta_number(result, "chunk"));
  json["dtype"] = meta_text(result, "dtype");
  json["cores"] = result.cores;
  json["interrupted"] = result.interrupted;
  json["cycles"] = result.cycles;
  json["time_ms"] = summary.time_ms;
  json["roofline_ms"] = summary.roofline_ms;
  json["tokens_per_s"] = summary.tokens_per_s ? Json(*summary.tokens_per_s) : Json(nullptr);
  json["bytes"] = bytes_json(result.bytes);
  json["dram"] = dram_json(result, summary);
  json["achieved_gbps"] = summary.achieved_gbps;
  json["mbu_peak"] = summary.mbu_peak;
  json["mbu_measured"] = summary.mbu_measured;
  json["flops"] = summary.flops;
  json["mfu"] = summary.mfu;
  json["ridge_point"] = summary.ridge_point;
  json["core_cycles"] = {{"total", summary.cores.total()},
                         {"matrix", summary.cores.matrix},
                         {"vector", summary.cores.vector},
                         {"stalled", summary.cores.stalled()},
                         {"idle", summary.cores.idle}};
  json["stalls"] = stalls_json(summary.cores);
  json["load_imbalance"] = summary.load_imbalance;
  json["requests"] = result.requests;
  json["tile_ops"] = result.tile_ops;

  Json& ops = json["ops"] = Json::array();
  for (const OpResult& op : result.ops) {
    ops.push_back({{"name", op.name},
                   {"layer", op.layer < 0 ? Json(nullptr) : Json(op.layer)},
                   {"flops", op.flops},
                   {"bytes", op.bytes},
                   {"intensity", op.intensity},
                   {"ridge", op.ridge},
                   {"roofline_ms", op.roofline_ms},
                   {"time_ms", op.time_ms},
                   {"bound", op.bound}});
  }
  Json& tensors = json["tensors"] = Json::array();
  for (const TensorBytes& tensor : result.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"kind", tensor.kind},
                       {"read_bytes", tensor.read},
                       {"write_bytes", tensor.written},
                       {"padding", tensor.read_padding + tensor.written_padding},
                       {"reread", tensor.reread}});
  }
  Json& cores = json["per_core"] = Json::array();
  for (const CoreCycles& core : result.core_cycles) {
    cores.push_back({{"matrix", core.matrix},
                     {"vector", core.vector},
                     {"idle", core.idle},
                     {"stalls", stalls_json(core)}});
  }
  for (const OtherTiming& other : result.other_timings) {
    Json parts = Json::object();
    for (const auto& [name, cycles] : other.parts) parts[name] = cycles;
    json["other_timings"][other.model] = {{"cycles", other.cycles},
                                          {"bound", other.bound},
                                          {"parts", parts},
                                          {"dram_bytes", other.dram_bytes},
                                          {"operations", other.operations}};
  }
  Json& machine = json["machine"] = Json::object();
  machine["name"] = result.machine.name;
  for (const models::MachineEntry& entry : result.machine_entries) {
    machine[entry.key] = {{"value", entry.value},
                          {"unit", entry.unit},
                          {"confidence", std::string(models::to_string(entry.confidence))},
                          {"source", entry.source}};
  }
  // Names come from schedules: what is no UTF-8 in them becomes U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace spyre::traces
