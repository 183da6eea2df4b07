// Operations that touch the same bytes with nothing to order them, and the ways to order them.
#include "tests/unit/schedule_check/plan_text.h"

namespace spyre::kernels {
namespace {

/// The finding of the plan at the marked line is a race, and says all of this.
void expect_race(const std::string& text, const std::vector<std::string>& says,
                 const std::string& severity = "error") {
  const std::string start = std::to_string(marked_line(text)) + ": " + severity + ": race: ";
  for (const std::string& finding : findings_of(text)) {
    if (!finding.starts_with(start)) continue;
    for (const std::string& part : says) EXPECT_THAT(finding, testing::HasSubstr(part));
    return;
  }
  ADD_FAILURE() << "no race at the marked line:\n" << testing::PrintToString(findings_of(text));
}

/// "line 17": the line that carries this mark.
std::string line_of(const std::string& text, const std::string& mark) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(mark));
  return "line " + std::to_string(1 + std::count(text.begin(), end, '\n'));
}

std::string lines(const std::vector<std::string>& body) {
  std::string text;
  for (const std::string& line : body) text += "\n      " + line;
  return text;
}

// --- DRAM

/// Core 0 writes `y`, core 1 reads it.
std::string hand_over(const std::vector<std::string>& between) {
  std::vector<std::string> body{
      "- load: {into: b, from: w, at: [0, 0], when: core == 0}",
      "- store: {from: b, to: y, at: [0, 0], when: core == 0} # the store"};
  body.insert(body.end(), between.begin(), between.end());
  body.emplace_back("- load: {into: out, from: y, at: [0, 64], when: core == 1} # <-");
  body.emplace_back("- store: {from: out, to: y, at: [0, 128], when: core == 1}");
  return PlanText{lines(body)}.text();
}

TEST(DramRaces, ALoadThatNothingOrdersAfterTheStoreOfAnotherCore) {
  const std::string text = hand_over({});
  expect_race(text, {"core 0's store in " + line_of(text, "# the store"),
                     "this load on core 1 touch the same bytes of 'y' and nothing orders them",
                     "add a barrier, or signal and wait (launch 'gemm')"});
  EXPECT_EQ(findings_of(text).size(), 1U) << testing::PrintToString(findings_of(text));
}

TEST(DramRaces, BarriersAndSignalsOrderStoreAndLoad) {
  expect_clean(hand_over({"- barrier: {}"}));
  expect_clean(hand_over({"- signal: {semaphore: s, to: 1, when: core == 0}",
                          "- wait: {semaphore: s, when: core == 1}"}));
  // Over a third party: 0 to 1 and back to 0 is no order for core 1's load before its wait.
  expect_race(hand_over({"- signal: {semaphore: s, to: 0, when: core == 1}",
                         "- wait: {semaphore: s, when: core == 0}"}),
              {"nothing orders them"});
}

TEST(DramRaces, AReceiveOrdersWhatWaitsForIt) {
  const auto plan = [](const std::string& token, const std::string& fence) {
    return PlanText{lines({
                        "- load: {into: b, from: w, at: [0, 0], when: core == 0}",
                        "- store: {from: b, to: y, at: [0, 0], when: core == 0}",
                        fence,
                        "- send: {from: " + token + ", into: a, to: 1, when: core == 0}",
                        "- receive: {into: a, when: core == 1}",
                        "- load: {into: a, from: y, at: [0, 0], when: core == 1} # <-",
                        "- vector: {op: copy, into: out, from: a, when: core == 1}",
                    }),
                    "{n: 2}", "", "      one: {dtype: fp16, shape: [64, 64]}\n"}
        .text();
  };
  const std::string part = "{buffer: b, at: [0, 0], size: [64, 64]}";
  // The signal waits for the store, the send for the signal. The load waits for the receive only
  // where it takes the same slot, and `a` has two.
  const std::string fence =
      "- signal: {semaphore: s, to: core, when: core == 0}\n      - wait: {semaphore: s, when: "
      "core == 0}";
  expect_race(plan(part, fence), {"'y'"});
  std::string text = plan(part, fence);
  text.replace(text.find("[64, 64], slots: 2"), 18, "[64, 64]");
  expect_clean(text);
  // A send waits for those that have filled its slot, not for a store that reads it.
  text = plan(part, "- barrier: {when: 1 == 2}");
  text.replace(text.find("[64, 64], slots: 2"), 18, "[64, 64]");
  expect_race(text, {"'y'"});
}

