// The table of measured kernels: what is read, and what is said about a bad row.
#include <gtest/gtest.h>

#include "models/diagnostics/diagnostics.h"
#include "runtime/fidelity/kernel_table.h"

namespace spyre::runtime {
namespace {

const std::string kHeader =
    "id,op,rows,cols,mid,tiles,lx,cores,b,m,k,n,split_b,split_m,split_n,split_k,split_kind,"
    "layout_a,layout_b,layout_c,io_bytes,us_median,ibm_model_us\n";
const std::string kRow = "a:1,neg,512,256,,0,1,32,,,,,,,,,,,,,524288,10.5,10\n";

std::string fault_of(const std::string& text) {
  try {
    (void)parse_kernel_table(text, "table.csv");
  } catch (const models::InputError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(KernelTable, ReadsRowsAndSkipsCommentsAndOtherColumns) {
  const auto kernels =
      parse_kernel_table("# source\nnote," + kHeader + "x," + kRow + "# more\r\n", "t");
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].line, 3);
  EXPECT_EQ(kernels[0].id, "a:1");
  EXPECT_EQ(kernels[0].rows, 512);
  EXPECT_EQ(kernels[0].cores, 32);
  EXPECT_TRUE(kernels[0].lx);
  EXPECT_EQ(kernels[0].size("n"), std::nullopt);
  EXPECT_DOUBLE_EQ(kernels[0].measured_us, 10.5);
}

TEST(KernelTable, NamesLineAndColumnOfABadField) {
  EXPECT_EQ(fault_of(kHeader + kRow + "a:2,neg,51x,256,,0,1,32,,,,,,,,,,,,,0,10.5,10\n"),
            "table.csv:3:9: error: rows: '51x' is not a whole number of 1 or more");
  EXPECT_EQ(fault_of(kHeader + "a:2,neg,512,256,,0,1,0,,,,,,,,,,,,,0,10.5,10\n"),
            "table.csv:2:22: error: cores: '0' is not a whole number of 1 or more");
  EXPECT_EQ(fault_of(kHeader + "a:2,neg,512,256,,0,1,32,,,,,,,,,,,,,0,nan,10\n"),
            "table.csv:2:39: error: us_median: 'nan' is not a time above 0");
}

TEST(KernelTable, RefusesARowThatIsNotWhole) {
  EXPECT_EQ(fault_of(kHeader + "a:2,neg,512\n"),
            "table.csv:2:9: error: the row has 3 fields, the header 23");
  EXPECT_EQ(fault_of(kHeader + "\n" + kRow), "table.csv:2:1: error: the line is empty; delete it");
  EXPECT_EQ(fault_of(kHeader + kRow + kRow), "table.csv:3:1: error: id 'a:1' comes twice");
  EXPECT_EQ(fault_of(kHeader + "\"a\"" + kRow),
            "table.csv:2:1: error: quoted fields are not read; write the value alone");
}

TEST(KernelTable, RefusesATableWithoutItsColumnsOrRows) {
  EXPECT_EQ(fault_of("id,op\n"), "table.csv:1:1: error: there is no column 'split_kind'");
  EXPECT_EQ(fault_of("id,id\n"), "table.csv:1:4: error: column 'id' comes twice");
  EXPECT_EQ(fault_of(""), "table.csv: error: there is no header line");
  EXPECT_EQ(fault_of(kHeader), "table.csv: error: the table has no rows");
}

}  // namespace
}  // namespace spyre::runtime
