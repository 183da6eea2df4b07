#include "traces/vcd_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <queue>

namespace spyre::traces {
namespace {

struct SignalType {
  std::string_view name;
  unsigned bits;  // 0 = string
};

constexpr std::array<SignalType, kCardSignals> kCardTypes{{
    {"kernel", 0},
    {"dram_read", 32},
    {"dram_write", 32},
    {"in_flight", 20},
    {"cores_compute", 7},
    {"cores_stalled", 7},
}};
constexpr std::array<SignalType, kCoreSignals> kCoreTypes{{
    {"activity", 5},
    {"load_store", 5},
    {"load_store_running", 8},
    {"matrix", 5},
    {"vector", 5},
    {"ring", 5},
    {"reads", 16},
    {"writes", 16},
}};
constexpr std::array<CoreSignal, models::kUnits> kUnitSignals{
    CoreSignal::load_store, CoreSignal::matrix, CoreSignal::vector, CoreSignal::ring};

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();  // x
constexpr std::uint32_t kEmpty = kUnknown - 1;                                 // z

constexpr std::uint64_t kBucketPs = 1'000'000;  // bytes per microsecond are MB/s

std::string with_range(std::string name, unsigned bits) {
  return bits < 2 ? name : fmt::format("{}[{}:0]", name, bits - 1);
}

/// A string value ends at the first blank.
std::string without_blanks(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c <= ' ' || c > '~') c = '_';
  }
  return result;
}

/// The identifier code of signal number n: digits '!' to '~'.
std::string identifier(std::size_t n) {
  std::string code;
  do {
    code += static_cast<char>('!' + n % 94);
    n /= 94;
  } while (n > 0);
  return code;
}

/// Sweeps over the window in time order, keeps every signal's value and writes what has changed.
class Dump {
 public:
  Dump(const WaveWindow& window, std::size_t cores, std::uint64_t max_bytes)
      : window_(window), cores_(cores), max_bytes_(max_bytes), running_(cores * models::kUnits) {
    const std::size_t signals = kCardSignals + cores * kCoreSignals;
    values_.assign(signals, 0);
    written_.assign(signals, 0);
    touched_.assign(signals, false);
    for (std::size_t n = 0; n < signals; ++n) ids_.push_back(identifier(n));
    for (std::size_t core = 0; core < cores; ++core) {
      values_[number(core, CoreSignal::activity)] = kUnknown;
      for (const CoreSignal signal : kUnitSignals) values_[number(core, signal)] = kEmpty;
    }
    plan_kernels();
    plan_bandwidth();
    std::ranges::stable_sort(planned_, {}, &Planned::time);
  }

  VcdText write() {
    declare();
    std::uint64_t end = window_.end_ps;
    bool truncated = window_.truncated;
    while (next_time() <= window_.begin_ps && next_time() < end) step(next_time());
    dump_all();
    for (std::uint64_t time = next_time(); time < end; time = next_time()) {
      step(time);
      if (!append_changes(time)) {
        end = time;
        truncated = true;
      }
    }
    if (end > window_.begin_ps) text_ += fmt::format("#{}\n", end);
    return {std::move(text_), end, truncated};
  }

 private:
  struct Planned {
    std::uint64_t time;
    std::size_t signal;
    std::uint32_t value;
  };
  struct End {
    std::uint64_t time;
    std::size_t record;
    bool operator>(const End& other) const {
      return time != other.time ? time > other.time : record > other.record;
    }
  };

  static std::size_t number(CardSignal signal) { return static_cast<std::size_t>(signal); }
  static std::size_t number(std::size_t core, CoreSignal signal) {
    return kCardSignals + core * kCoreSignals + static_cast<std::size_t>(signal);
  }

  /// The kernel signal's value is the launch's place in the window plus one; 0 = no launch.
  void plan_kernels() {
    for (std::size_t n = 0; n < window_.launches.size(); ++n) {
      const WaveLaunch& launch = window_.launches[n];
      planned_.push_back(
          {launch.begin_ps, number(CardSignal::kernel), static_cast<std::uint32_t>(n + 1)});
      const bool last = n + 1 == window_.launches.size();
      if (last || window_.launches[n + 1].begin_ps > launch.end_ps) {
        planned_.push_back({launch.end_ps, number(CardSignal::kernel), 0});
      }
    }
  }

