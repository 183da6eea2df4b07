// The ledger of DRAM bytes: by hand, and against a count stick by stick.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/unit/traces/ledger_fixture.h"
#include "traces/dram_ledger.h"

namespace spyre::traces::test {
namespace {

using kernels::TensorKind;
using models::DataType;

TEST(DramLedger, AFirstReadIsUsefulAndASecondOneIsReread) {
  const Dram dram({make_tensor("w", TensorKind::weight, {64, 128})});
  DramLedger ledger(dram.schedule, dram.placement, dram.machine);
  ledger.on_request(dram.request(0, false, 0, 32));
  ledger.on_request(dram.request(0, false, 31, 2));  // one stick again, one for the first time
  const ByteCounts totals = ledger.totals();
  EXPECT_EQ(totals.weights, 33 * kStick);
  EXPECT_EQ(totals.reread, kStick);
  EXPECT_EQ(totals.padding, 0U);
  EXPECT_EQ(totals.read, 34 * kStick);
}

TEST(DramLedger, AWriteMakesItsSticksFreshAndNoOthers) {
  const Dram dram({make_tensor("y", TensorKind::activation, {64, 64})});
  DramLedger ledger(dram.schedule, dram.placement, dram.machine);
  ledger.on_request(dram.request(0, false, 0, 4));
  ledger.on_request(dram.request(0, true, 1, 2));
  ledger.on_request(dram.request(0, false, 0, 4));
  EXPECT_EQ(ledger.totals().reread, 2 * kStick);
  EXPECT_EQ(ledger.totals().activations, (4 + 2 + 2) * kStick);
  EXPECT_EQ(ledger.totals().written, 2 * kStick);
}

TEST(DramLedger, EachKindGoesToItsOwnCount) {
  const Dram dram({make_tensor("w", TensorKind::weight, {64}),
                   make_tensor("kv", TensorKind::kv_cache, {64}),
                   make_tensor("table", TensorKind::embedding, {64}),
                   make_tensor("x", TensorKind::activation, {64}),
                   make_tensor("rope", TensorKind::constant, {64}),
                   make_tensor("ids", TensorKind::index, {32}, DataType::int32)});
  DramLedger ledger(dram.schedule, dram.placement, dram.machine);
  for (std::uint16_t tensor = 0; tensor < 6; ++tensor)
    ledger.on_request(dram.request(tensor, false, 0, 1));
  ledger.on_request(dram.request(1, true, 0, 1));
  const ByteCounts totals = ledger.totals();
  EXPECT_EQ(totals.weights, kStick);
  EXPECT_EQ(totals.kv_read, kStick);
  EXPECT_EQ(totals.kv_write, kStick);
  EXPECT_EQ(totals.embedding, kStick);
  EXPECT_EQ(totals.activations, 2 * kStick);
  EXPECT_EQ(totals.constants, kStick);
  EXPECT_EQ(totals.total(), totals.read + totals.written);
}

TEST(DramLedger, PaddingIsWhatLiesBeyondTheLogicalEdge) {
  // 70 columns of fp16: the second stick of each row holds 6 elements and 116 bytes of nothing.
  const Dram dram({make_tensor("y", TensorKind::activation, {3, 70})});
  DramLedger ledger(dram.schedule, dram.placement, dram.machine);
  ledger.on_request(dram.request(0, true, 0, 6));
  EXPECT_EQ(ledger.totals().padding, 3U * 116U);
  EXPECT_EQ(ledger.totals().activations, 3U * 70U * 2U);
  ledger.on_request(dram.request(0, false, 0, 6));
  EXPECT_EQ(ledger.totals().padding, 6U * 116U);
  ledger.on_request(dram.request(0, false, 0, 6));  // a re-read is a re-read, padding and all
  EXPECT_EQ(ledger.totals().padding, 6U * 116U);
  EXPECT_EQ(ledger.totals().reread, 6 * kStick);
}

TEST(DramLedger, TheEdgeFollowsTheLayout) {
  // Two sticks per row. By rows the padded sticks are 1, 3, 5; in stick columns they are 3, 4, 5.
  const Dram rows({make_row_tensor("y", TensorKind::activation, {3, 70})});
  const Dram columns({make_tensor("y", TensorKind::activation, {3, 70})});
  const auto padded = [](const Dram& dram) {
    std::set<int> sticks;
    for (int stick = 0; stick < 6; ++stick) {
      DramLedger ledger(dram.schedule, dram.placement, dram.machine);
      ledger.on_request(dram.request(0, true, static_cast<std::uint64_t>(stick), 1));
      if (ledger.totals().padding != 0) sticks.insert(stick);
    }
    return sticks;
  };
  EXPECT_EQ(padded(rows), (std::set<int>{1, 3, 5}));
  EXPECT_EQ(padded(columns), (std::set<int>{3, 4, 5}));
}

TEST(DramLedger, UsefulBytesAreKeptByLaunch) {
  const Dram dram({make_tensor("w", TensorKind::weight, {64, 70})});
  DramLedger ledger(dram.schedule, dram.placement, dram.machine);
  ledger.on_request(dram.request(0, false, 0, 2, 0));
  ledger.on_request(dram.request(0, false, 1, 2, 3));
  ledger.on_request(dram.request(0, false, 64, 1, 4));
  EXPECT_EQ(ledger.useful_bytes(0), 2 * kStick);
  EXPECT_EQ(ledger.useful_bytes(2), 0U);
  EXPECT_EQ(ledger.useful_bytes(3), kStick);
  EXPECT_EQ(ledger.useful_bytes(4), 12U);
  EXPECT_EQ(ledger.useful_bytes(99), 0U);
}

/// Counts stick by stick, coordinate by coordinate.
class SlowLedger {
 public:
  explicit SlowLedger(const Dram& dram) : dram_(dram) {}

