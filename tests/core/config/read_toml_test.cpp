#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/config/read_config.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> toml_errors(std::string_view text) {
  const auto inputs = read_toml(text, "f.toml");
  std::vector<std::string> texts;
  if (inputs) return texts;
  for (const auto& error : inputs.error()) texts.push_back(to_text(error));
  return texts;
}

TEST(ReadToml, OneConfiguration) {
  const auto inputs = read_toml(R"(
id = "encoder"
cell = "gru"
hidden_size = 1_024
num_layers = 0x2
dropout = 0
clip_left = -5
seq_lengths = [9, 7,
               7]
framework = { name = "keras3", version = '3.1', use_cudnn = true, recurrent_dropout = 0.25 }
)",
                                "f.toml");
  ASSERT_TRUE(inputs);
  ASSERT_EQ(inputs->size(), 1U);
  const auto& c = (*inputs)[0].config;
  EXPECT_EQ(c.id, "encoder");
  EXPECT_EQ(c.cell, Cell::gru);
  EXPECT_EQ(c.hidden_size, 1024);
  EXPECT_EQ(c.input_size, 1024);
  EXPECT_EQ(c.num_layers, 2);
  EXPECT_EQ(c.clip_left, -5);
  EXPECT_THAT(c.seq_lengths, ElementsAre(9, 7, 7));
  EXPECT_EQ(c.batch_size, 3);
  EXPECT_EQ((*inputs)[0].program.version, "3.1");
  EXPECT_EQ((*inputs)[0].program.use_cudnn, KerasCudnn::yes);
  EXPECT_EQ((*inputs)[0].program.recurrent_dropout, 0.25);
}

TEST(ReadToml, TopLevelKeysAreDefaultsOfEveryConfiguration) {
  const auto inputs = read_toml(R"(data_type = "half"
hidden_size = 256
framework.name = "pytorch"
framework.batch_first = true

[[configuration]]
id = "a"
hidden_size = 1000

[[configuration]]
id = "b"
data_type = "double"
[configuration.framework]
batch_first = false
)",
                                "f.toml");
  ASSERT_TRUE(inputs) << toml_errors("").size();
  ASSERT_EQ(inputs->size(), 2U);
  const auto& a = (*inputs)[0];
  const auto& b = (*inputs)[1];
  EXPECT_EQ(a.config.input_size, 1000) << "the default follows the configuration's own hidden_size";
  EXPECT_EQ(a.config.data_type, DataType::half);
  EXPECT_EQ(a.program.batch_first, true);
  EXPECT_EQ(a.position, (SourcePosition{"f.toml", 6, 1}));
  EXPECT_EQ(b.config.input_size, 256);
  EXPECT_EQ(b.config.math_precision, DataType::float64);
  EXPECT_EQ(b.program.batch_first, false);
  EXPECT_EQ(b.program.name, Framework::pytorch);
}

TEST(ReadToml, EveryErrorInTheOrderOfTheFile) {
  EXPECT_THAT(
      toml_errors("hiden_size = 3\ncell = \"lstmm\"\ndropout = nan\nclip_left = -inf\nbatch_size = "
                  "1979-05-27\n"
                  "seq_lengths = [1,\n  \"2\"]\n[framework]\nnam = 1\nname = "
                  "\"pytorh\"\n[[configuration]]\n"
                  "num_layers = 1.5\nautocast = \"off\"\n"),
      ElementsAre(
          "f.toml:1:1: unknown key 'hiden_size'\n  remedy: did you mean 'hidden_size'?",
          "f.toml:2:8: cell is the string 'lstmm', but must be one of rnn_relu, rnn_tanh, lstm, "
          "gru\n"
          "  remedy: did you mean 'lstm'?",
          HasSubstr("f.toml:3:11: dropout is nan"), HasSubstr("f.toml:4:13: clip_left is -inf"),
          HasSubstr("f.toml:5:14: batch_size is a date or time"),
          HasSubstr("f.toml:7:3: seq_lengths[1] is the string '2'"),
          HasSubstr("f.toml:9:1: unknown key 'nam' in framework"),
          HasSubstr("f.toml:10:8: name is the string 'pytorh'"),
          HasSubstr("f.toml:12:14: num_layers is 1.5"),
          HasSubstr("f.toml:13:1: unknown key 'autocast'\n  remedy: it belongs to the program")));
}

