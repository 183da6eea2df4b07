#include "kernels/ops/tile_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/diagnostics/diagnostics.h"

namespace spyre::kernels {
namespace {

void check_split(const char* name, std::int64_t asked, std::int64_t most) {
  if (asked <= most) return;
  throw models::InputError(fmt::format(
      "{} is {}; the cores in use and the units to divide allow 1 to {}", name, asked, most));
}

/// Elements of a slice's tile that begins at unit `at`.
Index extent(const Slices& slices, std::int64_t tile, std::int64_t unit, const Index& at) {
  if (slices.longest() <= tile) return Index(unit) * slices.length();
  if (slices.even() && slices.longest() % tile == 0) return unit * tile;
  return Index(unit) * minimum(tile, slices.end() - at);
}

bool steps_agree(const Slices& slices, std::int64_t tile) {
  return ceil_divide(slices.longest(), tile) == ceil_divide(slices.shortest(), tile);
}

}  // namespace

void divide_over_cores(TileCut& cut, const OpOptions& options) {
  const std::int64_t rows = cut.row_units();
  const std::int64_t columns = cut.column_units();
  check_split("the split of rows", options.m_cores, std::min(options.cores, rows));
  check_split("the split of columns", options.n_cores,
              std::min(options.cores / std::max<std::int64_t>(options.m_cores, 1), columns));
  auto best = std::tuple(rows * columns + 1, std::int64_t{0});
  for (std::int64_t m = 1; m <= std::min(options.cores, rows); ++m) {
    if (options.m_cores != 0 && m != options.m_cores) continue;
    for (std::int64_t n = 1; n <= std::min(options.cores / m, columns); ++n) {
      if (options.n_cores != 0 && n != options.n_cores) continue;
      const auto cost =
          std::tuple(ceil_divide(rows, m) * ceil_divide(columns, n), rows >= columns ? -m : -n);
      if (cost >= best) continue;
      best = cost;
      cut.m_cores = m;
      cut.n_cores = n;
    }
  }
}

TileLoops::TileLoops(const TileCut& cut)
    : cut_(cut),
      row_tiles_{cut.row_units(), cut.m_cores, "m"},
      column_tiles_{cut.column_units(), cut.n_cores, "n"},
      tile_row_units_(ceil_divide(cut.tile_rows, cut.row_unit)),
      tile_stick_units_(ceil_divide(cut.tile_columns, cut.column_unit)) {}

KernelBuilder::Grid TileLoops::grid() const {
  return {{"m", cut_.m_cores}, {"n", cut_.n_cores}};
}

void TileLoops::for_rows(KernelBuilder& kernel, const std::function<void()>& body) {
  const auto at = [&](const Index& unit) {
    row = Index(cut_.row_unit) * unit;
    height = extent(row_tiles_, tile_row_units_, cut_.row_unit, unit);
    body();
  };
  first_row_tile = 1;
  if (one_row_tile()) return at(row_tiles_.begin());
  first_row_tile = equal("i", row_tiles_.begin());
  kernel.loop("i", row_tiles_.begin(), row_tiles_.end(), tile_row_units_, [&] { at("i"); });
}

void TileLoops::for_columns(KernelBuilder& kernel, const std::function<void()>& body) {
  const auto at = [&](const Index& unit) {
    column = Index(cut_.column_unit) * unit;
    width = extent(column_tiles_, tile_stick_units_, cut_.column_unit, unit);
    body();
  };
  first_column_tile = 1;
  if (one_column_tile()) return at(column_tiles_.begin());
  first_column_tile = equal("j", column_tiles_.begin());
  kernel.loop("j", column_tiles_.begin(), column_tiles_.end(), tile_stick_units_, [&] { at("j"); });
}

bool TileLoops::column_steps_agree() const {
  return steps_agree(column_tiles_, tile_stick_units_);
}

bool TileLoops::row_steps_agree() const {
  return steps_agree(row_tiles_, tile_row_units_);
}

}  // namespace spyre::kernels
