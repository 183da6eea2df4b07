#include <atomic>
#include <csignal>
#include <cstdlib>

#include "runtime/cli/application.h"

namespace {

// A signal handler can reach nothing else.
std::atomic<bool> stop_requested{false};

void request_stop(int) {
  // The second Ctrl-C ends the program at once.
  std::signal(SIGINT, SIG_DFL);
  stop_requested.store(true);
}

}  // namespace

// libsystemc brings a main of its own that calls this; ours comes first.
extern "C" int sc_main(int, char**) {
  return 0;
}

int main(int argc, char** argv) {
  // The kernel's banner would stand in front of every result.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  return spyre::runtime::run_application(argc, argv, stop_requested);
}
