// A table of measured kernel times, one kernel per row, as comma-separated values.
//
// Read: the columns that say what ran and how long it took; others are skipped, their order is
// free. Lines that begin with # are comments. Not read: quoted fields, which such a table has no
// use for. A row that cannot be right ends the reading: a comparison with half a table would look
// like one with the whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::runtime {

struct MeasuredKernel {
  int line = 0;  ///< in the file, from 1
  std::string id, op, split_kind;
  std::int64_t rows = 1, cols = 1, cores = 1;
  std::int64_t tiles = 0;  ///< trips of the compiler's coarse loop; 0 or 1 = none
  bool lx = false;         ///< intermediates were allowed to stay in LX
  /// b, m, k, n, mid, split_b, split_m, split_n, split_k: those that the row has.
  std::map<std::string, std::int64_t, std::less<>> sizes;
  std::string layout_a, layout_b, layout_c;  ///< device dims, outermost first; empty: not recorded
  std::int64_t io_bytes = 0;
  double measured_us = 0;
  double model_us = 0;  ///< what the fitted cost model of torch-spyre says

  [[nodiscard]] std::optional<std::int64_t> size(std::string_view name) const;
};

/// Throws InputError with file, line and column (of characters, from 1).
[[nodiscard]] std::vector<MeasuredKernel> parse_kernel_table(const std::string& text,
                                                             const std::string& file);
[[nodiscard]] std::vector<MeasuredKernel> read_kernel_table(const std::string& path);

}  // namespace spyre::runtime
