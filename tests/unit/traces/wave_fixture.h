// A small independent reader of value change dumps, and events to record.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "traces/wave_window.h"

namespace spyre::traces::test {

/// Every value of every signal by the time from which it holds. Values as written: "101", "x", "z",
/// "qkv".
struct ReadDump {
  std::map<std::string, std::map<std::uint64_t, std::string>> signals;  // by full name
  std::vector<std::uint64_t> times;

  [[nodiscard]] std::string at(const std::string& name, std::uint64_t time) const {
    const auto& values = signals.at(name);
    auto next = values.upper_bound(time);
    return next == values.begin() ? "" : std::prev(next)->second;
  }
  [[nodiscard]] std::uint64_t number_at(const std::string& name, std::uint64_t time) const {
    return std::stoull(at(name, time), nullptr, 2);
  }
};

/// Reads a dump and fails the test where it is not well formed: undeclared or doubly declared ids,
/// times that do not grow, a signal without an initial value, a value that does not change, one
/// wider than its signal.
inline ReadDump read_dump(const std::string& text) {
  ReadDump dump;
  std::istringstream lines(text);
  std::string line, scope;
  std::map<std::string, std::string> names;   // by id
  std::map<std::string, std::size_t> widths;  // by name; 0 = string
  bool defined = false, initial = false;
  EXPECT_TRUE(text.empty() || text.back() == '\n');
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (!defined) {
      std::string kind, width, id, name;
      if (first == "$scope") {
        words >> kind >> name;
        scope += name + ".";
      } else if (first == "$upscope") {
        scope.pop_back();
        scope.erase(scope.rfind('.') + 1);
      } else if (first == "$var") {
        words >> kind >> width >> id >> name;
        EXPECT_TRUE(names.emplace(id, scope + name).second) << "id twice: " << id;
        widths[scope + name] = kind == "string" ? 0 : std::stoul(width);
      } else if (first == "$enddefinitions") {
        EXPECT_EQ(scope, "");
        defined = true;
      }
      continue;
    }
    if (first == "$dumpvars") {
      initial = true;
    } else if (first == "$end") {
      initial = false;
      EXPECT_EQ(dump.signals.size(), names.size()) << "signals without an initial value";
    } else if (first[0] == '#') {
      const std::uint64_t time = std::stoull(first.substr(1));
      if (!dump.times.empty()) {
        EXPECT_GT(time, dump.times.back());
      }
      dump.times.push_back(time);
    } else {
      std::string id, rest;
      words >> id;
      EXPECT_FALSE(words >> rest) << line;
      EXPECT_EQ(names.count(id), 1U) << "not declared: " << line;
      const std::string name = names[id], value = first.substr(1);
      EXPECT_EQ(first[0], widths[name] == 0 ? 's' : 'b') << line;
      if (widths[name] != 0) {
        EXPECT_LE(value.size(), widths[name]) << line;
      }
      auto& values = dump.signals[name];
      EXPECT_EQ(initial, values.empty()) << line;
      if (!values.empty() && widths[name] != 0) {
        EXPECT_NE(values.rbegin()->second, value) << "no change: " << line;
      }
      values[dump.times.back()] = value;
    }
  }
  return dump;
}

inline models::Launch make_launch(std::uint32_t index, std::int32_t layer,
                                  const std::string& kernel, models::CoreSet cores = 0b11) {
  models::Launch launch;
  launch.index = index;
  launch.layer = layer;
  launch.kernel = kernel;
  launch.name = "l" + std::to_string(layer) + "." + kernel;
  launch.cores = cores;
  return launch;
}

inline void record_launch(WaveRecorder& recorder, const models::Launch& launch,
                          std::uint64_t begin_ps, std::uint64_t end_ps) {
  recorder.on_launch_begin(launch, begin_ps);
  recorder.on_launch_end({launch, begin_ps, begin_ps, end_ps});
}

inline void record_op(WaveRecorder& recorder, std::uint32_t launch, std::uint32_t core,
                      models::Opcode opcode, std::uint64_t begin_ps, std::uint64_t end_ps) {
  models::TileOp op;
  op.opcode = opcode;
  recorder.on_op({launch, core, models::unit_of(opcode), op, begin_ps, end_ps});
}

}  // namespace spyre::traces::test
