#include "models/machine/machine_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/machine/machine_rules.h"

namespace spyre::models {
namespace {

TEST(MachineFields, CoverEveryNumberOfTheMachineOnce) {
  Machine machine;
  std::set<const std::int64_t*> members;
  std::set<std::string_view> keys;
  for (const MachineField& field : machine_fields()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    if (field.number == nullptr) continue;
    EXPECT_TRUE(members.insert(field.number(machine)).second) << field.key;
  }
  // The descriptions hold 64-bit integers throughout; only dram has a text and an enumeration
  // besides.
  const std::size_t bytes =
      sizeof(CoreClock) + sizeof(CoreDescription) + sizeof(MatrixUnitDescription) +
      sizeof(VectorUnitDescription) + sizeof(LxDescription) + sizeof(LoadStoreDescription) +
      sizeof(RequestPathDescription) + sizeof(RingDescription) + sizeof(DramDescription) -
      sizeof(std::string) - alignof(DramDescription) + sizeof(HostDescription) +
      sizeof(LimitDescription);
  EXPECT_EQ(members.size(), bytes / sizeof(std::int64_t))
      << "a member of machine.h has no line in machine_fields.cpp";
}

TEST(MachineFields, KeepTheValuesOfAGroupTogether) {
  std::set<std::string_view> left;
  std::string_view group;
  for (const MachineField& field : machine_fields()) {
    const std::string_view of = field.key.substr(0, field.key.find('.'));
    if (of == group) continue;
    EXPECT_TRUE(left.insert(of).second) << field.key;
    group = of;
  }
}

TEST(MachineFields, HaveAUnitAndARangeOrChoices) {
  for (const MachineField& field : machine_fields()) {
    EXPECT_FALSE(field.unit.empty()) << field.key;
    if (field.number != nullptr) {
      EXPECT_LT(field.low, field.high) << field.key;
      EXPECT_GE(field.low, 0) << field.key;
    } else {
      EXPECT_FALSE(field.choices.empty()) << field.key;
    }
  }
}

TEST(MachineFields, GiveBackTheChoiceThatWasSet) {
  for (const MachineField& field : machine_fields()) {
    if (field.number != nullptr) continue;
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
      Machine machine;
      field.set_choice(machine, i);
      EXPECT_EQ(value_text(field, machine), field.choices[i]);
    }
  }
}

TEST(MachineRules, NameFieldsThatExist) {
  for (const MachineRule& rule : machine_rules()) {
    EXPECT_FALSE(rule.keys.empty());
    for (const std::string_view key : rule.keys) EXPECT_TRUE(find_machine_field(key)) << key;
  }
}

}  // namespace
}  // namespace spyre::models
