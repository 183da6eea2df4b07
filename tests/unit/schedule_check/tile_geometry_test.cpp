#include "kernels/schedule/tile_geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "tests/support/test_machine.h"

namespace spyre::kernels {
namespace {

using models::StickRuns;

struct ByteRun {
  std::uint64_t begin;
  std::uint64_t end;
};

std::vector<ByteRun> runs_in_order(const std::vector<StickRuns>& nests) {
  std::vector<ByteRun> result;
  for (const StickRuns& nest : nests) {
    for (std::uint32_t c = 0; c < nest.count[2]; ++c) {
      for (std::uint32_t b = 0; b < nest.count[1]; ++b) {
        for (std::uint32_t a = 0; a < nest.count[0]; ++a) {
          const std::int64_t offset = a * nest.stride[0] + b * nest.stride[1] + c * nest.stride[2];
          const std::uint64_t begin = nest.base + static_cast<std::uint64_t>(offset);
          result.push_back({begin, begin + nest.run_bytes});
        }
      }
    }
  }
  return result;
}

/// Where an element lies, by counting through the device order one dimension at a time.
std::uint64_t stick_of_element(const Tensor& tensor, std::int64_t per_stick,
                               const std::vector<std::int64_t>& element) {
  std::uint64_t position = 0;
  for (const LayoutDim& entry : tensor.layout) {
    std::int64_t extent = tensor.shape[entry.dim];
    std::int64_t index = element[entry.dim];
    if (entry.dim == tensor.stick_dim) {
      extent = (extent + per_stick - 1) / per_stick;
      index /= per_stick;
    }
    position = position * static_cast<std::uint64_t>(extent) + static_cast<std::uint64_t>(index);
  }
  return position;
}

/// Every stick of the rectangle in fill order, element by element.
std::vector<std::uint64_t> slow_sticks(const Tensor& tensor, const TensorGeometry& geometry,
                                       const Rectangle& rectangle, std::uint64_t base) {
  std::vector<std::uint64_t> result;
  const std::int64_t per_stick = geometry.elements_per_stick;
  const std::int64_t begin = rectangle.offset[geometry.stick_dim];
  const std::int64_t end = begin + rectangle.size[geometry.stick_dim];
  for (std::int64_t column = begin / per_stick; column * per_stick < end; ++column) {
    std::vector<std::int64_t> element(geometry.rank);
    for (std::int64_t row = 0; row < rows_of(geometry, rectangle); ++row) {
      std::int64_t rest = row;
      for (std::size_t dim = geometry.rank; dim-- > 0;) {
        if (dim == geometry.stick_dim) continue;
        element[dim] = rectangle.offset[dim] + rest % rectangle.size[dim];
        rest /= rectangle.size[dim];
      }
      element[geometry.stick_dim] = column * per_stick;
      result.push_back(base + 128 * stick_of_element(tensor, per_stick, element));
    }
  }
  return result;
}

struct Sample {
  Tensor tensor;
  Rectangle rectangle;
};

Sample random_sample(std::mt19937& random) {
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  constexpr std::array kTypes{DataType::fp32, DataType::fp16, DataType::int8, DataType::int4};
  Sample sample;
  Tensor& tensor = sample.tensor;
  tensor.type = kTypes[static_cast<std::size_t>(pick(0, 3))];
  const std::int64_t per_stick = 1024 / models::bits(tensor.type);
  const auto rank = static_cast<std::size_t>(pick(1, 6));
  tensor.stick_dim = static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(rank) - 1));
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  for (const std::size_t dim : order) {
    tensor.layout.push_back({dim, dim == tensor.stick_dim ? per_stick : 1});
  }
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const bool sticks = dim == tensor.stick_dim;
    const std::int64_t extent = sticks ? pick(1, 4 * per_stick) : pick(1, 5);
    tensor.shape.push_back(extent);
    std::int64_t offset = pick(0, extent - 1);
    if (sticks) offset = offset / per_stick * per_stick;
    // Half of the sizes reach the edge or beyond, so that whole dimensions and cuts occur.
    sample.rectangle.offset[dim] = pick(0, 1) == 0 ? 0 : offset;
    sample.rectangle.size[dim] = pick(0, 1) == 0 ? extent : pick(1, extent + 3);
  }
  return sample;
}

