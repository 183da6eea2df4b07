// Base of every fixture that uses the SystemC kernel: a fresh kernel per test, whatever the last
// test left behind.
//
// Modules belong in the derived fixture or in the test's body: they are destroyed before the
// context, as the kernel demands. SystemC's global quantum and report handler outlive a context, so
// they are put back here. Swapping sc_curr_simcontext is how the Accellera kernel works, not what
// IEEE 1666 promises.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <systemc>
#include <tlm>

namespace spyre::tests {

class KernelTest : public testing::Test {
 protected:
  KernelTest() : saved_handler_(sc_core::sc_report_handler::get_handler()) {
    context_ = std::make_unique<sc_core::sc_simcontext>();
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context_.get();
    tlm::tlm_global_quantum::instance().set(sc_core::SC_ZERO_TIME);
    sc_core::sc_report_handler::set_handler(&report_to_test);
    sc_core::sc_report_handler::set_verbosity_level(sc_core::SC_MEDIUM);
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DISPLAY);
  }

  ~KernelTest() override {
    tlm::tlm_global_quantum::instance().set(sc_core::SC_ZERO_TIME);
    sc_core::sc_report_handler::set_handler(saved_handler_);
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_DEFAULT_FATAL_ACTIONS);
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_DEFAULT_ERROR_ACTIONS);
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING,
                                            sc_core::SC_DEFAULT_WARNING_ACTIONS);
    context_.reset();
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = nullptr;
  }

  KernelTest(const KernelTest&) = delete;
  KernelTest& operator=(const KernelTest&) = delete;

 private:
  /// A warning fails the test; an error or a fatal report is thrown as sc_report, and the test may
  /// expect it.
  static void report_to_test(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    if (report.get_severity() == sc_core::SC_WARNING) {
      ADD_FAILURE() << report.get_msg_type() << ": " << report.get_msg();
      return;
    }
    sc_core::sc_report_handler::default_handler(report, actions);
  }

  sc_core::sc_report_handler_proc saved_handler_;
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

}  // namespace spyre::tests
