#include "kernels/schedule/layout.h"

namespace spyre::kernels {

std::vector<LayoutDim> default_layout(std::size_t rank, std::int64_t elements) {
  std::vector<LayoutDim> layout;
  for (std::size_t dim = 0; dim + 2 < rank; ++dim) layout.push_back({dim, 1});
  if (rank >= 1) layout.push_back({rank - 1, elements});
  if (rank >= 2) layout.push_back({rank - 2, 1});
  return layout;
}

}  // namespace spyre::kernels
