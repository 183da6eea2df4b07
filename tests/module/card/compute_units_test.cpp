// Matrix unit, vector unit and LX scratchpad on a bench: the answer's delay is the operation's
// duration.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/card/lx_scratchpad.h"
#include "models/card/matrix_timing.h"
#include "models/card/matrix_unit.h"
#include "models/card/transactions.h"
#include "models/card/vector_timing.h"
#include "models/card/vector_unit.h"
#include "tests/support/kernel_test.h"
#include "tests/support/scripted_program.h"
#include "tests/support/test_machine.h"

namespace spyre::tests {
namespace {

using models::Machine;

struct Driver : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Driver> matrix{"matrix"};
  tlm_utils::simple_initiator_socket<Driver> vector{"vector"};
  tlm_utils::simple_initiator_socket<Driver> transfer{"transfer"};
  explicit Driver(sc_core::sc_module_name name) : sc_module(name) {}
};

class ComputeUnits : public KernelTest {
 protected:
  ComputeUnits() {
    driver.matrix.bind(matrix.op_socket);
    driver.vector.bind(vector.op_socket);
    driver.transfer.bind(lx.transfer_socket);
    matrix.lx_socket.bind(lx.compute_socket);
    vector.lx_socket.bind(lx.compute_socket);
    payload.set_extension(&extension);
    sc_core::sc_get_curr_simcontext()->initialize();  // ends elaboration
  }
  ~ComputeUnits() override { payload.clear_extension(&extension); }

  sc_core::sc_time duration(tlm_utils::simple_initiator_socket<Driver>& socket,
                            const models::TileOp& op) {
    extension.op = &op;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(socket->nb_transport_fw(payload, phase, delay), tlm::TLM_UPDATED);
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    return delay;
  }
  std::uint64_t transfer(std::uint64_t address, std::uint64_t bytes) {
    tlm::tlm_generic_payload access;
    models::set_lx_access(access, address, bytes, true);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    driver.transfer->b_transport(access, delay);
    last_response = access.get_response_status();
    return delay.value();
  }

  Machine machine = models::make_test_machine();
  Driver driver{"driver"};
  models::MatrixUnit matrix{"matrix_unit", machine};
  models::VectorUnit vector{"vector_unit", machine};
  models::LxScratchpad lx{"lx", machine};
  tlm::tlm_generic_payload payload;
  models::TileOpExtension extension;
  tlm::tlm_response_status last_response = tlm::TLM_INCOMPLETE_RESPONSE;
};

TEST_F(ComputeUnits, AMatmulLastsItsFormula) {
  const auto op = matmul(0, 1, 2, 64, 128, 512);
  const auto cycles = models::matrix_cycles(machine, 64, 128, 512, models::DataType::fp16);
  EXPECT_EQ(duration(driver.matrix, op).value(), machine.clock.to_ps(cycles.total()));
  EXPECT_EQ(extension.pipeline_fill_ps, machine.clock.to_ps(cycles.fill));
}

TEST_F(ComputeUnits, AVectorOperationLastsItsFormula) {
  const auto op = vector_op(models::VectorFunction::gelu, 0, 1, 64, 128);
  EXPECT_EQ(duration(driver.vector, op).value(),
            machine.clock.to_ps(models::vector_cycles(machine, models::VectorFunction::gelu, 64,
                                                      128, models::DataType::fp16)));
}

TEST_F(ComputeUnits, TransfersIntoLxSlowAMatmulDownByItsConflicts) {
  const auto op = matmul(0, 1, 2, 64, 128, 512);
  const auto alone = duration(driver.matrix, op);
  transfer(0, 65536);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
  transfer(0, 1 << 20);
  const auto disturbed = duration(driver.matrix, op);
  EXPECT_GT(disturbed, alone);
  EXPECT_EQ(disturbed.value() - alone.value(), extension.lx_conflict_ps);
}

TEST_F(ComputeUnits, AnAccessBeyondTheScratchpadIsAnAddressError) {
  const auto bytes = static_cast<std::uint64_t>(machine.lx.bytes);
  transfer(bytes - 128, 128);
  EXPECT_EQ(last_response, tlm::TLM_OK_RESPONSE);
  transfer(bytes - 128, 256);
  EXPECT_EQ(last_response, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace
}  // namespace spyre::tests
