#include "kernels/ktir/access_tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/ktir/touched_sticks.h"

namespace spyre::kernels::ktir {
namespace {

/// Most points of a set that are gone through one by one.
constexpr std::int64_t kMostPoints = std::int64_t{1} << 22;

void add_to(TouchedSticks& sticks, std::int64_t byte, std::int64_t bytes,
            std::vector<StridedDimension> dimensions, const Site& site) {
  if (!sticks.add(byte, bytes, std::move(dimensions))) {
    site.fail("an address is too large to count with");
  }
}

std::int64_t count_of(const TouchedSticks& sticks, const Site& site) {
  const std::optional<std::int64_t> count = sticks.count();
  if (!count) site.fail("it touches more separate pieces of memory than can be counted");
  return *count;
}

/// The set's box, or for other sets the one that the tile's type spans, whose points are tested.
struct Space {
  IndexBox box;
  bool is_exact = false;
};

Space space_of(const AccessTile& tile, const Site& site) {
  if (tile.symbols.size() < tile.set().symbols) {
    site.fail(fmt::format("its set has {} symbols, {} have a value", tile.set().symbols,
                          tile.symbols.size()));
  }
  if (std::optional<IndexBox> box = tile.set().box(tile.symbols)) return {std::move(*box), true};
  const std::vector<std::size_t> order = tile.order();
  Space space{{std::vector<std::int64_t>(order.size()), std::vector<std::int64_t>(order.size())},
              false};
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (tile.shape[i] == kDynamic) site.fail("the extents of its set are not known");
    space.box.high[order[i]] = tile.shape[i] - 1;
  }
  return space;
}

/// Calls `visit` with every point of the box in the dimensions listed, the others at their lowest.
template <class Visit>
void for_each_point(const IndexBox& box, std::span<const std::size_t> dimensions, const Site& site,
                    const Visit& visit) {
  std::int64_t points = 1;
  const std::vector<std::int64_t> extents = box.extents();
  for (const std::size_t d : dimensions) {
    if (__builtin_mul_overflow(points, extents[d], &points)) points = kMostPoints + 1;
  }
  if (std::ranges::find(extents, 0) != extents.end()) return;
  if (points > kMostPoints) {
    site.fail(fmt::format("its {} points would have to be gone through one by one, at most {} are",
                          points, kMostPoints));
  }
  std::vector<std::int64_t> point = box.low;
  while (true) {
    visit(std::span<const std::int64_t>(point));
    std::size_t i = dimensions.size();
    for (; i > 0; --i) {
      const std::size_t d = dimensions[i - 1];
      if (point[d]++ < box.high[d]) break;
      point[d] = box.low[d];
    }
    if (i == 0) return;
  }
}

std::vector<std::size_t> all_dimensions(std::size_t count) {
  std::vector<std::size_t> all(count);
  for (std::size_t d = 0; d < count; ++d) all[d] = d;
  return all;
}

std::vector<std::int64_t> evaluated(const AffineMap& map, std::span<const std::int64_t> point,
                                    std::span<const std::int64_t> captured, const Site& site) {
  std::vector<std::int64_t> values;
  values.reserve(map.results.size());
  for (const AffineExpr& result : map.results) {
    const std::optional<std::int64_t> value = result.evaluate(point, captured);
    if (!value) site.fail("a subscript cannot be computed");
    values.push_back(*value);
  }
  return values;
}

/// The subscripts of an indirect tile.
class Subscripts {
 public:
  explicit Subscripts(const AccessTile& tile)
      : tile_(tile),
        maps_(value_of<ArrayValue>(tile.op->attribute("subscript_maps"))->elements),
        index_views_(*integers_of(tile.op->attribute("index_views"))) {}