TEST(ReadToml, SyntaxAndStructure) {
  EXPECT_THAT(toml_errors("hidden_size = 1\nhidden_size = 2\n"),
              ElementsAre(HasSubstr("f.toml:2:")));
  EXPECT_THAT(toml_errors("hidden_size = \n"), ElementsAre(HasSubstr("f.toml:1:")));
  EXPECT_THAT(toml_errors("hidden_size = 99999999999999999999\n"),
              ElementsAre(HasSubstr("f.toml:1:")));
  EXPECT_THAT(toml_errors("id = \"\xff\"\n"), ElementsAre(HasSubstr("f.toml:1:")));
  EXPECT_THAT(toml_errors(""), ElementsAre(HasSubstr("no configuration")));
  EXPECT_THAT(toml_errors("# nothing\n"), ElementsAre(HasSubstr("no configuration")));
  EXPECT_THAT(toml_errors("[configuration]\nid = \"a\"\n"),
              ElementsAre(HasSubstr("[[configuration]] with two brackets")));
  EXPECT_THAT(toml_errors("configuration = [1]\n"),
              ElementsAre(HasSubstr("f.toml:1:18: configuration contains 1")));
  EXPECT_THAT(toml_errors("framework = 1\n"),
              ElementsAre(HasSubstr("framework is 1, but must be a table")));
  EXPECT_THAT(toml_errors("hidden_size = { a = 1 }\n"),
              ElementsAre(HasSubstr("hidden_size is a table")));
  EXPECT_THAT(toml_errors("[[configuration]]\n[[configuration.configuration]]\n"),
              ElementsAre(HasSubstr("configuration within a configuration")));
  EXPECT_TRUE(read_toml("configuration = []\n", "f.toml")->empty());
}

