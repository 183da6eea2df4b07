#include "kernels/ktir/analysis.h"

#include <gtest/gtest.h>

#include "tests/unit/ktir/ktir_fixture.h"

namespace spyre::kernels::ktir {
namespace {

ValueId named(const Function& function, const std::string& name) {
  for (std::size_t i = 0; i < function.values.size(); ++i) {
    if (function.values[i].name == name) return static_cast<ValueId>(i);
  }
  ADD_FAILURE() << "no value " << name;
  return 0;
}

TEST(KtirAnalysis, FoldsIntegerArithmetic) {
  const Module module = load_module(R"(func.func @f(%n: index) {
    %id = ktdp.get_compute_tile_id : index
    %a = arith.constant -7 : index
    %b = arith.constant 2 : index
    %add = arith.addi %a, %b : index
    %mul = arith.muli %a, %b : index
    %div = arith.divsi %a, %b : index
    %floor = arith.floordivsi %a, %b : index
    %ceil = arith.ceildivsi %a, %b : index
    %rem = arith.remsi %a, %b : index
    %zero = arith.subi %a, %a : index
    %none = arith.divsi %a, %zero : index
    %open = arith.addi %a, %n : index
    %wide = arith.constant 3000000000 : index
    %narrow = arith.index_cast %wide : index to i32
    %most = arith.constant 9223372036854775807 : index
    %over = arith.addi %most, %b : index
    return
  })",
                                    "test")
                            .module;
  const Function& function = module.functions[0];
  const Constants constants(function);
  const auto value = [&](const std::string& name) {
    return constants.value(named(function, name));
  };
  EXPECT_EQ(value("id"), 0);  // no grid: one core
  EXPECT_EQ(value("add"), -5);
  EXPECT_EQ(value("mul"), -14);
  EXPECT_EQ(value("div"), -3);
  EXPECT_EQ(value("floor"), -4);
  EXPECT_EQ(value("ceil"), -3);
  EXPECT_EQ(value("rem"), -1);
  EXPECT_EQ(value("zero"), 0);
  for (const char* unknown : {"none", "open", "n", "narrow", "over"}) {
    EXPECT_FALSE(value(unknown)) << unknown;
  }
}

TEST(KtirAnalysis, DoesNotFoldTheTileIdOfSeveralCores) {
  const Module module = load_module(
                            "func.func @f() attributes {grid = [2]} { %id = "
                            "ktdp.get_compute_tile_id : index return }",
                            "test")
                            .module;
  EXPECT_FALSE(Constants(module.functions[0]).value(0));
  EXPECT_EQ(module.functions[0].core_count(), 2);
}

TEST(KtirAnalysis, CountsTurnsOfLoops) {
  for (std::int64_t lower = -3; lower < 4; ++lower) {
    for (std::int64_t upper = -3; upper < 12; ++upper) {
      for (std::int64_t step = 1; step < 5; ++step) {
        std::int64_t turns = 0;
        for (std::int64_t i = lower; i < upper; i += step) ++turns;
        EXPECT_EQ((LoopBounds{lower, upper, step}.trip_count()), turns);
      }
    }
  }
  EXPECT_FALSE((LoopBounds{0, 4, 0}.trip_count()));
  EXPECT_FALSE((LoopBounds{0, std::nullopt, 1}.trip_count()));
}

TEST(KtirAnalysis, FindsDefinitionsAndUsesInNestedRegions) {
  const Module module =
      load_module(
          kernel_with("%e = arith.addf %h, %h : f16\nscf.if %b { %g = arith.mulf %e, %h : f16 }"),
          "test")
          .module;
  const Function& function = module.functions[0];
  const DefUse uses(function);
  const ValueId e = named(function, "e");
  ASSERT_NE(uses.definition(e), nullptr);
  EXPECT_TRUE(uses.definition(e)->is(OpCode::arith_addf));
  ASSERT_EQ(uses.uses(e).size(), 1U);
  EXPECT_TRUE(uses.uses(e)[0].user->is(OpCode::arith_mulf));
  EXPECT_EQ(uses.uses(e)[0].operand, 0U);
  const ValueId h = named(function, "h");
  EXPECT_EQ(uses.definition(h), nullptr);
  EXPECT_EQ(uses.uses(h).size(), 3U);
}

TEST(KtirAnalysis, KnowsTheBoundsOfALoopInTheKernel) {
  const Module module =
      load_module(file_text(std::string(SPYRE_EMU_TEST_DATA) + "/ktir/matmul.mlir"), "matmul")
          .module;
  const Function& function = module.functions[0];
  const Constants constants(function);
  for (const Operation& op : function.body.operations) {
    if (!op.is(OpCode::scf_for)) continue;
    EXPECT_EQ(loop_bounds(op, constants).trip_count(), 4);
  }
}

}  // namespace
}  // namespace spyre::kernels::ktir