  /// Bytes count in the microsecond in which their request completes; microseconds count from the
  /// window's begin.
  void plan_bandwidth() {
    for (const bool write : {false, true}) {
      std::map<std::uint64_t, std::uint64_t> bytes;
      for (const WaveRecord& record : window_.records) {
        if (record.kind != (write ? WaveRecord::Kind::write : WaveRecord::Kind::read)) continue;
        if (record.end_ps < window_.begin_ps || record.end_ps > window_.end_ps) continue;
        // The window's last instant belongs to its last microsecond.
        const std::uint64_t inside = std::min(record.end_ps, window_.end_ps - 1) - window_.begin_ps;
        bytes[inside / kBucketPs] += record.bytes;
      }
      const std::size_t signal = number(write ? CardSignal::dram_write : CardSignal::dram_read);
      for (auto bucket = bytes.begin(); bucket != bytes.end(); ++bucket) {
        const std::uint64_t begin = window_.begin_ps + bucket->first * kBucketPs;
        planned_.push_back(
            {begin, signal,
             static_cast<std::uint32_t>(std::min<std::uint64_t>(bucket->second, kEmpty - 1))});
        const auto next = std::next(bucket);
        if (next == bytes.end() || next->first != bucket->first + 1)
          planned_.push_back({begin + kBucketPs, signal, 0});
      }
    }
  }

  [[nodiscard]] std::uint64_t next_time() const {
    std::uint64_t time = std::numeric_limits<std::uint64_t>::max();
    if (next_record_ < window_.records.size()) time = window_.records[next_record_].begin_ps;
    if (!ends_.empty()) time = std::min(time, ends_.top().time);
    if (next_planned_ < planned_.size()) time = std::min(time, planned_[next_planned_].time);
    return time;
  }

  /// What ends at `time` ends before what begins.
  void step(std::uint64_t time) {
    for (; !ends_.empty() && ends_.top().time <= time; ends_.pop()) {
      change(ends_.top().record, false);
    }
    for (; next_record_ < window_.records.size() && window_.records[next_record_].begin_ps <= time;
         ++next_record_) {
      change(next_record_, true);
      ends_.push({window_.records[next_record_].end_ps, next_record_});
    }
    for (; next_planned_ < planned_.size() && planned_[next_planned_].time <= time;
         ++next_planned_) {
      set(planned_[next_planned_].signal, planned_[next_planned_].value);
    }
  }

  void change(std::size_t index, bool begins) {
    const WaveRecord& record = window_.records[index];
    const std::uint32_t one = begins ? 1U : ~0U;  // plus or minus one, modulo 2^32
    switch (record.kind) {
      case WaveRecord::Kind::activity: {
        set(number(record.core, CoreSignal::activity), begins ? record.code : kUnknown);
        if (record.code >= kFirstStallCode)
          add(number(CardSignal::cores_stalled), one);
        else if (record.code != 0)
          add(number(CardSignal::cores_compute), one);
        break;
      }
      case WaveRecord::Kind::operation:
        change_operation(index, begins);
        break;
      case WaveRecord::Kind::read:
      case WaveRecord::Kind::write: {
        const bool read = record.kind == WaveRecord::Kind::read;
        add(number(record.core, read ? CoreSignal::reads : CoreSignal::writes), one);
        add(number(CardSignal::in_flight), one);
        break;
      }
    }
  }

  /// A unit shows the newest of its running operations.
  void change_operation(std::size_t index, bool begins) {
    const WaveRecord& record = window_.records[index];
    std::vector<std::size_t>& running = running_[record.core * models::kUnits + record.unit];
    if (begins)
      running.push_back(index);
    else
      std::erase(running, index);
    const CoreSignal signal = kUnitSignals[record.unit];
    set(number(record.core, signal),
        running.empty() ? kEmpty : window_.records[running.back()].code);
    if (signal == CoreSignal::load_store) {
      set(number(record.core, CoreSignal::load_store_running),
          static_cast<std::uint32_t>(running.size()));
    }
  }

  void set(std::size_t signal, std::uint32_t value) {
    values_[signal] = value;
    if (touched_[signal]) return;
    touched_[signal] = true;
    changed_.push_back(signal);
  }
  void add(std::size_t signal, std::uint32_t amount) { set(signal, values_[signal] + amount); }

