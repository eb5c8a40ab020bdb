#include "advisor/cli/batch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/model/memory.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

BatchOptions h200() {
  static const DeviceSpec device = *find_device("nvidia-h200");
  BatchOptions options;
  options.device = &device;
  return options;
}

struct Batch {
  int status = -1;
  std::vector<std::string> answers;
};
Batch answer(const std::string& text, const BatchOptions& options = h200()) {
  std::istringstream in(text);
  std::string out;
  Batch batch;
  batch.status = answer_batch(
      in, "test.jsonl",
      [&](std::string_view answers, bool) {
        out += answers;
        return true;
      },
      options);
  batch.answers = lines(out);
  return batch;
}

// Every measured row: what was predicted is what cuDNN 9.19 did on an H200, and a size that is
// claimed exact is the recorded one.
class Measured : public ::testing::TestWithParam<const char*> {};

TEST_P(Measured, AnswersAgreeWithTheRecordedRows) {
  const auto text = read_text(std::string(RNNADVISOR_SOURCE_DIR "/tests/data/h200/") + GetParam());
  const auto rows = lines(text);
  ASSERT_GE(rows.size(), 100u);
  const auto batch = answer(text);
  EXPECT_EQ(batch.status, 0);
  ASSERT_EQ(batch.answers.size(), rows.size());
  static constexpr const char* stages[] = {"set_descriptor",   "temp_space",    "forward_inference",
                                           "forward_training", "backward_data", "backward_weights"};
  std::size_t exact = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = json::parse(rows[i]);
    const auto answered = json::parse(batch.answers[i]);
    EXPECT_EQ(answered["id"], row["id"]);
    EXPECT_EQ(answered["algo"], row["algo"]);
    for (const char* stage : stages) {
      if (!row["status"].contains(stage)) continue;
      EXPECT_EQ(answered["predicted"][stage].get<bool>(), row["status"][stage] == 0)
          << stage << " of " << rows[i];
    }
    const bool runs =
        row["status"].contains("forward_inference") && row["status"]["forward_inference"] == 0;
    EXPECT_EQ(
        answered["predicted"]["implementation"] != "none",
        runs || (!row["status"].contains("forward_inference") && row["status"]["temp_space"] == 0))
        << rows[i];
    const auto input = read_json_line(rows[i], "rows", static_cast<int>(i) + 1);
    ASSERT_TRUE(input);
    const auto sizes = model::space_sizes(input->config);
    const std::pair<const char*, model::Bytes> claims[] = {
        {"weights", sizes.weights},
        {"workspace_inference", sizes.workspace_inference},
        {"workspace_training", sizes.workspace_training},
        {"reserve_training", sizes.reserve_training}};
    for (const auto& [name, claim] : claims) {
      const auto recorded = row["bytes"][name].get<std::int64_t>();
      if (recorded == 0) {
        EXPECT_EQ(answered["bytes"][name], 0) << name << " of " << rows[i];
      } else if (claim.exactness == model::Exactness::exact) {
        ++exact;
        EXPECT_EQ(answered["bytes"][name], recorded) << name << " of " << rows[i];
      }
    }
  }
  EXPECT_GT(exact, rows.size() / 2);  // the comparison above was not empty
}
INSTANTIATE_TEST_SUITE_P(H200, Measured,
                         ::testing::Values("eligibility.jsonl", "guide-figures-9-10.jsonl",
                                           "temp-space.jsonl"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::erase_if(name, [](char c) {
                             return !std::isalnum(static_cast<unsigned char>(c));
                           });
                           return name;
                         });

