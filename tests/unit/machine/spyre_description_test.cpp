// The description that ships: what follows from its values, and that each has a source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/machine/machine_fields.h"
#include "models/machine/machine_reader.h"

namespace spyre::models {
namespace {

class SpyreDescription : public testing::Test {
 protected:
  const MachineDescription description = read_machine("spyre");
  const Machine& machine = description.machine;
};

TEST_F(SpyreDescription, HasTheDocumentedPeaks) {
  EXPECT_DOUBLE_EQ(machine.dram.peak_bytes_per_second(), 204.8e9);
  EXPECT_DOUBLE_EQ(machine.peak_flops(DataType::fp16, 32), 98.304e12);
  EXPECT_DOUBLE_EQ(machine.peak_flops(DataType::fp16, 32) / machine.dram.peak_bytes_per_second(),
                   480.0);
  EXPECT_EQ(machine.macs_per_cycle(DataType::fp16), 1024);
  EXPECT_DOUBLE_EQ(machine.peak_flops(DataType::fp8, 32), 2 * 98.304e12);
  EXPECT_DOUBLE_EQ(machine.peak_flops(DataType::int8, 32), 4 * 98.304e12);
  EXPECT_DOUBLE_EQ(machine.peak_flops(DataType::int4, 32), 8 * 98.304e12);
  EXPECT_DOUBLE_EQ(machine.peak_flops(DataType::fp16, 1), 3.072e12);
}

TEST_F(SpyreDescription, LeavesWhatTheBackendLeavesOfLx) {
  EXPECT_EQ(machine.lx.usable_bytes(), 1'625'344);
  // round_up_128(int((2 MiB - 64 KiB) * 0.8)), the compiler's own formula
  EXPECT_EQ(machine.lx.usable_bytes(), ((2'097'152 - 65'536) * 4 / 5 + 127) / 128 * 128);
}

TEST_F(SpyreDescription, AgreesWithTheMeasuredOneCoreMatmulRate) {
  // 64 rows over a block of 8 x 64 weights per corelet take 64 + overhead cycles.
  const double macs = 64.0 * static_cast<double>(machine.macs_per_cycle(DataType::fp16));
  const double nanoseconds = static_cast<double>(64 + machine.matrix.block_overhead_cycles) /
                             (static_cast<double>(machine.clock.hz) / 1e9);
  EXPECT_NEAR(macs / nanoseconds, 1073, 0.01 * 1073);
}

TEST_F(SpyreDescription, HasASourceAUnitAndAConfidenceForEveryNumber) {
  ASSERT_EQ(description.entries.size(), machine_fields().size());
  for (std::size_t i = 0; i < description.entries.size(); ++i) {
    const MachineEntry& entry = description.entries[i];
    EXPECT_EQ(entry.key, machine_fields()[i].key);
    EXPECT_EQ(entry.unit, machine_fields()[i].unit);
    EXPECT_EQ(entry.value, value_text(machine_fields()[i], machine));
    EXPECT_GE(entry.source.size(), 10u) << entry.key;
    // Whoever reads "assumed" must be told that nothing better is known; "documented" must name a
    // document.
    if (entry.confidence == Confidence::assumed) {
      EXPECT_THAT(entry.source,
                  testing::AnyOf(testing::HasSubstr("not public"), testing::HasSubstr("estimate"),
                                 testing::HasSubstr("if one request")))
          << entry.key;
    }
    if (entry.confidence == Confidence::documented) {
      EXPECT_THAT(entry.source, testing::AnyOf(testing::HasSubstr("torch-spyre"),
                                               testing::HasSubstr("vllm-spyre")))
          << entry.key;
    }
    if (entry.confidence == Confidence::calibrated) {
      EXPECT_THAT(entry.source, testing::HasSubstr("kernel sweep")) << entry.key;
    }
  }
}

TEST_F(SpyreDescription, IsListedByName) {
  EXPECT_THAT(machine_names(), testing::Contains("spyre"));
  EXPECT_EQ(machine.name, "spyre");
}

}  // namespace
}  // namespace spyre::models
