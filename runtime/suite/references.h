// What kernels should compute, by name: plain loops in double precision over whole arrays.
//
// Modelled: the mathematical meaning of each kernel family. Not modelled: types, rounding, tiles,
// the order of sums. Nothing here is shared with the arithmetic of the emulator (models/formats),
// so that an error in one shows against the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace spyre::runtime {

/// Row-major.
struct ReferenceArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;

  [[nodiscard]] static ReferenceArray like(const ReferenceArray& other, double value = 0);
  [[nodiscard]] static ReferenceArray filled(std::vector<std::int64_t> shape, double value = 0);
  /// The size of the last dimension; 1 for a scalar.
  [[nodiscard]] std::size_t columns() const;
  /// Elements / columns().
  [[nodiscard]] std::size_t rows() const;
};

using ReferenceArrays = std::map<std::string, ReferenceArray>;

struct ReferenceInputs {
  ReferenceArrays arrays;
  std::map<std::string, double> scalars;

  [[nodiscard]] const ReferenceArray& array(const std::string& role) const {
    return arrays.at(role);
  }
  [[nodiscard]] double scalar(const std::string& role) const { return scalars.at(role); }
  /// Throws models::InputError where the scalar is no whole number from 0 to `most`.
  [[nodiscard]] std::size_t count(const std::string& role, std::size_t most) const;
};

struct Reference {
  std::string name;
  std::string meaning;               ///< "y = a + b"
  std::vector<std::string> arrays;   ///< inputs
  std::vector<std::string> scalars;  ///< inputs
  std::vector<std::string> outputs;
  std::function<ReferenceArrays(const ReferenceInputs&)> compute;
};

/// Sorted by name.
[[nodiscard]] const std::vector<Reference>& references();
/// Throws models::InputError with the nearest name and all names.
[[nodiscard]] const Reference& reference_named(const std::string& name);
/// Throws models::InputError where an input is missing, or where the shapes of the inputs do not
/// fit together.
[[nodiscard]] ReferenceArrays compute_reference(const Reference& reference,
                                                const ReferenceInputs& inputs);

// By file.
[[nodiscard]] std::vector<Reference> elementwise_references();
[[nodiscard]] std::vector<Reference> row_references();
[[nodiscard]] std::vector<Reference> matrix_references();
[[nodiscard]] std::vector<Reference> attention_references();
[[nodiscard]] std::vector<Reference> memory_references();

/// Throws models::InputError that the inputs do not fit: `rule` says what must hold.
void require_inputs(bool holds, const std::string& rule);

}  // namespace spyre::runtime
