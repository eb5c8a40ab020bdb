#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/config/read_config.h"

namespace rnnadvisor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::string_view key, std::string_view value) {
  ConfigInput input;
  const auto result = set_field(input, key, value);
  EXPECT_EQ(input, ConfigInput{}) << "a refused value must change nothing";
  return result ? "accepted" : result.error().message + " / " + result.error().remedy;
}

TEST(SetField, TakesTheTypeOfTheField) {
  ConfigInput input;
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"id", "a=b"},
           {"cell", "gru"},
           {"hidden_size", "1000"},
           {"dropout", "2.5e-1"},
           {"dropout_seed", "18446744073709551615"},
           {"clip_left", "-3"},
           {"padded_io", "false"},
           {"seq_lengths", "9,7,0"},
           {"framework.name", "pytorch"},
           {"framework.version", "2.11"},
           {"framework.no_grad", "true"},
           {"framework.pointer_alignment", "16"}}) {
    const auto result = set_field(input, key, value);
    EXPECT_TRUE(result) << key << ": " << to_text(result.error());
  }
  EXPECT_EQ(input.config.id, "a=b");
  EXPECT_EQ(input.config.hidden_size, 1000);
  EXPECT_EQ(input.config.input_size, 512) << "defaults are applied by resolve_defaults() only";
  EXPECT_EQ(input.config.dropout, 0.25);
  EXPECT_EQ(input.config.clip_left, -3);
  EXPECT_THAT(input.config.seq_lengths, ElementsAre(9, 7, 0));
  EXPECT_EQ(input.program.version, "2.11");
  EXPECT_EQ(input.program.pointer_alignment, 16);
  EXPECT_TRUE(set_field(input, "seq_lengths", ""));
  EXPECT_TRUE(input.config.seq_lengths.empty());
}

TEST(SetField, RefusesWithAReasonAndARemedy) {
  EXPECT_THAT(refusal("hidden_size", "-1"),
              HasSubstr("hidden_size is '-1', but must be a whole number from 1"));
  for (const char* value :
       {"", " 5", "5 ", "5x", "1e3", "0", "2147483648", "99999999999999999999999", "nan", "٣"}) {
    EXPECT_THAT(refusal("hidden_size", value), HasSubstr("must be a whole number")) << value;
  }
  for (const char* value : {"nan", "inf", "-inf", "1e999", "", "0,5", "x"}) {
    EXPECT_THAT(refusal("clip_left", value), HasSubstr("must be a finite number")) << value;
  }
  for (const char* value : {"1", "-0.1", "nan"})
    EXPECT_THAT(refusal("dropout", value), HasSubstr("from 0 to below 1"));
  for (const char* value : {"1", "yes", "True", ""})
    EXPECT_THAT(refusal("padded_io", value), HasSubstr("true or false"));
  for (const char* value : {",", "1,", ",1", "1,,2", "1;2", "-1", "1, 2"}) {
    EXPECT_THAT(refusal("seq_lengths", value), HasSubstr("seq_lengths")) << value;
  }
  EXPECT_THAT(refusal("id", "\xff"), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal("algo", "persist-static"), HasSubstr("did you mean 'persist_static'?"));
  EXPECT_THAT(refusal("hidden-size", "5"), HasSubstr("did you mean 'hidden_size'?"));
  EXPECT_THAT(refusal("framework.nam", "jax"), HasSubstr("did you mean 'name'?"));
  for (const char* name : {"keras", "Keras"})
    EXPECT_THAT(refusal("framework.name", name), HasSubstr("keras3 is Keras 3 and later"));
  EXPECT_THAT(refusal("framework", "jax"), HasSubstr("framework.name"));
  EXPECT_THAT(refusal("framework.", "jax"), HasSubstr("unknown key ''"));
  EXPECT_THAT(refusal("framework_name", "jax"), HasSubstr("unknown key"));
  EXPECT_THAT(refusal("id\n\x01", "x"), HasSubstr("'id\\x0a\\x01'"));
}

// What frameworks call the types.
TEST(SetField, TypesHaveTheirUsualNamesToo) {
  for (const auto& [name, type] :
       std::initializer_list<std::pair<const char*, DataType>>{{"fp16", DataType::half},
                                                               {"float16", DataType::half},
                                                               {"bf16", DataType::bfloat16},
                                                               {"fp32", DataType::float32},
                                                               {"float32", DataType::float32},
                                                               {"fp64", DataType::float64},
                                                               {"float64", DataType::float64}}) {
    ConfigInput input;
    EXPECT_TRUE(set_field(input, "data_type", name)) << name;
    EXPECT_EQ(input.config.data_type, type) << name;
    EXPECT_TRUE(set_field(input, "math_precision", name)) << name;
    EXPECT_EQ(input.config.math_precision, type) << name;
  }
  ConfigInput input;
  EXPECT_TRUE(set_field(input, "framework.autocast", "half"));
  EXPECT_EQ(input.program.autocast, Autocast::float16);
  EXPECT_THAT(refusal("framework.autocast", "fp32"), HasSubstr("must be one of off"));
  EXPECT_THAT(refusal("data_type", "fp15"), HasSubstr("must be one of float"));
  EXPECT_THAT(refusal("cell", "lsmt"), HasSubstr("did you mean 'lstm'?"));
  EXPECT_THAT(refusal("cell", "LSTM"), HasSubstr("did you mean 'lstm'?"));
  EXPECT_THAT(refusal("data_type", "HALF"), HasSubstr("did you mean 'half'?"));
}

TEST(SetField, MinusZeroIsZero) {
  ConfigInput input;
  ASSERT_TRUE(set_field(input, "clip_left", "-0.0"));
  EXPECT_THAT(to_json_line(input), HasSubstr("\"clip_left\":0,"));
}

TEST(ResolveDefaults, FillsOnlyWhatWasNotSet) {
  RnnConfig config;
  config.hidden_size = 100;
  config.data_type = DataType::float64;
  config.layout = Layout::seq_major_packed;
  config.seq_lengths = {5, 3};
  RnnConfig all = config;
  resolve_defaults(all, {});
  EXPECT_EQ(all.input_size, 100);
  EXPECT_EQ(all.proj_size, 100);
  EXPECT_EQ(all.math_precision, DataType::float64);
  EXPECT_FALSE(all.padded_io);
  EXPECT_EQ(all.seq_length, 5);
  EXPECT_EQ(all.batch_size, 2);

  constexpr auto keys =
      std::to_array<std::string_view>({"input_size", "proj_size", "math_precision", "padded_io",
                                       "seq_length", "batch_size", "framework.name"});
  RnnConfig none = config;
  resolve_defaults(none, keys);
  EXPECT_EQ(none, config);
}

TEST(AllConfigKeys, AreUniqueAndEachCanBeSet) {
  const auto keys = all_config_keys();
  EXPECT_EQ(std::set<std::string_view>(keys.begin(), keys.end()).size(), keys.size());
  EXPECT_TRUE(std::count(keys.begin(), keys.end(), "framework.pointer_alignment") == 1);
  for (const auto key : keys) {
    ConfigInput input;
    const auto result = set_field(input, key, "\n");
    if (!result) {
      EXPECT_THAT(result.error().message, testing::Not(HasSubstr("unknown"))) << key;
    }
  }
}

}  // namespace
}  // namespace rnnadvisor
