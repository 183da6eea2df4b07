// Which pairs of accesses meet with nothing to order them, and how that is said.
#include <algorithm>

#include <fmt/format.h>

#include "kernels/schedule/races.h"

namespace spyre::kernels {
namespace {

/// Pairs looked at in one launch: a second or so.
constexpr std::uint64_t kMostPairs = 100'000'000;

/// Every core stores the very same place: perhaps the same values, which would be no harm.
bool does_the_same(const RaceAccess& a, const RaceAccess& b) {
  return a.statement == b.statement && a.core != b.core && a.writes && b.writes && !a.is_delivery &&
         !b.is_delivery && a.box.base == b.box.base && a.end == b.end;
}

}  // namespace

void Races::end() {
  if (accesses_.empty()) return;
  exact_ = ring_.solve();
  for (RaceAccess& access : accesses_) find_order(access);
  compare_all();
  if (!exact_) {
    report_limit("its signals, tiles and waits are too many to follow in full");
  }
}

void Races::find_order(RaceAccess& access) const {
  if (access.is_delivery) {
    access.received =
        ring_.received(access.core, access.event.index, static_cast<std::uint32_t>(access.lx_core));
  } else if (access.at_start) {
    access.released = access.event.index;  // read before anything leaves
  } else {
    access.released = ring_.release(access.core, access.event);
  }
}

void Races::compare_all() {
  std::sort(accesses_.begin(), accesses_.end(), [](const RaceAccess& a, const RaceAccess& b) {
    return std::tie(a.lx_core, a.box.base, a.order) < std::tie(b.lx_core, b.box.base, b.order);
  });
  std::uint64_t pairs = 0;
  std::vector<const RaceAccess*> open;  // that reach beyond where the next one begins
  for (const RaceAccess& access : accesses_) {
    std::size_t kept = 0;
    for (const RaceAccess* other : open) {
      if (other->lx_core != access.lx_core || other->end <= access.box.base) continue;
      open[kept++] = other;
      if (!may_conflict(*other, access)) continue;
      const bool in_order = other->order < access.order;
      const RaceAccess& first = in_order ? *other : access;
      const RaceAccess& second = in_order ? access : *other;
      if (ordered(first, second)) continue;
      const Overlap overlap = overlap_of(first.box, second.box);
      if (overlap == Overlap::no) continue;
      const bool certain = overlap == Overlap::yes && exact_ && !first.uncertain &&
                           !second.uncertain && first.event.chain != kNoChain;
      report(first, second, certain && !does_the_same(first, second));
    }
    pairs += open.size();
    open.resize(kept);
    open.push_back(&access);
    if (pairs > kMostPairs) return report_limit("it has too many accesses to compare them all");
  }
  if (full_) report_limit("it has too many accesses to compare them all");
}

bool Races::may_conflict(const RaceAccess& a, const RaceAccess& b) const {
  if (a.order == b.order || (!a.writes && !b.writes)) return false;
  // The scoreboard's affair.
  if (a.is_buffer && b.is_buffer && !a.is_delivery && !b.is_delivery) return false;
  // Tiles of one core come in order, and what is read too late is found by itself.
  if (a.is_delivery && b.is_delivery && a.core == b.core) return false;
  if (a.writes && b.writes && !a.is_buffer && !b.is_buffer) {
    // Rows that indices choose at run time are taken to differ; one tensor with a layout is the
    // affair of store-overlap.
    if (a.uncertain && b.uncertain) return false;
    if (a.subject == b.subject && !context_.tensors[a.subject].strided) return false;
  }
  return true;
}

bool Races::ordered(const RaceAccess& first, const RaceAccess& second) const {
  const std::uint32_t count = second.event.before[kRingChain];
  if (first.is_delivery) {
    const auto target = static_cast<std::uint32_t>(first.lx_core);
    if (first.received == RaceAccess::kNever) return false;
    return second.core == target ? count >= first.received
                                 : ring_.known(second.core, count, target) > first.received;
  }
  if (first.event.barriers < second.event.barriers) return true;
  if (first.core == second.core) return first.event.is_before(second.event);
  return first.released != RaceAccess::kNever &&
         ring_.known(second.core, count, first.core) >= first.released;
}

void Races::report(const RaceAccess& first, const RaceAccess& second, bool certain) {
  const bool in_text_order = first.statement <= second.statement;
  const RaceAccess& there = in_text_order ? first : second;
  const RaceAccess& here = in_text_order ? second : first;
  const auto subject_of = [](const RaceAccess& access) {
    return access.subject * 2 + (access.is_buffer ? 1 : 0);
  };
  if (!reported_.emplace(there.statement, here.statement, subject_of(there), subject_of(here))
           .second) {
    return;
  }
  const auto opcode_of = [&](const RaceAccess& access) {
    const auto code = std::find_if(kernel_->code.begin(), kernel_->code.end(),
                                   [&](const Instruction& instruction) {
                                     return instruction.kind == Instruction::Kind::operation &&
                                            instruction.statement == access.statement;
                                   });
    return code->opcode == models::Opcode::vector ? std::string_view("vector operation")
                                                  : models::to_string(code->opcode);
  };
  const int line = kernel_->positions[there.statement]->line;
  const std::string both =
      there.core == here.core
          ? fmt::format("the {} in line {} and this {}, both on core {},", opcode_of(there), line,
                        opcode_of(here), here.core)
          : fmt::format("core {}'s {} in line {} and this {} on core {}", there.core,
                        opcode_of(there), line, opcode_of(here), here.core);
  const std::string subject = subject_text(there, here);
  findings_.add_about(
      certain ? models::Severity::error : models::Severity::warning, "race",
      *kernel_->positions[here.statement], fmt::format("{} {}", line, subject),
      fmt::format("{} {}touch the same bytes of {} and {}: {} (launch '{}')", both,
                  certain ? "" : "may ", subject,
                  certain || exact_ ? "nothing orders them" : "no order of them was found",
                  remedy(first, second), launch_->name));
}

std::string Races::subject_text(const RaceAccess& a, const RaceAccess& b) const {
  const auto name = [&](const RaceAccess& access) -> const std::string& {
    return access.is_buffer ? kernel_->buffers[access.subject].buffer->name
                            : context_.schedule->tensors[access.subject].name;
  };
  std::string text = fmt::format("'{}'", name(a));
  if (a.subject != b.subject || a.is_buffer != b.is_buffer) {
    text += fmt::format(" and '{}'", name(b));
  }
  if (a.lx_core >= 0) text += fmt::format(" in the LX of core {}", a.lx_core);
  return text;
}

std::string Races::remedy(const RaceAccess& first, const RaceAccess& second) {
  if (first.is_delivery && second.is_delivery) {
    return "send to different parts, or let one core wait for a signal that the first tile has "
           "been received";
  }
  if (first.is_delivery || second.is_delivery) {
    const RaceAccess& delivery = first.is_delivery ? first : second;
    const RaceAccess& use = first.is_delivery ? second : first;
    // The tile is received, but only after this use: it is of the tile before.
    const bool too_early = delivery.received != RaceAccess::kNever &&
                           use.core == static_cast<std::uint32_t>(delivery.lx_core) &&
                           use.event.before[kRingChain] + 1 <= delivery.received &&
                           use.released <= delivery.received;
    if (too_early) {
      return fmt::format(
          "let core {} wait, before it sends, for a signal of core {} that the "
          "buffer has been used",
          delivery.core, use.core);
    }
    return fmt::format("receive the tile on core {} before the buffer is used there",
                       delivery.lx_core);
  }
  if (first.core == second.core) {
    return "operations of one core that share no buffer may end in any order, so add a barrier, "
           "or a signal to the core itself and a wait";
  }
  if (does_the_same(first, second)) {
    return "that is harmless only if the values are the same, so let one core store them";
  }
  return "add a barrier, or signal and wait";
}

void Races::report_limit(const std::string& what) {
  if (launch_->where == nullptr || !findings_.is_new("race", *launch_->where)) return;
  findings_.warning("race", *launch_->where,
                    fmt::format("races in launch '{}' may have been missed or reported in vain: {}",
                                launch_->name, what));
}

}  // namespace spyre::kernels
