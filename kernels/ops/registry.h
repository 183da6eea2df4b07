// Every kernel of our own by name: what it is, its sizes, what it reads, and who plans it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/ops/op_options.h"

namespace spyre::kernels {

/// A size that can be given as NAME=value.
struct OpParameter {
  std::string name;
  std::int64_t value = 1;  ///< unless given
  std::string meaning;
};

using OpSizes = std::map<std::string, std::int64_t>;

/// An input, and what random numbers it is filled with.
struct OpInput {
  enum class Fill {
    normal,    ///< standard normal
    positive,  ///< uniform, 0.25 to 4
    unit,      ///< uniform, -1 to 1
    index,     ///< whole numbers from 0 to less than the size `limit`
  };
  std::string tensor;
  Fill fill = Fill::normal;
  std::string limit;
};

/// Which of OpOptions an op heeds, besides cores and type.
struct OpChoices {
  bool k_split = false, layouts = false;
  bool narrow_types = false;  ///< fp8 and int8 as well as fp16, bf16, dl16 and fp32

  [[nodiscard]] std::vector<DataType> types() const;
};

struct Op {
  std::string name;
  std::string family;   ///< "matrix", "elementwise", "rows", "moves" or "attention"
  std::string summary;  ///< "y = exp(x - max) / sum, by row"
  std::vector<OpParameter> parameters;
  OpChoices choices;
  std::vector<OpInput> inputs;
  std::vector<std::string> outputs;
  std::string reference;  ///< what computes the expected outputs
  /// Values may differ from the reference by 2^`error_bits` unit roundoffs of the output's type:
  /// 2 where each element is rounded once, more where what is rounded is computed with again.
  int error_bits = 2;
  std::string compared_with;  ///< an op with the same inputs and outputs that is run beside it
  std::function<Schedule(const OpSizes&, const OpOptions&, const models::Machine&)> plan;
};

/// In the order that `op list` shows.
[[nodiscard]] const std::vector<Op>& all_ops();
/// Throws InputError with the nearest name.
[[nodiscard]] const Op& op_named(const std::string& name);
/// The op's sizes with those of `given`. Throws InputError for a name that it does not have.
[[nodiscard]] OpSizes op_sizes(const Op& op, const OpSizes& given);
/// Throws InputError for options that the op does not heed.
void check_choices(const Op& op, const OpOptions& options);
[[nodiscard]] Schedule plan_op(const Op& op, const OpSizes& sizes, const OpOptions& options,
                               const models::Machine& machine);

// By family.
[[nodiscard]] std::vector<Op> matrix_ops();
[[nodiscard]] std::vector<Op> elementwise_ops();
[[nodiscard]] std::vector<Op> row_ops();
[[nodiscard]] std::vector<Op> move_ops();
[[nodiscard]] std::vector<Op> attention_ops();

}  // namespace spyre::kernels
