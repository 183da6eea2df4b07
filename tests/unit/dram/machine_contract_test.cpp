// What the machine reader accepts, the DRAM models can be built from.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/diagnostics/diagnostics.h"
#include "models/dram/address_map.h"
#include "models/dram/lpddr5_channel.h"
#include "models/machine/machine_fields.h"
#include "models/machine/machine_reader.h"

namespace spyre::models {
namespace {

TEST(MachineContract, OffersTheAddressMapsThatExist) {
  const MachineField& field = machine_fields()[find_machine_field("dram.address_map").value()];
  const std::vector<std::string> offered(field.choices.begin(), field.choices.end());
  EXPECT_EQ(offered, AddressMap::names());
}

TEST(MachineContract, BuildsAChannelFromEveryDescriptionThatTheReaderAccepts) {
  const std::string base = write_machine(read_machine("spyre"));
  std::vector<MachineField> fields;
  for (const MachineField& field : machine_fields()) {
    const bool concerns_dram = field.key.starts_with("dram.") || field.key == "limits.stick_bytes";
    if (concerns_dram && field.number != nullptr) fields.push_back(field);
  }
  std::mt19937_64 random(3);
  int accepted = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::string> overrides;
    for (int change = 0; change < 2; ++change) {
      const MachineField& field = fields[random() % fields.size()];
      const std::int64_t power = std::int64_t{1} << random() % 12;
      const std::int64_t value =
          std::clamp(power - static_cast<std::int64_t>(random() % 2), field.low, field.high);
      overrides.push_back(std::string(field.key) + "=" + std::to_string(value));
    }
    MachineDescription description;
    try {
      description = parse_machine(base, "spyre.yaml", overrides);
    } catch (const InputError&) {
      continue;
    }
    ++accepted;
    const Machine& machine = description.machine;
    EXPECT_NO_THROW({
      const AddressMap map(machine.dram, machine.limits.stick_bytes);
      const Lpddr5Channel channel(machine.dram, map);
    }) << overrides[0]
       << ' ' << overrides[1];
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace spyre::models
