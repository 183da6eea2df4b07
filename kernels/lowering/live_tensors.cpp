#include "kernels/lowering/live_tensors.h"

#include <algorithm>

#include "kernels/lowering/element_type.h"
#include "kernels/lowering/last_uses.h"

namespace spyre::kernels::lowering {

LiveTensors::LiveTensors(const ktir::Function& function) {
  const LastUses uses(function);
  for (ktir::ValueId id = 0; id < function.values.size(); ++id) {
    const ktir::Type& type = function.type(id);
    const auto elements = type.is_tensor() ? type.element_count() : std::nullopt;
    if (!elements || uses.definition(id) < 0) continue;
    const std::int64_t end = std::max(uses.last_use(id), uses.definition(id));
    tensors_.push_back({id, uses.definition(id), end, *elements * element_bytes(type.element)});
  }
}

LiveTensors::Peak LiveTensors::peak() const {
  Peak best;
  for (const Tensor& at : tensors_) {  // live bytes only rise where a tensor begins
    std::vector<Tensor> live;
    std::int64_t bytes = 0;
    for (const Tensor& each : tensors_) {
      if (each.begin > at.begin || each.end < at.begin) continue;
      live.push_back(each);
      bytes += each.bytes;
    }
    if (bytes <= best.bytes) continue;
    std::ranges::stable_sort(live, std::greater<>(), &Tensor::bytes);
    best.bytes = bytes;
    best.tensors.clear();
    for (const Tensor& each : live) best.tensors.push_back(each.id);
  }
  return best;
}

}  // namespace spyre::kernels::lowering
