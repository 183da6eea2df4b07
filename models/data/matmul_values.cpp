#include "models/data/matmul_values.h"

#include "models/formats/matmul.h"

namespace spyre::models {
namespace {

/// The rows x columns of the operand that take part: a tile may be larger than the product needs.
LxOperand cut(const LxOperand& tile, std::uint32_t rows, std::uint32_t columns) {
  LxOperand part = tile;
  part.rows = rows;
  part.columns = columns;
  return part;
}

void read_narrow(const LxView& lx, const LxOperand& tile, std::vector<std::int32_t>& wide,
                 std::vector<std::int8_t>& narrow) {
  read_tile(lx, tile, wide);
  narrow.assign(wide.begin(), wide.end());
}

}  // namespace

void execute_matmul(const TileOp& op, const LxView& lx, MatmulScratch& scratch) {
  const LxOperand a = cut(op.sources[0], op.m, op.k);
  const LxOperand b = cut(op.sources[1], op.k, op.n);
  const LxOperand c = cut(op.destination, op.m, op.n);
  const MatmulShape shape{op.m, op.n, op.k};
  if (a.type == DataType::int8 && b.type == DataType::int8 && c.type == DataType::int32) {
    read_narrow(lx, a, scratch.integers, scratch.a8);
    read_narrow(lx, b, scratch.integers, scratch.b8);
    if (op.accumulate) read_tile(lx, c, scratch.c32);
    scratch.c32.resize(shape.m * shape.n);
    matmul(shape, scratch.a8, scratch.b8, scratch.c32, op.accumulate);
    return write_tile(lx, c, scratch.c32);
  }
  read_tile(lx, a, scratch.a);
  read_tile(lx, b, scratch.b);
  if (op.accumulate) read_tile(lx, c, scratch.c);
  scratch.c.resize(shape.m * shape.n);
  matmul(shape, scratch.a, scratch.b, scratch.c, {.accumulate = op.accumulate});
  write_tile(lx, c, scratch.c);
}

}  // namespace spyre::models
