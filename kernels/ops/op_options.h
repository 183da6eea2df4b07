// What a kernel of our own can be asked for besides its sizes: cores, tiles, splits, types,
// layouts.
//
// 0 stands for "chosen": from the machine's usable LX and the number of cores.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/schedule/schedule.h"
#include "models/isa/data_type.h"
#include "models/machine/machine.h"

namespace spyre::kernels {

/// Where the batch stands in the device layout of a tensor [b, m, n].
enum class BatchLayout {
  batch_outer,  ///< b, n/64, m, 64: one matrix after the other
  row_outer,    ///< m, n/64, b, 64: row 0 of all matrices, then row 1
};

struct OpOptions {
  std::int64_t cores = 32;  ///< 1 .. machine.cores.count
  DataType type = DataType::fp16;
  std::int64_t tile_rows = 0, tile_columns = 0, tile_depth = 0;
  std::int64_t b_cores = 0, m_cores = 0, n_cores = 0;  ///< parts of batch, rows and columns
  std::int64_t k_split = 1;                            ///< cores that share one sum
  BatchLayout a = BatchLayout::batch_outer, b = BatchLayout::batch_outer,
              c = BatchLayout::batch_outer;
};

/// Throws InputError where the machine has not so many cores.
void check_cores(const OpOptions& options, const models::Machine& machine);
/// Throws InputError unless `value` is from `low` to `high`.
void check_size(const std::string& name, std::int64_t value, std::int64_t low = 1,
                std::int64_t high = std::int64_t{1} << 31);

}  // namespace spyre::kernels
