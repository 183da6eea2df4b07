#include "kernels/schedule/schedule.h"

namespace spyre::kernels {

std::string_view to_string(TensorKind kind) {
  switch (kind) {
    case TensorKind::weight:
      return "weight";
    case TensorKind::kv_cache:
      return "kv_cache";
    case TensorKind::embedding:
      return "embedding";
    case TensorKind::activation:
      return "activation";
    case TensorKind::constant:
      return "constant";
    case TensorKind::index:
      return "index";
  }
  return "";
}

}  // namespace spyre::kernels
