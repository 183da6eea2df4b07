// A schedule's whole structure as text, for comparisons in tests: every field, no source positions.
// Written without the project's writer, so that the two check each other.
#pragma once

#include <sstream>
#include <string>

#include "kernels/schedule/schedule.h"

namespace spyre::kernels {

class StructureText {
 public:
  static std::string of(const Schedule& schedule) {
    StructureText text;
    text.add(schedule);
    return text.out_.str();
  }

 private:
  void add(const Expression& expression) { out_ << '<' << expression.text() << '>'; }
  void add(const std::optional<Expression>& expression) {
    out_ << (expression ? "given " : "absent ");
    if (expression) add(*expression);
  }
  void add(const std::vector<Expression>& expressions) {
    out_ << expressions.size() << '(';
    for (const Expression& expression : expressions) add(expression);
    out_ << ')';
  }
  void add(const std::vector<std::string>& names) {
    out_ << names.size() << '(';
    for (const std::string& name : names) out_ << name << '|';
    out_ << ')';
  }
  void add(const std::vector<std::int64_t>& numbers) {
    out_ << '(';
    for (const std::int64_t number : numbers) out_ << number << '|';
    out_ << ')';
  }
  void add(const BufferTile& tile) {
    out_ << " buffer " << tile.buffer << " at ";
    add(tile.at);
    out_ << " size ";
    add(tile.size);
  }
  void add(const TensorTile& tile) {
    out_ << " tensor " << tile.tensor << " at ";
    add(tile.at);
    out_ << " size ";
    add(tile.size);
    out_ << " offset ";
    add(tile.offset);
  }
  void add(const TransferStatement& statement) {
    out_ << "transfer " << models::to_string(statement.opcode);
    add(statement.local);
    add(statement.remote);
    out_ << " share ";
    add(statement.share);
    add(statement.index);
    out_ << " tile ";
    add(statement.tile_dims);
    add(statement.tile_strides);
    for (const IndexedDim& indexed : statement.indexed) {
      out_ << " indexed " << indexed.dim << ' ' << indexed.table;
      add(indexed.at);
      add(indexed.along);
    }
  }
  void add(const MatmulStatement& statement) {
    out_ << "matmul";
    add(statement.into);
    add(statement.a);
    add(statement.b);
    add(statement.accumulate);
    out_ << " corelets " << statement.corelets.value_or(-1);
  }
  void add(const VectorStatement& statement) {
    out_ << "vector " << static_cast<int>(statement.function);
    add(statement.into);
    for (const BufferTile& tile : statement.from) add(tile);
    if (statement.number) {
      out_ << " number " << statement.number->place << ' ' << std::hexfloat
           << statement.number->constant << std::defaultfloat;
      add(statement.number->expression);
    }
    out_ << " axis " << statement.axis;
    if (!statement.pattern) return;
    out_ << " pattern ";
    add(statement.pattern->sizes);
    add(statement.pattern->strides);
    add(statement.pattern->offset);
  }
  void add(const RingStatement& statement) {
    out_ << "ring " << models::to_string(statement.opcode);
    add(statement.from);
    add(statement.into);
    add(statement.to);
    add(statement.over);
    add(statement.count);
  }
  void add(const SyncStatement& statement) {
    out_ << "sync " << models::to_string(statement.opcode) << ' ' << statement.semaphore;
    add(statement.to);
    add(statement.over);
    add(statement.count);
  }
  void add(const ForStatement& loop) {
    out_ << "for " << loop.variable;
    add(loop.start);
    add(loop.stop);
    add(loop.step);
    out_ << "{\n";
    for (const Statement& statement : loop.body) add(statement);
    out_ << "}";
  }
  void add(const Statement& statement) {
    std::visit([this](const auto& action) { add(action); }, statement.action);
    out_ << " when ";
    add(statement.when);
    out_ << " line " << statement.line << '\n';
  }
  void add(const Buffer& buffer) {
    out_ << "buffer " << buffer.name << ' ' << models::to_string(buffer.type);
    add(buffer.shape);
    out_ << buffer.slots << ' ';
    if (buffer.address) out_ << *buffer.address;
    out_ << " region " << buffer.region << '\n';
  }
  void add(const Tensor& tensor) {
    out_ << "tensor " << tensor.name << ' ' << models::to_string(tensor.type) << ' '
         << to_string(tensor.kind);
    add(tensor.dims);
    add(tensor.shape);
    for (const LayoutDim& entry : tensor.layout) out_ << entry.dim << '/' << entry.tile << ' ';
    out_ << "stick dim " << tensor.stick_dim << ' ';
    if (tensor.address) out_ << *tensor.address;
    out_ << " strides ";
    add(tensor.strides);
    out_ << " lx core " << tensor.lx_core.value_or(-1);
    add(tensor.values);
    out_ << '\n';
  }
  void add(const Kernel& kernel) {
    out_ << "kernel " << kernel.name;
    for (const auto& [name, size] : kernel.grid) out_ << ' ' << name << ' ' << size;
    add(kernel.params);
    for (const NamedGroups& named : kernel.groups) {
      out_ << " groups " << named.name;
      for (const std::vector<std::int64_t>& cores : named.groups) add(cores);
    }
    out_ << '\n';
    for (const Buffer& buffer : kernel.buffers) add(buffer);
    for (const Statement& statement : kernel.body) add(statement);
  }
  void add(const LaunchItem& item) {
    if (const auto* loop = std::get_if<LaunchLoop>(&item.item)) {
      out_ << "loop " << loop->variable << ' ' << loop->start << ' ' << loop->stop << "{\n";
      for (const LaunchItem& inner : loop->body) add(inner);
      out_ << "}\n";
      return;
    }
    const auto& launch = std::get<KernelLaunch>(item.item);
    out_ << "launch " << launch.kernel << " name " << launch.name << " layer "
         << launch.layer.value_or("none");
    for (const auto& [name, value] : launch.arguments) {
      out_ << ' ' << name << '=';
      add(value);
    }
    out_ << '\n';
  }
  void add(const Schedule& schedule) {
    out_ << "machine " << schedule.machine << '\n';
    for (const auto& [key, value] : schedule.meta) out_ << key << '=' << value << '\n';
    for (const Tensor& tensor : schedule.tensors) add(tensor);
    for (const Buffer& buffer : schedule.resident) add(buffer);
    for (const Kernel& kernel : schedule.kernels) add(kernel);
    for (const LaunchItem& item : schedule.launches) add(item);
  }

  std::ostringstream out_;
};

}  // namespace spyre::kernels
