// Lowers small kernels for tests, and shows the result as one line per statement.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "kernels/ktir/load.h"
#include "kernels/lowering/lower.h"
#include "models/machine/machine.h"

namespace spyre::kernels::lowering {

/// The parts of a machine that lowering asks for: 32 cores with the LX that torch-spyre leaves.
inline models::Machine small_machine() {
  models::Machine machine;
  machine.name = "test";
  machine.cores.count = 32;
  machine.limits.stick_bytes = 128;
  machine.lx.bytes = 2097152;
  machine.lx.backend_reserve_bytes = 2097152 - 1625344;
  return machine;
}

inline ktir::BoundArgument pointer(std::int64_t element) {
  ktir::BoundArgument argument;
  argument.kind = ktir::BoundArgument::Kind::pointer;
  argument.integer = element;
  return argument;
}

inline ktir::BoundArgument number(std::int64_t value) {
  ktir::BoundArgument argument;
  argument.integer = value;
  return argument;
}

inline ktir::BoundArgument real(double value) {
  ktir::BoundArgument argument;
  argument.kind = ktir::BoundArgument::Kind::real;
  argument.real = value;
  return argument;
}

inline std::string list_text(const std::vector<Expression>& list) {
  std::vector<std::string> texts;
  for (const Expression& each : list) texts.push_back(each.text());
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

inline std::string tile_text(const BufferTile& tile) {
  if (tile.at.empty()) return tile.buffer;
  return tile.buffer + list_text(tile.at) + (tile.size.empty() ? "" : list_text(tile.size));
}

inline std::string action_text(const Statement& statement) {
  if (const auto* transfer = std::get_if<TransferStatement>(&statement.action)) {
    const TensorTile& remote = transfer->remote;
    std::string text =
        fmt::format("{} {} {}{}{}", models::to_string(transfer->opcode), tile_text(transfer->local),
                    remote.tensor, list_text(remote.at), list_text(remote.size));
    if (remote.offset) text += " offset " + remote.offset->text();
    if (!transfer->tile_dims.empty()) {
      text += fmt::format(" dims {} strides {}", transfer->tile_dims, transfer->tile_strides);
    }
    for (const IndexedDim& dim : transfer->indexed) {
      text +=
          fmt::format(" dim {} by {}{} along {}", dim.dim, dim.table, list_text(dim.at), dim.along);
    }
    return text;
  }
  if (const auto* matmul = std::get_if<MatmulStatement>(&statement.action)) {
    return fmt::format("matmul {} {} {}{}", tile_text(matmul->into), tile_text(matmul->a),
                       tile_text(matmul->b), matmul->accumulate ? " accumulate" : "");
  }
  if (const auto* vector = std::get_if<VectorStatement>(&statement.action)) {
    std::vector<std::string> from;
    for (const BufferTile& tile : vector->from) from.push_back(tile_text(tile));
    if (vector->number) {
      const NumberOperand& number = *vector->number;
      from.insert(from.begin() + static_cast<std::ptrdiff_t>(number.place),
                  number.expression ? "{" + number.expression->text() + "}"
                                    : fmt::format("{}", number.constant));
    }
    std::string text = fmt::format("{} {} ({})", models::info(vector->function).name,
                                   tile_text(vector->into), fmt::join(from, ", "));
    if (vector->axis != 1) text += fmt::format(" axis {}", vector->axis);
    if (vector->pattern) {
      text += fmt::format(" sizes {} strides {}", vector->pattern->sizes, vector->pattern->strides);
      if (vector->pattern->offset) text += " offset " + vector->pattern->offset->text();
    }
    return text;
  }
  if (const auto* ring = std::get_if<RingStatement>(&statement.action)) {
    std::string text(models::to_string(ring->opcode));
    if (!ring->from.buffer.empty()) text += " " + tile_text(ring->from);
    text += " " + tile_text(ring->into);
    if (!ring->over.empty()) text += fmt::format(" over {}", fmt::join(ring->over, ","));
    if (ring->count) text += " count " + ring->count->text();
    return text;
  }
  const auto& sync = std::get<SyncStatement>(statement.action);
  std::string text = fmt::format("{} {}", models::to_string(sync.opcode), sync.semaphore);
  if (!sync.over.empty()) text += fmt::format(" over {}", fmt::join(sync.over, ","));
  if (sync.count) text += " count " + sync.count->text();
  return text;
}

inline void add_lines(const std::vector<Statement>& body, const std::string& indent,
                      std::string& text) {
  for (const Statement& statement : body) {
    const std::string when = statement.when ? " when " + statement.when->text() : "";
    if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
      text += fmt::format("{}for {} = {} to {}{}{}\n", indent, loop->variable, loop->start.text(),
                          loop->stop.text(), loop->step ? " step " + loop->step->text() : "", when);
      add_lines(loop->body, indent + "  ", text);
      continue;
    }
    text += indent + action_text(statement) + when + "\n";
  }
}

/// Every statement of the kernel.
inline std::string body_text(const Schedule& schedule) {
  std::string text;
  add_lines(schedule.kernels.front().body, "", text);
  return text;
}

/// "name type [rows, columns] xslots @address region".
inline std::string buffers_text(const Schedule& schedule) {
  std::string text;
  for (const Buffer& buffer : schedule.kernels.front().buffers) {
    text += fmt::format("{} {} {} x{} @{} {}\n", buffer.name, models::to_string(buffer.type),
                        buffer.shape, buffer.slots, buffer.address.value_or(0), buffer.region);
  }
  return text;
}

inline std::string tensors_text(const Schedule& schedule) {
  std::string text;
  for (const Tensor& tensor : schedule.tensors) {
    text += fmt::format("{} {} {} strides {} @{}{}\n", tensor.name, models::to_string(tensor.type),
                        tensor.shape, tensor.strides, tensor.address.value_or(0),
                        tensor.lx_core ? fmt::format(" core {}", *tensor.lx_core) : "");
  }
  return text;
}

/// "64x32" as "[64, 32]".
inline std::string bracketed_sizes(std::string sizes) {
  for (std::size_t i = sizes.find('x'); i != std::string::npos; i = sizes.find('x')) {
    sizes.replace(i, 1, ", ");
  }
  return "[" + sizes + "]";
}

/// A view of `sizes` ("64x32") at the value `base`, row-major.
inline std::string view_text(const std::string& name, const std::string& base,
                             const std::string& sizes, const std::string& element = "f16") {
  std::vector<std::int64_t> numbers;
  std::string rest = sizes + "x";
  for (std::size_t i = rest.find('x'); i != std::string::npos; i = rest.find('x')) {
    numbers.push_back(std::stoll(rest.substr(0, i)));
    rest.erase(0, i + 1);
  }
  std::vector<std::int64_t> strides(numbers.size(), 1);
  for (std::size_t i = numbers.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * numbers[i];
  return fmt::format(
      "    %{} = ktdp.construct_memory_view %{}, sizes: {}, strides: [{}] {{memory_space = "
      "#ktdp.memory_space<global>}} : memref<{}x{}>\n",
      name, base, bracketed_sizes(sizes), fmt::join(strides, ", "), sizes, element);
}

/// A tile of `view`, whose type is `of`, from `at` ("%i, 0") on.
inline std::string tile_text_of(const std::string& name, const std::string& view,
                                const std::string& of, const std::string& at,
                                const std::string& sizes) {
  std::vector<std::string> dims;
  std::vector<std::string> bounds;
  std::string rest = sizes + "x";
  for (std::size_t i = rest.find('x'); i != std::string::npos; i = rest.find('x')) {
    const std::string dim = fmt::format("d{}", dims.size());
    bounds.push_back(fmt::format("{} >= 0, {} <= {}", dim, dim, std::stoll(rest.substr(0, i)) - 1));
    dims.push_back(dim);
    rest.erase(0, i + 1);
  }
  return fmt::format(
      "    %{0} = ktdp.construct_access_tile %{1}[{2}] {{access_tile_set = affine_set<({3}) : "
      "({4})>, access_tile_order = affine_map<({3}) -> ({3})>}} : memref<{5}> -> "
      "!ktdp.access_tile<{6}xindex>\n",
      name, view, at, fmt::join(dims, ", "), fmt::join(bounds, ", "), of, sizes);
}

inline std::string load_text(const std::string& name, const std::string& tile,
                             const std::string& sizes, const std::string& element = "f16") {
  return fmt::format("    %{} = ktdp.load %{} : <{}xindex> -> tensor<{}x{}>\n", name, tile, sizes,
                     sizes, element);
}

inline std::string store_text(const std::string& value, const std::string& tile,
                              const std::string& sizes, const std::string& element = "f16") {
  return fmt::format("    ktdp.store %{}, %{} : tensor<{}x{}>, <{}xindex>\n", value, tile, sizes,
                     element, sizes);
}

/// A kernel whose arguments are pointers %p, %q, %r and a number %n.
inline std::string kernel_text(const std::string& body, const std::string& grid = "[1]") {
  return "module {\n  func.func @kernel(%p: index, %q: index, %r: index, %n: index) attributes "
         "{grid "
         "= " +
         grid +
         "} {\n"
         "    %c0 = arith.constant 0 : index\n    %c1 = arith.constant 1 : index\n"
         "    %c8 = arith.constant 8 : index\n    %zero = arith.constant 0.0 : f16\n"
         "    %low = arith.constant 0xFC00 : f16\n" +
         body + "    return\n  }\n}\n";
}

/// Loads of %a and %b, [rows, columns] each, `operations` that make %y from them, and its store.
inline std::string binary_kernel(const std::string& sizes, const std::string& operations) {
  return kernel_text(view_text("A", "p", sizes) + view_text("B", "q", sizes) +
                     view_text("Y", "r", sizes) +
                     tile_text_of("ta", "A", sizes + "xf16", sizes == "64" ? "0" : "0, 0", sizes) +
                     tile_text_of("tb", "B", sizes + "xf16", sizes == "64" ? "0" : "0, 0", sizes) +
                     tile_text_of("ty", "Y", sizes + "xf16", sizes == "64" ? "0" : "0, 0", sizes) +
                     load_text("a", "ta", sizes) + load_text("b", "tb", sizes) + operations +
                     store_text("y", "ty", sizes));
}

inline ktir::BoundArguments usual_arguments(std::int64_t n = 8) {
  return {pointer(0), pointer(65536), pointer(131072), number(n)};
}

inline Schedule lowered(const std::string& text, const ktir::BoundArguments& arguments,
                        const LoweringOptions& options = {}) {
  const ktir::Module module = ktir::load_module(text, "test.mlir").module;
  return lower(module, module.functions.front(), arguments, small_machine(), options);
}

/// "line:column: message [rule]" of what lowering reports; empty if it succeeds.
inline std::string lowering_fault(const std::string& text, const ktir::BoundArguments& arguments,
                                  const LoweringOptions& options = {}) {
  try {
    static_cast<void>(lowered(text, arguments, options));
    return "";
  } catch (const models::InputError& error) {
    const models::Diagnostic& first = error.diagnostics().front();
    return fmt::format("{}:{}: {}{}", first.where.line, first.where.column, first.message,
                       first.rule.empty() ? "" : " [" + first.rule + "]");
  }
}

}  // namespace spyre::kernels::lowering
