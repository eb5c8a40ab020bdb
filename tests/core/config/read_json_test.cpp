#include "core/config/read_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "core/config/json/json_cursor.h"
#include "core/config/read_config.h"

namespace rnnadvisor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> json_errors(std::string_view text) {
  const auto inputs = read_jsonl(text, "f.jsonl");
  std::vector<std::string> texts;
  if (inputs) return texts;
  for (const auto& error : inputs.error()) {
    texts.push_back(std::to_string(error.where->line) + ":" + std::to_string(error.where->column) +
                    " " + error.message + " / " + error.remedy);
  }
  return texts;
}

TEST(ReadJson, DefaultsFollowOtherFields) {
  const auto input = read_json_line(
      R"({"hidden_size": 1000, "data_type": "double", "layout": "seq_major_packed"})", "f", 1);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->config.input_size, 1000);
  EXPECT_EQ(input->config.proj_size, 1000);
  EXPECT_EQ(input->config.math_precision, DataType::float64);
  EXPECT_FALSE(input->config.padded_io);
  EXPECT_EQ(read_json_line("{}", "f", 1)->config, RnnConfig{});
}

TEST(ReadJson, LengthsGiveBatchAndLongestLength) {
  const auto input = read_json_line(R"({"seq_lengths": [9, 7, 0]})", "f", 1);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->config.batch_size, 3);
  EXPECT_EQ(input->config.seq_length, 9);
  const auto zeros = read_json_line(R"({"seq_lengths": [0, 0]})", "f", 1);
  EXPECT_EQ(zeros->config.seq_length, 1);
  const auto given =
      read_json_line(R"({"seq_lengths": [9], "seq_length": 12, "batch_size": 4})", "f", 1);
  EXPECT_EQ(given->config.seq_length, 12);
  EXPECT_EQ(given->config.batch_size, 4);
}

TEST(ReadJson, EveryErrorOfALineWithItsPosition) {
  EXPECT_THAT(
      json_errors(
          R"({"hiden_size": 3, "hidden_size": -1, "hidden_size": 5, "cell": "lstmm", "batch_size": 2147483648})"),
      ElementsAre("1:2 unknown key 'hiden_size' / did you mean 'hidden_size'?",
                  "1:34 hidden_size is -1, but must be a whole number from 1 to 2147483647 / cuDNN "
                  "takes sizes as positive "
                  "32-bit integers",
                  "1:38 duplicate key 'hidden_size' / keep one of them",
                  "1:64 cell is the string 'lstmm', but must be one of rnn_relu, rnn_tanh, lstm, "
                  "gru / did you mean 'lstm'?",
                  "1:87 batch_size is 2147483648, but must be a whole number from 1 to 2147483647 "
                  "/ cuDNN takes sizes as "
                  "positive 32-bit integers"));
}

TEST(ReadJson, EveryLineIsReadAndColumnsCountCharacters) {
  EXPECT_THAT(json_errors("{\"id\": \"é\", \"x\": 1}\n# comment\n\n  \r\n{}\n{\"y\": 1}\n[]\n"),
              ElementsAre(HasSubstr("1:13 unknown key 'x'"), HasSubstr("6:2 unknown key 'y'"),
                          HasSubstr("7:1 expected an object in braces { }, found '['")));
}

TEST(ReadJson, FirstErrorOfOneLineCarriesTheOthers) {
  const auto input = read_json_line(R"({"a": 1, "b": 2})", "f.jsonl", 7);
  ASSERT_FALSE(input);
  EXPECT_EQ(to_text(input.error()).substr(0, 35), "f.jsonl:7:2: unknown key 'a'\n  note");
  EXPECT_THAT(input.error().notes, ElementsAre(HasSubstr("f.jsonl:7:10: unknown key 'b'")));
}

struct Refused {
  const char* json;
  const char* message;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.json; }

class RefusedValue : public testing::TestWithParam<Refused> {};