  [[nodiscard]] std::size_t count() const { return maps_.size(); }
  [[nodiscard]] const AffineMap& map(std::size_t d) const {
    return **value_of<AffineMapPtr>(maps_[d]);
  }
  /// nullptr for a direct subscript.
  [[nodiscard]] const MemoryView* index_view(std::size_t d) const {
    const std::int64_t index = index_views_[d];
    return index < 0 ? nullptr : tile_.index_views[static_cast<std::size_t>(index)].get();
  }
  /// Of direct subscripts; nothing where it is not linear.
  [[nodiscard]] std::optional<LinearForm> form(std::size_t d) const {
    return map(d).results.front().linear_form(tile_.set().dimensions, tile_.captured);
  }
  /// The coordinate in the base view. `on_index(d, coordinate)` is told of each index that is read.
  template <class OnIndex>
  [[nodiscard]] std::vector<std::int64_t> coordinate(std::span<const std::int64_t> point,
                                                     const ReadInteger& read, const Site& site,
                                                     const OnIndex& on_index) const {
    std::vector<std::int64_t> result;
    result.reserve(count());
    for (std::size_t d = 0; d < count(); ++d) {
      const std::vector<std::int64_t> values = evaluated(map(d), point, tile_.captured, site);
      const MemoryView* view = index_view(d);
      if (view == nullptr) {
        result.push_back(values.front());
      } else {
        on_index(d, values);
        result.push_back(integer_in(*view, values, read, site));
      }
    }
    return result;
  }

 private:
  const AccessTile& tile_;
  const std::vector<AttributePtr>& maps_;
  std::vector<std::int64_t> index_views_;
};

/// Adds up what is touched: sticks of the data, sticks of each index view, bytes in LX.
class Counter {
 public:
  Counter(const AccessTile& tile, const ReadInteger& read, const Site& site)
      : tile_(tile), read_(read), site_(site), space_(space_of(tile, site)) {}

  Footprint count() {
    if (tile_.is_indirect()) {
      count_indirect();
    } else if (space_.is_exact) {
      for (const ViewPart& part : tile_.view->parts) count_box(part);
    } else {
      const std::size_t rank = tile_.base.size();
      for_each_point(space_.box, all_dimensions(rank), site_, [&](auto point) {
        if (!tile_.set().contains(point, tile_.symbols)) return;
        std::vector<std::int64_t> coordinate(point.begin(), point.end());
        for (std::size_t d = 0; d < rank; ++d) {
          coordinate[d] = address_sum(coordinate[d], tile_.base[d], site_);
        }
        count_element(coordinate, {});
      });
    }
    footprint_.dram_sticks += count_of(data_, site_);
    for (const TouchedSticks& index : indices_) footprint_.dram_sticks += count_of(index, site_);
    return footprint_;
  }

 private:
  /// The part of the tile's box that lies in one part of the view.
  void count_box(const ViewPart& part) {
    const std::size_t rank = tile_.base.size();
    std::vector<StridedDimension> dimensions(rank);
    std::int64_t byte = part.byte;
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      std::int64_t low = address_sum(tile_.base[d], space_.box.low[d], site_);
      std::int64_t high = address_sum(tile_.base[d], space_.box.high[d], site_);
      std::int64_t origin = 0;
      if (part.box) {
        low = std::max(low, part.box->low[d]);
        high = std::min(high, part.box->high[d]);
        origin = part.box->low[d];
      }
      if (high < low) return;
      dimensions[d] = {address_sum(address_difference(high, low, site_), 1, site_),
                       part.strides[d]};
      byte = address_sum(
          byte, address_product(address_difference(low, origin, site_), part.strides[d], site_),
          site_);
      elements = address_product(elements, dimensions[d].extent, site_);
    }
    count_strided(part, byte, elements, std::move(dimensions));
  }

  void count_strided(const ViewPart& part, std::int64_t byte, std::int64_t elements,
                     std::vector<StridedDimension> dimensions) {
    const std::int64_t bytes = tile_.view->element_bytes();
    if (part.is_local) {
      const std::int64_t local = address_product(elements, bytes, site_);
      footprint_.local_bytes = address_sum(footprint_.local_bytes, local, site_);
    } else {
      add_to(data_, byte, bytes, std::move(dimensions), site_);
    }
  }

  /// One element of the view, or the box of elements that starts there.
  void count_element(std::span<const std::int64_t> coordinate,
                     std::vector<StridedDimension> dimensions) {
    ++footprint_.points;
    const ViewPart* part = part_at(*tile_.view, coordinate);
    if (part == nullptr) return;
    std::int64_t elements = 1;
    for (const StridedDimension& each : dimensions) {
      elements = address_product(elements, each.extent, site_);
    }
    count_strided(*part, byte_at(*part, coordinate, site_), elements, std::move(dimensions));
  }

