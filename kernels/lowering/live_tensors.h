// How much LX a kernel needs if every tensor of the file takes its bytes from where it is made to
// where it is used last, and nothing is elided: a bound that does not depend on how it is lowered.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ktir/ir.h"

namespace spyre::kernels::lowering {

class LiveTensors {
 public:
  explicit LiveTensors(const ktir::Function& function);

  struct Peak {
    std::int64_t bytes = 0;
    std::vector<ktir::ValueId> tensors;  ///< largest first
  };
  /// Where most bytes live at once; the first such place. Tensors of dynamic shape count nothing.
  [[nodiscard]] Peak peak() const;

 private:
  struct Tensor {
    ktir::ValueId id = 0;
    std::int64_t begin = 0, end = 0, bytes = 0;
  };
  std::vector<Tensor> tensors_;
};

}  // namespace spyre::kernels::lowering
