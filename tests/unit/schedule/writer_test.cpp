#include "kernels/schedule/writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "kernels/schedule/layout.h"
#include "models/diagnostics/yaml_reader.h"
#include "tests/unit/schedule/reader_fixture.h"
#include "tests/unit/schedule/schedule_text.h"

namespace spyre::kernels {
namespace {

using models::Opcode;

void expect_round_trip(const Schedule& schedule) {
  const std::string text = write_schedule(schedule);
  Schedule again;
  try {
    again = parse_schedule(text, schedule.file, spyre_like());
  } catch (const models::InputError& error) {
    FAIL() << error.what() << '\n' << text;
  }
  ASSERT_EQ(StructureText::of(again), StructureText::of(schedule)) << text;
  ASSERT_EQ(write_schedule(again), text);
}

TEST(ScheduleWriter, TheExamplesSurviveARoundTrip) {
  for (const char* name : {"gemm.yaml", "ring.yaml"}) {
    const std::string path = std::string(SPYRE_EMU_TEST_DATA) + "/schedules/" + name;
    expect_round_trip(read_schedule(path, spyre_like()));
  }
}

TEST(ScheduleWriter, OneStatementIsOneLine) {
  const std::string path = std::string(SPYRE_EMU_TEST_DATA) + "/schedules/ring.yaml";
  const std::string text = write_schedule(read_schedule(path, spyre_like()));
  const Schedule schedule = parse_schedule(text, "f", spyre_like());
  int last = 0;
  const std::function<void(const std::vector<Statement>&)> walk =
      [&](const std::vector<Statement>& body) {
        for (const Statement& statement : body) {
          EXPECT_GT(statement.position.line, last);
          last = statement.position.line;
          if (const auto* loop = std::get_if<ForStatement>(&statement.action)) walk(loop->body);
        }
      };
  for (const Kernel& kernel : schedule.kernels) walk(kernel.body);
}

TEST(ScheduleWriter, AnEmptyScheduleReadsBack) {
  expect_round_trip(Schedule{});
}

TEST(ScheduleWriter, TextsOfEveryKindReadBack) {
  Schedule schedule;
  schedule.meta = {{"plain", "granite-3.3-8b"},
                   {"number", "007"},
                   {"null", "null"},
                   {"tilde", "~"},
                   {"empty", ""},
                   {"true", "true"},
                   {"colon", "a: b"},
                   {"hash", "a #b"},
                   {"quote", "say \"x\" \\ 'y'"},
                   {"lines", "a\nb\n"},
                   {"blank", " a "},
                   {"tab", "a\tb"},
                   {"control", "\x01\x7f"},
                   {"umlaut", "Z\xc3\xbcrich"},
                   {"dash", "- a"},
                   {"star", "*a"},
                   {"key: with [signs]", "!tag"},
                   {"return", "a\rb"},
                   {"merge", "<<"},
                   {"percent", "%x"}};
  expect_round_trip(schedule);
}

/// Schedules of random shape; every name and every expression in them is valid.
class RandomSchedule {
 public:
  explicit RandomSchedule(std::uint32_t seed) : random_(seed) {}

  Schedule make() {
    Schedule schedule;
    schedule.file = "random";
    schedule.machine = choose(2) == 0 ? "spyre" : "";
    for (int i = choose(3); i-- > 0;) schedule.meta["key" + std::to_string(i)] = random_text();
    Tensor ids;
    ids.name = "ids";
    ids.type = DataType::int32;
    ids.kind = TensorKind::index;
    ids.dims = {"d0"};
    ids.shape = {4};
    ids.layout = default_layout(1, 32);
    ids.values = {1, -2, 2147483647, 0};
    schedule.tensors.push_back(ids);
    for (int i = 0; i < 3; ++i) schedule.tensors.push_back(tensor(i));
    for (int i = choose(3); i-- > 0;) schedule.resident.push_back(buffer("r" + std::to_string(i)));
    for (int i = 0; i < 2; ++i) schedule.kernels.push_back(kernel(schedule, i));
    for (int i = 0; i < 2; ++i) {
      schedule.launches.push_back({launch(schedule, {}), {}});
      LaunchLoop outer{"s", choose(3), choose(9), {}};
      LaunchLoop inner{"t", 0, choose(9), {}};
      inner.body.push_back({launch(schedule, {"s", "t"}), {}});
      outer.body.push_back({inner, {}});
      outer.body.push_back({launch(schedule, {"s"}), {}});
      schedule.launches.push_back({outer, {}});
    }
    return schedule;
  }

