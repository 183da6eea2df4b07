// Where something stands in a KTIR file, and where it came from.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace spyre::kernels::ktir {

/// A place in the text. Lines and columns count from 1, columns in bytes; `offset` in bytes from 0.
struct TextPosition {
  std::size_t offset = 0;
  int line = 1;
  int column = 1;
};

/// What a loc(...) says: the place in the program the compiler read, and the name it gave.
/// Of nested and fused locations the first file place and the first name are kept.
struct SourceMapping {
  std::string file;  ///< empty when the location names no file
  int line = 0;
  int column = 0;
  std::string name;

  bool operator==(const SourceMapping&) const = default;
};

using SourceMappingPtr = std::shared_ptr<const SourceMapping>;

}  // namespace spyre::kernels::ktir
