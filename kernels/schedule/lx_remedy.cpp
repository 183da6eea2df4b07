// Searches a change of a kernel's buffers after which it fits into LX.
#include <algorithm>

#include <fmt/format.h>

#include "kernels/schedule/checker_static.h"
#include "kernels/schedule/tile_geometry.h"

namespace spyre::kernels {
namespace {

/// A schedule of one kernel's buffers alone.
class Trial {
 public:
  Trial(const Schedule& schedule, std::size_t kernel, const models::Machine& machine)
      : machine_(machine) {
    schedule_.resident = schedule.resident;
    schedule_.kernels.resize(1);
    schedule_.kernels[0].buffers = schedule.kernels[kernel].buffers;
  }
  std::vector<Buffer>& buffers() { return schedule_.kernels[0].buffers; }
  [[nodiscard]] std::int64_t end() const { return place(schedule_, machine_).lx_end[0]; }
  [[nodiscard]] bool fits() const { return end() <= machine_.lx.usable_bytes(); }

 private:
  const models::Machine& machine_;
  Schedule schedule_;
};

std::string described(const std::string& change, const Trial& trial) {
  return fmt::format("{} it needs {} B and fits", change, trial.end());
}

/// Halves the columns of a tile, or its rows once it is one stick wide; false if it is one stick.
bool halve(Buffer& buffer, const models::Machine& machine) {
  if (buffer.shape.empty()) return false;
  const std::int64_t stick = elements_per_stick(buffer.type, machine);
  std::int64_t& columns = buffer.shape.back();
  if (columns > stick) {
    columns = std::max(stick, columns / 2 / stick * stick);
    return true;
  }
  if (buffer.shape.size() < 2 || buffer.shape[0] < 2) return false;
  buffer.shape[0] /= 2;
  return true;
}

}  // namespace

std::string lx_remedy(const Schedule& schedule, std::size_t kernel,
                      const models::Machine& machine) {
  const Trial original(schedule, kernel, machine);
  Trial trial = original;
  bool moved = false;
  for (Buffer& buffer : trial.buffers()) {
    moved = moved || buffer.address.has_value();
    buffer.address.reset();
  }
  if (moved && trial.fits()) return described("without explicit addresses", trial);

  // One slot fewer after the other, for the buffer where that frees least and still is enough.
  std::string best;
  std::int64_t best_end = -1;
  for (std::size_t i = 0; i < trial.buffers().size(); ++i) {
    Trial fewer = trial;
    Buffer& buffer = fewer.buffers()[i];
    while (buffer.slots > 1 && !fewer.fits()) --buffer.slots;
    if (fewer.fits() && fewer.end() > best_end) {
      best_end = fewer.end();
      best = described(fmt::format("with '{}' at slots: {}", buffer.name, buffer.slots), fewer);
    }
  }
  if (!best.empty()) return best;

  for (Buffer& buffer : trial.buffers()) buffer.slots = 1;
  if (trial.fits()) return described("with one slot for every buffer", trial);

  for (int step = 0; step < 64 && !trial.fits(); ++step) {
    const auto largest = std::max_element(trial.buffers().begin(), trial.buffers().end(),
                                          [&](const Buffer& a, const Buffer& b) {
                                            return slot_bytes(a, machine) < slot_bytes(b, machine);
                                          });
    if (largest == trial.buffers().end() || !halve(*largest, machine)) return "";
  }
  if (!trial.fits()) return "";
  std::string shapes;
  for (const Buffer& buffer : trial.buffers()) {
    shapes += fmt::format("{}{}: [{}]", shapes.empty() ? "" : ", ", buffer.name,
                          fmt::join(buffer.shape, ", "));
  }
  return described("with one slot each and tiles no larger than " + shapes, trial);
}

}  // namespace spyre::kernels