TEST(TileGeometry, RunsAreTheSticksOfTheRectangleInFillOrderForRandomLayouts) {
  const models::Machine machine = models::make_test_machine();
  std::mt19937 random(20);
  for (int trial = 0; trial < 3000; ++trial) {
    Sample sample = random_sample(random);
    const TensorGeometry geometry = geometry_of(sample.tensor, machine);
    cut_at_edges(geometry, sample.rectangle);
    const std::uint64_t base = 4096U * static_cast<std::uint64_t>(trial);
    std::vector<StickRuns> nests;
    append_runs(geometry, base, sample.rectangle, nests);

    std::vector<std::uint64_t> sticks;
    std::uint64_t nest_bytes = 0;
    for (const ByteRun& run : runs_in_order(nests)) {
      for (std::uint64_t stick = run.begin; stick < run.end; stick += 128) sticks.push_back(stick);
    }
    for (const StickRuns& nest : nests) nest_bytes += nest.bytes();
    const std::vector<std::uint64_t> expected =
        slow_sticks(sample.tensor, geometry, sample.rectangle, base);
    ASSERT_EQ(sticks, expected) << "trial " << trial;
    ASSERT_EQ(nest_bytes, 128 * expected.size());
    ASSERT_EQ(stick_bytes_of(geometry, sample.rectangle), static_cast<std::int64_t>(nest_bytes));
    ASSERT_EQ(std::set<std::uint64_t>(sticks.begin(), sticks.end()).size(), sticks.size());
    const ByteRange range = touched_range(geometry, sample.rectangle);
    ASSERT_EQ(base + range.begin, *std::min_element(sticks.begin(), sticks.end()));
    ASSERT_EQ(base + range.end, *std::max_element(sticks.begin(), sticks.end()) + 128);
    ASSERT_LE(range.end, geometry.bytes);
  }
}

TEST(TileGeometry, NoTwoLevelsOfANestCouldBeOne) {
  const models::Machine machine = models::make_test_machine();
  std::mt19937 random(21);
  int nested = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Sample sample = random_sample(random);
    const TensorGeometry geometry = geometry_of(sample.tensor, machine);
    cut_at_edges(geometry, sample.rectangle);
    std::vector<StickRuns> nests;
    append_runs(geometry, 0, sample.rectangle, nests);
    for (const StickRuns& nest : nests) {
      if (nest.count[0] > 1) {
        ASSERT_NE(nest.stride[0], nest.run_bytes) << "trial " << trial;
      }
      for (std::size_t i = 1; i < 3; ++i) {
        if (nest.count[i] == 1) continue;
        ++nested;
        ASSERT_GT(nest.count[i - 1], 1U);
        ASSERT_NE(nest.stride[i], nest.stride[i - 1] * nest.count[i - 1]) << "trial " << trial;
      }
    }
  }
  EXPECT_GT(nested, 1000);
}

TEST(TileGeometry, WholeColumnsOfAWeightAreOneRun) {
  Tensor weight;
  weight.shape = {40, 4096, 4096};  // [l, n/64, k, 64] by default
  const TensorGeometry geometry = geometry_of(weight, models::make_test_machine());
  EXPECT_EQ(geometry.bytes, 40ULL * 4096 * 4096 * 2);
  const Rectangle tile{{3, 0, 128}, {1, 4096, 128}};
  std::vector<StickRuns> runs;
  append_runs(geometry, 4096, tile, runs);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].run_bytes, 2U * 4096 * 128);
  EXPECT_EQ(runs[0].base, 4096U + (3ULL * 64 + 2) * 4096 * 128);
  EXPECT_EQ(runs[0].count, (std::array<std::uint32_t, 3>{1, 1, 1}));
}

TEST(TileGeometry, PartOfAStickColumnIsOneRunPerColumn) {
  Tensor weight;
  weight.shape = {4096, 4096};
  const TensorGeometry geometry = geometry_of(weight, models::make_test_machine());
  std::vector<StickRuns> runs;
  append_runs(geometry, 0, Rectangle{{512, 128}, {256, 192}}, runs);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].run_bytes, 256U * 128);
  EXPECT_EQ(runs[0].count[0], 3U);
  EXPECT_EQ(runs[0].stride[0], 4096 * 128);
}

TEST(TileGeometry, DenseBytesLeaveThePaddingOut) {
  Tensor tensor;
  tensor.shape = {3, 70};
  const TensorGeometry geometry = geometry_of(tensor, models::make_test_machine());
  EXPECT_EQ(geometry.bytes, 3U * 2 * 128);
  Rectangle tile{{0, 64}, {3, 64}};
  cut_at_edges(geometry, tile);
  EXPECT_EQ(tile.size[1], 6);
  EXPECT_EQ(dense_bytes(geometry, tile), 3 * 6 * 2);
  EXPECT_EQ(stick_bytes_of(geometry, tile), 3 * 128);
}

TEST(TileGeometry, NothingIsLeftOfATileOutsideTheTensor) {
  Tensor tensor;
  tensor.shape = {3, 64};
  const TensorGeometry geometry = geometry_of(tensor, models::make_test_machine());
  for (const std::int64_t offset : {std::int64_t{3}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    Rectangle tile{{offset, 0}, {2, 64}};
    cut_at_edges(geometry, tile);
    std::vector<StickRuns> runs;
    append_runs(geometry, 0, tile, runs);
    EXPECT_TRUE(runs.empty()) << offset;
  }
}

}  // namespace
}  // namespace spyre::kernels