TEST(DramRaces, OnlyBytesThatAreSharedCount) {
  const auto plan = [](const std::string& at) {
    return PlanText{lines({"- load: {into: a, from: y, at: [0, " + at + "]}",
                           "- vector: {op: copy, into: a, from: a}",
                           "- store: {from: a, to: y, at: [0, 128 + 64*n]} # <-"})}
        .text();
  };
  expect_clean(plan("64*n"));
  expect_race(plan("64 + 64*n"), {"core 1's load", "core 0", "'y'"});
  // Each core its own part: the core's own slots order it.
  expect_clean(plan("128 + 64*n"));
}

TEST(DramRaces, TransfersOfOneCoreMayEndInAnyOrder) {
  const auto plan = [](const std::string& between) {
    return PlanText{lines({"- load: {into: b, from: w, at: [0, 0]}",
                           "- store: {from: b, to: y, at: [0, 0]} # the store", between,
                           "- load: {into: out, from: y, at: [0, 0]} # <-",
                           "- vector: {op: copy, into: out, from: out}"}),
                    "{n: 1}"}
        .text();
  };
  const std::string text = plan("- vector: {op: copy, into: b, from: b}");
  expect_race(text, {"the store in " + line_of(text, "# the store"),
                     "this load, both on core 0, touch the same bytes of 'y'",
                     "a signal to the core itself and a wait"});
  expect_clean(plan("- barrier: {}"));
  expect_clean(plan("- signal: {semaphore: s, to: core}\n      - wait: {semaphore: s}"));
}

TEST(DramRaces, ViewsOfOneMemoryAreComparedElementByElement) {
  const auto plan = [](const std::string& column) {
    PlanText built{lines(
        {"- load: {into: a, from: rows, at: [8*n, 0], size: [8, 64]}",
         "- store: {from: a, to: columns, at: [64*n + " + column + ", 0], size: [8, 64]} # <-"})};
    built.tensors =
        "  rows: {dtype: fp16, shape: [64, 64], strides: [128, 1], address: 0}\n"
        "  columns: {dtype: fp16, shape: [128, 64], strides: [1, 128], address: 0}\n";
    return built.text();
  };
  // Core 1 stores columns 64 on, which are in no row; core 0 columns 0 on, which cross all rows.
  expect_race(plan("0"), {"core 1's load in", "this store on core 0",
                          "touch the same bytes of 'rows' and 'columns'"});
}

TEST(DramRaces, InterleavedStripesDoNotMeet) {
  PlanText plan{lines({"- load: {into: a, from: even, at: [32*n, 0], size: [32, 64]}",
                       "- store: {from: a, to: odd, at: [32*(1 - n), 0], size: [32, 64]}"})};
  plan.tensors =
      "  even: {dtype: fp16, shape: [64, 64], strides: [128, 2], address: 0}\n"
      "  odd: {dtype: fp16, shape: [64, 64], strides: [128, 2], address: 2}\n";
  expect_clean(plan.text());
  plan.tensors.replace(plan.tensors.find("address: 2"), 10, "address: 4");
  std::string text = plan.text();
  text.replace(text.find("1 - n), 0], size: [32, 64]}") + 27, 0, " # <-");
  expect_race(text, {"'even' and 'odd'"});
}

TEST(DramRaces, CoresThatAllStoreTheSamePlaceAreAWarning) {
  PlanText plan{
      lines({"- load: {into: a, from: x, at: [0, 0]}", "- store: {from: a, to: s} # <-"})};
  plan.tensors = "  s: {dtype: fp16, shape: [64, 64], strides: [64, 1]}\n";
  expect_race(plan.text(),
              {"may touch the same bytes of 's'", "harmless only if the values are the same"},
              "warning");
  plan.body = lines({"- load: {into: a, from: x, at: [0, 0]}",
                     "- store: {from: {buffer: a, size: [40, 64], at: [0, 0]}, to: s, at: [24*n, "
                     "0], size: [40, 64]} # <-"});
  expect_race(plan.text(), {"this store on core 1 touch the same bytes of 's'"});
}