TEST(Batch, AnAnswerHasExactlyThePromisedMembers) {
  const auto answered = json::parse(
      answer(
          R"({"id": "x", "cell": "lstm", "hidden_size": 1024, "algo": "persist_static", "data_type": "half"})")
          .answers.at(0));
  const json keys = [&] {
    json list = json::array();
    for (const auto& [key, value] : answered.items()) list.push_back(key);
    return list;
  }();
  EXPECT_EQ(keys, (json{"algo", "bytes", "calls_cudnn", "id", "predicted", "predicted_times"}));
  EXPECT_EQ(answered["predicted"].size(), 7u);
  EXPECT_EQ(answered["bytes"].size(), 5u);
  EXPECT_EQ(answered["predicted_times"].size(), 4u);
  EXPECT_EQ(answered["predicted"]["implementation"], "persistent");
}

TEST(Batch, WithoutIdThereIsNone) {
  EXPECT_FALSE(json::parse(answer(R"({"cell": "gru"})").answers.at(0)).contains("id"));
}

TEST(Batch, ALineThatIsWrongIsAnsweredAndTheOthersGoOn) {
  const auto batch = answer(
      "{\"id\": \"good\", \"cell\": \"lstm\"}\n"
      "\n"
      "# a comment\n"
      "{\"id\": \"bad\", \"cel\": \"lstm\"}\r\n"
      "{\"id\": 7, \"hidden_size\": -1}\n"
      "not json\n"
      "{\"id\": \"quote\\\"\\u0001\xC3\xA9\", \"hidden_size\": 1e99}\n"
      "\xFF\xFE\n"
      "[]\n"
      "{\"id\": \"last\"}");
  EXPECT_EQ(batch.status, 2);
  ASSERT_EQ(batch.answers.size(), 8u);
  EXPECT_EQ(json::parse(batch.answers[0])["id"], "good");
  const auto bad = json::parse(batch.answers[1]);
  EXPECT_EQ(bad["id"], "bad");
  EXPECT_THAT(bad["error"].get<std::string>(), HasSubstr("cel"));
  EXPECT_THAT(bad["error"].get<std::string>(), HasSubstr("test.jsonl:4"));
  EXPECT_EQ(json::parse(batch.answers[2])["id"], 7);
  EXPECT_FALSE(json::parse(batch.answers[3]).contains("id"));
  EXPECT_EQ(json::parse(batch.answers[4])["id"], "quote\"\x01\xC3\xA9");
  for (std::size_t i = 1; i < 7; ++i) {
    EXPECT_TRUE(json::parse(batch.answers[i]).contains("error")) << batch.answers[i];
  }
  EXPECT_EQ(json::parse(batch.answers[7])["id"], "last");
}

// Several threads answer them.
TEST(Batch, AnswersComeInTheOrderOfTheLines) {
  std::string text;
  constexpr int count = 1500;
  for (int i = 1; i <= count; ++i)
    text += i % 7 == 0 ? "no JSON\n" : fmt::format("{{\"id\": \"{}\"}}\n", i);
  const auto batch = answer(text);
  EXPECT_EQ(batch.status, 2);
  ASSERT_EQ(batch.answers.size(), std::size_t{count});
  for (int i = 1; i <= count; ++i) {
    const auto answered = json::parse(batch.answers[static_cast<std::size_t>(i) - 1]);
    if (i % 7 == 0) {
      EXPECT_THAT(answered["error"].get<std::string>(), HasSubstr(fmt::format(":{}:", i)));
    } else {
      EXPECT_EQ(answered["id"], std::to_string(i));
    }
  }
}

TEST(Batch, ResultsOfMeasurementsArePassedOver) {
  EXPECT_EQ(answer(R"({"cell": "lstm", "status": {"a": 1}, "bytes": {}, "ms": {}})").status, 0);
}

TEST(Batch, AVeryLongLineIsAnErrorNotACrash) {
  std::string text =
      "{\"id\": \"" + std::string(longest_batch_line + 10, 'x') + "\"}\n{\"id\": \"next\"}\n";
  const auto batch = answer(text);
  EXPECT_EQ(batch.status, 2);
  ASSERT_EQ(batch.answers.size(), 2u);
  EXPECT_TRUE(json::parse(batch.answers[0]).contains("error"));
  EXPECT_EQ(json::parse(batch.answers[1])["id"], "next");
}