  void declare() {
    text_ +=
        "$comment spyre-emu $end\n$timescale 1 ps $end\n$scope module spyre $end\n$scope module "
        "card $end\n";
    for (std::size_t n = 0; n < kCardSignals; ++n) declare_signal(kCardTypes[n], ids_[n]);
    text_ += "$upscope $end\n";
    for (std::size_t core = 0; core < cores_; ++core) {
      text_ += fmt::format("$scope module core{:02} $end\n", core);
      for (std::size_t n = 0; n < kCoreSignals; ++n) {
        declare_signal(kCoreTypes[n], ids_[number(core, static_cast<CoreSignal>(n))]);
      }
      text_ += "$upscope $end\n";
    }
    text_ += "$upscope $end\n$enddefinitions $end\n";
  }

  void declare_signal(const SignalType& type, const std::string& id) {
    if (type.bits == 0)
      text_ += fmt::format("$var string 1 {} {} $end\n", id, type.name);
    else
      text_ +=
          fmt::format("$var reg {} {} {} [{}:0] $end\n", type.bits, id, type.name, type.bits - 1);
  }

  void append_value(std::string& out, std::size_t signal) const {
    const std::uint32_t value = values_[signal];
    if (signal == number(CardSignal::kernel)) {
      out += 's';
      out += value == 0 ? "-" : without_blanks(window_.launches[value - 1].kernel);
    } else if (value == kUnknown) {
      out += "bx";
    } else if (value == kEmpty) {
      out += "bz";
    } else {
      fmt::format_to(std::back_inserter(out), "b{:b}", value);
    }
    out += ' ';
    out += ids_[signal];
    out += '\n';
  }

  void dump_all() {
    text_ += fmt::format("#{}\n$dumpvars\n", window_.begin_ps);
    for (std::size_t signal = 0; signal < values_.size(); ++signal) append_value(text_, signal);
    text_ += "$end\n";
    written_ = values_;
    for (const std::size_t signal : changed_) touched_[signal] = false;
    changed_.clear();
  }

  /// False when the step does not fit any more; nothing of it is written then.
  bool append_changes(std::uint64_t time) {
    std::ranges::sort(changed_);
    step_text_ = fmt::format("#{}\n", time);
    const std::size_t empty = step_text_.size();
    for (const std::size_t signal : changed_) {
      touched_[signal] = false;
      if (values_[signal] == written_[signal]) continue;
      written_[signal] = values_[signal];
      append_value(step_text_, signal);
    }
    changed_.clear();
    if (step_text_.size() == empty) return true;
    constexpr std::size_t kLastTime = 22;  // '#', the digits of 2^64 and a line end
    if (text_.size() + step_text_.size() + kLastTime > max_bytes_) return false;
    text_ += step_text_;
    return true;
  }

  const WaveWindow& window_;
  const std::size_t cores_;
  const std::uint64_t max_bytes_;
  std::vector<std::string> ids_;
  std::vector<std::uint32_t> values_, written_;
  std::vector<bool> touched_;
  std::vector<std::size_t> changed_;
  std::vector<std::vector<std::size_t>> running_;  // by core and unit: records, oldest first
  std::vector<Planned> planned_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::size_t next_record_ = 0, next_planned_ = 0;
  std::string text_, step_text_;
};

}  // namespace

std::string signal_name(CardSignal signal) {
  const SignalType& type = kCardTypes[static_cast<std::size_t>(signal)];
  return with_range(fmt::format("spyre.card.{}", type.name), type.bits);
}

std::string signal_name(std::size_t core, CoreSignal signal) {
  const SignalType& type = kCoreTypes[static_cast<std::size_t>(signal)];
  return with_range(fmt::format("spyre.core{:02}.{}", core, type.name), type.bits);
}

VcdText write_vcd(const WaveWindow& window, std::int64_t cores, std::uint64_t max_bytes) {
  std::size_t declared = static_cast<std::size_t>(cores);
  for (const WaveRecord& record : window.records)
    declared = std::max<std::size_t>(declared, record.core + 1U);
  return Dump(window, declared, max_bytes).write();
}

}  // namespace spyre::traces
