// What the progress line says.
#include <gtest/gtest.h>

#include "runtime/cli/progress_line.h"

namespace spyre::runtime {
namespace {

TEST(ProgressText, SaysTheTimeWhenThereIsNothingElseToGoBy) {
  EXPECT_EQ(progress_text(41'200'000'000, 1, 200, 1.0), "simulated 41.20 ms");
  EXPECT_EQ(progress_text(0, 0, 0, 0.0), "simulated 0.00 ms");
}

TEST(ProgressText, TheShareIsThatOfTheLaunchesThatHaveEnded) {
  EXPECT_EQ(progress_text(1'000'000'000, 6, 200, 1.0), "simulated 1.00 ms, 2 %");
  EXPECT_EQ(progress_text(1'000'000'000, 200, 200, 1.0), "simulated 1.00 ms, 100 %, 0 s to go");
}

TEST(ProgressText, TheTimeToGoFollowsFromTheShare) {
  EXPECT_EQ(progress_text(1'000'000'000, 51, 200, 2.0), "simulated 1.00 ms, 25 %, 6 s to go");
}

}  // namespace
}  // namespace spyre::runtime
