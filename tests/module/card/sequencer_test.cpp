// The sequencer on a bench whose units answer after a duration that the test chooses.
#include "models/card/sequencer.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <vector>

#include "models/card/simulated_time.h"
#include "tests/support/kernel_test.h"
#include "tests/support/recording_observer.h"
#include "tests/support/scripted_program.h"
#include "tests/support/test_machine.h"

namespace spyre::tests {
namespace {

using models::Picoseconds;
using models::Unit;
using models::VectorFunction;

struct Units : sc_core::sc_module {
  using Socket = tlm_utils::simple_target_socket_tagged<Units>;
  sc_core::sc_vector<Socket> units;
  tlm_utils::simple_initiator_socket<Units> launch{"launch"};
  Picoseconds duration = 1000;
  bool done = false;

  explicit Units(sc_core::sc_module_name name) : sc_module(name), units("unit", models::kUnits) {
    for (std::size_t unit = 0; unit < models::kUnits; ++unit) {
      units[unit].register_nb_transport_fw(this, &Units::op, static_cast<int>(unit));
    }
    launch.register_nb_transport_bw(this, &Units::finished);
  }
  tlm::tlm_sync_enum op(int, tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                        sc_core::sc_time& delay) {
    delay += models::to_sc_time(duration);
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  }
  tlm::tlm_sync_enum finished(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
    done = true;
    return tlm::TLM_COMPLETED;
  }
};

class SequencerTest : public KernelTest {
 protected:
  void run(std::vector<models::TileOp> ops) {
    program.add_launch({{0, std::move(ops)}});
    ASSERT_TRUE(program.next_launch(current));
    for (std::size_t unit = 0; unit < models::kUnits; ++unit) {
      sequencer.unit_sockets[unit].bind(bench.units[unit]);
    }
    bench.launch.bind(sequencer.launch_socket);
    sc_core::sc_get_curr_simcontext()->initialize();
    models::LaunchExtension extension;
    extension.launch = &current;
    tlm::tlm_generic_payload payload;
    payload.set_extension(&extension);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = models::to_sc_time(500);
    bench.launch->nb_transport_fw(payload, phase, delay);
    sc_core::sc_start();
    payload.clear_extension(&extension);
  }
  models::Machine machine = models::make_test_machine();
  ScriptedProgram program;
  models::Launch current;
  models::DramStore dram;
  models::DataPlane data{machine, dram, models::Numerics::ieee, models::DataPlane::Values::off};
  RecordingObserver seen;
  models::ObserverList observers{{&seen}};
  Units bench{"bench"};
  models::Sequencer sequencer{"sequencer", 0, machine, program, data, observers};
};

TEST_F(SequencerTest, OneUnitRunsItsOperationsOneAfterTheOther) {
  run({vector_op(VectorFunction::add, 0, 1, 1, 64), vector_op(VectorFunction::add, 2, 3, 1, 64)});
  EXPECT_TRUE(bench.done);
  EXPECT_EQ(seen.op(0, 0).begin_ps, 500U);
  EXPECT_EQ(seen.op(0, 1).begin_ps, 1500U);
}

TEST_F(SequencerTest, IndependentOperationsOfTwoUnitsStartTogether) {
  run({vector_op(VectorFunction::add, 0, 1, 1, 64), matmul(2, 3, 4, 8, 64, 8)});
  EXPECT_EQ(seen.op(0, 0).begin_ps, seen.op(0, 1).begin_ps);
}

TEST_F(SequencerTest, ADependentOperationStartsAtTheTickOfCompletion) {
  run({vector_op(VectorFunction::add, 0, 1, 1, 64), matmul(2, 0, 4, 8, 64, 8)});
  EXPECT_EQ(seen.op(0, 1).begin_ps, seen.op(0, 0).end_ps);
}

TEST_F(SequencerTest, AFullQueueHoldsBackTheUnitsBehindIt) {
  // The matmul stands behind more vector operations than the queue holds, so it is fetched only
  // when one has left it.
  std::vector<models::TileOp> ops;
  for (std::int64_t i = 0; i < machine.cores.unit_queue_entries + 2; ++i) {
    ops.push_back(vector_op(VectorFunction::add, 0, 1, 1, 64));
  }
  ops.push_back(matmul(2, 3, 4, 8, 64, 8));
  run(ops);
  EXPECT_EQ(seen.op(0, static_cast<std::uint32_t>(ops.size()) - 1).begin_ps, 500U + bench.duration);
}

TEST_F(SequencerTest, ACoreWithoutWorkIsDoneAtOnce) {
  run({});
  EXPECT_TRUE(bench.done);
  EXPECT_EQ(sequencer.completed_operations(), 0U);
}

}  // namespace
}  // namespace spyre::tests
