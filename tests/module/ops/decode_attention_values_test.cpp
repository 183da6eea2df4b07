// The planner's decode attention computes attention: scale, rope, online softmax, and ranges of the
// cache on several cores, whose sums are relative to maxima of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/planner/attention_kernels.h"
#include "kernels/schedule/writer.h"
#include "kernels/workload/model_config.h"
#include "models/machine/machine_reader.h"
#include "runtime/argument_spec.h"
#include "runtime/host_values.h"
#include "runtime/schedule_values.h"
#include "runtime/suite/comparison.h"

namespace spyre::runtime {
namespace {

using kernels::PlanContext;

struct Case {
  std::int64_t batch = 1, context = 0;
  double multiplier = 0;  ///< 0: 1 / sqrt(head_dim)
  double key_scale = 1;   ///< large scores make the maxima of ranges differ by much
};

kernels::Graph graph_of(const Case& test) {
  kernels::ModelConfig model;
  model.name = "small";
  model.layers = 1;
  model.hidden = 256;
  model.heads = 4;
  model.kv_heads = 2;
  model.head_dim = 64;
  model.intermediate = 128;
  model.vocabulary = 64;
  model.max_positions = 4096;
  model.attention_multiplier = test.multiplier;
  kernels::StepOptions step;
  step.batch = test.batch;
  step.context = test.context;
  return kernels::build_graph(model, step);
}

/// A tensor's numbers, as the run gets them.
std::vector<double> numbers(const kernels::Schedule& schedule, const NamedSpec& named) {
  const auto tensor =
      std::find_if(schedule.tensors.begin(), schedule.tensors.end(),
                   [&](const kernels::Tensor& candidate) { return candidate.name == named.name; });
  const ArrayType type{host_type(tensor->type), tensor->shape};
  return to_doubles(std::get<HostArray>(make_argument(
      named.name, named.spec, [&](const std::string&) { return std::optional(type); })));
}

class DecodeAttentionValues : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::size_t kHeads = 4, kKvHeads = 2, kFeatures = 64;
  static constexpr std::size_t kColumns = (kHeads + 2 * kKvHeads) * kFeatures;

  [[nodiscard]] std::vector<double> rotated(const double* head) const {
    const double* angles = &rope_[static_cast<std::size_t>(GetParam().context) * kFeatures];
    std::vector<double> result(kFeatures);
    constexpr std::size_t half = kFeatures / 2;
    for (std::size_t i = 0; i < half; ++i) {
      result[i] = head[i] * angles[i] - head[i + half] * angles[half + i];
      result[i + half] = head[i + half] * angles[i] + head[i] * angles[half + i];
    }
    return result;
  }

  /// Of one query head of one sequence.
  void attend(std::size_t sequence, std::size_t head, std::size_t block_tokens, double* y) const {
    const auto context = static_cast<std::size_t>(GetParam().context);
    const std::size_t blocks = context / block_tokens + 1;
    const std::size_t kv_head = head / (kHeads / kKvHeads);
    const double* row = &qkv_[sequence * kColumns];
    const std::vector<double> query = rotated(row + head * kFeatures);
    const std::vector<double> new_key = rotated(row + (kHeads + kv_head) * kFeatures);
    const double* new_value = row + (kHeads + kKvHeads + kv_head) * kFeatures;
    const auto place = [&](std::size_t token) {
      const std::size_t block = sequence * blocks + token / block_tokens;
      return ((block * kKvHeads + kv_head) * block_tokens + token % block_tokens) * kFeatures;
    };
    std::vector<double> weights(context + 1);
    for (std::size_t t = 0; t <= context; ++t) {
      const double* key = t < context ? &keys_[place(t)] : new_key.data();
      for (std::size_t i = 0; i < kFeatures; ++i) weights[t] += query[i] * key[i];
      weights[t] *= GetParam().multiplier != 0 ? GetParam().multiplier : 0.125;
    }
    const double top = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - top);
    for (std::size_t t = 0; t <= context; ++t) {
      const double* value = t < context ? &values_[place(t)] : new_value;
      for (std::size_t i = 0; i < kFeatures; ++i) y[i] += weights[t] / sum * value[i];
    }
  }

  std::vector<double> qkv_, keys_, values_, rope_;
};

TEST_P(DecodeAttentionValues, EqualAReference) {
  const Case& test = GetParam();
  const models::MachineDescription card = models::read_machine("spyre");
  const kernels::Graph graph = graph_of(test);
  PlanContext context{graph, card.machine, 32, {}};
  context.schedule.machine = card.machine.name;
  kernels::add_tensors(context);
  kernels::add_activation(context, "act.qkv", test.batch, kColumns);
  kernels::add_activation(context, "act.attn", test.batch, kHeads * kFeatures);
  std::vector<kernels::PlannedKernel> planned;
  planned.push_back(*kernels::build_decode_attention(context, kernels::ActivationHome::dram, 0));
  kernels::add_kernels(context.schedule, std::move(planned), 1);

  ScheduleRequest request{kernels::write_schedule(context.schedule), "plan", {}, {"act.attn"}};
  for (const std::string& spec :
       {std::string("act.qkv=random(1)"),
        "cache.k=random(2, " + std::to_string(test.key_scale) + ")",
        std::string("cache.v=random(3)"), std::string("rope=uniform(-1, 1, 4)")}) {
    request.tensors.push_back(parse_named_spec(spec));
  }
  qkv_ = numbers(context.schedule, request.tensors[0]);
  keys_ = numbers(context.schedule, request.tensors[1]);
  values_ = numbers(context.schedule, request.tensors[2]);
  rope_ = numbers(context.schedule, request.tensors[3]);

  const KernelOutcome outcome = run_schedule_with_values(request, card, {});
  const std::vector<double> got = to_doubles(outcome.arrays.at("act.attn"));
  std::vector<double> want(got.size());
  const auto block_tokens = static_cast<std::size_t>(card.machine.limits.kv_block_tokens);
  for (std::size_t i = 0; i < want.size() / kFeatures; ++i) {
    attend(i / kHeads, i % kHeads, block_tokens, &want[i * kFeatures]);
  }
  // Queries, keys and probabilities are rounded to fp16 on the way.
  EXPECT_LT(compare(got, want).max_relative, test.key_scale > 1 ? 0x1p-4 : 0x1p-7);
}

INSTANTIATE_TEST_SUITE_P(Steps, DecodeAttentionValues,
                         testing::Values(Case{1, 300}, Case{1, 1024}, Case{3, 130}, Case{1, 10},
                                         Case{20, 65}, Case{1, 700, 0.0078125}, Case{1, 700, 0, 8}),
                         [](const auto& step) {
                           return "batch" + std::to_string(step.param.batch) + "context" +
                                  std::to_string(step.param.context) + "case" +
                                  std::to_string(step.index);
                         });

}  // namespace
}  // namespace spyre::runtime
