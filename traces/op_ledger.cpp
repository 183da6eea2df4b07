#include "traces/op_ledger.h"

#include <algorithm>
#include <bit>

#include "models/analytic/roofline.h"

namespace spyre::traces {
namespace {

constexpr std::array<const char*, 4> kShareNames{"memory", "compute", "ring", "overhead"};

}  // namespace

void OpLedger::on_launch_begin(const models::Launch& launch, std::uint64_t begin_ps) {
  Row row;
  row.name = launch.name;
  row.layer = launch.layer;
  row.cores = launch.cores;
  row.begin_ps = row.end_ps = begin_ps;
  rows_.push_back(std::move(row));
}

void OpLedger::on_op(const models::OpEvent& event) {
  if (event.op.opcode != models::Opcode::matmul) return;
  Row& row = rows_[event.launch];
  const std::uint64_t flops = std::uint64_t{2} * event.op.m * event.op.n * event.op.k;
  row.flops += flops;
  row.compute_seconds +=
      static_cast<double>(flops) / machine_.peak_flops(event.op.type, std::popcount(row.cores));
}

void OpLedger::on_core_interval(const models::CoreInterval& interval) {
  // Until the launch ends, this is what is known of its time.
  rows_[interval.launch].end_ps = std::max(rows_[interval.launch].end_ps, interval.end_ps);
  if (interval.activity == models::CoreActivity::idle) return;
  Share share = compute;
  if (interval.activity == models::CoreActivity::stalled) {
    switch (interval.cause) {
      case models::StallCause::dram_read:
      case models::StallCause::dram_write:
      case models::StallCause::multicast_wait:
        share = memory;
        break;
      case models::StallCause::ring:
      case models::StallCause::signal_wait:
        share = ring;
        break;
      case models::StallCause::launch:
      case models::StallCause::barrier:
        share = overhead;
        break;
      case models::StallCause::pipeline_fill:
      case models::StallCause::lx_conflict:
      case models::StallCause::slot_wait:
        break;
    }
  }
  rows_[interval.launch].core_ps[share] += interval.end_ps - interval.begin_ps;
}

void OpLedger::on_launch_end(const models::LaunchEvent& event) {
  rows_[event.launch.index].end_ps = event.end_ps;
}

std::vector<OpResult> OpLedger::rows(const DramLedger& dram) const {
  const double bandwidth = machine_.dram.peak_bytes_per_second();
  std::vector<OpResult> results;
  for (std::size_t index = 0; index < rows_.size(); ++index) {
    const Row& row = rows_[index];
    OpResult result;
    result.name = row.name;
    result.layer = row.layer;
    result.flops = row.flops;
    result.bytes = dram.useful_bytes(index);
    result.intensity = result.bytes == 0
                           ? 0.0
                           : models::arithmetic_intensity(static_cast<double>(result.flops),
                                                          static_cast<double>(result.bytes));
    const double peak = row.flops == 0
                            ? machine_.peak_flops(models::DataType::fp16, std::popcount(row.cores))
                            : static_cast<double>(row.flops) / row.compute_seconds;
    result.ridge = models::ridge_point({peak, bandwidth});
    result.roofline_ms =
        1e3 * std::max(row.compute_seconds, static_cast<double>(result.bytes) / bandwidth);
    result.time_ms = static_cast<double>(row.end_ps - row.begin_ps) * 1e-9;
    const auto largest = std::max_element(row.core_ps.begin(), row.core_ps.end());
    result.bound = kShareNames[static_cast<std::size_t>(largest - row.core_ps.begin())];
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace spyre::traces
