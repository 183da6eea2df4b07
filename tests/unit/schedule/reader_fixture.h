// Reading schedules in tests: the expected place of a fault stands in the text itself, as the mark
// "@@".
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "kernels/schedule/reader.h"
#include "tests/support/test_machine.h"

namespace spyre::kernels {

inline models::Machine spyre_like() {
  models::Machine machine = models::make_test_machine();
  machine.name = "spyre";
  return machine;
}

/// A small schedule whose sections can be replaced one at a time.
struct ScheduleParts {
  std::string head = "schedule: 1\nmachine: spyre\n";
  std::string tensors =
      "tensors:\n"
      "  x: {dtype: fp16, dims: [m, k], shape: [64, 4096]}\n"
      "  w: {dtype: fp16, kind: weight, dims: [l, k, n], shape: [2, 4096, 4096]}\n"
      "  v: {dtype: fp16, shape: [4096]}\n"
      "  ids: {dtype: int32, kind: index, shape: [8]}\n";
  std::string resident = "resident: {r: {dtype: fp16, shape: [64, 64]}}\n";
  std::string kernel_head =
      "kernels:\n"
      "  gemm:\n"
      "    cores: {m: 4, n: 8}\n"
      "    params: [l]\n"
      "    buffers:\n"
      "      a: {dtype: fp16, shape: [64, 512], slots: 2}\n"
      "      b: {dtype: fp16, shape: [512, 128], slots: 2}\n"
      "      acc: {dtype: fp32, shape: [64, 128]}\n"
      "      row: {dtype: fp16, shape: [128]}\n";
  std::string body = "    body:\n      - load: {into: a, from: x, at: [0, 0]}\n";
  std::string launches = "launches:\n  - {kernel: gemm, with: {l: 1}}\n";

  [[nodiscard]] std::string text() const {
    return head + tensors + resident + kernel_head + body + launches;
  }
  [[nodiscard]] static ScheduleParts with_statement(const std::string& statement) {
    ScheduleParts parts;
    parts.body = "    body:\n      - " + statement + "\n";
    return parts;
  }
};

struct MarkedText {
  std::string text;
  std::vector<std::string> places;  ///< "line:column" of each mark
};

inline MarkedText without_marks(const std::string& marked) {
  MarkedText result;
  int line = 1;
  int column = 1;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked.compare(i, 2, "@@") == 0) {
      result.places.push_back(fmt::format("{}:{}", line, column));
      ++i;
      continue;
    }
    result.text += marked[i];
    ++column;
    if (marked[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  return result;
}

/// Every fault as "line:column: message [rule]", in file order.
inline std::vector<std::string> faults_of(const std::string& text) {
  try {
    (void)parse_schedule(text, "f", spyre_like());
  } catch (const models::InputError& error) {
    std::vector<std::string> faults;
    for (const models::Diagnostic& fault : error.diagnostics()) {
      faults.push_back(fmt::format("{}:{}: {}{}", fault.where.line, fault.where.column,
                                   fault.message,
                                   fault.rule.empty() ? "" : " [" + fault.rule + "]"));
    }
    return faults;
  }
  return {};
}

}  // namespace spyre::kernels
