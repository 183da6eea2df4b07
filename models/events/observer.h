// Everything that leaves the machine: one observer interface of plain structs. Times are absolute
// picoseconds.
//
// Events of one kind arrive in the order in which the machine decides them, not in time order: a
// request's completion is known before it happens. Observers that need time order sort.
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/tile_op.h"

namespace spyre::models {

/// Why a core is not computing. Every core cycle is busy, idle or stalled for exactly one of these.
enum class StallCause : std::uint8_t {
  launch,          ///< the kernel is being launched
  dram_read,       ///< an operand is on its way from DRAM
  dram_write,      ///< a buffer slot or the kernel's end waits for a store
  multicast_wait,  ///< a shared load waits for the other cores of its group
  ring,            ///< a tile is on its way over the ring
  signal_wait,     ///< a semaphore has not been signalled
  barrier,         ///< the other cores have not arrived, or have not finished the kernel
  pipeline_fill,   ///< matrix unit: stationary block load, fill and drain
  lx_conflict,     ///< a computation waits for LX banks that transfers use
  slot_wait,       ///< none of the above: a computation waits for another one
};
inline constexpr std::size_t kStallCauses = 10;
[[nodiscard]] std::string_view to_string(StallCause cause);

struct LaunchEvent {
  const Launch& launch;
  std::uint64_t begin_ps;  ///< previous launch's end
  std::uint64_t start_ps;  ///< cores start
  std::uint64_t end_ps;    ///< the last core is done
};

struct OpEvent {
  std::uint32_t launch;
  std::uint32_t core;
  Unit unit;
  const TileOp& op;
  std::uint64_t begin_ps;
  std::uint64_t end_ps;
};

/// One DRAM request, at most the load/store unit's largest.
struct RequestEvent {
  std::uint32_t launch;
  std::uint32_t core;  ///< the core that issued it
  std::uint16_t tensor;
  bool write;
  std::uint64_t address;
  std::uint32_t bytes;
  std::uint64_t issue_ps;
  std::uint64_t complete_ps;
};

enum class CoreActivity : std::uint8_t { matrix, vector, stalled, idle };

/// A core's state over [begin, end). Consecutive intervals of one core touch and never overlap.
struct CoreInterval {
  std::uint32_t launch;
  std::uint32_t core;
  CoreActivity activity;
  StallCause cause;  ///< when stalled
  std::uint64_t begin_ps;
  std::uint64_t end_ps;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_launch_begin(const Launch& launch, std::uint64_t begin_ps) {
    (void)launch;
    (void)begin_ps;
  }
  virtual void on_launch_end(const LaunchEvent& event) { (void)event; }
  virtual void on_op(const OpEvent& event) { (void)event; }
  virtual void on_request(const RequestEvent& event) { (void)event; }
  virtual void on_core_interval(const CoreInterval& interval) { (void)interval; }
};

}  // namespace spyre::models
