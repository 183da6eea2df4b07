// Every sentence that a faulty config.json gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/workload/config_text.h"

namespace spyre::kernels {
namespace {

using ::testing::HasSubstr;

TEST(ModelConfigErrors, MissingKeyIsNamed) {
  EXPECT_EQ(complaint(changed(kLlamaText, "\n  \"hidden_size\": 64,", "")),
            "m.json: error: 'hidden_size' is missing; it must be a whole number from 1 to 1048576");
  EXPECT_EQ(complaint(changed(kGpt2Text, "\n  \"n_layer\": 2,", "")),
            "m.json: error: 'n_layer' is missing; it must be a whole number from 1 to 4096");
}

TEST(ModelConfigErrors, NullIsAsGoodAsMissing) {
  EXPECT_EQ(complaint(changed(kLlamaText, "\"hidden_size\": 64", "\"hidden_size\": null")),
            "m.json:3:3: error: 'hidden_size' is missing; it must be a whole number from 1 to "
            "1048576");
}

TEST(ModelConfigErrors, WrongTypesAndRangesShowTheValueAndTheLimit) {
  const auto with_layers = [](const std::string& value) {
    return complaint(
        changed(kLlamaText, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": " + value));
  };
  const std::string tail = ", but it must be a whole number from 1 to 4096";
  for (const std::string value : {"\"2\"", "2.0", "-2", "0", "true", "[2]", "4097",
                                  "18446744073709551615", "9223372036854775808"}) {
    EXPECT_EQ(with_layers(value), "m.json:7:3: error: 'num_hidden_layers' is " + value + tail);
  }
  EXPECT_EQ(with_layers("4096"), "");
}

TEST(ModelConfigErrors, OtherTypesAreCheckedToo) {
  EXPECT_EQ(complaint(extended(kLlamaText, "\"tie_word_embeddings\": 1")),
            "m.json:9:3: error: 'tie_word_embeddings' is 1, but it must be true or false");
  EXPECT_EQ(complaint(extended(kLlamaText, "\"rms_norm_eps\": 0")),
            "m.json:9:3: error: 'rms_norm_eps' is 0, but it must be a number above 0");
  EXPECT_EQ(complaint(extended(kLlamaText, "\"hidden_act\": 3")),
            "m.json:9:3: error: 'hidden_act' is 3, but it must be a text in quotes");
  EXPECT_EQ(complaint(changed(kLlamaText, "[\"LlamaForCausalLM\"]", "\"LlamaForCausalLM\"")),
            "m.json:2:3: error: 'architectures' is \"LlamaForCausalLM\", but it must be a list of "
            "one name");
}

TEST(ModelConfigErrors, LongValuesAreCutShort) {
  EXPECT_THAT(complaint(changed(kLlamaText, "\"vocab_size\": 100",
                                "\"vocab_size\": \"" + std::string(5000, 'x') + "\"")),
              HasSubstr("'vocab_size' is \"" + std::string(39, 'x') + "..., but"));
}

TEST(ModelConfigErrors, UnsupportedArchitectureListsTheSupportedOnes) {
  EXPECT_EQ(complaint(llama_as("MixtralForCausalLM")),
            "m.json:2:3: error: architecture 'MixtralForCausalLM' is not supported (did you mean "
            "'MistralForCausalLM'?); supported are GPT2LMHeadModel, LlamaForCausalLM, "
            "MistralForCausalLM, GraniteForCausalLM, Qwen3ForCausalLM");
  EXPECT_THAT(complaint(llama_as("")), HasSubstr("architecture '' is not supported; supported"));
  EXPECT_THAT(complaint("{\"model_type\": \"mamba\"}"),
              HasSubstr("m.json:1:2: error: architecture 'mamba' is not supported"));
  EXPECT_EQ(complaint("{}"),
            "m.json: error: 'architectures' is missing; it must name one of GPT2LMHeadModel, "
            "LlamaForCausalLM, MistralForCausalLM, GraniteForCausalLM, Qwen3ForCausalLM");
}

TEST(ModelConfigErrors, ContradictionsAreReported) {
  EXPECT_EQ(complaint(changed(kLlamaText, "\"hidden_size\": 64", "\"hidden_size\": 66")),
            "m.json:3:3: error: 'hidden_size' 66 is not a multiple of 'num_attention_heads' 4");
  EXPECT_EQ(complaint(changed(kGpt2Text, "\"n_head\": 4", "\"n_head\": 5")),
            "m.json:3:3: error: 'n_embd' 64 is not a multiple of 'n_head' 5");
  EXPECT_EQ(complaint(extended(kLlamaText, "\"num_key_value_heads\": 3")),
            "m.json:9:3: error: 'num_attention_heads' 4 is not a multiple of "
            "'num_key_value_heads' 3");
  EXPECT_THAT(complaint(extended(kLlamaText, "\"head_dim\": 15")),
              HasSubstr("m.json:9:3: error: the head dimension is 15"));
  EXPECT_THAT(complaint(extended(kLlamaText, "\"head_dim\": 1000000")),
              HasSubstr("4 heads of 1000000 are 4000000 values per token; at most 1048576"));
  EXPECT_EQ(complaint(extended(kLlamaText, "\"head_dim\": 32")), "");
}

TEST(ModelConfigErrors, KvHeadsThatMistralAssumesMustFitTheHeads) {
  EXPECT_EQ(complaint(llama_as("MistralForCausalLM")),
            "m.json: error: 'num_attention_heads' 4 is not a multiple of 'num_key_value_heads' 8");
}

TEST(ModelConfigErrors, VariantsThatWouldBeCountedWronglyAreRefused) {
  EXPECT_EQ(complaint(extended(kLlamaText, "\"hidden_act\": \"gelu\"")),
            "m.json:9:3: error: 'hidden_act' is 'gelu', but this family is supported with silu, "
            "swish only");
  EXPECT_THAT(complaint(extended(kGpt2Text, "\"activation_function\": \"relu\"")),
              HasSubstr("'activation_function' is 'relu'"));
  EXPECT_EQ(complaint(extended(kGpt2Text, "\"add_cross_attention\": true")),
            "m.json:8:3: error: 'add_cross_attention' is true, which is not supported; it must be "
            "false");
}

TEST(ModelConfigErrors, DuplicateKeysAreReportedWhereTheyStandASecondTime) {
  EXPECT_EQ(complaint(extended(kLlamaText, "\"vocab_size\": 100")),
            "m.json:9:3: error: 'vocab_size' stands twice; remove one");
  EXPECT_EQ(complaint(extended(kLlamaText, R"("a": [{"b": 1}, {"b": 2}], "c": {"b": 3})")), "");
  EXPECT_EQ(complaint(extended(kLlamaText, R"("a": [{"b": 1}, {"b": 2, "b": 3}])")),
            "m.json:9:28: error: 'b' stands twice; remove one");
  EXPECT_EQ(complaint(extended(kLlamaText, R"("q\"\\": 1, "q\"\\": 1)")),
            "m.json:9:15: error: 'q\"\\' stands twice; remove one");
}

TEST(ModelConfigErrors, OnePassReportsEveryFaultInFileOrder) {
  std::string text = extended(kLlamaText, "\"vocab_size\": 100");
  text = changed(text, "\"hidden_size\": 64", "\"hidden_size\": \"64\"");
  text = changed(text, "\n  \"num_hidden_layers\": 2,", "");
  text = changed(text, "\"num_attention_heads\": 4", "\"num_attention_heads\": 0");
  try {
    (void)parse_model_config(text, "m.json");
    FAIL();
  } catch (const models::InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 4u);
    EXPECT_THAT(error.diagnostics()[0].message, HasSubstr("'num_hidden_layers' is missing"));
    EXPECT_EQ(error.diagnostics()[1].where.line, 3);
    EXPECT_EQ(error.diagnostics()[2].where.line, 6);
    EXPECT_EQ(error.diagnostics()[3].where.line, 8);
  }
}

TEST(ModelConfigErrors, SyntaxErrorsHaveLineAndColumn) {
  EXPECT_THAT(complaint("{\n  \"a\": 1,\n  oops\n}"),
              HasSubstr("m.json:3:3: error: syntax error while parsing object key"));
  EXPECT_THAT(complaint(""), HasSubstr("m.json:1:1: error: syntax error"));
  EXPECT_THAT(complaint("{\n\"a\": 1"), HasSubstr("m.json:2:7: error: syntax error"));
  EXPECT_THAT(complaint("{\"a\": 1e999}"), HasSubstr("number overflow"));
  EXPECT_THAT(complaint("{\"a\": \"\xff\"}"), HasSubstr("ill-formed UTF-8"));
}

TEST(ModelConfigErrors, TextThatIsNoObjectIsRefused) {
  EXPECT_EQ(complaint("[1, 2]"),
            "m.json:1:1: error: a model's configuration is a JSON object of keys and values, this "
            "is array");
}

TEST(ModelConfigErrors, AnyPrefixOfAFileIsAnErrorAndNoCrash) {
  for (std::size_t length = 0; length + 2 < kLlamaText.size(); ++length) {
    EXPECT_NE(complaint(kLlamaText.substr(0, length)), "") << length;
  }
}

TEST(ModelConfigErrors, DeepNestingIsNoCrash) {
  EXPECT_NE(complaint("{\"a\":" + std::string(100000, '[')), "");
  EXPECT_EQ(complaint(extended(kLlamaText,
                               "\"a\": " + std::string(20000, '[') + std::string(20000, ']'))),
            "");
}

TEST(ModelConfigErrors, MissingFileIsNamed) {
  try {
    (void)read_model_config("no/such/config.json");
    FAIL();
  } catch (const models::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such/config.json"));
  }
}

}  // namespace
}  // namespace spyre::kernels