TEST(DramRaces, RowsThatIndicesChooseAtRunTimeAreAWarning) {
  const auto plan = [](const std::string& values) {
    PlanText built{lines({"- load: {into: b, from: w, at: [0, 0], when: core == 0}",
                          "- scatter: {from: b, to: t, index: ids, at: [0, 0], when: core == 0}",
                          "- load: {into: out, from: t, at: [64, 0], when: core == 1} # <-",
                          "- vector: {op: copy, into: out, from: out, when: core == 1}"})};
    std::string list;
    for (int i = 0; i < 64; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i + 1);
    built.tensors =
        "  t: {dtype: fp16, kind: kv_cache, shape: [128, 128]}\n"
        "  ids: {dtype: int32, kind: index, shape: [64]" +
        (values.empty() ? "" : ", values: [" + list + "]") + "}\n";
    return built.text();
  };
  expect_race(plan(""), {"core 0's scatter", "may touch the same bytes of 't'"}, "warning");
  expect_race(plan("known"), {"this load on core 1 touch the same bytes of 't'"});
}

TEST(DramRaces, TablesAreReadToo) {
  const auto plan = [](const std::string& fence) {
    PlanText built{lines({"- load: {into: i, from: other, when: core == 0}",
                          "- store: {from: i, to: ids, when: core == 0} # the store", fence,
                          "- gather: {into: b, from: w, index: ids, at: [0, 0], when: core == 1} "
                          "# <-",
                          "- vector: {op: copy, into: b, from: b, when: core == 1}"})};
    built.tensors = "  ids: {dtype: int32, kind: index, shape: [64], values: [" + [] {
      std::string list;
      for (int i = 0; i < 64; ++i) list += (i == 0 ? "0" : ", 0");
      return list;
    }() + "]}\n  other: {dtype: int32, kind: index, shape: [64]}\n";
    built.buffers = "      i: {dtype: int32, shape: [1, 64]}\n";
    return built.text();
  };
  expect_race(plan("- barrier: {when: 1 == 2}"), {"core 0's store", "this gather", "'ids'"});
  expect_clean(plan("- barrier: {}"));
}

// --- LX of other cores

TEST(LxRaces, ATileThatIsUsedBeforeItIsReceived) {
  const auto plan = [](const std::string& receive) {
    return PlanText{
        lines({"- load: {into: b, from: w, at: [0, 0]}", "- vector: {op: copy, into: out, from: b}",
               "- send: {from: b, into: out, to: 1, when: core == 0} # the send", receive,
               "- vector: {op: copy, into: b, from: out} # <-"})}
        .text();
  };
  const std::string text = plan("- barrier: {}");
  expect_race(text,
              {"core 0's send in " + line_of(text, "# the send"), "this vector operation on core 1",
               "touch the same bytes of 'out' in the LX of core 1 and nothing orders them",
               "receive the tile on core 1 before the buffer is used there"});
  // Received, but a slow core may not have filled `out` itself when the tile comes.
  expect_race(PlanText{lines({"- load: {into: b, from: w, at: [0, 0]}",
                              "- vector: {op: copy, into: out, from: b} # the copy",
                              "- send: {from: b, into: out, to: 1, when: core == 0} # <-",
                              "- receive: {into: out, when: core == 1}",
                              "- vector: {op: copy, into: b, from: out}"})}
                  .text(),
              {"core 1's vector operation in ", "this send on core 0"});
}

std::string rounds(const std::string& slots, const std::vector<std::string>& before,
                   const std::vector<std::string>& after) {
  std::string text =
      "\n      - load: {into: b, from: w, at: [0, 0], when: core == 0}\n      - for: {i: [0, 6]}"
      "\n        do:";
  const auto add = [&text](const std::string& line) { text += "\n          " + line; };
  for (const std::string& line : before) add(line);
  add("- send: {from: b, into: t, to: 1, when: core == 0} # the send");
  add("- receive: {into: t, when: core == 1}");
  add("- vector: {op: copy, into: out, from: t, when: core == 1} # <-");
  for (const std::string& line : after) add(line);
  return PlanText{text, "{n: 2}", "",
                  "      t: {dtype: fp16, shape: [64, 128], slots: " + slots + "}\n"}
      .text();
}

