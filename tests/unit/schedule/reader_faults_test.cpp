// One fault per case: its place is marked in the text with "@@", its message must be the one given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/schedule/fault_fixture.h"

namespace spyre::kernels {
namespace {

TEST(ReaderFaults, UnknownOperations) {
  expect_statement_fault(
      "@@FooNorm: {into: a, from: [a]}",
      "unknown operation 'FooNorm': known here: load, store, gather, scatter, matmul, "
      "vector, send, multicast, receive, reduce, signal, wait, barrier, for "
      "[unknown-operation]");
  expect_statement_fault(
      "vector: {op: @@FooNorm, into: a, from: [a]}",
      "unknown vector function 'FooNorm': docs/schedule.md lists those there are "
      "[unknown-operation]");
  expect_statement_fault("vector: {op: @@scale, into: a, from: [a]}",
                         "unknown vector function 'scale': 'mul' takes a number "
                         "[unknown-operation]");
  expect_statement_fault("@@laod: {into: a, from: x}",
                         "unknown operation 'laod': did you mean 'load'? [unknown-operation]");
  expect_statement_fault("{barrier: {}, @@load: {into: a, from: x}}",
                         "a statement is one operation: 'load' stands beside 'barrier' "
                         "[unknown-operation]");
  expect_statement_fault("@@barrier",
                         "a statement must be a map with one operation: '- load: {...}' "
                         "[unknown-operation]");
  expect_statement_fault("@@{}", "a statement is missing: the map is empty [unknown-operation]");
}

TEST(ReaderFaults, UnknownNames) {
  expect_statement_fault("load: {into: @@acd, from: x}",
                         "unknown buffer 'acd': did you mean 'acc'? [unknown-name]");
  expect_statement_fault("load: {into: {buffer: @@bogus}, from: x}",
                         "unknown buffer 'bogus': known here: r, a, b, acc, row [unknown-name]");
  expect_statement_fault("load: {into: a, from: @@y9}",
                         "unknown tensor 'y9': known here: x, w, v, ids [unknown-name]");
  expect_statement_fault("load: {into: a, from: x, share: @@q}",
                         "unknown grid dim 'q': known here: m, n [unknown-name]");
  expect_statement_fault("multicast: {from: a, into: b, over: [n, @@l]}",
                         "unknown grid dim 'l': known here: m, n [unknown-name]");
  expect_statement_fault("load: {into: a, from: x, at: [0, 512*@@kk]}",
                         "'load.at': unknown variable 'kk' [unknown-name]");
  expect_statement_fault("load: {into: a, from: x, at: [0, \"512*@@coers\"]}",
                         "'load.at': unknown variable 'coers': did you mean 'core'? "
                         "[unknown-name]");
  expect_statement_fault("wait: {semaphore: @@done}",
                         "nothing in this kernel signals the semaphore 'done': there are none here "
                         "[unknown-name]");
  expect_launch_fault("{kernel: @@gem, with: {l: 1}}",
                      "unknown kernel 'gem': did you mean 'gemm'? [unknown-name]");
  expect_launch_fault("{kernel: gemm, with: {l: 1, @@layer: 2}}",
                      "unknown parameter 'layer': known here: l [unknown-name]");
  expect_launch_fault("{kernel: gemm, with: {l: @@core}}",
                      "'with.l': unknown variable 'core' [unknown-name]");
  expect_launch_fault("{kernel: gemm, with: {l: 1}, layer: @@l}",
                      "unknown launch loop variable 'l': there are none here [unknown-name]");
}

TEST(ReaderFaults, ALoopVariableEndsWithItsLoop) {
  ScheduleParts parts;
  parts.body =
      "    body:\n      - for: {k: [0, 2]}\n        do: []\n"
      "      - load: {into: a, from: x, at: [0, @@k]}\n";
  expect_fault(parts, "'load.at': unknown variable 'k' [unknown-name]");
}

TEST(ReaderFaults, ASemaphoreIsKnownWhereItIsSignalled) {
  ScheduleParts parts;
  parts.body =
      "    body:\n      - wait: {semaphore: @@doen}\n"
      "      - signal: {semaphore: done, over: []}\n";
  expect_fault(parts,
               "nothing in this kernel signals the semaphore 'doen': did you mean 'done'? "
               "[unknown-name]");
}

TEST(ReaderFaults, UnknownAndMissingKeys) {
  expect_statement_fault("load: {into: a, from: x, @@shar: n}",
                         "unknown key 'load.shar': did you mean 'share'?");
  expect_statement_fault("store: {from: a, to: x, @@share: n}", "unknown key 'store.share'");
  expect_statement_fault("{load: {into: a, from: x}, @@do: []}", "unknown key 'do'");
  expect_statement_fault("load: @@{from: x}", "missing key 'load.into'");
  expect_statement_fault("send: @@{from: a, into: b}", "missing key 'send.to'");
  expect_statement_fault("@@for: {k: [0, 8]}", "missing key 'do'");
  expect_statement_fault("load: {into: a, from: x, @@from: x}",
                         "the key 'load.from' stands twice in this map");
  expect_tensor_fault("q: @@{dtype: fp16}", "missing key 'tensors.q.shape'");
  expect_tensor_fault("q: {dtype: fp16, shape: [2], @@adress: 0}",
                      "unknown key 'tensors.q.adress': did you mean 'address'?");
}

TEST(ReaderFaults, Arity) {
  expect_statement_fault("load: {into: a, from: x, at: @@[0]}",
                         "'load.at' has 1 entries: the tensor 'x' needs 2 [arity]");
  expect_statement_fault("load: {into: a, from: w, at: [0, 0, 0], size: @@[1, 64]}",
                         "'load.size' has 2 entries: the tensor 'w' needs 3 [arity]");
  expect_statement_fault("load: {into: a, from: x, at: @@0}",
                         "'load.at' must be a list of expressions [arity]");
  expect_statement_fault("matmul: {into: acc, a: {buffer: a, at: @@[0]}, b: b}",
                         "'matmul.a.at' has 1 entries: the buffer 'a' needs 2 [arity]");
  expect_statement_fault("load: {into: {buffer: row, at: @@[0, 0]}, from: v}",
                         "'load.into.at' has 2 entries: the buffer 'row' needs 1 [arity]");
  expect_statement_fault("load: {into: a, from: @@v}",
                         "the tensor 'v' has one dim and the buffer 'a' 64 rows: give 'size' "
                         "[arity]");
  expect_statement_fault("signal: @@{semaphore: s}",
                         "'signal' needs either 'to' (one core) or 'over' (the cores of a group) "
                         "[arity]");
  expect_statement_fault("signal: @@{semaphore: s, to: 1, over: [m]}",
                         "'signal' needs either 'to' (one core) or 'over' (the cores of a group) "
                         "[arity]");
  expect_statement_fault("{for: {k: @@[0]}, do: []}",
                         "the range of 'k' must be [start, stop] or [start, stop, step] [arity]");
  expect_launch_fault("@@{kernel: gemm}",
                      "the kernel 'gemm' needs the parameter 'l': add it to 'with' [arity]");
}

TEST(ReaderFaults, OperandCounts) {
  expect_statement_fault("vector: {op: silu_mul, into: a, from: @@[a]}",
                         "'silu_mul' reads 2 operands, and 'vector.from' names 1 [operand-count]");
  expect_statement_fault("vector: {op: silu, into: a, from: @@[a, b]}",
                         "'silu' reads 1 operand, and 'vector.from' names 2 [operand-count]");
}

TEST(ReaderFaults, TensorTypesAndLayouts) {
  expect_tensor_fault("q: {dtype: @@fp1, shape: [2]}",
                      "unknown dtype 'fp1': did you mean 'fp16'? [unknown-name]");
  expect_tensor_fault("q: {dtype: fp16, kind: @@weights, shape: [2]}",
                      "unknown kind 'weights': did you mean 'weight'? [unknown-name]");
  expect_tensor_fault("q: {dtype: fp16, shape: @@[]}",
                      "'tensors.q.shape' must be a list of 1 to 8 sizes [arity]");
  expect_tensor_fault("q: {dtype: fp16, shape: [2, @@0]}",
                      "'tensors.q.shape' is 0: it must be from 1 to 2147483647");
  expect_tensor_fault("q: {dtype: fp16, shape: [2, @@010]}",
                      "'tensors.q.shape' is '010': it must be a whole number");
  expect_tensor_fault("q: @@{dtype: fp16, shape: [2147483647, 2147483647]}",
                      "'tensors.q.shape' has more than 2^48 elements [limit]");
  expect_tensor_fault("q: {dtype: fp16, dims: @@[a], shape: [2, 2]}",
                      "'tensors.q.dims' must list one name per dim of the shape: 2 [arity]");
  expect_tensor_fault("q: {dtype: fp16, dims: [a, @@a], shape: [2, 2]}",
                      "two dims are called 'a' [name-taken]");
  expect_tensor_fault("q: {dtype: fp16, dims: [k, n], shape: [2, 2], layout: @@[n/64, 64]}",
                      "'tensors.q.layout' must list every dim once and then one stick, as in "
                      "[n/64, k, 64] [layout]");
  expect_tensor_fault("q: {dtype: fp8, dims: [k, n], shape: [2, 2], layout: [@@n/64, k, 128]}",
                      "'n/64' cuts 'n' by other than a stick: one stick holds 128 elements of fp8 "
                      "[layout]");
  expect_tensor_fault("q: {dtype: fp16, dims: [k, n], shape: [2, 2], layout: [n/64, k, @@32]}",
                      "the last entry of 'tensors.q.layout' must be one stick: 64 elements of fp16 "
                      "[layout]");
  expect_tensor_fault("q: {dtype: fp16, dims: [k, n], shape: [2, 2], layout: [n/64, @@j, 64]}",
                      "unknown dim 'j': known here: k, n [unknown-name]");
  expect_tensor_fault("q: {dtype: fp16, dims: [k, n], shape: [2, 2], layout: [n/64, @@n, 64]}",
                      "the dim 'n' stands twice in the layout [layout]");
  expect_tensor_fault("q: {dtype: fp16, dims: [k, n], shape: [2, 2], layout: @@[n, k, 64]}",
                      "exactly one dim of 'tensors.q.layout' must be cut into sticks, as in "
                      "[n/64, k, 64] [layout]");
  expect_tensor_fault("q: {dtype: fp16, dims: [k, n], shape: [2, 2], layout: @@[n/64, k/64, 64]}",
                      "exactly one dim of 'tensors.q.layout' must be cut into sticks, as in "
                      "[n/64, k, 64] [layout]");
  expect_tensor_fault(
      "q: {dtype: fp16, shape: [2], address: @@64}",
      "'tensors.q.address' is 64: it must be a multiple of 128, the bytes of a stick "
      "[alignment]");
}

TEST(ReaderFaults, IndexValues) {
  expect_tensor_fault(
      "q: {dtype: int32, kind: index, shape: [2], values: @@[1]}",
      "'tensors.q.values' must list one index per element of the shape: 2 [values]");
  expect_tensor_fault("q: {dtype: int32, shape: [1], values: @@[1]}",
                      "'tensors.q.values' is for tensors of kind index only, and this one is "
                      "activation [values]");
  expect_tensor_fault("q: {dtype: int8, kind: index, shape: [2], values: [127, @@128]}",
                      "'tensors.q.values' is 128: it must be from -128 to 127");
  expect_statement_fault("gather: {into: a, from: x, index: @@v}",
                         "'gather.index' names 'v', which is fp16: indices must be int32 "
                         "[index-type]");
}

TEST(ReaderFaults, NamesThatAreTaken) {
  expect_statement_fault("{for: {@@l: [0, 2]}, do: []}",
                         "the loop variable 'l' hides another variable of that name: rename one of "
                         "them [name-taken]");
  expect_statement_fault("{for: {k: [0, 2]}, do: [{for: {@@k: [0, 2]}, do: []}]}",
                         "the loop variable 'k' hides another variable of that name: rename one of "
                         "them [name-taken]");
  expect_kernel_fault("    cores: {m: 2}\n    params: [@@m]\n",
                      "the parameter 'm' hides another variable of that name: rename one of them "
                      "[name-taken]");
  expect_kernel_fault(
      "    cores: {@@core: 2}\n",
      "'core' cannot name a grid dim: the word has a meaning of its own [name-taken]");
  expect_kernel_fault("    cores: {m: 2, @@m: 3}\n",
                      "the key 'm' stands twice in 'kernels.gemm.cores' [name-taken]");
  expect_kernel_fault("    cores: {}\n    buffers: {@@r: {dtype: fp16, shape: [2]}}\n",
                      "'r' is a resident buffer already: rename one of them [name-taken]");
  expect_tensor_fault("@@x: {dtype: fp16, shape: [2]}",
                      "the key 'x' stands twice in 'tensors' [name-taken]");
  expect_statement_fault("load: {into: a, from: x, share: [m, @@m]}",
                         "'load.share' names 'm' twice [name-taken]");
  expect_statement_fault("{load: {into: a, from: x, when: @@1}, when: 0}",
                         "'when' stands twice, beside the operation and inside it [name-taken]");
}

TEST(ReaderFaults, Names) {
  expect_tensor_fault(
      "@@9q: {dtype: fp16, shape: [2]}",
      "'9q' cannot name a tensor: use letters, digits, '_', '.', '-' and '/', a letter "
      "or '_' first [name-syntax]");
  expect_kernel_fault("    cores: {@@a.b: 2}\n",
                      "'a.b' cannot name a grid dim: use letters, digits and '_', no digit first "
                      "[name-syntax]");
}

TEST(ReaderFaults, Expressions) {
  expect_statement_fault("load: {into: a, from: x, at: [0, 5 @@/ 2]}",
                         "'load.at': '/' is not an operator: '//' divides and rounds down "
                         "[expression]");
  expect_statement_fault("load: {into: a, from: x, at: [0, \"min(1@@)\"]}",
                         "'load.at': ',' is missing here [expression]");
  expect_statement_fault("matmul: {into: acc, a: a, b: b, accumulate: @@true}",
                         "'matmul.accumulate' is 'true': expressions are numbers, write 1 "
                         "[expression]");
  expect_statement_fault("load: {into: a, from: x, at: [0, @@[1]]}",
                         "an expression ('load.at') is expected here, not a list");
  expect_statement_fault("load: {into: a, from: x, when: @@~}",
                         "an expression ('when') is expected here, not nothing");
}

TEST(ReaderFaults, Limits) {
  expect_statement_fault(
      "{for: {k: @@[0, 65536]}, do: []}",
      "the loop of 'k' has 65536 iterations: the machine counts to 65535; split it "
      "into two loops [loop-limit]");
  expect_statement_fault("{for: {k: @@[0, 8, 0]}, do: []}",
                         "the loop of 'k' has step 0 and would not end [loop-limit]");
  expect_statement_fault("matmul: {into: acc, a: a, b: b, corelets: @@3}",
                         "'matmul.corelets' is 3: it must be from 1 to 2");
  expect_kernel_fault(
      "    cores: {}\n    buffers: @@{q: {dtype: fp16, shape: [1], slots: 65534}, p: "
      "{dtype: fp16, shape: [1]}}\n",
      "'kernels.gemm.buffers' has 65535 slots: at most 65534 can be told apart "
      "[limit]");
}

TEST(ReaderFaults, Version) {
  ScheduleParts parts;
  parts.head = "schedule: @@2\n";
  expect_fault(parts, "'schedule' must be 1, the version of the language [version]");
  parts.head = "@@machine: spyre\n";
  expect_fault(parts, "missing key 'schedule'");
}

}  // namespace
}  // namespace spyre::kernels
