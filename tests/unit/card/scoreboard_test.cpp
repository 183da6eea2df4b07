#include "models/card/scoreboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace spyre::models {
namespace {

TileOp op(std::initializer_list<SlotId> reads, SlotId writes, Opcode opcode = Opcode::vector) {
  TileOp result;
  result.opcode = opcode;
  for (const SlotId slot : reads) result.sources[result.source_count++].slot = slot;
  result.destination.slot = writes;
  return result;
}

TEST(ScoreboardTest, AReaderWaitsForTheWriter) {
  Scoreboard board;
  board.reset(2);
  const TileOp load = op({}, 0), use = op({0}, 1);
  board.enter(0, load);
  board.enter(1, use);
  EXPECT_TRUE(board.ready(0));
  EXPECT_FALSE(board.ready(1));
  EXPECT_EQ(board.blocker_of(1), 0U);
  board.complete(0, load);
  EXPECT_TRUE(board.ready(1));
}

TEST(ScoreboardTest, AWriterWaitsForAllReadersSinceTheLastWrite) {
  Scoreboard board;
  board.reset(3);
  const TileOp a = op({0}, 1), b = op({0}, 2), reload = op({}, 0);
  board.enter(0, a);
  board.enter(1, b);
  board.enter(2, reload);
  board.complete(1, b);
  EXPECT_FALSE(board.ready(2));
  board.complete(0, a);
  EXPECT_TRUE(board.ready(2));
}

TEST(ScoreboardTest, TwoReadersDoNotWaitForEachOther) {
  Scoreboard board;
  board.reset(3);
  board.enter(0, op({0}, 1));
  board.enter(1, op({0}, 2));
  EXPECT_TRUE(board.ready(0));
  EXPECT_TRUE(board.ready(1));
}

TEST(ScoreboardTest, AnAccumulationWaitsForTheLastOne) {
  Scoreboard board;
  board.reset(1);
  const TileOp first = op({0}, 0), second = op({0}, 0);
  board.enter(0, first);
  board.enter(1, second);
  EXPECT_FALSE(board.ready(1));
  board.complete(0, first);
  EXPECT_TRUE(board.ready(1));
}

TEST(ScoreboardTest, ASentTilesDestinationIsNotThisCores) {
  Scoreboard board;
  board.reset(2);
  board.enter(0, op({1}, kNoSlot));               // reads slot 1
  board.enter(1, op({0}, 1, Opcode::multicast));  // sends slot 0 to everybody's slot 1
  EXPECT_TRUE(board.ready(1));
}

/// Every pair of operations that conflict on a slot must run in program order, whatever the order
/// of completions.
TEST(ScoreboardTest, TheStateOfASoftmaxIsWrittenToo) {
  Scoreboard board;
  board.reset(4);
  TileOp step = op({0, 1}, 2);
  step.function = VectorFunction::softmax_step;
  const TileOp send = op({1}, 3, Opcode::send);
  board.enter(0, send);
  board.enter(1, step);
  board.enter(2, send);
  EXPECT_FALSE(board.ready(1));  // the first send still reads the state
  board.complete(0, send);
  EXPECT_TRUE(board.ready(1));
  EXPECT_FALSE(board.ready(2));  // the second one wants the new state
  board.complete(1, step);
  EXPECT_TRUE(board.ready(2));
}

TEST(ScoreboardTest, ASignalComesAfterEverythingAndAWaitBeforeEverything) {
  Scoreboard board;
  board.reset(4);
  const TileOp store = op({0}, kNoSlot, Opcode::store), signal = op({}, kNoSlot, Opcode::signal);
  const TileOp wait = op({}, kNoSlot, Opcode::wait), load = op({}, 1, Opcode::load);
  board.enter(0, store);
  board.enter(1, signal);
  board.enter(2, wait);
  board.enter(3, load);
  EXPECT_FALSE(board.ready(1));
  EXPECT_TRUE(board.ready(2));
  EXPECT_FALSE(board.ready(3));
  board.complete(0, store);
  EXPECT_TRUE(board.ready(1));
  board.complete(2, wait);
  EXPECT_TRUE(board.ready(3));
}

TEST(ScoreboardTest, AnyScheduleItAllowsKeepsProgramOrderOnEverySlot) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint32_t slots = 4;
    Scoreboard board;
    board.reset(slots);
    std::vector<TileOp> ops;
    for (int i = 0; i < 20; ++i) {
      TileOp next;
      next.opcode = Opcode::vector;
      for (auto r = random() % 3; r > 0; --r) {
        next.sources[next.source_count++].slot = static_cast<SlotId>(random() % slots);
      }
      if (random() % 4 != 0) next.destination.slot = static_cast<SlotId>(random() % slots);
      ops.push_back(next);
      board.enter(static_cast<Scoreboard::OpId>(i), next);
    }
    std::vector<int> position(ops.size(), -1);
    for (int step = 0; step < static_cast<int>(ops.size()); ++step) {
      std::vector<std::uint32_t> ready;
      for (std::uint32_t i = 0; i < ops.size(); ++i) {
        if (position[i] < 0 && board.ready(i)) ready.push_back(i);
      }
      ASSERT_FALSE(ready.empty()) << "the oldest operation can always go";
      const std::uint32_t chosen = ready[random() % ready.size()];
      position[chosen] = step;
      board.complete(chosen, ops[chosen]);
    }
    const auto touches = [](const TileOp& tile, SlotId slot, bool write) {
      if (write) return tile.destination.slot == slot;
      return std::any_of(tile.sources.begin(), tile.sources.begin() + tile.source_count,
                         [&](const LxOperand& source) { return source.slot == slot; });
    };
    for (std::size_t i = 0; i < ops.size(); ++i) {
      for (std::size_t j = i + 1; j < ops.size(); ++j) {
        for (SlotId slot = 0; slot < slots; ++slot) {
          const bool conflict = (touches(ops[i], slot, true) &&
                                 (touches(ops[j], slot, true) || touches(ops[j], slot, false))) ||
                                (touches(ops[i], slot, false) && touches(ops[j], slot, true));
          if (conflict) {
            EXPECT_LT(position[i], position[j]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace spyre::models