 private:
  int choose(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  std::string random_text() {
    std::string text;
    for (int i = choose(12); i-- > 0;) text += static_cast<char>(0x01 + choose(0x7f));
    return text;
  }

  DataType type() {
    static constexpr std::array kTypes{DataType::fp32,  DataType::fp16, DataType::fp8,
                                       DataType::int32, DataType::int8, DataType::int4};
    return kTypes[static_cast<std::size_t>(choose(6))];
  }

  Tensor tensor(int index) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(index) + (choose(2) == 0 ? "" : ".w-q/1");
    tensor.type = type();
    tensor.kind = static_cast<TensorKind>(choose(5));
    const std::size_t rank = 2 + static_cast<std::size_t>(choose(3));
    const bool named = choose(2) == 0;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      tensor.dims.push_back(named ? std::string(1, static_cast<char>('p' + dim))
                                  : "d" + std::to_string(dim));
      tensor.shape.push_back(1 + choose(300));
    }
    const std::int64_t per_stick = stick_elements(tensor.type, 128);
    tensor.stick_dim = rank - 1;
    tensor.layout = default_layout(rank, per_stick);
    if (choose(2) == 0) {
      tensor.stick_dim = static_cast<std::size_t>(choose(static_cast<int>(rank)));
      std::vector<std::size_t> order(rank);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), random_);
      tensor.layout.clear();
      for (const std::size_t dim : order) {
        tensor.layout.push_back({dim, dim == tensor.stick_dim ? per_stick : 1});
      }
    }
    if (choose(3) == 0) tensor.address = 128U * static_cast<std::uint64_t>(choose(1000));
    return tensor;
  }

  Buffer buffer(const std::string& name) {
    Buffer buffer;
    buffer.name = name;
    buffer.type = type();
    buffer.shape.push_back(1 + choose(300));
    if (choose(3) != 0) buffer.shape.push_back(1 + choose(300));
    buffer.slots = 1 + choose(3);
    if (choose(3) == 0) buffer.address = 128U * static_cast<std::uint32_t>(choose(1000));
    return buffer;
  }

  Expression expression() {
    std::string text = std::to_string(choose(600));
    for (int i = choose(3); i-- > 0;) {
      static const std::vector<std::string> kForms{" + ", "*", " // ", " % ", " - ", " >= ", "-"};
      const std::string& name =
          visible_[static_cast<std::size_t>(choose(static_cast<int>(visible_.size())))];
      if (choose(4) == 0) {
        text = "min(" + text + ", " + name + ")";
      } else {
        text = "(" + text + ")" + kForms[static_cast<std::size_t>(choose(7))] + name;
      }
    }
    if (choose(6) == 0) text = "-" + text;
    if (choose(9) == 0) text = " " + text;
    Expression result = Expression::parse(text, {});
    return result;
  }
  std::optional<Expression> maybe() {
    if (choose(2) == 0) return std::nullopt;
    return expression();
  }
  std::vector<Expression> expressions(std::size_t count, bool may_lack) {
    std::vector<Expression> list;
    if (may_lack && choose(3) == 0) return list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(expression());
    return list;
  }

  BufferTile local(const std::vector<Buffer>& buffers) {
    const Buffer& buffer =
        buffers[static_cast<std::size_t>(choose(static_cast<int>(buffers.size())))];
    BufferTile tile;
    tile.buffer = buffer.name;
    if (choose(2) == 0) tile.at = expressions(buffer.shape.size(), true);
    if (choose(2) == 0) tile.size = expressions(buffer.shape.size(), true);
    return tile;
  }
  TensorTile remote(const Tensor& tensor) {
    TensorTile tile;
    tile.tensor = tensor.name;
    tile.at = expressions(tensor.shape.size(), true);
    tile.size = expressions(tensor.shape.size(), true);
    return tile;
  }
  std::vector<std::string> dims() {
    static const std::vector<std::vector<std::string>> kChoices{{}, {"m"}, {"n"}, {"n", "m"}};
    return kChoices[static_cast<std::size_t>(choose(4))];
  }

  Statement statement(const Schedule& schedule, const std::vector<Buffer>& buffers, int depth) {
    Statement statement;
    if (choose(3) == 0) statement.when = expression();
    const auto& tensor = schedule.tensors[static_cast<std::size_t>(1 + choose(3))];
    static constexpr std::array kTransfers{Opcode::load, Opcode::store, Opcode::gather,
                                           Opcode::scatter};
    static constexpr std::array kRing{Opcode::send, Opcode::multicast, Opcode::receive,
                                      Opcode::reduce};
    switch (choose(depth < 3 ? 6 : 5)) {
      case 0: {
        TransferStatement action;
        action.opcode = kTransfers[static_cast<std::size_t>(choose(4))];
        action.local = local(buffers);
        action.remote = remote(tensor);
        if (action.opcode == Opcode::load) action.share = dims();
        if (action.opcode == Opcode::gather || action.opcode == Opcode::scatter) {
          action.index = remote(schedule.tensors[0]);
        }
        statement.action = action;
        break;
      }
      case 1: {
        MatmulStatement action{local(buffers), local(buffers), local(buffers), maybe(), {}};
        if (choose(2) == 0) action.corelets = 1 + choose(2);
        statement.action = action;
        break;
      }
      case 2: {
        VectorStatement action;
        action.function = models::kVectorFunctions[static_cast<std::size_t>(choose(21))].function;
        action.into = local(buffers);
        for (int i = models::info(action.function).sources; i-- > 0;) {
          action.from.push_back(local(buffers));
        }
        statement.action = action;
        break;
      }
      case 3: {
        RingStatement action;
        action.opcode = kRing[static_cast<std::size_t>(choose(4))];
        if (action.opcode != Opcode::receive) action.from = local(buffers);
        action.into = local(buffers);
        if (action.opcode == Opcode::send) action.to = expression();
        if (action.opcode == Opcode::multicast || action.opcode == Opcode::reduce)
          action.over = dims();
        if (action.opcode == Opcode::receive) action.count = maybe();
        statement.action = action;
        break;
      }
      case 4: {
        SyncStatement action;
        const int which = choose(3);
        if (which != 0) action.semaphore = "s" + std::to_string(choose(2));
        if (which == 1) {
          action.opcode = Opcode::wait;
          action.count = maybe();
        } else if (which == 2) {
          action.opcode = Opcode::signal;
          action.to = maybe();
          if (!action.to) action.over = dims();
        }
        statement.action = action;
        break;
      }
      default: {
        ForStatement loop;
        loop.variable = "i" + std::to_string(depth);
        loop.start = Expression(choose(9) - 4);
        loop.stop = expression();
        if (choose(3) == 0) loop.step = Expression(choose(2) == 0 ? -2 : 3);
        visible_.push_back(loop.variable);
        for (int i = choose(4); i-- > 0;) {
          loop.body.push_back(this->statement(schedule, buffers, depth + 1));
        }
        visible_.pop_back();
        statement.action = loop;
      }
    }
    return statement;
  }

  Kernel kernel(const Schedule& schedule, int index) {
    Kernel kernel;
    kernel.name = "kernel" + std::to_string(index);
    kernel.grid = {{"m", 1 + choose(4)}, {"n", 1 + choose(8)}};
    visible_ = {"m", "n", "core", "cores"};
    for (int i = choose(3); i-- > 0;) {
      kernel.params.push_back("param" + std::to_string(i));
      visible_.push_back(kernel.params.back());
    }
    for (int i = 0; i <= choose(4); ++i) kernel.buffers.push_back(buffer("b" + std::to_string(i)));
    std::vector<Buffer> buffers = schedule.resident;
    buffers.insert(buffers.end(), kernel.buffers.begin(), kernel.buffers.end());
    for (const char* semaphore : {"s0", "s1"}) {
      SyncStatement signal;
      signal.opcode = Opcode::signal;
      signal.semaphore = semaphore;
      kernel.body.push_back({signal, {}, {}});
    }
    for (int i = choose(12); i-- > 0;) kernel.body.push_back(statement(schedule, buffers, 0));
    return kernel;
  }

  KernelLaunch launch(const Schedule& schedule, const std::vector<std::string>& variables) {
    const Kernel& kernel = schedule.kernels[static_cast<std::size_t>(choose(2))];
    KernelLaunch launch;
    launch.kernel = kernel.name;
    launch.name = choose(2) == 0 ? kernel.name : "named " + random_text() + ".";
    visible_ = variables;
    for (const std::string& param : kernel.params) {
      launch.arguments.emplace_back(param,
                                    variables.empty() ? Expression(choose(9) - 4) : expression());
    }
    if (!variables.empty() && choose(2) == 0) launch.layer = variables.back();
    return launch;
  }

  std::mt19937 random_;
  std::vector<std::string> visible_;
};

TEST(ScheduleWriter, RandomSchedulesSurviveARoundTrip) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(RandomSchedule(seed).make()));
  }
}

}  // namespace
}  // namespace spyre::kernels
