// Damaged schedules: whatever the bytes, the reader either returns a schedule that can be written
// and read again, or throws InputError with a place.
#include <gtest/gtest.h>

#include <random>

#include "kernels/schedule/writer.h"
#include "models/diagnostics/yaml_reader.h"
#include "tests/unit/schedule/reader_fixture.h"

namespace spyre::kernels {
namespace {

std::string example(const std::string& name) {
  return models::read_text_file(std::string(SPYRE_EMU_TEST_DATA) + "/schedules/" + name);
}

/// True if the text was a schedule.
bool survives(const std::string& text) {
  try {
    const Schedule schedule = parse_schedule(text, "f", spyre_like());
    (void)parse_schedule(write_schedule(schedule), "f", spyre_like());
    return true;
  } catch (const models::InputError& error) {
    EXPECT_FALSE(error.diagnostics().empty());
    EXPECT_FALSE(error.diagnostics()[0].message.empty());
    return false;
  }
}

TEST(DamagedSchedules, EveryTruncationIsHandled) {
  for (const char* name : {"ring.yaml", "values.yaml"}) {
    const std::string text = example(name);
    int accepted = 0;
    for (std::size_t length = 0; length < text.size(); length += 3) {
      accepted += survives(text.substr(0, length)) ? 1 : 0;
    }
    EXPECT_LT(accepted, 60);  // only cuts within the launch list or the last comment are accepted
  }
}

TEST(DamagedSchedules, ChangedBytesAreHandled) {
  std::mt19937 random(3);
  static const std::string kSigns = "{}[]():,-&*!|>'\"%@`#? \n\t~<=+/0189klmn_\\\x01\xff";
  for (const char* name : {"gemm.yaml", "ring.yaml", "values.yaml"}) {
    const std::string original = example(name);
    for (int i = 0; i < 2'000; ++i) {
      std::string text = original;
      const auto place = [&] {
        return std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random);
      };
      for (int changes = 1 + i % 4; changes-- > 0;) {
        const char sign = kSigns[random() % kSigns.size()];
        switch (random() % 4) {
          case 0:
            text[place()] = sign;
            break;
          case 1:
            text.insert(place(), 1, sign);
            break;
          case 2:
            text.erase(place(), 1 + random() % 4);
            break;
          default: {  // a piece of the text somewhere else
            const std::size_t from = place();
            text.insert(place(),
                        original.substr(std::min(from, original.size() - 1), random() % 30));
          }
        }
      }
      (void)survives(text);
    }
  }
}

TEST(DamagedSchedules, DeepNestingIsAnErrorAndNoCrash) {
  for (const char* opening : {"[", "{a: ", "- ", "? "}) {
    std::string text = "schedule: 1\nkernels: ";
    for (int i = 0; i < 50'000; ++i) text += opening;
    EXPECT_FALSE(survives(text));
  }
}

}  // namespace
}  // namespace spyre::kernels
