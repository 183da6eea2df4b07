// How fast a schedule becomes tile operations, and how long judging it takes: a decode step of 40
// layers on 32 cores, shaped like granite-3.3-8b at batch 8.
#include <chrono>

#include <fmt/format.h>

#include "kernels/schedule/checker.h"
#include "kernels/schedule/expander.h"
#include "kernels/schedule/placement.h"
#include "kernels/schedule/reader.h"
#include "tests/support/test_machine.h"

namespace {

using namespace spyre;  // a program of its own

/// One linear layer: K in tiles of 512, N split over the cores in tiles of 128.
std::string linear(const std::string& name, const std::string& from, const std::string& to,
                   int turns_n, int tiles_k) {
  return fmt::format(R"(
  {0}:
    cores: {{n: 32}}
    params: [l]
    buffers:
      a: {{dtype: fp16, shape: [8, 512], slots: 2}}
      b: {{dtype: fp16, shape: [512, 128], slots: 2}}
      acc: {{dtype: fp32, shape: [8, 128]}}
      out: {{dtype: fp16, shape: [8, 128]}}
    body:
      - for: {{i: [0, {3}]}}
        do:
          - for: {{k: [0, {4}]}}
            do:
              - load: {{into: a, from: {1}, at: [0, 512*k], share: n}}
              - load: {{into: b, from: w_{0}, at: [l, 512*k, 128*(32*i + n)]}}
              - matmul: {{into: acc, a: a, b: b, accumulate: k > 0}}
          - vector: {{op: copy, into: out, from: [acc]}}
          - store: {{from: out, to: {2}, at: [0, 128*(32*i + n)]}})",
                     name, from, to, turns_n, tiles_k);
}

std::string decode_step() {
  return R"(schedule: 1
tensors:
  x: {dtype: fp16, shape: [8, 4096]}
  qkv: {dtype: fp16, shape: [8, 6144]}
  o: {dtype: fp16, shape: [8, 4096]}
  gate: {dtype: fp16, shape: [8, 25600]}
  y: {dtype: fp16, shape: [8, 4096]}
  w_qkv: {dtype: fp16, kind: weight, shape: [40, 4096, 6144]}
  w_out: {dtype: fp16, kind: weight, shape: [40, 4096, 4096]}
  w_up: {dtype: fp16, kind: weight, shape: [40, 4096, 25600]}
  w_down: {dtype: fp16, kind: weight, shape: [40, 12800, 4096]}
kernels:)" +
         linear("qkv", "x", "qkv", 2, 8) + linear("out", "qkv", "o", 1, 8) +
         linear("up", "o", "gate", 7, 8) + linear("down", "gate", "y", 1, 25) + R"(
launches:
  - for: {l: [0, 40]}
    do:
      - {kernel: qkv, with: {l: l}, layer: l}
      - {kernel: out, with: {l: l}, layer: l}
      - {kernel: up, with: {l: l}, layer: l}
      - {kernel: down, with: {l: l}, layer: l}
)";
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  const models::Machine machine = models::make_test_machine();
  const kernels::Schedule schedule = kernels::parse_schedule(decode_step(), "decode", machine);
  const kernels::Placement placement = kernels::place(schedule, machine);

  std::uint64_t ops = 0;
  std::uint64_t bytes = 0;
  auto start = std::chrono::steady_clock::now();
  for (int repeat = 0; repeat < 10; ++repeat) {
    kernels::Expander expander(schedule, placement, machine);
    models::Launch launch;
    models::TileOp op;
    while (expander.next_launch(launch)) {
      for (unsigned core = 0; core < 32; ++core) {
        while (expander.next_op(core, op)) {
          ++ops;
          for (const models::StickRuns& runs : op.runs) bytes += runs.bytes();
        }
      }
    }
  }
  double seconds = seconds_since(start);
  fmt::print("expander: {} ops, {} bytes, {:.2f} M ops/s\n", ops / 10, bytes / 10,
             static_cast<double>(ops) / seconds / 1e6);

  start = std::chrono::steady_clock::now();
  const auto findings = kernels::check_schedule(schedule, placement, machine);
  seconds = seconds_since(start);
  fmt::print("checker: {} findings, {:.3f} s\n", findings.size(), seconds);
  for (const models::Diagnostic& finding : findings) fmt::print("{}\n", models::to_string(finding));
  return 0;
}