  void on_request(const models::RequestEvent& event) {
    for (std::uint64_t at = event.address; at < event.address + event.bytes; at += kStick) {
      const std::uint64_t padding =
          padding_at(event.tensor, at - dram_.placement.tensor_address[event.tensor]);
      if (!event.write && !read_.insert(at).second) {
        reread += kStick;
        continue;
      }
      if (event.write) read_.erase(at);
      padded += padding;
      useful[{event.tensor, event.write}] += kStick - padding;
    }
  }

  std::uint64_t reread = 0, padded = 0;
  std::map<std::pair<std::uint16_t, bool>, std::uint64_t> useful;

 private:
  /// Walks the layout from the inside out to the index along the stick dimension.
  [[nodiscard]] std::uint64_t padding_at(std::uint16_t index, std::uint64_t offset) const {
    const kernels::Tensor& tensor = dram_.schedule.tensors[index];
    auto rest = static_cast<std::int64_t>(offset / kStick);
    for (auto entry = tensor.layout.rbegin(); entry != tensor.layout.rend(); ++entry) {
      const std::int64_t steps = (tensor.shape[entry->dim] + entry->tile - 1) / entry->tile;
      const std::int64_t step = rest % steps;
      rest /= steps;
      if (entry->dim != tensor.stick_dim) continue;
      const std::int64_t elements =
          std::min(entry->tile, tensor.shape[entry->dim] - step * entry->tile);
      return kStick - static_cast<std::uint64_t>(models::bytes_of(tensor.type, elements));
    }
    return 0;
  }

  const Dram& dram_;
  std::set<std::uint64_t> read_;
};

class RandomTraffic : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomTraffic, AgreesWithACountStickByStick) {
  std::mt19937 random(GetParam());
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const auto dim = [&] { return static_cast<std::int64_t>(1 + below(5)); };
  std::vector<kernels::Tensor> tensors;
  for (int n = 0; n < 6; ++n) {
    const auto kind = static_cast<TensorKind>(below(6));
    const auto type = static_cast<DataType>(below(6));
    const auto columns = static_cast<std::int64_t>(1 + below(400));
    const std::vector<std::int64_t> shape =
        below(3) == 0 ? std::vector<std::int64_t>{columns}
                      : std::vector<std::int64_t>{dim(), dim() * 7, columns};
    const std::string name = std::to_string(n);
    tensors.push_back(below(2) == 0 ? make_tensor(name, kind, shape, type)
                                    : make_row_tensor(name, kind, shape, type));
    if (shape.size() > 1)
      std::shuffle(tensors.back().layout.begin(), tensors.back().layout.end(), random);
  }
  const Dram dram(std::move(tensors));
  DramLedger ledger(dram.schedule, dram.placement, dram.machine);
  SlowLedger slow(dram);
  std::uint64_t launch_bytes = 0;
  for (int n = 0; n < 3000; ++n) {
    const auto tensor = static_cast<std::uint16_t>(below(6));
    const std::uint64_t sticks = dram.placement.tensor_bytes[tensor] / kStick;
    const std::uint64_t first = below(sticks);
    const std::uint64_t count = 1 + below(std::min<std::uint64_t>(sticks - first, 32));
    const models::RequestEvent event =
        dram.request(tensor, below(4) == 0, first, count, static_cast<std::uint32_t>(below(10)));
    ledger.on_request(event);
    slow.on_request(event);
  }
  for (std::size_t launch = 0; launch < 10; ++launch) launch_bytes += ledger.useful_bytes(launch);
  const ByteCounts totals = ledger.totals();
  EXPECT_EQ(totals.reread, slow.reread);
  EXPECT_EQ(totals.padding, slow.padded);
  EXPECT_EQ(totals.total(), totals.read + totals.written);
  EXPECT_EQ(totals.useful(), launch_bytes);
  for (std::uint16_t n = 0; n < 6; ++n) {
    const TensorBytes& tensor = ledger.tensors()[n];
    const std::uint64_t read = slow.useful[{n, false}];
    const std::uint64_t written = slow.useful[{n, true}];
    EXPECT_EQ(tensor.read - tensor.read_padding - tensor.reread, read) << n;
    EXPECT_EQ(tensor.written - tensor.written_padding, written) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraffic, ::testing::Range(0U, 20U));

}  // namespace
}  // namespace spyre::traces::test
