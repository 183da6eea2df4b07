// A tiled matmul as a schedule: the template that the tests fill with sizes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace spyre::kernels {

struct MatmulText {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t tile_m = 64, tile_n = 64, tile_k = 64;
  std::int64_t cores_m = 1, cores_n = 1;  ///< cores split the tiles along M and N in turns

  [[nodiscard]] std::string text() const {
    const auto tiles = [](std::int64_t size, std::int64_t tile) {
      return (size + tile - 1) / tile;
    };
    const auto turns = [&](std::int64_t size, std::int64_t tile, std::int64_t cores) {
      return (tiles(size, tile) + cores - 1) / cores;
    };
    return fmt::format(R"(schedule: 1
tensors:
  x: {{dtype: fp16, shape: [{m}, {k}]}}
  w: {{dtype: fp16, kind: weight, shape: [{k}, {n}]}}
  y: {{dtype: fp16, shape: [{m}, {n}]}}
kernels:
  gemm:
    cores: {{mc: {cm}, nc: {cn}}}
    buffers:
      a: {{dtype: fp16, shape: [{tm}, {tk}], slots: 2}}
      b: {{dtype: fp16, shape: [{tk}, {tn}], slots: 2}}
      acc: {{dtype: fp32, shape: [{tm}, {tn}]}}
      out: {{dtype: fp16, shape: [{tm}, {tn}]}}
    body:
      - for: {{mi: [0, {turns_m}]}}
        do:
          - for: {{ni: [0, {turns_n}]}}
            do:
              - for: {{ki: [0, {tiles_k}]}}
                do:
                  - load: {{into: a, from: x, at: [{tm} * (mi * {cm} + mc), {tk} * ki], share: nc}}
                  - load: {{into: b, from: w, at: [{tk} * ki, {tn} * (ni * {cn} + nc)]}}
                  - matmul: {{into: acc, a: a, b: b, accumulate: ki > 0}}
              - vector: {{op: copy, into: out, from: [acc]}}
              - store: {{from: out, to: y, at: [{tm} * (mi * {cm} + mc), {tn} * (ni * {cn} + nc)]}}
launches:
  - {{kernel: gemm}}
)",
                       fmt::arg("m", m), fmt::arg("n", n), fmt::arg("k", k), fmt::arg("tm", tile_m),
                       fmt::arg("tn", tile_n), fmt::arg("tk", tile_k), fmt::arg("cm", cores_m),
                       fmt::arg("cn", cores_n), fmt::arg("turns_m", turns(m, tile_m, cores_m)),
                       fmt::arg("turns_n", turns(n, tile_n, cores_n)),
                       fmt::arg("tiles_k", tiles(k, tile_k)));
  }
};

}  // namespace spyre::kernels