TEST_P(RefusedValue, IsAnError) {
  const auto errors = json_errors(GetParam().json);
  ASSERT_EQ(errors.size(), 1U) << GetParam().json;
  EXPECT_THAT(errors[0], HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    ReadJson, RefusedValue,
    testing::Values(
        Refused{R"({"hidden_size": 0})",
                "1:17 hidden_size is 0, but must be a whole number from 1 to 2147483647"},
        Refused{R"({"hidden_size": 64.0})", "hidden_size is 64.0"},
        Refused{R"({"hidden_size": 1e3})", "is 1e3"},
        Refused{R"({"hidden_size": "64"})", "hidden_size is the string '64'"},
        Refused{R"({"hidden_size": true})", "hidden_size is true"},
        Refused{R"({"hidden_size": null})", "leave the key out"},
        Refused{R"({"hidden_size": [1]})", "hidden_size is a list"},
        Refused{R"({"hidden_size": {"a": [1, {}]}})", "hidden_size is a table"},
        Refused{R"({"hidden_size": 99999999999999999999999999})",
                "hidden_size is 99999999999999999999999999"},
        Refused{R"({"hidden_size": -99999999999999999999999999})", "hidden_size is -9999"},
        Refused{R"({"dropout": 1})", "dropout is 1, but must be a number from 0 to below 1"},
        Refused{R"({"dropout": -0.1})", "dropout is -0.1"},
        Refused{R"({"dropout": 1e999})", "dropout is 1e999"},
        Refused{R"({"dropout": NaN})", "expected a value, found 'NaN'"},
        Refused{R"({"dropout": "0.5"})", "dropout is the string '0.5'"},
        Refused{R"({"clip_left": -1e400})", "clip_left is -1e400, but must be a finite number"},
        Refused{R"({"dropout_seed": -1})", "dropout_seed is -1"},
        Refused{R"({"dropout_seed": 18446744073709551616})",
                "dropout_seed is 18446744073709551616"},
        Refused{R"({"padded_io": 1})", "padded_io is 1, but must be true or false"},
        Refused{R"({"padded_io": "true"})", "write true or false without quotes"},
        Refused{R"({"id": 3})", "id is 3, but must be a string"},
        Refused{R"({"cell": "LSTM"})", "did you mean 'lstm'?"},
        Refused{R"({"cell": "transformer"})", "use one of these words, in lower case"},
        Refused{R"({"cell": 2})", "cell is 2, but must be one of"},
        Refused{R"({"seq_lengths": 5})", "seq_lengths is 5, but must be a list"},
        Refused{R"({"seq_lengths": [1, -2]})",
                "seq_lengths[1] is -2, but must be a whole number from 0"},
        Refused{R"({"seq_lengths": [1, [2]]})", "seq_lengths[1] is a list"},
        Refused{R"({"seq_lengths": [2147483648]})", "seq_lengths[0] is 2147483648"},
        Refused{R"({"framework": "pytorch"})",
                "1:15 framework is the string 'pytorch', but must be an object"},
        Refused{R"({"framework": {"nam": "pytorch"}})",
                "unknown key 'nam' in framework / did you mean 'name'?"},
        Refused{R"({"framework": {"hidden_size": 3}})", "it belongs to the configuration itself"},
        Refused{R"({"autocast": "off"})", "write framework.autocast"},
        Refused{R"({"framework": {"pointer_alignment": 12}})", "must be a power of two"},
        Refused{R"({"framework": {"recurrent_dropout": 1.0}})", "recurrent_dropout is 1.0"},
        Refused{R"({"status": 1, "status": 2})", "duplicate key 'status'"},
        Refused{R"({"id": "a"} {})", "text after"},
        Refused{R"({"id": "a",})", "1:12 a comma must not stand before }"},
        Refused{R"({"id": "a" "cell": "gru"})", "1:12 expected a comma or }"},
        Refused{R"({"id" "a"})", "expected a colon after the key, found '\"'"},
        Refused{R"({"id": "a)", "a string without its closing quote"},
        Refused{R"({"id": )", "but the text ends"},
        Refused{R"({'id': 1})", "expected a string in double quotes, found ''id''"},
        Refused{"{\"id\": \"a\tb\"}", "control character"},
        Refused{R"({"id": "\x41"})", "an escape that JSON does not know"},
        Refused{R"({"id": "\ud800"})", "half of a surrogate pair"},
        Refused{R"({"id": "\u12g4"})", "four hexadecimal digits"},
        Refused{"{\"id\": \"\xff\"}", "not valid UTF-8"},
        Refused{R"({"dropout": 01})", "expected a comma or }, found '1'"},
        Refused{R"({"hidden_size": +1})", "expected a value, found '+1'"},
        Refused{"hello", "found 'hello'"}));

TEST(ReadJson, DuplicatesInsideFrameworkAndOfFrameworkAreBothFound) {
  EXPECT_THAT(json_errors(R"({"framework": {"name": "jax", "name": "pytorch"}, "framework": {}})"),
              ElementsAre(HasSubstr("1:31 duplicate key 'name'"),
                          HasSubstr("1:51 duplicate key 'framework'")));
}

TEST(ReadJson, EscapesAndUnicode) {
  const auto input =
      read_json_line(R"({"id": "a\"\\\/\b\f\n\r\tA\u00e9\u20ac\ud83d\ude00 é"})", "f", 1);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->config.id, "a\"\\/\b\f\n\r\tAé€😀 é");
  EXPECT_EQ(read_json_line(to_json_line(*input), "f", 1)->config.id, input->config.id);
}