  /// The variables that have to be gone through, as an index or a subscript that is not linear
  /// depends on them. Adds the bytes between neighbours to `strides` for the others.
  std::vector<bool> walked_variables(const Subscripts& subscripts,
                                     std::vector<std::int64_t>& strides) const {
    const MemoryView& view = *tile_.view;
    std::vector<bool> walked(strides.size(), !space_.is_exact || view.is_distributed);
    for (std::size_t d = 0; d < subscripts.count(); ++d) {
      const bool direct = subscripts.index_view(d) == nullptr;
      const std::optional<LinearForm> form = direct ? subscripts.form(d) : std::nullopt;
      if (!form) {
        mark_variables(subscripts.map(d), walked);
        continue;
      }
      if (view.is_distributed) continue;
      for (std::size_t v = 0; v < strides.size(); ++v) {
        const std::int64_t bytes =
            address_product(form->coefficients[v], view.parts.front().strides[d], site_);
        strides[v] = address_sum(strides[v], bytes, site_);
      }
    }
    return walked;
  }

  static void mark_variables(const AffineMap& map, std::vector<bool>& walked) {
    for (const AffineExpr& result : map.results) {
      for (const AffineNode& node : result.nodes()) {
        if (node.kind == AffineKind::dimension) walked[static_cast<std::size_t>(node.value)] = true;
      }
    }
  }

  /// Some variables are gone through; the others span a box at each of their points.
  void count_indirect() {
    const Subscripts subscripts(tile_);
    const std::vector<std::int64_t> extents = space_.box.extents();
    std::vector<std::int64_t> strides(extents.size());
    const std::vector<bool> is_walked = walked_variables(subscripts, strides);
    std::vector<std::size_t> walked;
    std::vector<StridedDimension> rest;
    for (std::size_t v = 0; v < extents.size(); ++v) {
      if (is_walked[v]) {
        walked.push_back(v);
      } else {
        rest.push_back({extents[v], strides[v]});
      }
    }
    indices_.resize(subscripts.count());
    const auto on_index = [&](std::size_t d, std::span<const std::int64_t> coordinate) {
      const MemoryView& view = *subscripts.index_view(d);
      const ViewPart* part = part_at(view, coordinate);
      if (part == nullptr || part->is_local) return;
      add_to(indices_[d], byte_at(*part, coordinate, site_), view.element_bytes(), {}, site_);
    };
    for_each_point(space_.box, walked, site_, [&](auto point) {
      if (!space_.is_exact && !tile_.set().contains(point, tile_.symbols)) return;
      count_element(subscripts.coordinate(point, read_, site_, on_index), rest);
    });
  }

  const AccessTile& tile_;
  const ReadInteger& read_;
  const Site& site_;
  Space space_;
  Footprint footprint_;
  TouchedSticks data_;
  std::vector<TouchedSticks> indices_;  ///< one per subscript
};

}  // namespace

const IntegerSet& AccessTile::set() const {
  const char* name = is_indirect() ? "variables_space_set" : "access_tile_set";
  return **value_of<IntegerSetPtr>(op->attribute(name));
}

std::vector<std::size_t> AccessTile::order() const {
  const char* name = is_indirect() ? "variables_space_order" : "access_tile_order";
  return *(*value_of<AffineMapPtr>(op->attribute(name)))->as_permutation();
}

Footprint footprint_of(const AccessTile& tile, const ReadInteger& read, const Site& site) {
  return Counter(tile, read, site).count();
}

std::int64_t integer_at(const AccessTile& tile, std::span<const std::int64_t> index,
                        const ReadInteger& read, const Site& site) {
  const std::vector<std::size_t> order = tile.order();
  std::vector<std::int64_t> point = space_of(tile, site).box.low;
  for (std::size_t i = 0; i < order.size(); ++i) {
    point[order[i]] = address_sum(point[order[i]], index[i], site);
  }
  if (tile.is_indirect()) {
    const auto ignored = [](std::size_t, std::span<const std::int64_t>) {};
    const auto coordinate = Subscripts(tile).coordinate(point, read, site, ignored);
    return integer_in(*tile.view, coordinate, read, site);
  }
  for (std::size_t d = 0; d < point.size(); ++d)
    point[d] = address_sum(point[d], tile.base[d], site);
  return integer_in(*tile.view, point, read, site);
}

}  // namespace spyre::kernels::ktir
