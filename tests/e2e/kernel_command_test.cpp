// run, check and compile with KTIR kernels and with values, as a user types them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/diagnostics/yaml_reader.h"
#include "runtime/host_values.h"
#include "runtime/npy.h"
#include "tests/e2e/program.h"

namespace spyre::e2e {
namespace {

using testing::HasSubstr;

const std::string kArguments = " --arg in='random(1)' --arg out=zeros --arg rows=64";

class KernelCommand : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("softmax.mlir",
          models::read_text_file(std::string(SPYRE_EMU_TEST_DATA) + "/ktir/softmax.mlir"));
  }
};

TEST_F(KernelCommand, RunWritesWhatTheKernelComputed) {
  const Outcome outcome =
      run("run softmax.mlir" + kArguments + " --out out=y.npy --timing ktir-cpu --json out.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("kernel softmax, 16 cores"));
  const runtime::HostArray y = runtime::read_npy((folder() / "y.npy").string());
  EXPECT_EQ(y.shape, (std::vector<std::int64_t>{64, 256}));
  const std::vector<double> values = runtime::to_doubles(y);
  for (std::size_t row = 0; row < 64; ++row) {
    double sum = 0;
    for (std::size_t c = 0; c < 256; ++c) sum += values[row * 256 + c];
    EXPECT_NEAR(sum, 1, 0.01);
  }
  const auto json = nlohmann::json::parse(read("out.json"));
  EXPECT_EQ(json["other_timings"]["ktir-cpu"]["cycles"], 640);
}

TEST_F(KernelCommand, TheCompiledScheduleTakesTheSameTimeAndPointsAtTheKernel) {
  ASSERT_EQ(run("compile softmax.mlir" + kArguments + " -o k.yaml").exit_code, 0);
  EXPECT_THAT(read("k.yaml"), HasSubstr("op: exp, into: x, from: x, line: 27"));
  ASSERT_EQ(run("run softmax.mlir" + kArguments + " --json a.json").exit_code, 0);
  ASSERT_EQ(run("run k.yaml --json b.json").exit_code, 0);
  const auto a = nlohmann::json::parse(read("a.json"));
  const auto b = nlohmann::json::parse(read("b.json"));
  EXPECT_EQ(a["cycles"], b["cycles"]);
  EXPECT_EQ(a["dram"], b["dram"]);
}

TEST_F(KernelCommand, CheckNeedsNoArgumentsForTheText) {
  Outcome outcome = run("check softmax.mlir");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("only the text was checked"));
  outcome = run("check softmax.mlir" + kArguments);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "softmax.mlir: 0 errors, 0 warnings\n");
}

// Case T10: an operation that nobody knows is an error with its place, never a free one.
TEST_F(KernelCommand, AnUnknownOperationIsAnError) {
  std::string text = read("softmax.mlir");
  text.replace(text.find("math.exp"), 8, "math.FooNorm");
  write("foo.mlir", text);
  for (const std::string command : {"check foo.mlir", "run foo.mlir", "compile foo.mlir"}) {
    const Outcome outcome = run(command + kArguments);
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("foo.mlir:27:12: error: 'math.FooNorm' is not supported"));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(KernelCommand, WrongArgumentsAreToldAndNothingIsWritten) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"--arg in='zeros:f16[10,256]' --arg out=zeros --arg rows=64",
       "softmax.mlir:9:13: error: this view reaches over 16384 elements of 'in'"},
      {"--arg in='zeros:f32[64,256]' --arg out=zeros --arg rows=64",
       "this view reads 'in' as f16, the array that is given is f32"},
      {"--arg in=zeros --arg rows=64", "@softmax needs a value for out: add --arg out=..."},
      {"--arg in=zeros --arg out=zeros --arg rows=64 --arg n=1", "has no argument 'n'"},
      {"--arg in=zeros --arg out=zeros --arg rows=64 --out y=y.npy", "is no array argument"},
      {"--arg in=none.npy --arg out=zeros --arg rows=64", "none.npy"}};
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = run("run softmax.mlir " + arguments + " --out out=y.npy");
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(exists("y.npy"));
  }
}

// A schedule's tensors are given and read by name, in whatever layout they have on the device.
TEST_F(KernelCommand, AScheduleComputesWithGivenTensors) {
  write("gemm.yaml",
        models::read_text_file(std::string(SPYRE_EMU_TEST_DATA) + "/schedules/gemm.yaml"));
  const Outcome outcome =
      run("run gemm.yaml --arg x='constant(0.5)' --arg w='constant(0.25)' --out y=y.npy");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<double> y =
      runtime::to_doubles(runtime::read_npy((folder() / "y.npy").string()));
  ASSERT_EQ(y.size(), 64U * 4096);
  for (const double value : y) ASSERT_EQ(value, 512);
}

}  // namespace
}  // namespace spyre::e2e
