// The parts of the schedule reader, one per section of the file. Internal to the reader.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "kernels/schedule/reader_fields.h"

namespace spyre::kernels {

/// One kernel's body while it is read.
struct KernelScope {
  const Kernel& kernel;
  std::vector<const Buffer*> buffers;     ///< resident ones first, then the kernel's own
  std::vector<std::string> buffer_names;  ///< in the same order
  std::vector<std::string> grid_dims;
  std::vector<std::string> group_names;
  VariableScope variables;
  std::size_t loop_depth = 0;
  std::vector<std::string> signalled;  ///< semaphores by first signal
  std::vector<YAML::Node> waited;      ///< the semaphore names of all waits
};

void read_tensors(const YAML::Node& node, ReadContext& context);
/// `taken` are names that buffers of this map must not have.
std::vector<Buffer> read_buffers(const YAML::Node& node, const std::string& path,
                                 const std::vector<std::string>& taken, ReadContext& context);
void read_kernels(const YAML::Node& node, ReadContext& context);
std::vector<Statement> read_body(const YAML::Node& node, KernelScope& scope, ReadContext& context);
void read_launches(const YAML::Node& node, ReadContext& context);

/// The operand of a statement that names a buffer: a name, or {buffer, at, size}.
BufferTile read_buffer_tile(const YAML::Node& node, const std::string& name, KernelScope& scope,
                            ReadContext& context);
/// `key` of the map as such an operand; reports where it is missing.
BufferTile buffer_operand(models::MapReader& map, const std::string& key, KernelScope& scope,
                          ReadContext& context);
std::optional<Expression> optional_expression(models::MapReader& map, const std::string& key,
                                              const KernelScope& scope, ReadContext& context);
/// `tile` and `indexed` of a gather or scatter whose tensor has strides.
void read_indexed(models::MapReader& map, const Tensor& tensor, KernelScope& scope,
                  TransferStatement& statement, ReadContext& context);
TransferStatement read_transfer(models::Opcode opcode, models::MapReader& map, KernelScope& scope,
                                ReadContext& context);
MatmulStatement read_matmul(models::MapReader& map, KernelScope& scope, ReadContext& context);
VectorStatement read_vector(models::MapReader& map, KernelScope& scope, ReadContext& context);
RingStatement read_ring(models::Opcode opcode, models::MapReader& map, KernelScope& scope,
                        ReadContext& context);
SyncStatement read_sync(models::Opcode opcode, models::MapReader& map, KernelScope& scope,
                        ReadContext& context);

}  // namespace spyre::kernels