TEST(LxRaces, TheNextTileMustNotComeBeforeTheLastIsUsed) {
  const std::vector<std::string> credit{"- wait: {semaphore: free, when: core == 0 and i >= 1}"};
  const std::vector<std::string> credit_2{"- wait: {semaphore: free, when: core == 0 and i >= 2}"};
  const auto give = [](int slots) {
    return std::vector<std::string>{"- signal: {semaphore: free, to: 0, when: core == 1 and i < " +
                                    std::to_string(6 - slots) + "}"};
  };
  const std::string text = rounds("1", {}, {});
  expect_race(text, {"core 0's send in " + line_of(text, "# the send"),
                     "this vector operation on core 1", "'t' in the LX of core 1",
                     "let core 0 wait, before it sends, for a signal of core 1"});
  expect_race(rounds("2", {}, {}), {"let core 0 wait, before it sends"});
  expect_clean(rounds("1", credit, give(1)));
  expect_clean(rounds("2", credit_2, give(2)));
  // Two tiles on their way, and room for one.
  expect_race(rounds("1", credit_2, give(2)), {"let core 0 wait, before it sends"});
  expect_clean(rounds("1", {}, {"- barrier: {}"}));
}

TEST(LxRaces, EveryCoreToEveryCoreInRounds) {
  const auto plan = [](const std::string& slots, const std::string& end) {
    return PlanText{R"(
      - load: {into: b, from: w, at: [0, 0]}
      - for: {i: [0, 5]}
        do:
          - multicast: {from: {buffer: b, at: [0, 0], size: [64, 64]}, into: {buffer: t, at: [0, 64*n]}}
          - receive: {into: t, count: 4}
          - vector: {op: add, into: b, from: [b, {buffer: t, at: [0, 0], size: [64, 128]}]} # <-
          )" + end,
                    "{n: 4}", "",
                    "      t: {dtype: fp16, shape: [64, 256], slots: " + slots + "}\n"}
        .text();
  };
  // With two slots nobody is more than a round ahead; with one, a fast core's next tile comes
  // while a slow one still reads, and may even be counted in the place of another.
  expect_clean(plan("2", ""));
  expect_race(plan("1", ""), {"multicast", "'t'"});
  expect_clean(plan("1", "- barrier: {}"));
}

TEST(LxRaces, TwoCoresMustNotSendToTheSamePart) {
  const auto plan = [](const std::string& at) {
    return PlanText{lines({"- load: {into: b, from: w, at: [0, 0]}",
                           "- send: {from: {buffer: b, at: [0, 0], size: [64, 64]}, into: {buffer: "
                           "t, at: [0, " +
                               at + "]}, to: 0, when: core > 0} # <-",
                           "- receive: {into: t, count: 2, when: core == 0}",
                           "- vector: {op: copy, into: t, from: t, when: core == 0}",
                           "- vector: {op: copy, into: b, from: b}"}),
                    "{n: 3}", "", "      t: {dtype: fp16, shape: [64, 128]}\n"}
        .text();
  };
  expect_clean(plan("64*(n - 1)"));
  expect_race(plan("0"), {"core 1's send in ", "this send on core 2", "'t' in the LX of core 0",
                          "send to different parts"});
}

TEST(LxRaces, PartialSumsOrderTheCoresOfTheirGroup) {
  const auto plan = [](const std::string& receive) {
    return PlanText{
        lines({"- load: {into: b, from: w, at: [64*k, 0]}",
               "- load: {into: a, from: x, at: [0, 64*k]}", "- matmul: {into: acc, a: a, b: b}",
               "- reduce: {from: acc, into: sum, over: [k]}",
               "- vector: {op: copy, into: b, from: sum, when: k == 3}",
               "- multicast: {from: b, into: out, when: k == 3}", receive,
               "- vector: {op: copy, into: b, from: out} # <-"}),
        "{k: 4}", "", "      sum: {dtype: fp32, shape: [64, 128]}\n"}
        .text();
  };
  expect_clean(plan("- receive: {into: out}"));
  // A tile that is never received is none that could be read.
  EXPECT_THAT(findings_of(plan("- barrier: {}")),
              testing::ElementsAre(testing::HasSubstr(": receive-count: "),
                                   testing::HasSubstr(": read-before-write: ")));
}

