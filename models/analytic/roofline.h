// Closed-form bounds on the time of a piece of work: the roofline.
//
// Modelled: two resources, arithmetic and one memory, each running at its peak and perfectly
// overlapped; the slower of the two decides (Williams, Waterman, Patterson: "Roofline", CACM 52(4),
// 2009). MBU and MFU put a measured time in relation to the same peaks (Huyen: AI Engineering,
// chapter 9).
//
// Not modelled: latency, overheads, anything of a particular machine. A roof is two numbers that
// the caller brings: datasheet peaks and measured ceilings are both roofs, and it is the caller who
// says which.
#pragma once

#include <string_view>

namespace spyre::models {

/// The two ceilings of one machine for one data type and one memory. Both are positive.
struct Roof {
  double flops_per_second = 0.0;
  double bytes_per_second = 0.0;
};

enum class Bound { memory, compute };
[[nodiscard]] std::string_view to_string(Bound bound);

/// Arithmetic intensity = flops / bytes, in FLOP/B. Without bytes it is infinite; without either,
/// 0.
[[nodiscard]] double arithmetic_intensity(double flops, double bytes);

/// Ridge point = peak FLOP/s / peak B/s, in FLOP/B: the intensity at which both resources are busy.
[[nodiscard]] double ridge_point(const Roof& roof);

/// min(peak FLOP/s, intensity x peak B/s), in FLOP/s.
[[nodiscard]] double attainable_flops_per_second(double intensity, const Roof& roof);

/// bytes / peak B/s, in seconds.
[[nodiscard]] double memory_seconds(double bytes, const Roof& roof);

/// flops / peak FLOP/s, in seconds.
[[nodiscard]] double compute_seconds(double flops, const Roof& roof);

/// max(flops / peak FLOP/s, bytes / peak B/s), in seconds: no schedule on this machine is faster.
[[nodiscard]] double roofline_seconds(double flops, double bytes, const Roof& roof);

/// Which of the two terms decides; at the ridge point itself: compute.
[[nodiscard]] Bound bound(double flops, double bytes, const Roof& roof);

/// Model bandwidth utilisation = (bytes / seconds) / B/s. `bytes` is the analytic count, each byte
/// once, so that reading something twice lowers it. 0 when no time has passed.
[[nodiscard]] double mbu(double bytes, double seconds, double bytes_per_second);

/// Model FLOP utilisation = (flops / seconds) / FLOP/s, with the analytic operation count. 0 when
/// no time has passed.
[[nodiscard]] double mfu(double flops, double seconds, double flops_per_second);

}  // namespace spyre::models
