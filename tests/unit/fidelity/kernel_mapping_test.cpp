// Which op of our own the rows of the own table are.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/diagnostics/diagnostics.h"
#include "runtime/fidelity/kernel_mapping.h"

namespace spyre::runtime {
namespace {

using kernels::BatchLayout;
using Sizes = kernels::OpSizes;

MeasuredKernel row(const std::string& id) {
  static const auto table = read_kernel_table(SPYRE_EMU_TEST_DATA "/fidelity/kernels.csv");
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const MeasuredKernel& kernel) { return kernel.id == id; });
  if (found == table.end()) throw models::InputError("no row " + id);
  return *found;
}

OpRequest request(const std::string& id) {
  const KernelMapping mapping = map_kernel(row(id));
  if (!mapping.request) throw models::InputError(mapping.reason);
  EXPECT_FALSE(mapping.request->data);
  return *mapping.request;
}

void expect_op(const std::string& id, const std::string& op, const Sizes& sizes) {
  const OpRequest mapped = request(id);
  EXPECT_EQ(mapped.op->name, op) << id;
  EXPECT_EQ(mapped.sizes, sizes) << id;
  EXPECT_EQ(mapped.options.cores, row(id).cores) << id;
}

const std::string kSweep = "cost_model_sweep_20260807_020123:";

TEST(KernelMapping, Matrices) {
  expect_op(kSweep + "51", "add", {{"ROWS", 2048}, {"COLS", 1024}});
  expect_op("v2_neg:3890", "neg", {{"ROWS", 512}, {"COLS", 512}});
  expect_op(kSweep + "22235", "add-column", {{"ROWS", 128}, {"COLS", 2048}});
  expect_op(kSweep + "12753", "max-rows", {{"ROWS", 2048}, {"COLS", 2048}});
  expect_op("v2_ctsum:2274", "sum-columns", {{"ROWS", 2048}, {"COLS", 512}});
  expect_op("v2_transpose:1106", "transpose", {{"ROWS", 512}, {"COLS", 2048}});
}

TEST(KernelMapping, ChainsOfAddsCountAdds) {
  expect_op(kSweep + "2890", "add-chain", {{"ROWS", 2048}, {"COLS", 1024}, {"ADDS", 2}});
  expect_op(kSweep + "6353", "add-separate", {{"ROWS", 2048}, {"COLS", 1024}, {"ADDS", 3}});
  EXPECT_EQ(map_kernel(row(kSweep + "2890")).kernels, 1);
  EXPECT_EQ(map_kernel(row(kSweep + "6353")).kernels, 3);
}

TEST(KernelMapping, OuterTransposeHasTheDeviceBytesOfTheDefaultLayout) {
  // The middle dim is not recorded: 16 MB read and written are 8 matrices of 256 x 2048.
  expect_op("v2_transpose_outer:2067", "transpose-outer",
            {{"ROWS", 8}, {"MIDDLE", 256}, {"COLS", 2048}});
  MeasuredKernel odd = row("v2_transpose_outer:2067");
  odd.io_bytes += 128;
  EXPECT_NE(map_kernel(odd).reason.find("the middle dim"), std::string::npos);
}

TEST(KernelMapping, SoftmaxHasTheRowsOfACoresTile) {
  expect_op("v2_softmax_row_tiling:321", "softmax", {{"ROWS", 2048}, {"COLS", 128}});
  EXPECT_EQ(request("v2_softmax_row_tiling:321").options.tile_rows, 2048 / (4 * 32));
}

TEST(KernelMapping, MatmulsHaveTheMeasuredSplit) {
  expect_op("lxsession_mmwd:8107", "matmul", {{"M", 2048}, {"N", 2048}, {"K", 2048}});
  const kernels::OpOptions options = request("lxsession_mmwd:8107").options;
  EXPECT_EQ(options.m_cores, 2);
  EXPECT_EQ(options.n_cores, 4);
  EXPECT_EQ(options.k_split, 2);
  EXPECT_FALSE(map_kernel(row("lxsession_mmwd:8107")).planned_split);
  EXPECT_EQ(request("lxsession_mm:1652").options.m_cores, 0);
  EXPECT_TRUE(map_kernel(row("lxsession_mm:1652")).planned_split);
}

TEST(KernelMapping, BatchesHaveTheMeasuredLayouts) {
  expect_op("v2_bmm_layout:1452", "bmm", {{"B", 2}, {"M", 1024}, {"N", 1024}, {"K", 2048}});
  const kernels::OpOptions options = request("v2_bmm_layout:1452").options;
  EXPECT_EQ(options.a, BatchLayout::batch_outer);
  EXPECT_EQ(options.b, BatchLayout::row_outer);
  EXPECT_EQ(options.c, BatchLayout::row_outer);
  EXPECT_EQ(options.b_cores, 1);
  expect_op("v2_bmm_wd_3d2d:2152", "bmm-shared", {{"B", 4}, {"M", 512}, {"N", 512}, {"K", 2048}});
  EXPECT_EQ(request("v2_bmm_wd_3d2d:2152").options.a, BatchLayout::row_outer);
}

TEST(KernelMapping, SaysWhyARowIsLeftOut) {
  const auto expect_reason = [](const MeasuredKernel& kernel, const std::string& part) {
    const KernelMapping mapping = map_kernel(kernel);
    EXPECT_FALSE(mapping.request) << kernel.id;
    EXPECT_NE(mapping.reason.find(part), std::string::npos) << mapping.reason;
  };
  expect_reason(row(kSweep + "4972"), "go through DRAM");
  expect_reason(row("v2_ctsum:3056"), "coarse loop");
  expect_reason(row("v2_cat0:1106"), "sizes of the parts");
  expect_reason(row("lxsession_bmm_layout:1152"), "layouts are not recorded");
  expect_reason(row("v2_bmm_wd:452"), "split is not recorded");
  MeasuredKernel kernel = row("v2_neg:3890");
  kernel.layout_a = "rows|cols/64|64";
  expect_reason(kernel, "another layout");
  kernel = row("v2_neg:3890");
  kernel.op = "conv";
  expect_reason(kernel, "conv: not an op");
}

}  // namespace
}  // namespace spyre::runtime
