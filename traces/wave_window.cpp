#include "traces/wave_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "traces/vcd_writer.h"

namespace spyre::traces {
namespace {

// A record is kept once while the run goes on and once more, sorted, while the file is written.
constexpr std::uint64_t kRecordBytes = 2 * sizeof(WaveRecord);
static_assert(sizeof(WaveRecord) == 24);
static_assert(models::kMaxCores <= std::numeric_limits<std::uint8_t>::max());

std::string microseconds(std::uint64_t ps) {
  return fmt::format("{}.{:03} us", ps / 1'000'000, ps % 1'000'000 / 1'000);
}

std::string about_bytes(std::uint64_t bytes) {
  if (bytes < 1'000'000) return fmt::format("about {} kB", (bytes + 999) / 1'000);
  return fmt::format("about {} MB", (bytes + 500'000) / 1'000'000);
}

}  // namespace

std::uint8_t activity_code(models::CoreActivity activity, models::StallCause cause) {
  switch (activity) {
    case models::CoreActivity::idle:
      return 0;
    case models::CoreActivity::matrix:
      return 1;
    case models::CoreActivity::vector:
      return 2;
    case models::CoreActivity::stalled:
      break;
  }
  return static_cast<std::uint8_t>(kFirstStallCode + static_cast<std::uint8_t>(cause));
}

std::string activity_name(std::uint8_t code) {
  switch (code) {
    case 0:
      return "IDLE";
    case 1:
      return "MATRIX";
    case 2:
      return "VECTOR";
    default:
      return std::string(to_string(static_cast<models::StallCause>(code - kFirstStallCode)));
  }
}

void WaveRecorder::on_launch_begin(const models::Launch& launch, std::uint64_t begin_ps) {
  if (launch.layer >= 0) {
    lowest_layer_ = lowest_layer_ < 0 ? launch.layer : std::min(lowest_layer_, launch.layer);
    highest_layer_ = std::max(highest_layer_, launch.layer);
    if (fallback_) {  // the run has layers after all
      fallback_ = truncated_ = false;
      used_bytes_ = cores_ = 0;
      launches_.clear();
      records_.clear();
    }
  }
  const bool first = launches_seen_++ == 0;
  if (launch.layer != options_.layer) {
    fallback_ = first && launch.layer < 0;
    if (!fallback_) return;
  }
  if (!take(sizeof(WaveLaunch) + launch.name.size() + launch.kernel.size(), begin_ps)) return;
  cores_ |= launch.cores;
  launches_.push_back({launch.name, launch.kernel, launch.index, begin_ps, 0});
}

void WaveRecorder::on_launch_end(const models::LaunchEvent& event) {
  for (WaveLaunch& launch : launches_) {
    if (launch.index == event.launch.index) launch.end_ps = event.end_ps;
  }
}

void WaveRecorder::on_op(const models::OpEvent& event) {
  add(event.launch, {event.begin_ps, event.end_ps, 0, WaveRecord::Kind::operation,
                     static_cast<std::uint8_t>(event.core), static_cast<std::uint8_t>(event.unit),
                     static_cast<std::uint8_t>(event.op.opcode)});
}

void WaveRecorder::on_request(const models::RequestEvent& event) {
  add(event.launch, {event.issue_ps, event.complete_ps, event.bytes,
                     event.write ? WaveRecord::Kind::write : WaveRecord::Kind::read,
                     static_cast<std::uint8_t>(event.core), 0, 0});
}

void WaveRecorder::on_core_interval(const models::CoreInterval& interval) {
  add(interval.launch, {interval.begin_ps, interval.end_ps, 0, WaveRecord::Kind::activity,
                        static_cast<std::uint8_t>(interval.core), 0,
                        activity_code(interval.activity, interval.cause)});
}

bool WaveRecorder::selects(std::uint32_t launch) const {
  if (launches_.empty() || launch > launches_.back().index) return false;
  if (launch == launches_.back().index) return true;
  return std::ranges::binary_search(launches_, launch, {}, &WaveLaunch::index);
}

void WaveRecorder::add(std::uint32_t launch, const WaveRecord& record) {
  if (!selects(launch) || record.begin_ps >= record.end_ps) return;
  if (take(kRecordBytes, record.begin_ps)) records_.push_back(record);
}

bool WaveRecorder::take(std::uint64_t bytes, std::uint64_t begin_ps) {
  if (truncated_) {
    cut_ps_ = std::min(cut_ps_, begin_ps);
    return false;
  }
  if (used_bytes_ + bytes > options_.max_bytes) {
    truncated_ = true;
    cut_ps_ = begin_ps;
    return false;
  }
  used_bytes_ += bytes;
  return true;
}

WaveWindow WaveRecorder::window() const {
  WaveWindow window{launches_, records_, 0, 0, truncated_};
  if (launches_.empty()) return window;
  std::ranges::sort(window.records);
  window.begin_ps = launches_.front().begin_ps;
  std::uint64_t last_ps = window.begin_ps;  // of a launch that did not end: what is known of it
  for (const WaveRecord& record : records_) last_ps = std::max(last_ps, record.end_ps);
  for (WaveLaunch& launch : window.launches) {
    if (launch.end_ps == 0) launch.end_ps = std::max(launch.begin_ps, last_ps);
    window.end_ps = std::max(window.end_ps, launch.end_ps);
  }
  if (truncated_) window.end_ps = std::clamp(cut_ps_, window.begin_ps, window.end_ps);
  std::erase_if(window.launches, [&](const WaveLaunch& launch) {
    return launch.begin_ps >= window.end_ps && launch.index != launches_.front().index;
  });
  return window;
}

std::string WaveRecorder::nothing_recorded() const {
  if (!launches_.empty()) return "";
  if (truncated_) return "the bound of the recording is too small for one launch";
  if (launches_seen_ == 0) return "the run has no launches";
  if (lowest_layer_ < 0) return fmt::format("the run has no layer {}", options_.layer);
  return fmt::format("the run has no layer {}; its layers are {} to {}", options_.layer,
                     lowest_layer_, highest_layer_);
}

std::string WaveRecorder::describe() const {
  if (const std::string reason = nothing_recorded(); !reason.empty())
    return "waves: none: " + reason;
  const WaveWindow recorded = window();
  const VcdText vcd = write_vcd(recorded, std::bit_width(cores_), options_.max_bytes);
  std::string text =
      fallback_ ? fmt::format("waves: launch {}", recorded.launches.front().name)
                : fmt::format("waves: layer {}, {} {}", options_.layer, recorded.launches.size(),
                              recorded.launches.size() == 1 ? "launch" : "launches");
  text +=
      fmt::format(", {} to {}, {} cores, {}", microseconds(recorded.begin_ps),
                  microseconds(vcd.end_ps), std::popcount(cores_), about_bytes(vcd.text.size()));
  if (vcd.truncated)
    text += fmt::format("; cut there: recording or file reached the bound of {} MB",
                        options_.max_bytes >> 20);
  return text;
}

}  // namespace spyre::traces