TEST(ReadToml, DeepNestingIsRefusedBeforeItIsParsed) {
  const auto repeat = [](std::string_view part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  for (const int count : {20, 200000}) {
    for (const auto& text : {repeat("a.", count) + "a = 1\n", "[" + repeat("a.", count) + "a]\n",
                             "x = {" + repeat("\",\".", count) + "a = 1}\n",
                             "x = " + repeat("[", count), "x = " + repeat("{a = ", count),
                             "s = '''\n''' \n" + repeat("'#' . ", count) + "a = 1\n"}) {
      EXPECT_THAT(toml_errors(text), ElementsAre(HasSubstr("nested deeper"))) << text.substr(0, 60);
    }
  }
  // Dots and brackets in strings and comments are no nesting.
  EXPECT_THAT(toml_errors("# " + repeat(".", 100) + repeat("[", 100) + "\nid = \"" +
                          repeat("[.", 100) + "\\\"\"\nversion = '" + repeat("a.", 50) + "'\n"),
              ElementsAre(HasSubstr("unknown key 'version'")));
  EXPECT_TRUE(read_toml("id = \"\"\"\n" + repeat("{[.\n", 100) + "\"\"\"\"\"\n", "f.toml"));
}

// toml++ 3.3 asserts on these, or promises the compiler that they do not occur.
TEST(ReadToml, WhatTheParserDoesNotSurviveIsRefusedBeforeIt) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"[=]", "f.toml:1:2: a table header needs a key"},
      {"\xEF\xBB\xBF[=]", "f.toml:1:2: a table header needs a key"},
      {"id = 'a'\n  [ \t=]", "f.toml:2:6: a table header needs a key"},
      {"[[.a]]", "f.toml:1:3: a table header needs a key"},
      {"x = [\n[1], # ]\n]\n[[ , ]]\n", "f.toml:4:4: a table header needs a key"},
      {"[\xF0\x9F\x98\x80x]", "f.toml:1:2: a table header needs a key"},
      {"\xC3\x89 = 1", "f.toml:1:1: a character that is not ASCII"},
      {"x = 'é' # é\ny = é\n", "f.toml:2:5: a character that is not ASCII"},
      {"x = 2000-01-01 1 ", "f.toml:1:5: this is no text in quotes, number"},
      {"x = [ 2000-01-01 1, 2]", "f.toml:1:7: this is no text in quotes, number"},
      {"x = 2_000-01-01 1]", "f.toml:1:5: this is no text in quotes, number"},
      {"x = 2000-01-01ta:1", "f.toml:1:5: this is no text in quotes, number"},
      {"x = [1, lstm]", "f.toml:1:9: this is no text in quotes, number"},
      {"x = 1'é'", "f.toml:1:7: a character that is not ASCII"},
      {"x = [1,\n}]", "f.toml:2:1: this bracket does not close"},
      {"x = {a = 1]", "f.toml:1:11: this bracket does not close"},
      {R"(x = """a\é""")", "f.toml:1:10: a backslash stands before"},
      {"x = \"\"\"a \\ \n \n  é\"\"\"", "f.toml:3:3: the first character after a backslash"},
  };
  for (const auto& [text, message] : refused)
    EXPECT_THAT(toml_errors(text), ElementsAre(HasSubstr(message))) << text;
}

TEST(ReadToml, WhatResemblesThatIsRead) {
  for (const std::string text :
       {"id = 'é' # é\n[framework]\nname = 'pytorch'", "# 2000-01-01 1 \nid = '2000-01-01 1 '",
        "[[configuration]]\n[ 'framework' ]\n\"name\" = 'pytorch'"}) {
    EXPECT_THAT(toml_errors(text), ElementsAre()) << text;
  }
  // Values that are TOML, but that no field takes.
  for (const std::string value :
       {"2000-01-01 12:00:00", "2000-01-01T12:00:00.5-07:00", "2000-01-01t12:00:00z", "2000-01-01",
        "07:32:00.999", "-0", "+1_000", "0xdead_BEEF", "0o755", "0b1_0", "1e06", "-2.5E-3",
        "6.022_1e+2_3", "inf", "-nan", "true"}) {
    EXPECT_THAT(toml_errors("id = " + value + "#"), ElementsAre(HasSubstr("id is"))) << value;
    EXPECT_THAT(toml_errors("seq_lengths = [" + value + ",'a']"),
                ElementsAre(HasSubstr("seq_lengths")))
        << value;
  }
}

TEST(ReadToml, ManyConfigurations) {
  std::string text;
  for (int i = 1; i <= 5000; ++i)
    text += "[[configuration]]\nhidden_size = " + std::to_string(i) + "\n";
  const auto inputs = read_toml(text, "f.toml");
  ASSERT_TRUE(inputs);
  ASSERT_EQ(inputs->size(), 5000U);
  EXPECT_EQ(inputs->back().config.input_size, 5000);
}

class ReadFile : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view text) const {
    const auto path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST_F(ReadFile, ByItsEnding) {
  EXPECT_EQ(read_config_file(write("a.toml", "hidden_size = 3"))->at(0).config.hidden_size, 3);
  EXPECT_EQ(read_config_file(write("a.json", "{\n\"hidden_size\": 4}"))->at(0).config.hidden_size,
            4);
  EXPECT_EQ(read_config_file(write("a.jsonl", "{\"hidden_size\": 5}\n{}\n"))->size(), 2U);
}

TEST_F(ReadFile, WhatCannotBeRead) {
  const auto error = [](const std::string& path) { return read_config_file(path).error().at(0); };
  EXPECT_EQ(error((folder_ / "none.toml").string()).code, ErrorCode::not_found);
  std::filesystem::create_directory(folder_ / "d.toml");
  EXPECT_THAT(error((folder_ / "d.toml").string()).message, HasSubstr("is a folder"));
  EXPECT_THAT(error(write("a.yaml", "")).message,
              HasSubstr("does not end in .toml, .jsonl or .json"));
  EXPECT_EQ(error(write("b.toml", "x = 1")).where->file, (folder_ / "b.toml").string());
}

}  // namespace
}  // namespace rnnadvisor
