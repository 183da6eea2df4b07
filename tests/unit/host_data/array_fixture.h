// Random host arrays, and the message of an input error.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "models/diagnostics/diagnostics.h"
#include "runtime/host_array.h"

namespace spyre::runtime::test {

inline kernels::ktir::ScalarType scalar(const char* name) {
  return kernels::ktir::scalar_type_named(name).value();
}

inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const models::InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Up to 4 dimensions of up to 6, every bit random; i1 is 0 or 1.
inline HostArray random_array(const kernels::ktir::ScalarType& element, std::mt19937& random) {
  HostArray array{element, {}, {}};
  for (std::size_t rank = random() % 5; rank > 0; --rank) {
    array.shape.push_back(static_cast<std::int64_t>(random() % 7));
  }
  array.bytes.resize(static_cast<std::size_t>(array.elements() * element_bytes(element)));
  for (std::byte& byte : array.bytes) {
    byte = static_cast<std::byte>(random() % (element.width == 1 ? 2 : 256));
  }
  return array;
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("spyre_arrays_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

}  // namespace spyre::runtime::test
