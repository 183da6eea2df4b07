#include "kernels/schedule/coverage.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace spyre::kernels {

std::uint64_t StickBitmap::set(std::uint64_t first, std::uint64_t count) {
  if (count == 0) return 0;
  std::uint64_t fresh = 0;
  const std::uint64_t end = first + count;
  low_ = std::min<std::size_t>(low_, first / 64);
  high_ = std::max<std::size_t>(high_, (end - 1) / 64);
  for (std::uint64_t word = first / 64; word <= (end - 1) / 64; ++word) {
    std::uint64_t mask = ~std::uint64_t{0};
    if (word == first / 64) mask &= ~std::uint64_t{0} << (first % 64);
    if (word == (end - 1) / 64) mask &= ~std::uint64_t{0} >> (63 - (end - 1) % 64);
    fresh += static_cast<std::uint64_t>(std::popcount(mask & ~words_[word]));
    words_[word] |= mask;
  }
  return fresh;
}

void StickBitmap::clear() {
  if (low_ > high_) return;
  std::fill(words_.begin() + static_cast<std::ptrdiff_t>(low_),
            words_.begin() + static_cast<std::ptrdiff_t>(high_) + 1, 0);
  low_ = SIZE_MAX;
  high_ = 0;
}

Coverage::Coverage(const WalkContext& context, Findings& findings)
    : context_(context), findings_(findings), tensors_(context.tensors.size()) {}

void Coverage::begin_launch(std::uint32_t launch, const std::string& name) {
  launch_ = launch;
  launch_name_ = name;
}

void Coverage::store(std::size_t tensor, const Rectangle& rectangle, std::uint32_t core,
                     const SourcePosition& where) {
  const TensorGeometry& geometry = context_.tensors[tensor];
  Written& written = tensors_[tensor];
  if (!written.known) {
    written.known = true;
    const std::uint64_t sticks = geometry.bytes / static_cast<std::uint64_t>(geometry.stick_bytes);
    written.launch = StickBitmap(sticks);
    written.since_read = StickBitmap(sticks);
  }
  if (!written.in_launch) stored_.push_back(tensor);
  if (!written.open) {
    written.first_store = &where;
    written.launch_name = launch_name_;
  }
  written.in_launch = true;
  written.open = true;
  written.last_launch = launch_;

  // Stick column by stick column: all sticks of one hold equally many elements of the rectangle.
  const std::size_t stick_dim = geometry.stick_dim;
  const std::int64_t end = rectangle.offset[stick_dim] + rectangle.size[stick_dim];
  std::uint64_t twice = 0;
  Rectangle column = rectangle;
  for (std::int64_t at = rectangle.offset[stick_dim]; at < end;) {
    const std::int64_t next =
        std::min(end, (at / geometry.elements_per_stick + 1) * geometry.elements_per_stick);
    column.offset[stick_dim] = at;
    column.size[stick_dim] = next - at;
    runs_.clear();
    append_runs(geometry, 0, column, runs_);
    for (const models::StickRuns& nest : runs_) {
      const std::uint64_t sticks =
          nest.run_bytes / static_cast<std::uint64_t>(geometry.stick_bytes);
      for (std::uint64_t i = 0; i < std::uint64_t{nest.count[0]} * nest.count[1] * nest.count[2];
           ++i) {
        const std::uint64_t a = i % nest.count[0];
        const std::uint64_t b = i / nest.count[0] % nest.count[1];
        const std::uint64_t c = i / nest.count[0] / nest.count[1];
        const std::int64_t offset = static_cast<std::int64_t>(a) * nest.stride[0] +
                                    static_cast<std::int64_t>(b) * nest.stride[1] +
                                    static_cast<std::int64_t>(c) * nest.stride[2];
        const std::uint64_t first = (nest.base + static_cast<std::uint64_t>(offset)) /
                                    static_cast<std::uint64_t>(geometry.stick_bytes);
        twice += sticks - written.launch.set(first, sticks);
        written.elements +=
            static_cast<std::int64_t>(written.since_read.set(first, sticks)) * (next - at);
      }
    }
    at = next;
  }
  if (twice > 0 && findings_.is_new("store-overlap", where)) {
    findings_.error(
        "store-overlap", where,
        fmt::format("core {} writes {} of the {} sticks of this tile of '{}' a second "
                    "time in launch '{}'; every element may be written once per "
                    "launch: give each core and iteration a part of its own",
                    core, twice, stick_bytes_of(geometry, rectangle) / geometry.stick_bytes,
                    context_.schedule->tensors[tensor].name, launch_name_));
  }
}

void Coverage::read(std::size_t tensor) {
  const Written& written = tensors_[tensor];
  if (written.open && written.last_launch < launch_) close(tensor);
}

void Coverage::end_launch() {
  for (const std::size_t tensor : stored_) {
    tensors_[tensor].launch.clear();
    tensors_[tensor].in_launch = false;
  }
  stored_.clear();
}

void Coverage::end_program() {
  for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
    if (tensors_[tensor].open) close(tensor);
  }
}

void Coverage::close(std::size_t tensor) {
  Written& written = tensors_[tensor];
  const Tensor& description = context_.schedule->tensors[tensor];
  std::int64_t elements = 1;
  for (const std::int64_t extent : description.shape) elements *= extent;
  if (description.kind == TensorKind::activation && written.elements < elements &&
      findings_.is_new("store-coverage", *written.first_store)) {
    findings_.warning(
        "store-coverage", *written.first_store,
        fmt::format("{} of {} elements of '{}' are never written from launch '{}' until it is read "
                    "or the program ends",
                    elements - written.elements, elements, description.name, written.launch_name));
  }
  written.since_read.clear();
  written.elements = 0;
  written.open = false;
}

}  // namespace spyre::kernels
