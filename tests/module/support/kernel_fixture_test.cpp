// The fixture that every module test stands on: each test gets a kernel of its own, whatever the
// last one did to its.
#include <gtest/gtest-spi.h>

#include "tests/support/kernel_test.h"

namespace spyre::tests {
namespace {

using sc_core::SC_NS;

class Waiter : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Waiter);
  explicit Waiter(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }
  int waits = 0;

 private:
  void run() {
    for (; waits < 5; ++waits) wait(10, SC_NS);
  }
};

class Faulty : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Faulty);
  explicit Faulty(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }

 private:
  void run() {
    wait(1, SC_NS);
    SC_REPORT_ERROR("/spyre/test", "out of bounds");
  }
};

class KernelFixtureTest : public KernelTest {
 protected:
  void run_to_the_end() {
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
    EXPECT_EQ(tlm::tlm_global_quantum::instance().get(), sc_core::SC_ZERO_TIME);
    sc_core::sc_start();
    EXPECT_EQ(waiter_.waits, 5);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(50, SC_NS));
  }

 private:
  Waiter waiter_{"waiter"};
};

// The order of these matters when the program runs them all: each would fail in the kernel that the
// last one left.
TEST_F(KernelFixtureTest, RunsOneSimulation) {
  run_to_the_end();
}

TEST_F(KernelFixtureTest, StartsTheNextSimulationAtTimeZero) {
  run_to_the_end();
}

TEST_F(KernelFixtureTest, ThrowsAnErrorReportedByAProcess) {
  tlm::tlm_global_quantum::instance().set(sc_core::sc_time(1, SC_NS));
  Faulty faulty("faulty");
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST_F(KernelFixtureTest, RunsAfterASimulationThatEndedInAnErrorAndSetTheQuantum) {
  run_to_the_end();
}

TEST_F(KernelFixtureTest, ThrowsAFatalReport) {
  EXPECT_THROW(SC_REPORT_FATAL("/spyre/test", "broken"), sc_core::sc_report);
}

TEST_F(KernelFixtureTest, FailsOnAWarning) {
  EXPECT_NONFATAL_FAILURE(SC_REPORT_WARNING("/spyre/test", "suspicious"), "suspicious");
}

}  // namespace
}  // namespace spyre::tests