TEST(ReadJson, EveryFrameworkFieldRoundTrips) {
  ConfigInput input;
  // A value that every type of field takes is not at hand, so one is tried after the other.
  int set = 0;
  int framework_keys = 0;
  for (const auto key : all_config_keys()) {
    if (!key.starts_with("framework.")) continue;
    ++framework_keys;
    for (const char* value :
         {"true", "0.5", "16", "keras3", "float16", "right_padded", "torch", "2.11.0"}) {
      if (set_field(input, key, value)) {
        ++set;
        break;
      }
    }
  }
  EXPECT_EQ(set, framework_keys);
  EXPECT_EQ(input.program.name, Framework::keras3);
  EXPECT_EQ(input.program.use_cudnn, KerasCudnn::yes);
  const auto again = read_json_line(to_json_line(input), "f", 1);
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->program, input.program);
}

TEST(ReadJson, KerasChoiceMayBeABoolean) {
  EXPECT_EQ(read_json_line(R"({"framework": {"use_cudnn": false}})", "f", 1)->program.use_cudnn,
            KerasCudnn::no);
  EXPECT_EQ(read_json_line(R"({"framework": {"use_cudnn": "auto"}})", "f", 1)->program.use_cudnn,
            KerasCudnn::automatic);
}

TEST(ReadJson, AFileHoldsOneObjectOrAnArray) {
  const auto one = read_json("\xEF\xBB\xBF{\n  \"hidden_size\": 7\n}\n", "f.json");
  ASSERT_TRUE(one);
  ASSERT_EQ(one->size(), 1U);
  EXPECT_EQ((*one)[0].config.hidden_size, 7);
  const auto two = read_json("[{\"id\": \"a\"},\n {\"id\": \"b\"}]", "f.json");
  ASSERT_TRUE(two);
  ASSERT_EQ(two->size(), 2U);
  EXPECT_EQ((*two)[1].position, (SourcePosition{"f.json", 2, 2}));
  EXPECT_TRUE(read_json("[]", "f.json")->empty());
  const auto wrong = read_json("[{\"a\": 1},\n {\"b\": 1},\n 3]", "f.json");
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.error().size(), 3U);
  EXPECT_EQ(*wrong.error()[1].where, (SourcePosition{"f.json", 2, 3}));
  EXPECT_EQ(*wrong.error()[2].where, (SourcePosition{"f.json", 3, 2}));
  EXPECT_FALSE(read_json("", "f.json"));
  EXPECT_FALSE(read_json("[{}", "f.json"));
  EXPECT_FALSE(read_json("{} {}", "f.json"));
}

TEST(ReadJson, DeepNestingIsRefusedAndLongTextIsNot) {
  for (const std::size_t depth : {101UL, 1000000UL}) {
    const std::string deep = R"({"status": )" + std::string(depth, '[');
    EXPECT_THAT(json_errors(deep), ElementsAre(HasSubstr("nested deeper than 100 levels")));
    EXPECT_THAT(json_errors(R"({"hidden_size": )" + std::string(depth, '[')),
                ElementsAre(HasSubstr("nested deeper")));
  }
  const std::string fits = R"({"status": )" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_TRUE(read_json_line(fits, "f", 1));
  const std::string key(1U << 20U, 'k');
  const auto errors = json_errors("{\"" + key + "\": 1}");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_LT(errors[0].size(), 300U);
  std::string lengths = "{\"seq_lengths\": [1";
  for (int i = 1; i < 300000; ++i) lengths += ",1";
  EXPECT_EQ(read_json_line(lengths + "]}", "f", 1)->config.batch_size, 300000);
}

TEST(WriteJson, LeavesOutWhatIsEmptyAndWritesTheRest) {
  const std::string line = to_json_line(RnnConfig{});
  EXPECT_EQ(line,
            "{\"cell\":\"lstm\",\"algo\":\"standard\",\"direction\":\"unidirectional\",\"bias_"
            "mode\":\"double_bias\","
            "\"input_mode\":\"linear_input\",\"data_type\":\"float\",\"math_precision\":\"float\","
            "\"math_type\":"
            "\"default\",\"input_size\":512,\"hidden_size\":512,\"proj_size\":512,\"num_layers\":1,"
            "\"dropout\":0,"
            "\"dropout_seed\":1,\"clip_mode\":\"none\",\"clip_left\":0,\"clip_right\":0,\"clip_"
            "propagate_nan\":false,"
            "\"layout\":\"seq_major_unpacked\",\"padded_io\":true,\"seq_length\":128,\"batch_"
            "size\":64,\"mode\":"
            "\"training\"}");
}

TEST(WriteJson, NumbersKeepEveryBit) {
  ConfigInput input;
  input.config.dropout = 0.1 + 0.2;
  input.config.clip_left = -1.7976931348623157e308;
  input.config.clip_right = 5e-324;
  input.config.dropout_seed = 18446744073709551615U;
  const auto again = read_json_line(to_json_line(input), "f", 1);
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->config, input.config);
}

TEST(WriteJson, BrokenUtf8BecomesTheReplacementCharacter) {
  RnnConfig config;
  config.id = "a\xff";
  EXPECT_EQ(read_json_line(to_json_line(config), "f", 1)->config.id, "a\uFFFD");
}

}  // namespace
}  // namespace rnnadvisor
