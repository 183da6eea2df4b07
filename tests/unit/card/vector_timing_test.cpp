#include "models/card/vector_timing.h"

#include <gtest/gtest.h>

#include "tests/support/test_machine.h"

namespace spyre::models {
namespace {

class VectorTiming : public testing::Test {
 protected:
  Machine machine = make_test_machine();
  Cycles start = static_cast<Cycles>(machine.vector.start_cycles);
  Cycles cycles(VectorFunction function, std::int64_t rows, std::int64_t columns,
                DataType type = DataType::fp16) const {
    return vector_cycles(machine, function, rows, columns, type);
  }
};

TEST_F(VectorTiming, NothingToDoTakesNoTime) {
  EXPECT_EQ(cycles(VectorFunction::add, 0, 64), 0U);
  EXPECT_EQ(cycles(VectorFunction::add, 64, 0), 0U);
}

TEST_F(VectorTiming, APlainPassMovesOneVectorPerCycle) {
  EXPECT_EQ(cycles(VectorFunction::add, 10, 64), start + 10);
  EXPECT_EQ(cycles(VectorFunction::add, 10, 65), start + 20) << "a row is padded to whole sticks";
}

TEST_F(VectorTiming, WideElementsTakeMoreVectorsPerStickOfValues) {
  // 64 fp32 values are two sticks of 32, which is one vector of 64 lanes.
  EXPECT_EQ(cycles(VectorFunction::copy, 10, 64, DataType::fp32), start + 10);
  EXPECT_EQ(cycles(VectorFunction::copy, 10, 32, DataType::fp32), start + 5);
}

TEST_F(VectorTiming, TranscendentalsAndReductionsCostTheirOwnRates) {
  EXPECT_EQ(cycles(VectorFunction::exp, 10, 64),
            start + 10 * static_cast<Cycles>(machine.vector.transcendental_cycles));
  EXPECT_EQ(cycles(VectorFunction::reduce_sum, 10, 128),
            start + 20 * static_cast<Cycles>(machine.vector.in_stick_reduction_cycles));
}

TEST_F(VectorTiming, TransposeRunsAtItsByteRate) {
  const auto rate = static_cast<Cycles>(machine.vector.transpose_bytes_per_cycle);
  EXPECT_EQ(cycles(VectorFunction::transpose, 64, 64), start + (64 * 128 + rate - 1) / rate);
}

TEST(VectorFunctions, TableIsInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < kVectorFunctions.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kVectorFunctions[i].function), i);
    EXPECT_EQ(vector_function_named(kVectorFunctions[i].name), kVectorFunctions[i].function);
  }
  EXPECT_FALSE(vector_function_named("FooNorm").has_value());
}

}  // namespace
}  // namespace spyre::models
