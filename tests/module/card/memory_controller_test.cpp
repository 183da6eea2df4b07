// The memory controller on a bench: answers come early, carry the right time, and each request gets
// exactly one.
#include "models/card/memory_controller.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <random>

#include "models/card/simulated_time.h"
#include "models/card/transactions.h"
#include "tests/support/kernel_test.h"
#include "tests/support/test_machine.h"

namespace spyre::tests {
namespace {

using models::Picoseconds;

struct Requester : sc_core::sc_module {
  using Socket = tlm_utils::simple_initiator_socket_tagged<Requester>;
  sc_core::sc_vector<Socket> sockets;
  struct Request {
    tlm::tlm_generic_payload payload;
    models::RequestExtension extension;
    Picoseconds issued = 0, completed = 0;
    int answers = 0;
    ~Request() { payload.clear_extension(&extension); }
  };
  std::deque<Request> requests;

  Requester(sc_core::sc_module_name name, std::size_t cores)
      : sc_module(name), sockets("socket", cores) {
    for (std::size_t core = 0; core < cores; ++core) {
      sockets[core].register_nb_transport_bw(this, &Requester::answer, static_cast<int>(core));
    }
  }
  tlm::tlm_sync_enum send(std::size_t core, std::uint64_t address, std::uint32_t bytes, bool write,
                          Picoseconds time) {
    Request& request = requests.emplace_back();
    request.issued = time;
    request.extension.slot = static_cast<std::uint32_t>(requests.size() - 1);
    request.payload.set_extension(&request.extension);
    request.payload.set_address(address);
    request.payload.set_data_length(bytes);
    request.payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = models::delay_until(time);
    return sockets[core]->nb_transport_fw(request.payload, phase, delay);
  }
  tlm::tlm_sync_enum answer(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                            sc_core::sc_time& delay) {
    Request& request = requests[payload.get_extension<models::RequestExtension>()->slot];
    request.completed = models::time_after(delay);
    ++request.answers;
    EXPECT_GE(request.completed, models::now_ps()) << "an answer must not come after the fact";
    return tlm::TLM_COMPLETED;
  }
};

class MemoryControllerTest : public KernelTest {
 protected:
  MemoryControllerTest() {
    for (std::size_t core = 0; core < requester.sockets.size(); ++core) {
      requester.sockets[core].bind(controller.sockets[core]);
    }
    sc_core::sc_get_curr_simcontext()->initialize();
  }
  models::Machine machine = models::make_test_machine();
  models::MemoryController controller{"controller", machine};
  Requester requester{"requester", static_cast<std::size_t>(machine.cores.count)};
};

TEST_F(MemoryControllerTest, OneStickTakesTransitBothWaysAndOneRowActivation) {
  requester.send(0, 0, 128, false, 1000);
  sc_core::sc_start();
  const auto& request = requester.requests.at(0);
  const models::DramTiming& timing = machine.dram.timing;
  const auto floor =
      static_cast<Picoseconds>(2 * machine.request_path.transit_ps +
                               (timing.rcd + timing.rl + timing.burst) * timing.tck_ps);
  EXPECT_EQ(request.answers, 1);
  EXPECT_GE(request.completed - request.issued, floor);
  EXPECT_LE(request.completed - request.issued, floor + 40'000U);
}

TEST_F(MemoryControllerTest, ARequestBeyondTheMemoryIsRefused) {
  EXPECT_EQ(requester.send(0, static_cast<std::uint64_t>(machine.dram.usable_bytes), 128, false, 0),
            tlm::TLM_COMPLETED);
  EXPECT_EQ(requester.requests.at(0).payload.get_response_status(),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(MemoryControllerTest, EveryRequestIsAnsweredOnceWhateverTheMix) {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const auto sticks = static_cast<std::uint32_t>(random() % 32 + 1);
    requester.send(random() % 32, (random() % (1U << 20)) * 4096ULL, sticks * 128,
                   random() % 3 == 0, random() % 1'000'000);
  }
  sc_core::sc_start();
  std::uint64_t bytes = 0;
  for (const auto& request : requester.requests) {
    EXPECT_EQ(request.answers, 1);
    EXPECT_GT(request.completed, request.issued);
    bytes += request.payload.get_data_length();
  }
  std::uint64_t bursts = 0;
  for (std::size_t channel = 0; channel < controller.memory().channels(); ++channel) {
    const auto& counters = controller.memory().counters(channel);
    bursts += counters.read_bursts + counters.write_bursts;
  }
  EXPECT_EQ(bursts * static_cast<std::uint64_t>(machine.dram.burst_bytes), bytes);
}

}  // namespace
}  // namespace spyre::tests
