// What the cores and the DRAM do during a window of a run, kept for waveforms.
//
// The window is every launch of one layer. Kept: each core's activity, the operations of its units,
// its DRAM requests in flight. Not kept: addresses, tile sizes, DRAM channels and banks. Memory is
// bounded: past the bound the window ends at the earliest event that was left out, so that what is
// shown is complete up to there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/events/observer.h"

namespace spyre::traces {

struct WaveOptions {
  /// The layer to record. When no launch of the run has a layer: the first launch.
  std::int32_t layer = 0;
  /// Bounds the memory of recording, and the size of the VCD file.
  std::uint64_t max_bytes = std::uint64_t{64} << 20;
};

/// The value of an `activity` signal: 0 idle, 1 matrix, 2 vector, then the stall causes in their
/// order.
[[nodiscard]] std::uint8_t activity_code(models::CoreActivity activity, models::StallCause cause);
inline constexpr std::uint8_t kActivityCodes = 3 + models::kStallCauses;
inline constexpr std::uint8_t kFirstStallCode = 3;
/// "IDLE", "MATRIX", "VECTOR"; stall causes in lower case.
[[nodiscard]] std::string activity_name(std::uint8_t code);
/// The value of an operation signal is the Opcode's number.
inline constexpr std::uint8_t kOpcodeCodes = static_cast<std::uint8_t>(models::Opcode::barrier) + 1;

struct WaveLaunch {
  std::string name, kernel;
  std::uint32_t index = 0;
  std::uint64_t begin_ps = 0, end_ps = 0;
};

/// Something that holds from begin to end on one core.
struct WaveRecord {
  enum class Kind : std::uint8_t { activity, operation, read, write };

  std::uint64_t begin_ps = 0, end_ps = 0;
  std::uint32_t bytes = 0;  ///< read, write
  Kind kind = Kind::activity;
  std::uint8_t core = 0;
  std::uint8_t unit = 0;  ///< operation: the Unit's number
  std::uint8_t code = 0;  ///< activity: activity_code; operation: the Opcode's number

  friend auto operator<=>(const WaveRecord&, const WaveRecord&) = default;
};

struct WaveWindow {
  std::vector<WaveLaunch> launches;  ///< in time order
  std::vector<WaveRecord> records;   ///< by begin, then by the other fields: independent of arrival
  std::uint64_t begin_ps = 0, end_ps = 0;
  bool truncated = false;  ///< the bound was reached; complete up to end_ps
};

class WaveRecorder final : public models::Observer {
 public:
  explicit WaveRecorder(WaveOptions options = {}) : options_(options) {}

  void on_launch_begin(const models::Launch& launch, std::uint64_t begin_ps) override;
  void on_launch_end(const models::LaunchEvent& event) override;
  void on_op(const models::OpEvent& event) override;
  void on_request(const models::RequestEvent& event) override;
  void on_core_interval(const models::CoreInterval& interval) override;

  [[nodiscard]] const WaveOptions& options() const { return options_; }
  [[nodiscard]] bool truncated() const { return truncated_; }
  /// What was recorded, sorted.
  [[nodiscard]] WaveWindow window() const;
  /// "waves: layer 0, 5 launches, 12.345 us to 2712.000 us, 32 cores, about 8 MB".
  [[nodiscard]] std::string describe() const;
  /// Why there is nothing to show; empty when there is something.
  [[nodiscard]] std::string nothing_recorded() const;

 private:
  [[nodiscard]] bool selects(std::uint32_t launch) const;
  void add(std::uint32_t launch, const WaveRecord& record);
  bool take(std::uint64_t bytes, std::uint64_t begin_ps);

  WaveOptions options_;
  std::vector<WaveLaunch> launches_;
  std::vector<WaveRecord> records_;
  models::CoreSet cores_ = 0;
  std::uint64_t used_bytes_ = 0;
  bool truncated_ = false;
  std::uint64_t cut_ps_ = 0;  // earliest begin of what was left out
  bool fallback_ = false;     // recording the first launch, until a launch with a layer comes
  std::uint32_t launches_seen_ = 0;
  std::int32_t lowest_layer_ = -1, highest_layer_ = -1;
};

}  // namespace spyre::traces
