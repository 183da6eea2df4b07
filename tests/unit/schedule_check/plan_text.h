// A small plan around a body, and the line of it that a test marks with "# <-".
#pragma once

#include <string>

#include "tests/unit/schedule_check/schedule_fixture.h"

namespace spyre::kernels {

/// A plan of one kernel. Tensors x, y [64, 256] and w [256, 128], fp16; buffers a [64, 64], b [64,
/// 128], acc fp32 and out fp16 [64, 128].
struct PlanText {
  std::string body;
  std::string cores = "{n: 2}";
  std::string tensors{};   ///< more entries, two spaces in front
  std::string buffers{};   ///< more entries, six spaces in front
  std::string resident{};  ///< entries, two spaces in front

  [[nodiscard]] std::string text() const {
    return R"(schedule: 1
tensors:
  x: {dtype: fp16, shape: [64, 256]}
  y: {dtype: fp16, kind: constant, shape: [64, 256]}
  w: {dtype: fp16, kind: weight, dims: [k, n], shape: [256, 128]}
)" + tensors +
           (resident.empty() ? "" : "resident:\n" + resident) + R"(kernels:
  gemm:
    cores: )" +
           cores + R"(
    buffers:
      a: {dtype: fp16, shape: [64, 64], slots: 2}
      b: {dtype: fp16, shape: [64, 128]}
      acc: {dtype: fp32, shape: [64, 128]}
      out: {dtype: fp16, shape: [64, 128]}
)" + buffers +
           "    body:" + body + R"(
launches:
  - {kernel: gemm}
)";
  }
};

/// The number of the line that carries the mark.
inline int marked_line(const std::string& text) {
  const std::size_t mark = text.find("# <-");
  EXPECT_NE(mark, std::string::npos) << "no line is marked";
  int line = 1;
  for (std::size_t i = 0; i < std::min(mark, text.size()); ++i) line += text[i] == '\n' ? 1 : 0;
  return line;
}

/// The plan has one finding: this rule, at the marked line, and its message contains `says`.
inline void expect_only(const std::string& text, const std::string& severity,
                        const std::string& rule, const std::string& says,
                        const models::Machine& machine = models::make_test_machine()) {
  const std::string start =
      std::to_string(marked_line(text)) + ": " + severity + ": " + rule + ": ";
  EXPECT_THAT(
      findings_of(text, machine),
      testing::ElementsAre(testing::AllOf(testing::StartsWith(start), testing::HasSubstr(says))));
}

inline void expect_clean(const std::string& text,
                         const models::Machine& machine = models::make_test_machine()) {
  EXPECT_THAT(findings_of(text, machine), testing::IsEmpty());
}

}  // namespace spyre::kernels
