#include "kernels/lowering/lx_allocation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "kernels/lowering/buffer_lives.h"

namespace spyre::kernels::lowering {
namespace {

constexpr std::size_t kMostNamed = 12;

struct Range64 {
  std::int64_t begin = 0, end = 0;
};

struct Place {
  std::int64_t bytes = 0;
  std::vector<std::size_t> members;
  std::int64_t address = 0;
};

class Allocation {
 public:
  Allocation(const Kernel& kernel, const BufferLives& lives, std::vector<std::int64_t> bytes,
             std::vector<Range64> reserved, std::int64_t usable)
      : kernel_(kernel),
        lives_(lives),
        bytes_(std::move(bytes)),
        reserved_(std::move(reserved)),
        usable_(usable) {}

  /// Whether all buffers fit, those with two slots apart from the others.
  bool place(const std::vector<std::int64_t>& slots) {
    places_.clear();
    std::vector<std::size_t> order(kernel_.buffers.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return bytes_[a] * slots[a] > bytes_[b] * slots[b];
    });
    for (const std::size_t buffer : order) {
      if (lives_.life(buffer).begin < 0) continue;
      Place* found = nullptr;
      if (slots[buffer] == 1) found = sharable(buffer, slots);
      if (found == nullptr) {
        places_.push_back({bytes_[buffer] * slots[buffer], {}, 0});
        found = &places_.back();
      }
      found->members.push_back(buffer);
    }
    std::vector<Range64> taken = reserved_;
    for (Place& each : places_) {
      each.address = lowest_gap(taken, each.bytes);
      if (each.address + each.bytes > usable_) return false;
      taken.push_back({each.address, each.address + each.bytes});
    }
    return true;
  }
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }

 private:
  Place* sharable(std::size_t buffer, const std::vector<std::int64_t>& slots) {
    for (Place& each : places_) {
      const bool free = std::ranges::all_of(each.members, [&](std::size_t member) {
        return slots[member] == 1 && !lives_.life(member).overlaps(lives_.life(buffer));
      });
      if (free) return &each;
    }
    return nullptr;
  }

  static std::int64_t lowest_gap(std::vector<Range64> taken, std::int64_t bytes) {
    std::ranges::sort(taken, {}, &Range64::begin);
    std::int64_t address = 0;
    for (const Range64& each : taken) {
      if (each.begin >= address + bytes) break;
      address = std::max(address, each.end);
    }
    return address;
  }

  const Kernel& kernel_;
  const BufferLives& lives_;
  std::vector<std::int64_t> bytes_;
  std::vector<Range64> reserved_;
  std::int64_t usable_;
  std::vector<Place> places_;
};

[[noreturn]] void report_overflow(const Kernel& kernel, const Program& program,
                                  const BufferLives& lives, const std::vector<std::int64_t>& bytes,
                                  std::int64_t reserved, const models::Machine& machine) {
  std::int64_t most = -1;
  std::int64_t where = 0;
  const std::int64_t usable = machine.lx.usable_bytes();
  for (std::int64_t position = 0; position < lives.positions(); ++position) {
    std::int64_t sum = reserved;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (lives.life(i).overlaps({position, position})) sum += bytes[i];
    }
    if (sum <= most) continue;
    most = sum;
    where = position;
    if (most > usable) break;  // the first operation that does not fit
  }
  std::vector<std::size_t> live;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (lives.life(i).overlaps({where, where})) live.push_back(i);
  }
  std::ranges::stable_sort(live, [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  std::vector<std::string> names;
  for (const std::size_t i : live) {
    if (names.size() == kMostNamed) {
      names.push_back(fmt::format("{} more", live.size() - kMostNamed));
      break;
    }
    const BufferNote& note = program.note(i);
    names.push_back(fmt::format("{} {} B, line {}", note.text, bytes[i], note.origin.line));
  }
  const Statement* statement = lives.statement(where);
  models::Diagnostic diagnostic;
  diagnostic.rule = "lx-capacity";
  diagnostic.where = statement->position;
  diagnostic.message = fmt::format(
      "'{}' needs {} B of LX here{}, {} B are available: make its tiles smaller; in use are {}{}",
      kernel.name, most,
      most <= usable ? " in tiles that leave gaps between them where no other fits" : "", usable,
      fmt::join(names, "; "),
      reserved > 0 ? fmt::format("; {} B that its ct_local views name", reserved) : "");
  throw models::InputError({diagnostic});
}

std::vector<Range64> ranges_in_lx(const Program& program) {
  std::vector<Range64> result;
  for (const Tensor& tensor : program.tensors()) {
    if (!tensor.lx_core) continue;
    const Range bytes = program.tensor_bytes().at(tensor.name);
    result.push_back({bytes.low, bytes.high + 1});
  }
  std::ranges::sort(result, {}, &Range64::begin);
  std::vector<Range64> joined;
  for (const Range64& each : result) {
    if (!joined.empty() && each.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, each.end);
    } else {
      joined.push_back(each);
    }
  }
  return joined;
}

}  // namespace

std::int64_t slot_bytes(const Buffer& buffer, const models::Machine& machine) {
  const std::int64_t per_stick = machine.limits.stick_bytes * 8 / models::bits(buffer.type);
  const std::int64_t sticks = (buffer.shape[1] + per_stick - 1) / per_stick;
  return buffer.shape[0] * sticks * machine.limits.stick_bytes;
}

void allocate_lx(Kernel& kernel, const Program& program, const std::set<std::string>& delayed,
                 const models::Machine& machine, bool double_buffer) {
  const std::size_t count = kernel.buffers.size();
  const BufferLives lives(kernel, program.semaphore_buffers());
  std::vector<std::int64_t> bytes;
  for (const Buffer& buffer : kernel.buffers) bytes.push_back(slot_bytes(buffer, machine));
  const std::int64_t stick = machine.limits.stick_bytes;
  std::vector<Range64> reserved = ranges_in_lx(program);
  std::int64_t reserved_bytes = 0;
  for (Range64& each : reserved) {  // buffers begin at whole sticks
    each = {each.begin / stick * stick, (each.end + stick - 1) / stick * stick};
    reserved_bytes += each.end - each.begin;
  }
  Allocation allocation(kernel, lives, bytes, reserved, machine.lx.usable_bytes());
  std::vector<std::int64_t> slots(count, 1);
  if (!allocation.place(slots)) {
    report_overflow(kernel, program, lives, bytes, reserved_bytes, machine);
  }
  for (std::size_t i = 0; i < count && double_buffer; ++i) {
    if (!lives.is_loaded_in_loop(i) && !delayed.contains(kernel.buffers[i].name)) continue;
    slots[i] = 2;
    if (!allocation.place(slots)) slots[i] = 1;
  }
  static_cast<void>(allocation.place(slots));
  std::size_t regions = 0;
  for (const Place& each : allocation.places()) {
    const std::string region =
        each.members.size() > 1 ? fmt::format("region{}", regions++) : std::string();
    for (const std::size_t member : each.members) {
      Buffer& buffer = kernel.buffers[member];
      buffer.slots = slots[member];
      buffer.address = static_cast<std::uint32_t>(each.address);
      buffer.region = region;
    }
  }
  std::vector<Buffer> kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (lives.life(i).begin >= 0) kept.push_back(std::move(kernel.buffers[i]));
  }
  kernel.buffers = std::move(kept);
}

}  // namespace spyre::kernels::lowering
