#include "runtime/fidelity/fidelity_runner.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "models/diagnostics/diagnostics.h"

namespace spyre::runtime {
namespace {

constexpr const char* kInterruptedReason = "interrupted";

/// What a child says through its pipe: small enough to be written whole.
struct Message {
  double simulated_us = 0;
  char reason[400] = {};
};

struct Child {
  pid_t pid = -1;
  int pipe = -1;
  std::size_t row = 0;
};

Message simulate(const OpRequest& request, const models::MachineDescription& machine,
                 const std::atomic<bool>* stop) {
  Message message;
  std::string reason;
  try {
    RunOptions options;
    options.simulation.stop = stop;
    const traces::RunResult result = run_op(request, machine, options).result;
    if (result.interrupted) reason = kInterruptedReason;
    for (const traces::OpResult& launch : result.ops) message.simulated_us += launch.time_ms * 1e3;
  } catch (const models::InputError& error) {
    reason = fmt::format("not planned: {}", error.diagnostics().front().message);
  } catch (const std::exception& error) {
    reason = fmt::format("not run: {}", error.what());
  }
  std::strncpy(message.reason, reason.c_str(), sizeof message.reason - 1);
  return message;
}

[[noreturn]] void run_child(int pipe, const OpRequest& request,
                            const models::MachineDescription& machine,
                            const std::atomic<bool>* stop) {
  const Message message = simulate(request, machine, stop);
  const bool told = write(pipe, &message, sizeof message) == sizeof message;
  _exit(told ? 0 : 1);  // nothing of the parent's is flushed or destroyed
}

class Pool {
 public:
  Pool(const std::vector<KernelMapping>& mappings, const models::MachineDescription& machine,
       const FidelityOptions& options, std::vector<FidelityRow>& rows)
      : mappings_(mappings), machine_(machine), options_(options), rows_(rows) {
    for (std::size_t i = 0; i < mappings.size(); ++i) {
      if (mappings[i].request) waiting_.push_back(i);
    }
    all_ = waiting_.size();
    std::reverse(waiting_.begin(), waiting_.end());
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { end_children(); }

  void run() {
    while (!stopped()) {
      while (!waiting_.empty() && children_.size() < most_children()) start();
      if (children_.empty()) return;
      wait();
    }
    end_children();
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && *options_.stop; }
  [[nodiscard]] std::size_t most_children() const {
    return static_cast<std::size_t>(std::max(options_.jobs, 1));
  }

  void start() {
    const std::size_t row = waiting_.back();
    int ends[2];
    if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    std::fflush(nullptr);  // a child must not print it again
    const pid_t pid = fork();
    if (pid < 0) {
      const int error = errno;
      close(ends[0]);
      close(ends[1]);
      throw std::system_error(error, std::generic_category(), "fork");
    }
    if (pid == 0) {
      close(ends[0]);
      run_child(ends[1], *mappings_[row].request, machine_, options_.stop);
    }
    close(ends[1]);
    waiting_.pop_back();
    children_.push_back({pid, ends[0], row});
  }

  void wait() {
    std::vector<pollfd> files;
    for (const Child& child : children_) files.push_back({child.pipe, POLLIN, 0});
    // Not for ever: a signal just before the call would not wake it.
    if (poll(files.data(), files.size(), 200) <= 0) return;
    for (std::size_t i = files.size(); i-- > 0;) {
      if (files[i].revents == 0) continue;
      finish(children_[i]);
      children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void finish(const Child& child) {
    Message message;
    ssize_t got = 0;
    do {
      got = read(child.pipe, &message, sizeof message);
    } while (got < 0 && errno == EINTR);
    close(child.pipe);
    const int status = reap(child.pid);
    FidelityRow& row = rows_[child.row];
    if (got != sizeof message) {
      row.skipped = WIFSIGNALED(status)
                        ? fmt::format("the simulation ended by signal {}", WTERMSIG(status))
                        : "the simulation ended without a result";
    } else if (message.reason[0] != '\0') {
      row.skipped = message.reason;
    } else {
      row.simulated_us = message.simulated_us;
      row.skipped.clear();
    }
    ++done_;
    if (options_.on_progress) options_.on_progress(done_, all_);
  }

  static int reap(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  /// Those that are still under way have nothing to lose.
  void end_children() {
    for (const Child& child : children_) {
      kill(child.pid, SIGKILL);
      close(child.pipe);
      reap(child.pid);
    }
    children_.clear();
  }

  const std::vector<KernelMapping>& mappings_;
  const models::MachineDescription& machine_;
  const FidelityOptions& options_;
  std::vector<FidelityRow>& rows_;
  std::vector<std::size_t> waiting_;  // the next one last
  std::vector<Child> children_;
  std::size_t all_ = 0, done_ = 0;
};

}  // namespace

std::vector<FidelityRow> run_fidelity(const std::vector<MeasuredKernel>& kernels,
                                      const models::MachineDescription& machine,
                                      const FidelityOptions& options) {
  std::vector<KernelMapping> mappings;
  std::vector<FidelityRow> rows;
  for (const MeasuredKernel& kernel : kernels) {
    const KernelMapping& mapping = mappings.emplace_back(map_kernel(kernel));
    rows.push_back({kernel,
                    {},
                    mapping.request ? kInterruptedReason : mapping.reason,
                    mapping.planned_split,
                    kernel.model_us * static_cast<double>(mapping.kernels)});
  }
  Pool(mappings, machine, options, rows).run();
  return rows;
}

}  // namespace spyre::runtime
