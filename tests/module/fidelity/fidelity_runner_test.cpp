// Rows simulated in processes of their own.
#include <gtest/gtest.h>

#include "runtime/fidelity/fidelity_runner.h"

namespace spyre::runtime {
namespace {

std::vector<MeasuredKernel> table() {
  return read_kernel_table(SPYRE_EMU_TEST_DATA "/fidelity/kernels.csv");
}

TEST(FidelityRunner, TheNumberOfProcessesChangesNothing) {
  const models::MachineDescription machine = models::read_machine("spyre");
  std::size_t calls = 0;
  FidelityOptions options;
  options.on_progress = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(all, 14U);
  };
  const auto one = run_fidelity(table(), machine, options);
  options = {};
  options.jobs = 3;
  const auto three = run_fidelity(table(), machine, options);
  ASSERT_EQ(one.size(), table().size());
  EXPECT_EQ(calls, 14U);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].kernel.id, table()[i].id);
    EXPECT_EQ(one[i].simulated_us, three[i].simulated_us) << one[i].kernel.id;
    EXPECT_EQ(one[i].skipped, three[i].skipped);
    EXPECT_NE(one[i].simulated_us.has_value(), !one[i].skipped.empty());
  }
}

TEST(FidelityRunner, AStopLeavesTheRestOut) {
  const std::atomic<bool> stop{true};
  FidelityOptions options;
  options.stop = &stop;
  for (const FidelityRow& row : run_fidelity(table(), models::read_machine("spyre"), options)) {
    EXPECT_FALSE(row.simulated_us);
    EXPECT_FALSE(row.skipped.empty());
  }
}

TEST(FidelityRunner, ARowThatCannotBePlannedSaysWhy) {
  auto kernels = table();
  kernels.resize(1);
  kernels[0].cores = 33;
  const auto rows = run_fidelity(kernels, models::read_machine("spyre"), {});
  EXPECT_FALSE(rows[0].simulated_us);
  EXPECT_NE(rows[0].skipped.find("cores is 33"), std::string::npos) << rows[0].skipped;
}

}  // namespace
}  // namespace spyre::runtime
