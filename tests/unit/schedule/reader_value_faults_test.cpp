// Faults in what schedules say of values: numbers, patterns, strides, tables, regions, groups.
#include "tests/unit/schedule/fault_fixture.h"

namespace spyre::kernels {
namespace {

/// Tensors with strides beside the usual ones, which statements can name.
ScheduleParts strided_parts(const std::string& statement) {
  ScheduleParts parts = ScheduleParts::with_statement(statement);
  parts.tensors +=
      "  pages: {dtype: fp16, shape: [64, 128], strides: [128, 1]}\n"
      "  ptrs: {dtype: int32, shape: [4, 8], strides: [8, 1]}\n"
      "  half: {dtype: fp16, shape: [8], strides: [1]}\n"
      "  near: {dtype: fp16, shape: [64, 64], strides: [64, 1], lx_core: 1, address: 0}\n"
      "  nptrs: {dtype: int32, shape: [8], strides: [1], lx_core: 1, address: 0}\n";
  return parts;
}

void expect_strided_fault(const std::string& statement, const std::string& message) {
  SCOPED_TRACE(statement);
  expect_fault(strided_parts(statement), message);
}

void expect_buffer_fault(const std::string& buffers, const std::string& message) {
  expect_kernel_fault("    cores: {}\n    buffers:\n" + buffers, message);
}

TEST(ReaderValueFaults, Numbers) {
  expect_statement_fault("vector: {op: fma, into: a, from: [1.5, a, @@2]}",
                         "'vector.from' holds a second number: an operation has at most one "
                         "[operand-count]");
  expect_statement_fault("vector: {op: mul, into: a, from: [a, @@1e999]}",
                         "the number 1e999 is beyond those of 64 bits: write 0, .inf or -.inf if "
                         "that is meant [expression]");
  expect_statement_fault("vector: {op: mul, into: a, from: [a, @@1.5.2]}",
                         "'vector.from': numbers are decimal integers, and a product needs its "
                         "'*' [expression]");
  expect_statement_fault("vector: {op: mul, into: a, from: [a, @@lx]}",
                         "unknown buffer 'lx': known here: r, a, b, acc, row [unknown-name]");
  expect_statement_fault("vector: {op: mul, into: a, from: [a, 2*@@lx]}",
                         "'vector.from': unknown variable 'lx': did you mean 'l'? [unknown-name]");
  expect_statement_fault("vector: {op: exp, into: a, from: @@0.5}",
                         "'exp' reads tiles, not a number: 'fill' makes a tile of one "
                         "[operand-count]");
  expect_statement_fault("vector: {op: rope, into: a, from: @@[a, 0.5]}",
                         "'rope' reads tiles, not a number: 'fill' makes a tile of one "
                         "[operand-count]");
  expect_statement_fault("vector: {op: rmsnorm, into: a, from: @@[1e-6, a, b]}",
                         "'rmsnorm' reads 2 operands and perhaps a number, and 'vector.from' "
                         "names 3 [operand-count]");
  expect_statement_fault("vector: {op: iota, into: a, from: @@[a]}",
                         "'iota' reads 0 operands and perhaps a number, and 'vector.from' names 1 "
                         "[operand-count]");
  expect_statement_fault("vector: @@{op: fill, into: a}", "missing key 'vector.from'");
}

TEST(ReaderValueFaults, AxesAndPatterns) {
  expect_statement_fault("vector: {op: add, into: a, from: [a, b], axis: @@0}",
                         "'add' has no axis: only reduce_sum, reduce_max, reduce_min and iota do "
                         "[operand-count]");
  expect_statement_fault("vector: {op: reduce_sum, into: a, from: b, axis: @@2}",
                         "'vector.axis' is 2: it must be from 0 to 1");
  expect_statement_fault("vector: @@{op: rearrange, into: a, from: b}",
                         "missing key 'vector.pattern'");
  expect_statement_fault(
      "vector: {op: copy, into: a, from: b, pattern: @@{sizes: [1], strides: [1]}}",
      "'copy' has no pattern: only rearrange and transpose do [operand-count]");
  expect_statement_fault(
      "vector: {op: rearrange, into: a, from: b, pattern: {sizes: [8, 8], strides: @@[1]}}",
      "'vector.pattern.strides' must be a list of 2 whole numbers [arity]");
  expect_statement_fault(
      "vector: {op: rearrange, into: a, from: b, pattern: {sizes: @@[1, 1, 1, 1, 1, 1, 1], "
      "strides: [1]}}",
      "'vector.pattern.sizes' must be a list of 1 to 6 whole numbers [arity]");
  expect_statement_fault(
      "vector: {op: rearrange, into: a, from: b, pattern: @@{sizes: [2147483647, 2147483647], "
      "strides: [1, 1]}}",
      "'vector.pattern' has more than 2^48 elements [limit]");
}

TEST(ReaderValueFaults, Strides) {
  expect_tensor_fault("q: {dtype: fp16, shape: [2, 2], strides: @@[1]}",
                      "'tensors.q.strides' must be a list of 2 whole numbers [arity]");
  expect_tensor_fault("q: {dtype: fp16, shape: [2], strides: [@@-1]}",
                      "'tensors.q.strides' is -1: it must be from 0 to 281474976710656");
  expect_tensor_fault("q: {dtype: fp16, shape: [3], strides: @@[200000000000000]}",
                      "'tensors.q' spans more than 2^48 elements [limit]");
  expect_tensor_fault("q: {dtype: int4, shape: [2], strides: @@[1]}",
                      "elements of int4 are no whole bytes: they have no strides [layout]");
  expect_tensor_fault("q: {dtype: fp16, shape: [2], strides: [1], layout: @@[d0/64, 64]}",
                      "a tensor has either 'strides' or a 'layout' [layout]");
  expect_tensor_fault(
      "q: {dtype: fp32, shape: [2], strides: [1], address: @@6}",
      "'tensors.q.address' is 6: it must be a multiple of 4, the bytes of an element "
      "[alignment]");
  expect_tensor_fault("q: {dtype: fp32, shape: [2], strides: [1], lx_core: @@3}",
                      "'tensors.q.lx_core' needs 'strides' and an 'address', a byte of that core's "
                      "LX [lx-core]");
  expect_tensor_fault("q: {dtype: fp32, shape: [2], strides: [1], address: 4, lx_core: @@32}",
                      "'tensors.q.lx_core' is 32: it must be from 0 to 31");
}

TEST(ReaderValueFaults, Transfers) {
  expect_statement_fault("load: {into: a, from: x, offset: @@1}",
                         "'load.offset' is for tensors with strides: 'x' has a layout [layout]");
  expect_strided_fault("load: {into: a, from: @@near, share: m}",
                       "'near' lies in the LX of core 1: it is loaded and stored only, by each "
                       "core for itself [lx-core]");
  expect_strided_fault("gather: {into: a, from: x, index: @@ptrs}",
                       "'gather.index' names 'ptrs', which has strides: only 'indexed' reads such "
                       "indices [layout]");
}

TEST(ReaderValueFaults, IndexedTransfers) {
  const std::string start = "gather: {into: a, from: pages, ";
  const std::string tile = "tile: {dims: [8, 64], strides: [0, 1]}, ";
  expect_strided_fault(
      start + tile + "index: @@ids, indexed: [{dim: 0, table: ptrs, along: [1, 0]}]}",
      "'pages' has strides: use 'tile' and 'indexed' instead of 'index' [layout]");
  expect_strided_fault(
      start + tile + "size: @@[8, 64], indexed: [{dim: 0, table: ptrs, along: [1, 0]}]}",
      "'gather.size' is the size of 'tile' here: leave it out [arity]");
  expect_strided_fault("gather: @@{into: a, from: pages, " + tile + "}",
                       "missing key 'gather.indexed'");
  expect_strided_fault(start + tile + "indexed: @@[]}",
                       "'gather.indexed' must be a list of 1 to 3 indexed dims [arity]");
  expect_strided_fault(start + tile + "indexed: [{dim: @@2, table: ptrs, along: [1, 0]}]}",
                       "'gather.indexed.dim' is 2: it must be from 0 to 1");
  expect_strided_fault(start + tile + "indexed: [{dim: 0, table: ptrs, along: @@[1]}]}",
                       "'gather.indexed.along' must be a list of 2 whole numbers [arity]");
  expect_strided_fault(start + tile + "indexed: [{dim: 0, table: @@half, along: [1, 0]}]}",
                       "'gather.indexed.table' names 'half', which is fp16: indices must be int32 "
                       "[index-type]");
  expect_strided_fault(start + tile + "indexed: [{dim: 0, table: @@ids, along: [1, 0]}]}",
                       "'gather.indexed.table' names 'ids', which has a layout: give it strides "
                       "[layout]");
  expect_strided_fault(start + tile + "indexed: [{dim: 0, table: @@nptrs, along: [1, 0]}]}",
                       "'gather.indexed.table' names 'nptrs', which lies in LX: indices are read "
                       "from DRAM [lx-core]");
  expect_strided_fault(start + tile + "indexed: [{dim: 0, table: ptrs, at: @@[0], along: [1, 0]}]}",
                       "'gather.indexed.at' has 1 entries: the tensor 'ptrs' needs 2 [arity]");
  expect_strided_fault(
      start + tile +
          "indexed: [{dim: 0, table: ptrs, along: [1, 0]}, @@{dim: 0, table: ptrs, along: [1, "
          "0]}]}",
      "'gather.indexed' names dim 0 twice [name-taken]");
  expect_strided_fault(
      "scatter: {from: a, to: @@near, " + tile + "indexed: [{dim: 0, table: ptrs, along: [1, 0]}]}",
      "'near' lies in the LX of core 1: it is loaded and stored only, not by index [lx-core]");
}

TEST(ReaderValueFaults, Regions) {
  expect_buffer_fault(
      "      p: {dtype: fp16, shape: [1], region: w}\n"
      "      q: @@{dtype: fp16, shape: [1], region: w, slots: 2}\n",
      "'q' has slots: 2 and 'p' of the same region slots: 1: make them equal [region]");
  expect_buffer_fault(
      "      p: {dtype: fp16, shape: [1], region: w, address: 128}\n"
      "      q: @@{dtype: fp16, shape: [1], region: w}\n",
      "'q' and 'p' are of the same region: give both the same 'address', or none [region]");
  expect_buffer_fault("      p: {dtype: fp16, shape: [1], region: @@9}\n",
                      "'9' cannot name a region: use letters, digits, '_', '.', '-' and '/', a "
                      "letter or '_' first [name-syntax]");
}

TEST(ReaderValueFaults, Groups) {
  const auto expect_group_fault = [](const std::string& groups, const std::string& message) {
    expect_kernel_fault("    cores: {m: 2, n: 2}\n    groups: " + groups + "\n", message);
  };
  expect_group_fault("{p: [[0, 1], @@[1, 2]]}",
                     "core 1 is in two groups of 'kernels.gemm.groups.p': it may be in one "
                     "[group]");
  expect_group_fault("{p: [@@[1, 0]]}",
                     "the cores of a group of 'kernels.gemm.groups.p' must stand in ascending "
                     "order [group]");
  expect_group_fault("{p: [[0, @@4]]}", "'kernels.gemm.groups.p' is 4: it must be from 0 to 3");
  expect_group_fault("{p: [@@[]]}",
                     "'kernels.gemm.groups.p' must be a list of 1 to 4 whole numbers [arity]");
  expect_group_fault("{@@m: [[0]]}", "'m' is a grid dim already: rename the group [name-taken]");
  expect_group_fault("{p: @@0}",
                     "'kernels.gemm.groups.p' must be a list of groups of cores [arity]");
  ScheduleParts parts = ScheduleParts::with_statement("reduce: {from: a, into: b, over: @@[p, m]}");
  parts.kernel_head =
      "kernels:\n  gemm:\n    cores: {m: 2}\n    groups: {p: [[0, 1]]}\n"
      "    params: [l]\n    buffers: {a: {dtype: fp16, shape: [1]}, b: {dtype: "
      "fp16, shape: [1]}}\n";
  expect_fault(parts, "'reduce.over' must name 'p' alone: it is a group of cores already [arity]");
}

TEST(ReaderValueFaults, SourceLines) {
  expect_statement_fault("barrier: {line: @@0}", "'line' is 0: it must be from 1 to 2147483647");
  expect_statement_fault("{barrier: {line: @@3}, line: 4}",
                         "'line' stands twice, beside the operation and inside it [name-taken]");
}

}  // namespace
}  // namespace spyre::kernels
