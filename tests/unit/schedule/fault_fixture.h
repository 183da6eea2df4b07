// One fault per case: its place is marked in the text with "@@", its message must be the one given.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/schedule/reader_fixture.h"

namespace spyre::kernels {

inline void expect_fault(const ScheduleParts& parts, const std::string& message) {
  const MarkedText marked = without_marks(parts.text());
  ASSERT_EQ(marked.places.size(), 1U);
  EXPECT_THAT(faults_of(marked.text), testing::ElementsAre(marked.places[0] + ": " + message));
}

inline void expect_statement_fault(const std::string& statement, const std::string& message) {
  SCOPED_TRACE(statement);
  expect_fault(ScheduleParts::with_statement(statement), message);
}

inline void expect_tensor_fault(const std::string& tensor, const std::string& message) {
  SCOPED_TRACE(tensor);
  ScheduleParts parts;
  parts.tensors += "  " + tensor + "\n";
  expect_fault(parts, message);
}

inline void expect_kernel_fault(const std::string& head, const std::string& message) {
  SCOPED_TRACE(head);
  ScheduleParts parts;
  parts.kernel_head = "kernels:\n  gemm:\n" + head;
  parts.body = "    body: []\n";
  parts.launches = "launches: []\n";
  expect_fault(parts, message);
}

inline void expect_launch_fault(const std::string& launch, const std::string& message) {
  SCOPED_TRACE(launch);
  ScheduleParts parts;
  parts.launches = "launches:\n  - " + launch + "\n";
  expect_fault(parts, message);
}

}  // namespace spyre::kernels
