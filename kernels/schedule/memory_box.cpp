#include "kernels/schedule/memory_box.h"

#include <algorithm>
#include <span>

namespace spyre::kernels {
namespace {

constexpr std::int64_t kBits = 8;

/// Tiles of one kernel are rarely more than a few steps away from an answer; the limit is for
/// strides that interleave without any order.
constexpr int kMostSteps = 4096;

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value >= 0 ? value / by : -((-value + by - 1) / by);
}

/// Looks for multiples of the strides that add up to a number in [low, high].
class SumSearch {
 public:
  SumSearch(std::int64_t low, std::int64_t high) : low_(low), high_(high) {}

  /// 0 to `most` times `stride`.
  void add(std::int64_t most, std::int64_t stride) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (terms_[i].stride == stride) {
        terms_[i].most += most;
        return;
      }
    }
    terms_[size_++] = {most, stride, 0};
  }

  Overlap run(std::int64_t start) {
    std::sort(terms_.begin(), terms_.begin() + static_cast<std::ptrdiff_t>(size_),
              [](const Term& a, const Term& b) { return a.stride > b.stride; });
    std::int64_t reach = 0;
    for (std::size_t i = size_; i-- > 0;) {
      terms_[i].reach_behind = reach;
      reach += terms_[i].most * terms_[i].stride;
    }
    return search(0, start);
  }

 private:
  struct Term {
    std::int64_t most = 0;
    std::int64_t stride = 1;
    std::int64_t reach_behind = 0;  // the most that the terms after it can add
  };

  Overlap search(std::size_t which, std::int64_t sum) {
    if (which == size_) return sum >= low_ && sum <= high_ ? Overlap::yes : Overlap::no;
    const Term& term = terms_[which];
    const std::int64_t missing = low_ - sum - term.reach_behind;
    const std::int64_t first =
        std::max<std::int64_t>(0, floor_divide(missing + term.stride - 1, term.stride));
    const std::int64_t last = std::min(term.most, floor_divide(high_ - sum, term.stride));
    Overlap result = Overlap::no;
    for (std::int64_t times = first; times <= last; ++times) {
      if (++steps_ > kMostSteps) return Overlap::unknown;
      result = search(which + 1, sum + times * term.stride);
      if (result != Overlap::no) return result;
    }
    return result;
  }

  std::int64_t low_;
  std::int64_t high_;
  std::array<Term, 2 * (kMaxTensorRank + 1)> terms_{};
  std::size_t size_ = 0;
  int steps_ = 0;
};

/// Columns [first, first + count) of a memory whose columns lie in sticks: `box` is that of column
/// 0 without them.
void append_columns(const MemoryBox& box, std::int64_t first, std::int64_t count,
                    std::int64_t elements_per_stick, std::int64_t element_bits,
                    std::int64_t stick_stride, std::vector<MemoryBox>& boxes) {
  const std::int64_t end = first + count;
  const auto append = [&](std::int64_t stick, std::int64_t sticks, std::int64_t lane,
                          std::int64_t lanes) {
    if (sticks <= 0 || lanes <= 0) return;
    MemoryBox part = box;
    part.base += stick * stick_stride + lane * element_bits;
    part.run = lanes * element_bits;
    part.repeat(sticks, stick_stride);
    boxes.push_back(part);
  };
  const std::int64_t first_whole = (first + elements_per_stick - 1) / elements_per_stick;
  const std::int64_t end_whole = end / elements_per_stick;
  if (first_whole > end_whole) {  // inside one stick
    append(end_whole, 1, first % elements_per_stick, count);
    return;
  }
  append(first_whole - 1, 1, first % elements_per_stick, first_whole * elements_per_stick - first);
  append(first_whole, end_whole - first_whole, 0, elements_per_stick);
  append(end_whole, 1, 0, end - end_whole * elements_per_stick);
}

}  // namespace

Overlap overlap_of(const MemoryBox& a, const MemoryBox& b) {
  if (a.base >= b.end() || b.base >= a.end()) return Overlap::no;
  // Runs meet where the start of one of a's, less the start of one of b's, lies in these bounds.
  // Positions within b count down from its end, so that all terms add.
  SumSearch search(1 - a.run, b.run - 1);
  std::int64_t start = a.base - b.base;
  for (const MemoryBox::Dim& dim : std::span(a.dims).first(a.rank)) {
    search.add(dim.count - 1, dim.stride);
  }
  for (const MemoryBox::Dim& dim : std::span(b.dims).first(b.rank)) {
    search.add(dim.count - 1, dim.stride);
    start -= (dim.count - 1) * dim.stride;
  }
  return search.run(start);
}

void append_boxes(const TensorGeometry& geometry, std::uint64_t address, const Rectangle& rectangle,
                  std::int64_t offset, std::vector<MemoryBox>& boxes) {
  MemoryBox box;
  box.base = static_cast<std::int64_t>(address) * kBits + offset * geometry.element_bits;
  box.run = geometry.element_bits;
  for (std::size_t dim = 0; dim < geometry.rank; ++dim) {
    if (dim == geometry.stick_dim && !geometry.strided) continue;
    const std::int64_t stride = geometry.stride[dim] * kBits;
    box.base += rectangle.offset[dim] * stride;
    if (geometry.strided && dim + 1 == geometry.rank && stride == geometry.element_bits) {
      box.run = rectangle.size[dim] * geometry.element_bits;
    } else {
      box.repeat(rectangle.size[dim], stride);
    }
  }
  if (geometry.strided || geometry.rank == 0) {
    boxes.push_back(box);
    return;
  }
  append_columns(box, rectangle.offset[geometry.stick_dim], rectangle.size[geometry.stick_dim],
                 geometry.elements_per_stick, geometry.element_bits,
                 geometry.stride[geometry.stick_dim] * kBits, boxes);
}

void append_boxes(const BufferInfo& buffer, const TileView& view, std::int64_t stick_bytes,
                  std::vector<MemoryBox>& boxes) {
  if (view.empty()) return;
  const std::int64_t stick = stick_bytes * kBits;
  MemoryBox box;
  box.base = (std::int64_t{buffer.address} +
              std::int64_t{view.slot_in_buffer} * std::int64_t{buffer.slot_bytes}) *
                 kBits +
             view.row * stick;
  box.repeat(view.rows, stick);
  append_columns(box, view.column, view.columns, buffer.elements_per_stick,
                 models::bits(buffer.type), buffer.rows * stick, boxes);
}

}  // namespace spyre::kernels
