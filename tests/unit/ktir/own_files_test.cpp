// The project's own kernels: they load, and their canonical text reads back as the same module.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

TEST(KtirOwnFiles, LoadWithoutFaults) {
  std::set<std::string> kernels;
  for (const auto& path : own_files()) {
    SCOPED_TRACE(path.filename());
    EXPECT_TRUE(faults_of(file_text(path)).empty()) << faults_of(file_text(path)).front();
    kernels.insert(path.stem());
  }
  for (const char* name : {"add", "gelu", "softmax", "matmul", "bmm", "layernorm",
                           "paged_attention", "inter_tile_reduce", "forms"}) {
    EXPECT_TRUE(kernels.contains(name)) << name;
  }
}

TEST(KtirOwnFiles, ReadBackFromCanonicalTextAsTheSameModule) {
  for (const auto& path : own_files()) {
    SCOPED_TRACE(path.filename());
    const Module module = load_module(file_text(path), "first").module;
    const std::string text = print_module(module);
    const Module again = load_module(text, "second").module;
    EXPECT_TRUE(same_module(module, again));
    EXPECT_EQ(print_module(again), text);
  }
}

TEST(KtirOwnFiles, PrintWithoutLocationsLosesNothingElse) {
  for (const auto& path : own_files()) {
    SCOPED_TRACE(path.filename());
    const Module module = load_module(file_text(path), "first").module;
    const std::string text = print_module(module, {.locations = false});
    EXPECT_EQ(text.find("loc("), std::string::npos);
    const Module again = load_module(text, "second").module;
    EXPECT_EQ(print_module(again), print_module(again, {.locations = false}));
    EXPECT_EQ(print_module(again), text);
  }
}

TEST(KtirOwnFiles, CarryTheLocationsOfTheirSource) {
  const Module module =
      load_module(file_text(std::string(SPYRE_EMU_TEST_DATA) + "/ktir/gelu.mlir"), "gelu").module;
  const Function& function = *module.function("gelu");
  EXPECT_EQ(*function.value(function.body.arguments[0]).source,
            (SourceMapping{"kernels/gelu.py", 7, 10, "in"}));
  EXPECT_EQ(function.value(function.body.arguments[2]).source, nullptr);
  const Operation& id = function.body.operations[0];
  EXPECT_EQ(*id.source, (SourceMapping{"kernels/gelu.py", 9, 4, "core"}));
  const Operation& loop = function.body.operations[function.body.operations.size() - 2];
  ASSERT_TRUE(loop.is(OpCode::scf_for));
  EXPECT_EQ(*loop.source, (SourceMapping{"kernels/gelu.py", 12, 8, ""}));
}

TEST(KtirOwnFiles, HoldConstantsAsTheyAreMeant) {
  const Module module =
      load_module(file_text(std::string(SPYRE_EMU_TEST_DATA) + "/ktir/forms.mlir"), "forms").module;
  const auto value_named = [&](const std::string& name) -> AttributePtr {
    for (const Operation& op : module.functions[0].body.operations) {
      if (!op.results.empty() && module.functions[0].value(op.results[0]).name == name) {
        return op.attribute("value");
      }
    }
    return nullptr;
  };
  EXPECT_EQ(value_of<IntegerValue>(value_named("integer"))->value, -8388608);
  EXPECT_EQ(value_of<RealValue>(value_named("small"))->value, 1.0);  // E4M3: exponent bias 7
  EXPECT_EQ(value_of<RealValue>(value_named("card"))->bits, 0x3E00U);
  const DenseValue& table = *value_of<DenseValue>(value_named("table"));
  ASSERT_EQ(table.elements.size(), 4U);
  EXPECT_EQ(value_of<RealValue>(table.elements[1])->value, -2.5);
  EXPECT_EQ(value_of<RealValue>(table.elements[2])->value, std::numeric_limits<double>::infinity());
  const DenseValue& words = *value_of<DenseValue>(value_named("words"));
  EXPECT_EQ(value_of<IntegerValue>(words.elements[0])->value, -1);
}

}  // namespace
}  // namespace spyre::kernels::ktir
