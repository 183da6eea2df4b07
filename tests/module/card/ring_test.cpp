// Ring and ring ports on a bench: messages between cores, semaphores, barriers, partial sums.
#include "models/card/ring.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <vector>

#include "models/card/simulated_time.h"
#include "tests/support/kernel_test.h"
#include "tests/support/test_machine.h"

namespace spyre::tests {
namespace {

using models::CoreSet;
using models::Picoseconds;
using models::RingMessageExtension;
using models::SharedLoadExtension;

struct Ports : sc_core::sc_module {
  using Socket = tlm_utils::simple_initiator_socket_tagged<Ports>;
  sc_core::sc_vector<Socket> ports;
  sc_core::sc_vector<Socket> shared;
  struct Delivery {
    int core;
    RingMessageExtension message;
    Picoseconds time;
  };
  struct Answer {
    int core;
    SharedLoadExtension extension;
    Picoseconds time;
  };
  std::vector<Delivery> deliveries;
  std::vector<Answer> answers;

  Ports(sc_core::sc_module_name name, std::size_t cores)
      : sc_module(name), ports("port", cores), shared("shared", cores) {
    for (std::size_t core = 0; core < cores; ++core) {
      ports[core].register_nb_transport_bw(this, &Ports::deliver, static_cast<int>(core));
      shared[core].register_nb_transport_bw(this, &Ports::answer, static_cast<int>(core));
    }
  }
  tlm::tlm_sync_enum deliver(int core, tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                             sc_core::sc_time& delay) {
    deliveries.push_back(
        {core, *payload.get_extension<RingMessageExtension>(), models::time_after(delay)});
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum answer(int core, tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                            sc_core::sc_time& delay) {
    answers.push_back(
        {core, *payload.get_extension<SharedLoadExtension>(), models::time_after(delay)});
    return tlm::TLM_COMPLETED;
  }
};

class RingTest : public KernelTest {
 protected:
  RingTest() {
    for (std::size_t core = 0; core < ports.ports.size(); ++core) {
      ports.ports[core].bind(ring.port_sockets[core]);
      ports.shared[core].bind(ring.shared_load_sockets[core]);
    }
    sc_core::sc_get_curr_simcontext()->initialize();
  }
  Picoseconds send(std::size_t core, RingMessageExtension::Kind kind, CoreSet to,
                   std::uint32_t bytes, Picoseconds time) {
    RingMessageExtension message;
    message.kind = kind;
    message.destinations = to;
    message.bytes = bytes;
    tlm::tlm_generic_payload payload;
    payload.set_extension(&message);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = models::to_sc_time(time);
    ports.ports[core]->nb_transport_fw(payload, phase, delay);
    payload.clear_extension(&message);
    return delay.value();
  }
  void share(std::size_t core, SharedLoadExtension::Step step, CoreSet sharers, std::uint32_t tag) {
    SharedLoadExtension extension;
    extension.step = step;
    extension.sharers = sharers;
    extension.tag = tag;
    tlm::tlm_generic_payload payload;
    payload.set_extension(&extension);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    ports.shared[core]->nb_transport_fw(payload, phase, delay);
    payload.clear_extension(&extension);
  }

  models::Machine machine = models::make_test_machine();
  models::Ring ring{"ring", machine};
  Ports ports{"ports", static_cast<std::size_t>(machine.cores.count)};
};

TEST_F(RingTest, AMulticastIsDeliveredToEveryDestinationOnce) {
  const Picoseconds injected = send(4, RingMessageExtension::Kind::tile, 0b1111'0000, 1280, 50);
  EXPECT_EQ(injected, 50 + machine.clock.to_ps(10));
  ASSERT_EQ(ports.deliveries.size(), 4U);
  CoreSet reached = 0;
  for (const auto& delivery : ports.deliveries) reached |= CoreSet{1} << delivery.core;
  EXPECT_EQ(reached, 0b1111'0000U);
}

TEST_F(RingTest, PartialSumsDoNotQueueBehindTiles) {
  send(0, RingMessageExtension::Kind::tile, 0b10, 1 << 20, 0);
  send(0, RingMessageExtension::Kind::partial_sum, 0b10, 128, 0);
  EXPECT_LT(ports.deliveries.at(1).time, ports.deliveries.at(0).time);
}

TEST_F(RingTest, ABarrierReleasesAfterTheLastArrival) {
  const CoreSet group = 0b111;
  send(0, RingMessageExtension::Kind::barrier, group, 0, 10);
  send(1, RingMessageExtension::Kind::barrier, group, 0, 5000);
  EXPECT_TRUE(ports.deliveries.empty());
  send(2, RingMessageExtension::Kind::barrier, group, 0, 20);
  ASSERT_EQ(ports.deliveries.size(), 3U);
  for (const auto& delivery : ports.deliveries) {
    EXPECT_EQ(delivery.time, ports.deliveries[0].time);
    EXPECT_GT(delivery.time, 5000U);
  }
}

TEST_F(RingTest, ASharedLoadStartsWhenAllHaveJoinedAndMembersTakeTurns) {
  for (const std::uint32_t tag : {0U, 1U}) {
    share(2, SharedLoadExtension::Step::join, 0b10100, tag);
    EXPECT_EQ(ports.answers.size(), 2 * tag);
    share(4, SharedLoadExtension::Step::join, 0b10100, tag);
    ASSERT_EQ(ports.answers.size(), 2 * tag + 2);
    EXPECT_EQ(ports.answers.back().extension.step, SharedLoadExtension::Step::start);
    EXPECT_EQ(ports.answers.back().extension.leader, tag == 0 ? 2U : 4U);
  }
}

TEST_F(RingTest, TheLeadersNewsReachTheOthersOnly) {
  share(2, SharedLoadExtension::Step::issued, 0b10110, 0);
  ASSERT_EQ(ports.answers.size(), 2U);
  EXPECT_EQ(ports.answers[0].core, 1);
  EXPECT_EQ(ports.answers[1].core, 4);
}

}  // namespace
}  // namespace spyre::tests
