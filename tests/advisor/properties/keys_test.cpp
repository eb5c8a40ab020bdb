// Every key in every framework: what is not followed is named and changes nothing, and what a
// finding is about has a line of its own in the user's file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "advisor/cli/batch.h"
#include "advisor/cli/configurations.h"
#include "advisor/facts/framework_call.h"
#include "advisor/judge/judge.h"
#include "advisor/report/report.h"
#include "advisor/report/source_places.h"
#include "advisor/sweep/config_fields.h"
#include "core/config/key_positions.h"
#include "core/config/key_scope.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/properties/drawn_configurations.h"
#include "tests/effort.h"

namespace rnnadvisor {
namespace {

using test::Drawn;
using ::testing::HasSubstr;

const std::vector<std::optional<Framework>> frameworks = [] {
  std::vector<std::optional<Framework>> all = {std::nullopt};
  for (std::size_t i = 0; i < Spellings<Framework>::values.size(); ++i)
    all.emplace_back(static_cast<Framework>(i));
  return all;
}();

// What can be given for a key of the program.
std::vector<std::string> values_of(std::string_view key) {
  if (key == "pointer_alignment") return {"2", "16"};
  if (key == "recurrent_dropout") return {"0", "0.5"};
  if (key == "activation") return {"tanh", "relu"};
  if (key == "recurrent_activation") return {"sigmoid", "relu"};
  if (key == "version") return {"2.11.0"};
  if (key == "cudnn_version") return {"7.0.5", "8.5.0", "9.19.0"};
  return advisor::find_field("framework." + std::string(key))->words;
}

// A finding as it is read.
using Told = std::vector<std::pair<std::string, std::string>>;

struct Judged {
  explicit Judged(const Drawn& drawn)
      : call(advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device)) {
    const auto profile = cli::static_profile({drawn.input}, *drawn.device, "test");
    for (const auto& finding : advisor::judge(profile, advisor::builtin_rules(), {}).findings) {
      if (finding.rule_id == "descriptor/ignored-keys") {
        ignored = finding.message;
      } else {
        told.emplace_back(finding.rule_id, finding.message);
      }
    }
  }

  bool equals(const Judged& other) const {
    return call.config == other.call.config && call.cudnn == other.call.cudnn &&
           call.clause == other.call.clause && call.stops == other.call.stops && told == other.told;
  }

