// Random tensors, buffers, expressions and tiles: what random_schedule.h makes statements of.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "kernels/schedule/layout.h"
#include "kernels/schedule/schedule.h"

namespace spyre::kernels {

class RandomParts {
 protected:
  explicit RandomParts(std::uint32_t seed) : random_(seed) {}

  int choose(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  std::string random_text() {
    std::string text;
    for (int i = choose(12); i-- > 0;) text += static_cast<char>(0x01 + choose(0x7f));
    return text;
  }

  DataType type() {
    static constexpr std::array kTypes{DataType::fp32,  DataType::fp16, DataType::bf16,
                                       DataType::dl16,  DataType::fp8,  DataType::fp8_e5m2,
                                       DataType::int32, DataType::int8, DataType::int4};
    return kTypes[static_cast<std::size_t>(choose(9))];
  }

  Tensor tensor(int index) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(index) + (choose(2) == 0 ? "" : ".w-q/1");
    tensor.type = type();
    tensor.kind = static_cast<TensorKind>(choose(5));
    const std::size_t rank = 2 + static_cast<std::size_t>(choose(3));
    const bool named = choose(2) == 0;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      tensor.dims.push_back(named ? std::string(1, static_cast<char>('p' + dim))
                                  : "d" + std::to_string(dim));
      tensor.shape.push_back(1 + choose(300));
    }
    const std::int64_t per_stick = stick_elements(tensor.type, 128);
    tensor.stick_dim = rank - 1;
    tensor.layout = default_layout(rank, per_stick);
    if (choose(2) == 0) {
      tensor.stick_dim = static_cast<std::size_t>(choose(static_cast<int>(rank)));
      std::vector<std::size_t> order(rank);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), random_);
      tensor.layout.clear();
      for (const std::size_t dim : order) {
        tensor.layout.push_back({dim, dim == tensor.stick_dim ? per_stick : 1});
      }
    }
    if (choose(3) == 0) tensor.address = 128U * static_cast<std::uint64_t>(choose(1000));
    return tensor;
  }

  /// The first of them is a table of indices, the last lies in LX.
  Tensor strided_tensor(int index) {
    Tensor tensor;
    tensor.name = "s" + std::to_string(index);
    do tensor.type = index == 0 ? DataType::int32 : type();
    while (models::bits(tensor.type) < 8);
    const std::size_t rank = 1 + static_cast<std::size_t>(choose(3));
    for (std::size_t dim = 0; dim < rank; ++dim) {
      tensor.dims.push_back("d" + std::to_string(dim));
      tensor.shape.push_back(1 + choose(300));
      tensor.strides.push_back(choose(1'000'000));
    }
    tensor.stick_dim = rank - 1;
    const auto element = static_cast<std::uint64_t>(models::bytes_of(tensor.type, 1));
    if (index == 2 || choose(2) == 0) {
      tensor.address = element * static_cast<std::uint64_t>(choose(1000));
    }
    if (index == 2) tensor.lx_core = choose(32);
    return tensor;
  }

  Buffer buffer(const std::string& name) {
    Buffer buffer;
    buffer.name = name;
    buffer.type = type();
    buffer.shape.push_back(1 + choose(300));
    if (choose(3) != 0) buffer.shape.push_back(1 + choose(300));
    buffer.slots = 1 + choose(3);
    if (choose(3) == 0) buffer.address = 128U * static_cast<std::uint32_t>(choose(1000));
    return buffer;
  }

  Expression expression() {
    std::string text = std::to_string(choose(600));
    for (int i = choose(3); i-- > 0;) {
      static const std::vector<std::string> kForms{" + ", "*", " // ", " % ", " - ", " >= ", "-"};
      const std::string& name =
          visible_[static_cast<std::size_t>(choose(static_cast<int>(visible_.size())))];
      if (choose(4) == 0) {
        text = "min(" + text + ", " + name + ")";
      } else {
        text = "(" + text + ")" + kForms[static_cast<std::size_t>(choose(7))] + name;
      }
    }
    if (choose(6) == 0) text = "-" + text;
    if (choose(9) == 0) text = " " + text;
    Expression result = Expression::parse(text, {});
    return result;
  }
  std::optional<Expression> maybe() {
    if (choose(2) == 0) return std::nullopt;
    return expression();
  }
  std::vector<Expression> expressions(std::size_t count, bool may_lack) {
    std::vector<Expression> list;
    if (may_lack && choose(3) == 0) return list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(expression());
    return list;
  }

  BufferTile local(const std::vector<Buffer>& buffers) {
    const Buffer& buffer =
        buffers[static_cast<std::size_t>(choose(static_cast<int>(buffers.size())))];
    BufferTile tile;
    tile.buffer = buffer.name;
    if (choose(2) == 0) tile.at = expressions(buffer.shape.size(), true);
    if (choose(2) == 0) tile.size = expressions(buffer.shape.size(), true);
    return tile;
  }
  std::vector<std::int64_t> distances(std::size_t count, int lowest = 0) {
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(choose(4000) + lowest);
    return list;
  }
  TensorTile remote(const Tensor& tensor) {
    TensorTile tile;
    tile.tensor = tensor.name;
    tile.at = expressions(tensor.shape.size(), true);
    tile.size = expressions(tensor.shape.size(), true);
    if (tensor.shape.size() == 1) tile.size = expressions(1, false);
    if (!tensor.strides.empty()) tile.offset = maybe();
    return tile;
  }
  std::vector<std::string> over() {
    return choose(4) == 0 ? std::vector<std::string>{"pairs"} : dims();
  }
  std::vector<std::string> dims() {
    static const std::vector<std::vector<std::string>> kChoices{{}, {"m"}, {"n"}, {"n", "m"}};
    return kChoices[static_cast<std::size_t>(choose(4))];
  }

  std::vector<std::string> visible_;  ///< the variables that expressions may use

 private:
  std::mt19937 random_;
};

}  // namespace spyre::kernels
