// The measured files are lists of configurations: every line reads, and survives being written and
// read again.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/config/read_config.h"

namespace rnnadvisor {
namespace {

class MeasuredFile : public testing::TestWithParam<std::pair<const char*, int>> {
 protected:
  static std::string path(const std::string& name) {
    return std::string(RNNADVISOR_SOURCE_DIR) + "/tests/data/h200/" + name;
  }
};

TEST_P(MeasuredFile, EveryLineReadsAndRoundTrips) {
  std::ifstream in(path(GetParam().first));
  std::string line;
  int lines = 0;
  while (std::getline(in, line)) {
    ++lines;
    const auto input = read_json_line(line, GetParam().first, lines);
    ASSERT_TRUE(input) << to_text(input.error());
    EXPECT_EQ(input->position.line, lines);
    const std::string written = to_json_line(*input);
    const auto again = read_json_line(written, "again", 1, {.pass_over_results = false});
    ASSERT_TRUE(again) << written << "\n" << to_text(again.error());
    ASSERT_EQ(again->config, input->config) << line;
    ASSERT_EQ(to_json_line(again->config), written);
  }
  EXPECT_EQ(lines, GetParam().second);
}

TEST_P(MeasuredFile, ReadsAsAFile) {
  const auto inputs = read_config_file(path(GetParam().first));
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->size(), static_cast<std::size_t>(GetParam().second));
}

TEST_P(MeasuredFile, ResultsAreUnknownKeysUnlessPassedOver) {
  std::ifstream in(path(GetParam().first));
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  const auto input = read_json_line(line, "x", 1, {.pass_over_results = false});
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().message, "unknown key 'status'");
}

INSTANTIATE_TEST_SUITE_P(H200, MeasuredFile,
                         testing::Values(std::pair("eligibility.jsonl", 500),
                                         std::pair("guide-figures-9-10.jsonl", 144),
                                         std::pair("kernels.jsonl", 428),
                                         std::pair("temp-space.jsonl", 1500)),
                         [](const auto& file) {
                           std::string name = file.param.first;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

TEST(MeasuredFile, OneLineReadsFieldByField) {
  std::ifstream in(std::string(RNNADVISOR_SOURCE_DIR) + "/tests/data/h200/eligibility.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  const auto input = read_json_line(line, "eligibility.jsonl", 1);
  ASSERT_TRUE(input);
  RnnConfig expected;
  expected.id = "A3";
  expected.algo = Algo::persist_static;
  expected.data_type = DataType::bfloat16;
  expected.math_type = MathType::fma;
  expected.direction = Direction::bidirectional;
  expected.input_size = 96;
  expected.hidden_size = 96;
  expected.proj_size = 48;
  expected.num_layers = 4;
  expected.seq_length = 16;
  expected.batch_size = 8;
  expected.layout = Layout::seq_major_packed;
  expected.padded_io = false;
  expected.dropout = 0.2;
  EXPECT_EQ(input->config, expected);
}

}  // namespace
}  // namespace rnnadvisor