TEST(Batch, EmptyInputHasNoAnswers) {
  EXPECT_EQ(answer("").status, 0);
  EXPECT_TRUE(answer("").answers.empty());
  EXPECT_TRUE(answer("\n\n").answers.empty());
}

TEST(Batch, FindingsStandBesideTheAnswer) {
  BatchOptions options = h200();
  options.rules = &advisor::builtin_rules();
  ASSERT_FALSE(options.rules->rules.empty());
  // H = 1000 in half misses what the persistent kernels ask for; T = 65536 is refused.
  const auto batch = answer(
      "{\"cell\": \"lstm\", \"data_type\": \"half\", \"hidden_size\": 1001, \"algo\": "
      "\"persist_static\"}\n"
      "{\"seq_length\": 65536}\n",
      options);
  EXPECT_EQ(batch.status, 0);
  for (const auto& line : batch.answers) {
    const auto findings = json::parse(line)["findings"];
    ASSERT_TRUE(findings.is_array());
    ASSERT_FALSE(findings.empty()) << line;
    for (const auto& finding : findings) {
      EXPECT_NE(options.rules->find(finding["rule"].get<std::string>()), nullptr);
      EXPECT_TRUE(finding["message"].is_string());
      EXPECT_TRUE(finding["suggestions"].is_array());
    }
  }
  options.fail_on = *parse_fail_on("info");
  EXPECT_EQ(answer("{\"seq_length\": 65536}\n", options).status, 1);
  options.judge.ignore = {};
  for (const auto& rule : options.rules->rules) options.judge.ignore.push_back(rule.id);
  EXPECT_EQ(
      json::parse(answer("{\"seq_length\": 65536}\n", options).answers.at(0))["findings"].size(),
      0u);
}

TEST(Batch, AnswersDoNotDependOnTheLinesBefore) {
  BatchOptions options = h200();
  options.rules = &advisor::builtin_rules();
  const std::string first = R"({"cell": "gru", "framework": {"name": "keras2", "unroll": true}})";
  const std::string second = R"({"cell": "lstm", "hidden_size": 1000})";
  const auto together = answer(first + "\n" + second + "\n", options);
  EXPECT_EQ(together.answers.at(1), answer(second, options).answers.at(0));
  EXPECT_EQ(together.answers.at(1), answer_line(*read_json_line(second, "x", 1), options));
}

TEST(BatchCommand, ReadsAFileAndWritesAnswersOnly) {
  TemporaryFolder folder;
  const auto path = folder / "in.jsonl";
  write_text_file(path, "{\"id\": \"a\"}\n{\"id\": \"b\", \"cell\": 3}\n");
  auto called = call(
      {"check", "--batch", path, "--device", "nvidia-h200", "--format", "jsonl", "--no-findings"});
  EXPECT_EQ(called.status, 2);
  EXPECT_EQ(lines(called.out).size(), 2u);
  EXPECT_EQ(called.err, "");
  const auto to_file =
      call({"check", "--batch", path, "--device", "h200", "--no-findings", "-o", folder / "out"});
  EXPECT_EQ(to_file.status, 2);
  EXPECT_EQ(read_text(folder / "out"), called.out);
  EXPECT_EQ(call({"check", "--batch", path, "-o", folder / "out"}).status, 2);  // exists
  EXPECT_EQ(call({"check", "--batch", path, "--format", "html"}).status, 2);
  EXPECT_EQ(call({"check", "--batch", path, "--cell", "lstm"}).status, 2);
  EXPECT_EQ(call({"check", "--batch", folder / "missing"}).status, 2);
  EXPECT_EQ(call({"check", "--batch", folder / "."}).status, 2);
}

}  // namespace
}  // namespace rnnadvisor::cli
