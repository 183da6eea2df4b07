// Arrays of the host as the device holds them.
//
// Modelled: with the accelerator's own numerics an f16 array of the host is IEEE binary16, the
// device's is DLFloat16: values are rounded once on their way in, and once on their way out. Every
// other type keeps its bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/formats/format.h"
#include "runtime/host_array.h"

namespace spyre::runtime {

/// The bytes of the array itself where they need no change, else those in `storage`.
[[nodiscard]] std::span<const std::byte> to_device(const HostArray& array,
                                                   models::Numerics numerics,
                                                   std::vector<std::byte>& storage);
/// An array of the type and shape of `like` from what the device holds.
[[nodiscard]] HostArray from_device(const HostArray& like, std::vector<std::byte> bytes,
                                    models::Numerics numerics);

}  // namespace spyre::runtime