TEST(LxRaces, ATensorInTheLxOfACoreIsNotSeenByItsScoreboard) {
  const auto plan = [](const std::string& fence) {
    PlanText built{lines({"- load: {into: b, from: w, at: [0, 0], when: core == 1}",
                          "- vector: {op: copy, into: u, from: b, when: core == 1} # the copy",
                          fence, "- load: {into: out, from: near, when: core == 0} # <-",
                          "- vector: {op: copy, into: out, from: out, when: core == 0}"})};
    built.tensors =
        "  near: {dtype: fp16, shape: [64, 64], strides: [64, 1], lx_core: 1, address: 262144}\n";
    built.buffers = "      u: {dtype: fp16, shape: [64, 128], address: 262144}\n";
    return built.text();
  };
  const std::string text = plan("- barrier: {when: 1 == 2}");
  expect_race(text, {"core 1's vector operation in " + line_of(text, "# the copy"),
                     "this load on core 0 touch the same bytes of 'u' and 'near' in the LX of "
                     "core 1"});
  expect_clean(plan("- barrier: {}"));
}

TEST(Races, OneFindingForEachPairOfStatements) {
  PlanText plan{lines({"- load: {into: b, from: w, at: [0, 0]}",
                       "- store: {from: {buffer: b, at: [0, 0], size: [64, 64]}, to: y, at: [0, "
                       "64*n]}",
                       "- load: {into: out, from: y, at: [0, 0], size: [64, 128]}",
                       "- load: {into: a, from: y, at: [0, 128]}",
                       "- vector: {op: add, into: b, from: [b, out]}",
                       "- vector: {op: add, into: a, from: [a, a]}"}),
                "{n: 4}"};
  // The store against each of the two loads, whatever the number of cores.
  const std::vector<std::string> findings = findings_of(plan.text());
  EXPECT_EQ(findings.size(), 2U) << testing::PrintToString(findings);
}

// --- whatever is left out is found

TEST(Races, NoWaitReceiveBarrierOrSignalIsTooMuch) {
  // Tiles in rounds over the ring with credits, a result handed over in DRAM, and one all around.
  const std::vector<std::string> body{
      "- load: {into: b, from: w, at: [0, 0], when: core == 0}",
      "- signal: {semaphore: free, to: 0, when: core == 1}",
      "- wait: {semaphore: free, when: core == 0}",
      "- send: {from: b, into: t, to: 1, when: core == 0}",
      "- receive: {into: t, when: core == 1}",
      "- vector: {op: copy, into: out, from: t, when: core == 1}",
      "- signal: {semaphore: free, to: 0, when: core == 1}",
      "- wait: {semaphore: free, when: core == 0}",
      "- send: {from: b, into: t, to: 1, when: core == 0}",
      "- receive: {into: t, when: core == 1}",
      "- vector: {op: add, into: out, from: [out, t], when: core == 1}",
      "- store: {from: out, to: y, at: [0, 0], when: core == 1}",
      "- signal: {semaphore: done, to: 2, when: core == 1}",
      "- wait: {semaphore: done, when: core == 2}",
      "- load: {into: out, from: y, at: [0, 0], when: core == 2}",
      "- store: {from: out, to: y, at: [0, 128], when: core == 2}",
      "- barrier: {}",
      "- load: {into: a, from: y, at: [0, 192]}",
      "- vector: {op: copy, into: a, from: a}",
  };
  const auto plan = [](const std::vector<std::string>& statements) {
    return PlanText{lines(statements), "{n: 3}", "", "      t: {dtype: fp16, shape: [64, 128]}\n"}
        .text();
  };
  expect_clean(plan(body));
  for (std::size_t i = 2; i < body.size(); ++i) {
    if (!body[i].starts_with("- signal") && !body[i].starts_with("- wait") &&
        !body[i].starts_with("- receive") && !body[i].starts_with("- barrier")) {
      continue;
    }
    std::vector<std::string> mutant = body;
    mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<std::string> findings;
    try {
      findings = findings_of(plan(mutant));
    } catch (const models::InputError& fault) {
      findings.emplace_back(fault.what());  // a semaphore that nothing signals
    }
    EXPECT_THAT(findings, testing::Not(testing::IsEmpty()))
        << "nothing is found without " << body[i];
    if (body[i].starts_with("- wait") || body[i].starts_with("- barrier")) {
      EXPECT_THAT(findings, testing::Contains(testing::HasSubstr(": race: "))) << body[i];
    }
  }
}

}  // namespace
}  // namespace spyre::kernels