  advisor::FrameworkCall call;
  Told told;
  std::string ignored;
};

// One draw with a framework and some of the other keys around it, with and without a key.
struct Pair {
  Drawn without, with;
};

Pair draw_pair(std::mt19937_64& random, std::uint64_t number, std::optional<Framework> framework,
               const KeyScope& scope, const std::string& value) {
  Drawn drawn = test::draw_configurations(number, 1).front();
  drawn.input.program = {};
  drawn.input.program.name = framework;
  for (const auto& other : key_scopes) {
    if (other.key == "name" || other.key == scope.key || random() % 4 != 0) continue;
    // A cell of its own ends most questions.
    if ((other.key == "custom_cell" || other.key == "layer_norm") && random() % 4 != 0) continue;
    const auto choices = values_of(other.key);
    EXPECT_TRUE(set_field(drawn.input, "framework." + std::string(other.key),
                          choices[random() % choices.size()]));
  }
  Pair pair{drawn, drawn};
  EXPECT_TRUE(set_field(pair.with.input, "framework." + std::string(scope.key), value))
      << scope.key << " " << value;
  return pair;
}

TEST(Keys, WhatMeansNothingIsNamedAndChangesNothing) {
  std::mt19937_64 random(18);
  const int rounds = std::max(1, test::draws() / 1000);
  std::uint64_t number = 5'000'000;
  int out_of_scope = 0;
  for (const auto& scope : key_scopes) {
    if (scope.key == "name") continue;
    for (const auto framework : frameworks) {
      for (int round = 0; round < rounds; ++round) {
        for (const auto& value : values_of(scope.key)) {
          const Pair pair = draw_pair(random, number++, framework, scope, value);
          const bool nothing =
              !why_out_of_scope(scope, framework, pair.with.input.config.cell).empty();
          out_of_scope += nothing ? 1 : 0;
          const Judged with(pair.with);
          const std::string said = "framework." + std::string(scope.key) + " = " + value + " is";
          const std::string label = said + ": " + to_json_line(pair.with.input);
          EXPECT_EQ(with.ignored.find(said) != std::string::npos, nothing) << label;
          if (!nothing) continue;
          EXPECT_TRUE(with.equals(Judged(pair.without))) << label;
          cli::BatchOptions options;
          options.device = pair.with.device;
          EXPECT_THAT(cli::answer_line(pair.with.input, options),
                      HasSubstr("\"key\": \"framework." + std::string(scope.key) + "\""))
              << label;
        }
      }
    }
  }
  EXPECT_GT(out_of_scope, 300 * rounds);
}

// Else it would be ignored without a word.
TEST(Keys, EachMeansSomethingSomewhere) {
  std::mt19937_64 random(19);
  std::uint64_t number = 6'000'000;
  for (const auto& scope : key_scopes) {
    if (scope.key == "name" || scope.key == "version") continue;  // it is shown
    for (const auto framework : frameworks) {
      if (!scope.has(framework.value_or(Framework::cudnn_api))) continue;
      if (framework == Framework::jax && scope.cell == Cell::gru) continue;  // it has none
      bool changes = false;
      const auto values = values_of(scope.key);
      for (int round = 0; round < 1500 && !changes; ++round) {
        const Pair pair =
            draw_pair(random, number++, framework, scope, values[random() % values.size()]);
        changes = !Judged(pair.with).equals(Judged(pair.without));
      }
      EXPECT_TRUE(changes) << scope.key << " in " << framework_title(framework);
    }
  }
}

TEST(Keys, FitAndMapNameWhatIsIgnored) {
  cli::TemporaryFolder folder;
  const auto file = folder / "layers.jsonl";
  std::string text;
  std::vector<std::string> said;
  for (const auto& scope : key_scopes) {
    for (const auto framework : frameworks) {
      if (why_out_of_scope(scope, framework, Cell::lstm).empty()) continue;
      ConfigInput input;
      input.config.hidden_size = 64;
      input.program.name = framework;
      const auto value = values_of(scope.key).front();
      ASSERT_TRUE(set_field(input, "framework." + std::string(scope.key), value));
      text += to_json_line(input) + "\n";
      said.push_back("framework." + std::string(scope.key) + " = " + value +
                     " is ignored: " + why_out_of_scope(scope, framework, Cell::lstm) + ".");
    }
  }
  ASSERT_GT(said.size(), 150U);
  cli::write_text_file(file, text);
  const auto fit = nlohmann::json::parse(cli::call({"fit", file, "--device", "a100", "--json"}).out,
                                         nullptr, false);
  ASSERT_TRUE(fit.is_object());
  ASSERT_EQ(fit.at("fits").size(), said.size());
  const auto maps = nlohmann::json::parse(
      cli::call({"map", file, "--device", "a100", "--axes", "hidden-type", "--json"}).out, nullptr,
      false);
  ASSERT_TRUE(maps.is_object());
  ASSERT_EQ(maps.at("maps").size(), said.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    std::string found;
    for (const auto& key : fit.at("fits")[i].at("ignored"))
      found += key.at("key").get<std::string>() + " = " + key.at("given").get<std::string>() +
               " is ignored: " + key.at("why").get<std::string>() + ".";
    EXPECT_THAT(found, HasSubstr(said[i]));
    EXPECT_THAT(maps.at("maps")[i].at("remarks").dump(), HasSubstr(said[i]));
  }
}

TEST(Keys, CheckNamesWhatIsIgnoredAboveItsFindings) {
  const auto text = cli::call({"check", "--framework", "pytorch", "--algo", "persist_static",
                               "--data-type", "float", "--device", "h200"})
                        .out;
  const auto at = text.find("algo = persist_static is ignored: PyTorch asks cuDNN for standard.");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_LT(at, text.find("What to do first"));
}

// The configuration with every key that it names on a line of its own.
std::string as_toml(const ConfigInput& input) {
  std::string text = "# a comment\n", framework;
  const auto json = nlohmann::json::parse(to_json_line(input));
  for (const auto& [key, value] : json.items()) {
    if (key != "framework") {
      text += key + " = " + value.dump() + "\n";
      continue;
    }
    for (const auto& [inner, given] : value.items())
      framework += inner + " = " + given.dump() + "\n";
  }
  return framework.empty() ? text : text + "\n[framework]\n" + framework;
}

TEST(Keys, SarifPointsToTheLineOfAKey) {
  // One log of a device: most of a log is about the rules.
  std::map<const DeviceSpec*, std::vector<ConfigInput>> by_device;
  std::vector<std::vector<std::string>> lines;  // of the files, which are named by number
  advisor::SourcePlaces all;
  for (const auto& drawn :
       test::draw_configurations(7'000'000, static_cast<std::uint64_t>(test::draws()))) {
    const auto text = as_toml(drawn.input);
    auto read = read_toml(text, std::to_string(lines.size()) + ".toml");
    ASSERT_TRUE(read) << text;
    auto& file = lines.emplace_back(1);
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) file.push_back(line);
    all.keys.push_back(key_positions(text, read->front().position));
    by_device[drawn.device].push_back(std::move(read->front()));
  }
  int findings = 0, refusals = 0, ignored = 0;
  for (const auto& [device, inputs] : by_device) {
    const auto profile = cli::static_profile(inputs, *device, "test");
    const auto judgement = advisor::judge(profile, advisor::builtin_rules(), {});
    auto report = advisor::make_report(profile, judgement, advisor::builtin_rules());
    advisor::SourcePlaces places;
    for (auto& each : report.configurations) {
      each.position = inputs[static_cast<std::size_t>(each.index)].position;
      places.keys.push_back(all.keys[std::stoul(each.position->file)]);
    }
    const auto log = nlohmann::json::parse(advisor::write_sarif(report, places));
    for (const auto& result : log["runs"][0]["results"]) {
      const std::string rule = result["ruleId"];
      const auto& place = result["locations"][0]["physicalLocation"];
      const auto& file = lines.at(std::stoul(place["artifactLocation"]["uri"].get<std::string>()));
      const auto& line = file.at(place["region"]["startLine"].get<std::size_t>());
      EXPECT_THAT(line, HasSubstr(" = ")) << rule << " in\n" << testing::PrintToString(file);
      ++findings;
      if (rule == "descriptor/refusal-expected") ++refusals;
      if (rule != "descriptor/ignored-keys") continue;
      ++ignored;
      EXPECT_THAT(result["message"]["text"].get<std::string>(),
                  HasSubstr(line.substr(0, line.find(' ')) + " = "));
    }
  }
  EXPECT_GT(findings, test::draws() / 2);
  EXPECT_GT(refusals, 0);
  EXPECT_GT(ignored, 10);
}

}  // namespace
}  // namespace rnnadvisor
