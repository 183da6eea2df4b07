// The values of --arg: every form, what it makes, and what is said about those that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/argument_spec.h"
#include "runtime/host_values.h"
#include "runtime/npy.h"
#include "tests/unit/host_data/array_fixture.h"

namespace spyre::runtime::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

HostArray array_of(const std::string& text, const ArrayTypeOf& type_of = {}) {
  return std::get<HostArray>(make_argument("x", parse_argument_spec(text), type_of));
}
std::string fault(const std::string& text, const ArrayTypeOf& type_of = {}) {
  return message_of([&] { (void)make_argument("x", parse_argument_spec(text), type_of); });
}

const ArrayTypeOf kHalves = [](const std::string&) { return ArrayType{scalar("f16"), {2, 3}}; };

TEST(ArgumentSpec, NumbersAreWholeOrReal) {
  EXPECT_EQ(std::get<std::int64_t>(make_argument("n", parse_argument_spec("-12"))), -12);
  EXPECT_EQ(std::get<double>(make_argument("e", parse_argument_spec("1e-5"))), 1e-5);
  EXPECT_EQ(std::get<double>(make_argument("e", parse_argument_spec("2.0"))), 2.0);
}

TEST(ArgumentSpec, TypeAndShapeAreWrittenOrComeFromTheKernel) {
  const HostArray written = array_of("zeros:f32[4,2]", kHalves);
  EXPECT_EQ(written.element, scalar("f32"));
  EXPECT_THAT(written.shape, ElementsAre(4, 2));
  const HostArray known = array_of("ones", kHalves);
  EXPECT_EQ(known.element, scalar("f16"));
  EXPECT_THAT(known.shape, ElementsAre(2, 3));
  EXPECT_THAT(to_doubles(known), Each(1.0));
  EXPECT_THAT(array_of("zeros:[7]", kHalves).shape, ElementsAre(7));
  EXPECT_EQ(array_of("zeros:bf16", kHalves).element, scalar("bf16"));
  EXPECT_THAT(array_of("zeros:f16[]").shape, ElementsAre());
}

TEST(ArgumentSpec, GeneratedValues) {
  EXPECT_THAT(to_doubles(array_of("arange:i32[2,2]")), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(to_doubles(array_of("constant(-inf):f16[2]")), Each(-INFINITY));
  EXPECT_THAT(to_doubles(array_of("integers(3, 3, 1):i32[4]")), Each(3.0));
  EXPECT_EQ(array_of("random(5):f16[64]").bytes, array_of("random(5):f16[64]").bytes);
  EXPECT_NE(array_of("random(5):f16[64]").bytes, array_of("random(6):f16[64]").bytes);
  const std::vector<double> plain = to_doubles(array_of("random(5):f64[64]"));
  const std::vector<double> scaled = to_doubles(array_of("random(5, 0.25):f64[64]"));
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(scaled[i], 0.25 * plain[i]);
  for (const double value : to_doubles(array_of("uniform(1, 2, 3):f32[500]"))) {
    EXPECT_GE(value, 1);
    EXPECT_LE(value, 2);
  }
}

TEST(ArgumentSpec, FaultsSayWhatIsWrongAndListTheForms) {
  EXPECT_THAT(fault("zero"), HasSubstr("there is no form 'zero'; valid are FILE.npy, zeros, ones"));
  EXPECT_THAT(fault(""), HasSubstr("it is empty; valid are"));
  EXPECT_THAT(fault("random"), HasSubstr("random takes 1 or 2 numbers, not 0"));
  EXPECT_THAT(fault("random(-1)"), HasSubstr("'-1' is no seed"));
  EXPECT_THAT(fault("uniform(2, 1, 0)"), HasSubstr("its low end lies above its high end"));
  EXPECT_THAT(fault("uniform(0, inf, 0)"), HasSubstr("'inf' is not finite"));
  EXPECT_THAT(fault("integers(0, 1.5, 0)"), HasSubstr("'1.5' is no whole number"));
  EXPECT_THAT(fault("random(1"), HasSubstr("a ')' is missing"));
  EXPECT_THAT(fault("zeros:f17[2]"), HasSubstr("'f17' is no type"));
  EXPECT_THAT(fault("zeros:f16[2,0]"), HasSubstr("the size 0 must be at least 1"));
  EXPECT_THAT(fault("zeros:f16[2"), HasSubstr("a ']' is missing"));
  EXPECT_THAT(fault("zeros:"), HasSubstr("a type or a shape is missing behind ':'"));
  EXPECT_THAT(fault("a.npy:f16[2]"), HasSubstr("a file has a shape of its own"));
  EXPECT_THAT(fault("zeros"), HasSubstr("neither it nor the kernel says its type and shape"));
  EXPECT_THAT(fault("zeros:f16"), HasSubstr("says its shape"));
  EXPECT_THAT(fault("zeros:f16[1000000,1000000]"), HasSubstr("more than 4294967296 bytes"));
  EXPECT_THAT(fault("zeros",
                    [](const std::string&) {
                      return ArrayType{scalar("f16"), {-1, 4}};
                    }),
              HasSubstr("the kernel does not say the shape of its array ([-1,4])"));
}

TEST(ArgumentSpec, ANameStandsBeforeTheEqualsSign) {
  const NamedSpec named = parse_named_spec("x_ptr=random(3):f32[64]");
  EXPECT_EQ(named.name, "x_ptr");
  EXPECT_EQ(named.spec.seed, 3U);
  EXPECT_THAT(message_of([] { (void)parse_named_spec("x_ptr"); }),
              HasSubstr("'x_ptr' binds no argument; valid is NAME=VALUE"));
  EXPECT_THAT(message_of([] { (void)parse_named_spec("=3"); }), HasSubstr("binds no argument"));
}

class ArgumentFiles : public Folder {};

TEST_F(ArgumentFiles, TypesMustAgreeUnlessAConversionIsAskedFor) {
  write_npy(path("x.npy"), from_doubles(scalar("f32"), {2}, std::vector<double>{1.5, 1e6}));
  EXPECT_THAT(to_doubles(array_of(path("x.npy"))), ElementsAre(1.5, 1e6));
  EXPECT_THAT(fault(path("x.npy"), kHalves), HasSubstr("holds f32, but the kernel takes f16; 'x="));
  EXPECT_THAT(to_doubles(array_of(path("x.npy") + ":f16", kHalves)), ElementsAre(1.5, INFINITY));
}

TEST_F(ArgumentFiles, BitsServeTypesThatNumpyLacks) {
  const HostArray array = from_doubles(scalar("bf16"), {2}, std::vector<double>{1, -3});
  write_npy(path("x.npy"), array);
  const ArrayTypeOf brain = [](const std::string&) { return ArrayType{scalar("bf16"), {2}}; };
  EXPECT_EQ(array_of(path("x.npy"), brain).element, scalar("bf16"));
  EXPECT_THAT(to_doubles(array_of(path("x.npy") + ":bf16")), ElementsAre(1, -3));
  EXPECT_THAT(to_doubles(array_of(path("x.npy") + ":f32")), ElementsAre(0x3f80, 0xc040));
}

TEST_F(ArgumentFiles, IntegersOfTheSameWidthAgree) {
  write_npy(path("i.npy"), from_doubles(scalar("ui32"), {2}, std::vector<double>{1, 2}));
  const ArrayTypeOf signless = [](const std::string&) { return ArrayType{scalar("i32"), {2}}; };
  EXPECT_EQ(array_of(path("i.npy"), signless).element, scalar("i32"));
}

}  // namespace
}  // namespace spyre::runtime::test
