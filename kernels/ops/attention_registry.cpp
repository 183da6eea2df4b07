// Attention, flash and naive, prefill and decode.
#include "kernels/ops/attention.h"
#include "kernels/ops/registry.h"

namespace spyre::kernels {
namespace {

PrefillShape prefill(const OpSizes& sizes) {
  PrefillShape shape;
  shape.heads = sizes.at("HEADS");
  shape.kv_heads = sizes.at("KV_HEADS");
  shape.queries = sizes.at("QUERIES");
  shape.keys = sizes.at("KEYS");
  shape.head_dim = sizes.at("HEAD_DIM");
  shape.causal = sizes.at("CAUSAL") != 0;
  return shape;
}

PagedShape paged(const OpSizes& sizes) {
  PagedShape shape;
  shape.batch = sizes.at("BATCH");
  shape.heads = sizes.at("HEADS");
  shape.kv_heads = sizes.at("KV_HEADS");
  shape.head_dim = sizes.at("HEAD_DIM");
  shape.context = sizes.at("CONTEXT");
  shape.page_tokens = sizes.at("PAGE_TOKENS");
  shape.pages = sizes.at("PAGES");
  return shape;
}

Op attention(
    const char* name, const char* summary, const char* against, bool decode, int error,
    std::function<Schedule(const OpSizes&, const OpOptions&, const models::Machine&)> plan) {
  Op op{name,  "attention", summary,        {},
        {},    {},          {"y"},          decode ? "paged_attention" : "attention",
        error, against,     std::move(plan)};
  op.parameters = {{"HEADS", 8, "query heads"},
                   {"KV_HEADS", 2, "key and value heads"},
                   {"HEAD_DIM", 64, "columns of a head"}};
  for (const char* tensor : {"q", "k", "v"}) {
    op.inputs.push_back({tensor, OpInput::Fill::normal, {}});
  }
  if (decode) {
    op.parameters.insert(op.parameters.end(), {{"BATCH", 4, "sequences, one new token each"},
                                               {"CONTEXT", 1000, "tokens of each in the cache"},
                                               {"PAGE_TOKENS", 16, "tokens of a page"},
                                               {"PAGES", 256, "pages of the cache"}});
    op.inputs.push_back({"block_table", OpInput::Fill::index, "PAGES"});
  } else {
    op.parameters.insert(op.parameters.end(), {{"QUERIES", 512, "tokens of the prompt"},
                                               {"KEYS", 512, "those and earlier ones"},
                                               {"CAUSAL", 1, "1: a token sees none after it"}});
  }
  return op;
}

}  // namespace

std::vector<Op> attention_ops() {
  return {
      attention("flash-attention", "softmax(q k^T / sqrt(d)) v of a prompt, one kernel",
                "naive-attention", false, 3,
                [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
                  return plan_flash_prefill(prefill(sizes), options, machine);
                }),
      attention("naive-attention", "the same, scores and probabilities in DRAM", "", false, 5,
                [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
                  return plan_naive_prefill(prefill(sizes), options, machine);
                }),
      attention("flash-decode", "one new token per sequence over a paged KV cache, one kernel",
                "naive-decode", true, 3,
                [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
                  return plan_flash_decode(paged(sizes), options, machine);
                }),
      attention("naive-decode", "the same, scores and probabilities in DRAM", "", true, 5,
                [](const OpSizes& sizes, const OpOptions& options, const models::Machine& machine) {
                  return plan_naive_decode(paged(sizes), options, machine);
                }),
  };
}

}  // namespace spyre::kernels
