// The load/store unit on a bench with a memory that answers after a fixed latency.
#include "models/card/load_store_unit.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <vector>

#include "models/card/lx_scratchpad.h"
#include "models/card/simulated_time.h"
#include "tests/support/kernel_test.h"
#include "tests/support/scripted_program.h"
#include "tests/support/test_machine.h"

namespace spyre::tests {
namespace {

using models::Picoseconds;

/// Plays sequencer, memory and ring.
struct Bench : sc_core::sc_module {
  SC_HAS_PROCESS(Bench);
  tlm_utils::simple_initiator_socket<Bench> ops{"ops"};
  tlm_utils::simple_initiator_socket<Bench> compute{"compute"};
  tlm_utils::simple_target_socket<Bench> memory{"memory"};
  tlm_utils::simple_target_socket<Bench> shared{"shared"};

  struct Seen {
    std::uint64_t address;
    std::uint32_t bytes;
    Picoseconds time;
  };
  std::vector<Seen> requests;
  std::vector<std::pair<tlm::tlm_phase, Picoseconds>> answers;
  std::vector<models::SharedLoadExtension::Step> steps;
  std::vector<tlm::tlm_generic_payload*> held;
  Picoseconds latency = 100'000;
  bool hold = false;

  explicit Bench(sc_core::sc_module_name name) : sc_module(name) {
    ops.register_nb_transport_bw(this, &Bench::answer);
    memory.register_nb_transport_fw(this, &Bench::request);
    shared.register_nb_transport_fw(this, &Bench::share);
    shared.register_b_transport(this, &Bench::forward);
  }
  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay) {
    answers.emplace_back(phase, models::time_after(delay));
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum request(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                             sc_core::sc_time& delay) {
    requests.push_back(
        {payload.get_address(), payload.get_data_length(), models::time_after(delay)});
    held.push_back(&payload);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum share(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    steps.push_back(payload.get_extension<models::SharedLoadExtension>()->step);
    return tlm::TLM_COMPLETED;
  }
  void forward(tlm::tlm_generic_payload&, sc_core::sc_time&) {
    steps.push_back(models::SharedLoadExtension::Step::forward);
  }
  /// Answers the oldest request `latency` after it was issued.
  void respond() {
    const Seen seen = requests.at(responded++);
    tlm::tlm_generic_payload& payload = *held.front();
    held.erase(held.begin());
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = models::delay_until(seen.time + latency);
    memory->nb_transport_bw(payload, phase, delay);
  }
  std::size_t responded = 0;
};

class LoadStoreUnitTest : public KernelTest {
 protected:
  LoadStoreUnitTest() {
    bench.ops.bind(unit.op_socket);
    unit.memory_socket.bind(bench.memory);
    unit.shared_load_socket.bind(bench.shared);
    unit.lx_socket.bind(lx.transfer_socket);
    bench.compute.bind(lx.compute_socket);
    payload.set_extension(&extension);
    sc_core::sc_get_curr_simcontext()->initialize();  // ends elaboration
  }
  ~LoadStoreUnitTest() override { payload.clear_extension(&extension); }
  void start(const models::TileOp& op) {
    extension.op = &op;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(bench.ops->nb_transport_fw(payload, phase, delay), tlm::TLM_ACCEPTED);
  }

  models::Machine machine = models::make_test_machine();
  models::DramStore dram;
  models::DataPlane data{machine, dram, models::Numerics::ieee, models::DataPlane::Values::off};
  models::ObserverList observers{{}};
  Bench bench{"bench"};
  models::LoadStoreUnit unit{"unit", 0, machine, data, observers};
  models::LxScratchpad lx{"lx", machine};
  tlm::tlm_generic_payload payload;
  models::TileOpExtension extension;
};

TEST_F(LoadStoreUnitTest, IssuesAWindowAtOnceAndOneRequestPerCompletion) {
  const auto op = load(0, 0, 5 * 4096);
  start(op);
  EXPECT_EQ(bench.requests.size(),
            static_cast<std::size_t>(machine.load_store.outstanding_requests));
  bench.respond();
  ASSERT_EQ(bench.requests.size(), 4U);
  EXPECT_EQ(bench.requests[3].time, bench.latency + machine.clock.to_ps(32))
      << "when the first answer has gone through the LX port";
}

TEST_F(LoadStoreUnitTest, TakesTheNextOperationWhenTheLastRequestIsOut) {
  const auto op = load(0, 0, 4 * 4096);
  start(op);
  EXPECT_TRUE(bench.answers.empty());
  bench.respond();
  ASSERT_EQ(bench.answers.size(), 1U);
  EXPECT_EQ(bench.answers[0].first, tlm::END_REQ);
  EXPECT_EQ(bench.answers[0].second, bench.requests[3].time);
}

TEST_F(LoadStoreUnitTest, CompletesWithItsLastByteInLx) {
  const auto op = load(0, 0, 2 * 4096);
  start(op);
  bench.respond();
  EXPECT_EQ(bench.answers.size(), 1U);
  bench.respond();
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[1].first, tlm::BEGIN_RESP);
  EXPECT_EQ(bench.answers[1].second, bench.latency + 2 * machine.clock.to_ps(32));
}

TEST_F(LoadStoreUnitTest, AnEmptyTransferCompletesAtOnce) {
  auto op = load(0, 0, 0);
  op.runs.clear();
  start(op);
  ASSERT_EQ(bench.answers.size(), 2U);
  EXPECT_EQ(bench.answers[1].second, 0U);
}

TEST_F(LoadStoreUnitTest, ASharedLoadWaitsForTheRing) {
  const auto op = load(0, 0, 4096, 0b11, 0);
  start(op);
  EXPECT_TRUE(bench.requests.empty());
  ASSERT_EQ(bench.steps.size(), 1U);
  EXPECT_EQ(bench.steps[0], models::SharedLoadExtension::Step::join);
  EXPECT_TRUE(extension.waits_for_sharers);

  models::SharedLoadExtension answer;
  answer.step = models::SharedLoadExtension::Step::start;
  answer.sharers = 0b11;
  tlm::tlm_generic_payload message;
  message.set_extension(&answer);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = models::to_sc_time(777);
  bench.shared->nb_transport_bw(message, phase, delay);
  message.clear_extension(&answer);
  ASSERT_FALSE(bench.answers.empty());
  EXPECT_EQ(bench.answers[0].first, models::SHARERS_JOINED);
  ASSERT_EQ(bench.requests.size(), 1U);
  EXPECT_EQ(bench.requests[0].time, 777U);
  bench.respond();
  using Step = models::SharedLoadExtension::Step;
  EXPECT_EQ(bench.steps,
            (std::vector<Step>{Step::join, Step::issued, Step::forward, Step::complete}));
}

}  // namespace
}  // namespace spyre::tests
