// Texts for tests of the KTIR front end, and what loading them reports.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ktir/load.h"
#include "kernels/ktir/printer.h"

namespace spyre::kernels::ktir {

/// A kernel on a 2x2 grid with some values to use, and `operations` before its return.
inline std::string kernel_with(const std::string& operations) {
  return R"(func.func @kernel(%p: index, %h: f16, %f: f32, %i: i32, %b: i1, %x: tensor<4x8xf16>,
    %y: tensor<4x8xf16>, %w: tensor<8x16xf16>, %v: tensor<4xf16>, %z: tensor<4x16xf32>,
    %m: memref<32x64xf16>, %t: !ktdp.access_tile<4x8xindex>) attributes {grid = [2, 2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
)" + operations +
         "\n  return\n}\n";
}

/// The text without its "@@" marks, and "line:column" of each.
struct MarkedText {
  std::string text;
  std::vector<std::string> places;
};

inline MarkedText without_marks(const std::string& marked) {
  MarkedText result;
  int line = 1;
  int column = 1;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked.compare(i, 2, "@@") == 0) {
      result.places.push_back(std::to_string(line) + ":" + std::to_string(column));
      ++i;
      continue;
    }
    result.text += marked[i];
    column = marked[i] == '\n' ? 1 : column + 1;
    line += marked[i] == '\n' ? 1 : 0;
  }
  return result;
}

inline std::vector<std::string> texts_of(const std::vector<models::Diagnostic>& diagnostics) {
  std::vector<std::string> texts;
  for (const models::Diagnostic& diagnostic : diagnostics) {
    texts.push_back(std::to_string(diagnostic.where.line) + ":" +
                    std::to_string(diagnostic.where.column) + ": " + diagnostic.message);
  }
  return texts;
}

/// "line:column: message" of every fault; none if the text loads.
inline std::vector<std::string> faults_of(const std::string& text) {
  try {
    static_cast<void>(load_module(text, "test.mlir"));
    return {};
  } catch (const models::InputError& error) {
    return texts_of(error.diagnostics());
  }
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The project's own kernels, sorted by name.
inline std::vector<std::filesystem::path> own_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SPYRE_EMU_TEST_DATA) + "/ktir")) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

inline bool same_attributes(const std::vector<NamedAttribute>& a,
                            const std::vector<NamedAttribute>& b) {
  return std::ranges::equal(a, b, [](const NamedAttribute& x, const NamedAttribute& y) {
    return x.first == y.first && x.second->value.index() == y.second->value.index() &&
           to_string(*x.second) == to_string(*y.second);
  });
}

inline bool same_source(const SourceMappingPtr& a, const SourceMappingPtr& b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
}

/// Equal but for names of values and places in the text.
inline bool same_region(const Region& a, const Region& b) {
  return a.arguments == b.arguments &&
         std::ranges::equal(a.operations, b.operations, [](const Operation& x, const Operation& y) {
           return x.info == y.info && x.operands == y.operands && x.segments == y.segments &&
                  x.results == y.results && same_attributes(x.attributes, y.attributes) &&
                  same_source(x.source, y.source) &&
                  std::ranges::equal(x.regions, y.regions, same_region);
         });
}

inline bool same_module(const Module& a, const Module& b) {
  return a.name == b.name && same_attributes(a.attributes, b.attributes) &&
         std::ranges::equal(a.functions, b.functions, [](const Function& x, const Function& y) {
           const auto same_value = [](const Value& v, const Value& w) {
             return v.type == w.type && same_source(v.source, w.source);
           };
           return x.name == y.name && x.visibility == y.visibility &&
                  x.result_types == y.result_types && same_attributes(x.attributes, y.attributes) &&
                  std::ranges::equal(x.argument_attributes, y.argument_attributes,
                                     same_attributes) &&
                  std::ranges::equal(x.values, y.values, same_value) && same_region(x.body, y.body);
         });
}

}  // namespace spyre::kernels::ktir
