// The header of a .npy file: a Python dictionary of three keys, as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::runtime {

struct NpyHeader {
  std::string type;  ///< "<f2"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Reads {'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }: these three keys, each once,
/// in any order. Throws models::InputError.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text, const std::string& file);

/// Without the padding that aligns the data.
[[nodiscard]] std::string npy_header_text(const NpyHeader& header);

}  // namespace spyre::runtime
