#include "runtime/fidelity/kernel_mapping.h"

#include <fmt/format.h>

#include <array>

namespace spyre::runtime {
namespace {

using kernels::BatchLayout;

constexpr std::int64_t kElementBytes = 2;  // fp16 everywhere in the table

KernelMapping not_mapped(std::string reason) {
  return {{}, std::move(reason)};
}

KernelMapping mapped(const MeasuredKernel& kernel, const char* op, kernels::OpSizes sizes) {
  OpRequest request;
  request.op = &kernels::op_named(op);
  request.sizes = std::move(sizes);
  request.options.cores = kernel.cores;
  request.data = false;
  return {std::move(request), {}};
}

/// The 2-D layout that a row may name; without a name it has this one, the default.
bool default_matrix(const MeasuredKernel& kernel) {
  return kernel.layout_a.empty() || kernel.layout_a == "cols/64|rows|64";
}

KernelMapping map_matrix(const MeasuredKernel& kernel, const char* op) {
  return mapped(kernel, op, {{"ROWS", kernel.rows}, {"COLS", kernel.cols}});
}

std::int64_t matrix_bytes(const MeasuredKernel& kernel) {
  return kernel.rows * kernel.cols * kElementBytes;
}

/// add3 .. add6 add that many matrices; _sep: with a kernel for each add.
KernelMapping map_chain(const MeasuredKernel& kernel, std::int64_t matrices, bool separate) {
  if (!separate && kernel.io_bytes != (matrices + 1) * matrix_bytes(kernel)) {
    return not_mapped("one kernel of several adds whose intermediates go through DRAM: no op");
  }
  KernelMapping mapping = map_matrix(kernel, separate ? "add-separate" : "add-chain");
  mapping.request->sizes["ADDS"] = matrices - 1;
  if (separate) mapping.kernels = matrices - 1;
  return mapping;
}

/// In the default layout of three dims the rows of all matrices lie innermost: [mid, cols/64, rows]
/// becomes [rows, cols/64, mid]. Our op has the first dim outermost, so the same device bytes move
/// with the first two dims exchanged.
KernelMapping map_outer_transpose(const MeasuredKernel& kernel) {
  const std::int64_t per_middle = 2 * matrix_bytes(kernel);  // read and written
  const std::int64_t middle = kernel.size("mid").value_or(kernel.io_bytes / per_middle);
  if (middle < 1 || middle * per_middle != kernel.io_bytes) {
    return not_mapped("the middle dim is neither recorded nor follows from the bytes");
  }
  return mapped(kernel, "transpose-outer",
                {{"ROWS", middle}, {"MIDDLE", kernel.rows}, {"COLS", kernel.cols}});
}

/// A row tile of the compiler is spread over all cores.
KernelMapping map_softmax(const MeasuredKernel& kernel) {
  KernelMapping mapping = map_matrix(kernel, "softmax");
  const std::int64_t parts = std::max<std::int64_t>(kernel.tiles, 1) * kernel.cores;
  mapping.request->options.tile_rows = (kernel.rows + parts - 1) / parts;
  return mapping;
}

/// Sets the split that was measured. False: it was forced, but to what is not recorded.
bool set_split(const MeasuredKernel& kernel, KernelMapping& mapping) {
  kernels::OpOptions& options = mapping.request->options;
  if (!kernel.size("split_m")) {
    mapping.planned_split = true;
    return !kernel.split_kind.starts_with("forced");
  }
  options.m_cores = *kernel.size("split_m");
  options.n_cores = kernel.size("split_n").value_or(1);
  options.k_split = kernel.size("split_k").value_or(1);
  if (mapping.request->op->choices.layouts) options.b_cores = kernel.size("split_b").value_or(1);
  const std::int64_t product =
      kernel.size("split_b").value_or(1) * options.m_cores * options.n_cores * options.k_split;
  return product == kernel.cores;
}

KernelMapping with_split(const MeasuredKernel& kernel, KernelMapping mapping) {
  if (set_split(kernel, mapping)) return mapping;
  return not_mapped("the forced split is not recorded, or uses other cores than the row says");
}

KernelMapping map_matmul(const MeasuredKernel& kernel) {
  if (!kernel.size("n")) return not_mapped("a matmul without N");
  if (kernel.size("b").value_or(1) != 1) return not_mapped("a batch in a 2-D matmul");
  if (!kernel.layout_a.empty() &&
      (kernel.layout_a != "K/64|M|64" || kernel.layout_b != "N/64|K|64" ||
       kernel.layout_c != "N/64|M|64")) {
    return not_mapped("a 2-D matmul in another layout than the default");
  }
  return with_split(kernel, mapped(kernel, "matmul",
                                   {{"M", kernel.size("m").value_or(kernel.rows)},
                                    {"K", kernel.size("k").value_or(kernel.cols)},
                                    {"N", *kernel.size("n")}}));
}

/// `rows` and `columns` are the letters of the operand's dims.
std::optional<BatchLayout> batch_layout(const std::string& text, char rows, char columns) {
  if (text == fmt::format("B|{}/64|{}|64", columns, rows)) return BatchLayout::batch_outer;
  if (text == fmt::format("{}|{}/64|B|64", rows, columns)) return BatchLayout::row_outer;
  return std::nullopt;
}

KernelMapping map_batch(const MeasuredKernel& kernel, bool one_matrix) {
  if (kernel.layout_a.empty()) return not_mapped("a batched matmul whose layouts are not recorded");
  if (!kernel.size("b") || !kernel.size("n")) return not_mapped("a batched matmul without B or N");
  const auto a = batch_layout(kernel.layout_a, 'M', 'K');
  const auto b = batch_layout(kernel.layout_b, 'K', 'N');
  const auto c = batch_layout(kernel.layout_c, 'M', 'N');
  if (!a || !c || (one_matrix ? kernel.layout_b != "N/64|K|64" : !b)) {
    return not_mapped("a batched matmul in a layout that no op has");
  }
  KernelMapping mapping = mapped(kernel, one_matrix ? "bmm-shared" : "bmm",
                                 {{"B", *kernel.size("b")},
                                  {"M", kernel.size("m").value_or(kernel.rows)},
                                  {"K", kernel.size("k").value_or(kernel.cols)},
                                  {"N", *kernel.size("n")}});
  kernels::OpOptions& options = mapping.request->options;
  options.a = *a;
  if (!one_matrix) options.b = *b;
  options.c = *c;
  return with_split(kernel, std::move(mapping));
}

struct MatrixOp {
  const char* measured;
  const char* ours;
};
/// What `read` reduces with is not recorded; sum and maximum take our vector unit the same time.
constexpr std::array<MatrixOp, 12> kMatrixOps{{{"add", "add"},
                                               {"add_indep2", "add-independent"},
                                               {"neg", "neg"},
                                               {"gelu", "gelu"},
                                               {"copy", "copy"},
                                               {"bcast", "add-row"},
                                               {"bcastcol", "add-column"},
                                               {"amax", "max-rows"},
                                               {"mean", "mean-rows"},
                                               {"sumrow", "sum-rows"},
                                               {"read", "sum-rows"},
                                               {"transpose", "transpose"}}};

/// add3 .. add6 and their _sep: 3 .. 6; else 0.
std::int64_t chain_length(const std::string& op) {
  if (op.size() < 4 || !op.starts_with("add") || op[3] < '3' || op[3] > '6') return 0;
  return op.substr(4).empty() || op.substr(4) == "_sep" ? op[3] - '0' : 0;
}

KernelMapping map_on_matrices(const MeasuredKernel& kernel) {
  if (!default_matrix(kernel)) return not_mapped("a matrix in another layout than the default");
  if (kernel.op == "softmax_row_tiling") return map_softmax(kernel);
  if (kernel.tiles > 1) return not_mapped(kernel.op + " in a coarse loop: no op has its program");
  if (kernel.op == "ctsum") return map_matrix(kernel, "sum-columns");
  if (kernel.op == "transpose_outer") return map_outer_transpose(kernel);
  if (const std::int64_t matrices = chain_length(kernel.op); matrices != 0) {
    return map_chain(kernel, matrices, kernel.op.ends_with("_sep"));
  }
  for (const MatrixOp& op : kMatrixOps) {
    if (kernel.op == op.measured) return map_matrix(kernel, op.ours);
  }
  if (kernel.op == "cat0") {
    return not_mapped("cat0: the sizes of the parts are not recorded, and bytes do not give them");
  }
  if (kernel.op == "write") return not_mapped("write: no op adds a row and a column");
  return not_mapped(fmt::format("{}: not an op that is known here", kernel.op));
}

}  // namespace

KernelMapping map_kernel(const MeasuredKernel& kernel) {
  const std::string& op = kernel.op;
  const bool matmul = op == "mm" || op == "mmwd" || op == "matmul_row_tiling" ||
                      op == "matmul_k_tiling" || op == "mm_nested_m_k";
  const bool batch = op == "bmm_layout" || op == "bmm_wd" || op == "bmm_k_tiling";
  const bool shared = op == "bmm_wd_3d2d" || op == "bmm_3d2d_k_tiling";
  if (!matmul && !batch && !shared) return map_on_matrices(kernel);
  if (kernel.tiles > 1) return not_mapped("a matmul in a coarse loop: no op has its program");
  return matmul ? map_matmul(kernel) : map_batch(kernel, shared);
}

}  // namespace spyre::runtime
