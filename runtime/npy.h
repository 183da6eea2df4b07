// NumPy's .npy files: what numpy.save() writes and numpy.load() reads.
//
// Read: versions 1, 2 and 3, little endian, C and Fortran order (which becomes row-major), f2 f4 f8
// i1 i2 i4 i8 u1 u2 u4 u8 b1, up to 32 dimensions. Refused: big endian, objects, structures,
// complex numbers, texts, dates, files with bytes missing or left over. Written: version 1 (2 where
// the header is long), C order. NumPy has no type for bf16, DLFloat16 and the 8-bit floats: their
// bits are written as u2 and u1. Source: numpy.lib.format, "NPY format", of the NumPy
// documentation.
#pragma once

#include <string>
#include <string_view>

#include "runtime/host_array.h"

namespace spyre::runtime {

/// Throws models::InputError, which names the file, what was found and what is valid. Integers come
/// as i8..i64 (i1 i2 i4 i8), ui8..ui64 (u1 u2 u4 u8); b1 as i1.
[[nodiscard]] HostArray read_npy(const std::string& path);
/// The same of the bytes of a file; `file` names them in messages.
[[nodiscard]] HostArray parse_npy(std::string_view bytes, const std::string& file);

/// The file whole or not at all. Throws models::InputError when it cannot be written.
void write_npy(const std::string& path, const HostArray& array);
/// Throws std::invalid_argument for integers of other widths than 1, 8, 16, 32 and 64 bits.
[[nodiscard]] std::string npy_bytes(const HostArray& array);

/// "bf16 has no type in NumPy: its bits are written as u2"; empty for types that have one.
[[nodiscard]] std::string npy_remark(const kernels::ktir::ScalarType& element);

}  // namespace spyre::runtime
