// Two reported cases: T5, sizes that no tile divides, and T7, core counts that divide nothing.
#include <map>

#include "kernels/schedule/tile_geometry.h"
#include "tests/unit/schedule_check/matmul_text.h"
#include "tests/unit/schedule_check/schedule_fixture.h"

namespace spyre::kernels {
namespace {

using testing::IsEmpty;

/// How often each stick of tensor `tensor` is stored to, and the bytes of all of them.
std::map<std::uint64_t, int> stored_sticks(const Expansion& expansion, std::uint16_t tensor) {
  std::map<std::uint64_t, int> count;
  for (const ExpandedOp& entry : expansion.ops) {
    if (entry.op.opcode != models::Opcode::store || entry.op.tensor != tensor) continue;
    for (const models::StickRuns& nest : entry.op.runs) {
      for (std::uint32_t c = 0; c < nest.count[2]; ++c) {
        for (std::uint32_t b = 0; b < nest.count[1]; ++b) {
          for (std::uint32_t a = 0; a < nest.count[0]; ++a) {
            const std::int64_t offset =
                a * nest.stride[0] + b * nest.stride[1] + c * nest.stride[2];
            for (std::uint32_t byte = 0; byte < nest.run_bytes; byte += 128) {
              ++count[nest.base + static_cast<std::uint64_t>(offset) + byte];
            }
          }
        }
      }
    }
  }
  return count;
}

class UnevenMatmul : public testing::TestWithParam<MatmulText> {};

TEST_P(UnevenMatmul, MultipliesEveryPairOnceAndStoresEveryElementOnce) {
  const MatmulText& matmul = GetParam();
  const std::string text = matmul.text();
  const Expansion expansion = expand(text);
  EXPECT_EQ(expansion.macs(), static_cast<std::uint64_t>(matmul.m * matmul.n * matmul.k));
  const std::map<std::uint64_t, int> sticks = stored_sticks(expansion, 2);
  EXPECT_EQ(sticks.size(), static_cast<std::size_t>(matmul.m * ((matmul.n + 63) / 64)));
  for (const auto& [address, times] : sticks) ASSERT_EQ(times, 1) << address;
  EXPECT_THAT(findings_of(text), IsEmpty());
}

TEST_P(UnevenMatmul, LoadsOnlyTheSticksThatExist) {
  const MatmulText& matmul = GetParam();
  const models::Machine machine = models::make_test_machine();
  const Schedule schedule = parse_schedule(matmul.text(), "plan.yaml", machine);
  const Placement placement = place(schedule, machine);
  for (const ExpandedOp& entry : expand(matmul.text()).ops) {
    for (const models::StickRuns& nest : entry.op.runs) {
      std::uint64_t end = nest.base + nest.run_bytes;
      for (std::size_t i = 0; i < 3; ++i) {
        end += static_cast<std::uint64_t>((nest.count[i] - 1) * nest.stride[i]);
      }
      EXPECT_GE(nest.base, placement.tensor_address[entry.op.tensor]);
      EXPECT_LE(
          end, placement.tensor_address[entry.op.tensor] + placement.tensor_bytes[entry.op.tensor]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(T5, UnevenMatmul,
                         testing::Values(MatmulText{130, 70, 200}, MatmulText{1, 1, 1},
                                         MatmulText{127, 131, 509}, MatmulText{131, 509, 127},
                                         MatmulText{509, 127, 131},
                                         MatmulText{130, 70, 200, 64, 64, 64, 2, 2},
                                         MatmulText{127, 131, 509, 32, 64, 128, 5, 3},
                                         MatmulText{1, 70, 200, 64, 64, 64, 1, 31}));

TEST(UnevenMatmulCounts, AreThoseOfCaseT5) {
  EXPECT_EQ(expand(MatmulText{130, 70, 200}.text()).macs(), 1'820'000U);
}

class AnyCoreCount : public testing::TestWithParam<std::int64_t> {};

TEST_P(AnyCoreCount, DoesTheSameMultiplications) {
  MatmulText matmul{2048, 4096, 4096, 256, 256, 512};
  matmul.cores_n = GetParam();
  EXPECT_EQ(expand(matmul.text()).macs(), 34'359'738'368U);
  matmul.cores_m = GetParam();
  matmul.cores_n = 1;
  EXPECT_EQ(expand(matmul.text()).macs(), 34'359'738'368U);
  EXPECT_THAT(findings_of(matmul.text()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(T7, AnyCoreCount, testing::Values(1, 2, 3, 5, 16, 31, 32));

}  // namespace
}  // namespace spyre::kernels
