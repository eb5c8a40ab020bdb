// What the cards say of configurations that were measured, against the measurement: every
// configuration of tests/data/h200 is judged as if it had only been written down, and then
//   - an algorithm that a finding suggests must have been accepted, and faster where both were
//   timed;
//   - a finding of severity `error` must name a configuration that cuDNN refused;
//   - a configuration whose descriptor or sizes cuDNN refused must have a finding of severity
//   `error`.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "advisor/change/transform.h"
#include "advisor/judge/judge.h"
#include "advisor/rules/rule.h"
#include "core/config/read_config.h"

namespace rnnadvisor::advisor {
namespace {

struct Row {
  RnnConfig config;
  bool accepted_sizes = false;  // descriptor and temporary space
  bool refused = false;         // any attempted stage
  bool executed = false;        // stages beyond the sizes were attempted
  std::map<std::string, double> ms;
};

// By everything but the algorithm.
using Group = std::map<Algo, Row>;

std::map<std::string, Group> read(const std::string& name) {
  std::map<std::string, Group> groups;
  std::ifstream file(std::string(RNNADVISOR_SOURCE_DIR "/tests/data/h200/") + name);
  std::string line;
  int number = 0;
  while (std::getline(file, line)) {
    auto input = read_json_line(line, name, ++number);
    EXPECT_TRUE(input) << name << ":" << number;
    if (!input) continue;
    Row row;
    row.config = input->config;
    const auto json = nlohmann::json::parse(line);
    const auto& status = json.at("status");
    row.accepted_sizes = status.at("set_descriptor") == 0 && status.at("temp_space") == 0;
    for (const auto& [stage, value] : status.items()) row.refused |= value != 0;
    row.executed = status.contains("backward_data");
    if (json.contains("ms")) row.ms = json.at("ms").get<std::map<std::string, double>>();
    RnnConfig key = row.config;
    key.algo = Algo::standard;
    groups[to_json_line(key)].insert_or_assign(row.config.algo, row);
  }
  return groups;
}

Judgement judged(const RnnConfig& config) {
  Profile profile;
  profile.devices.push_back(*find_device("nvidia-h200"));
  Configuration configuration;
  configuration.config = config;
  profile.configurations.push_back(configuration);
  return judge(profile, builtin_rules());
}

double step(const Row& row) {
  double sum = 0;
  for (const char* phase : {"forward_training", "backward_data", "backward_weights"}) {
    const auto found = row.ms.find(phase);
    if (found == row.ms.end() || found->second <= 0) return 0;
    sum += found->second;
  }
  return sum;
}

class MeasuredAdvice : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredAdvice, SuggestedAlgorithmsWereAcceptedAndFaster) {
  int compared = 0;
  for (const auto& [key, group] : read(GetParam())) {
    for (const auto& [algo, row] : group) {
      for (const auto& finding : judged(row.config).findings) {
        for (const auto& suggestion : finding.suggestions) {
          // Sizes that go with it were not measured.
          if (!suggestion.transform || suggestion.transform->kind != "algo" ||
              !suggestion.with.empty())
            continue;
          const auto changed = apply(*suggestion.transform, row.config);
          ASSERT_TRUE(changed) << finding.rule_id;
          const auto other = group.find(changed->algo);
          if (other == group.end()) continue;
          EXPECT_FALSE(other->second.refused)
              << finding.rule_id << " suggests " << to_string(changed->algo) << " for "
              << summary(row.config);
          const double now = step(row);
          const double then = step(other->second);
          // Findings about speed must be right about it. bfloat16 runs the same kernels under any
          // name.
          const bool about_speed =
              finding.severity != Severity::error && row.config.data_type != DataType::bfloat16;
          if (now <= 0 || then <= 0 || !about_speed) continue;
          ++compared;
          EXPECT_LT(then, now) << finding.rule_id << " suggests " << to_string(changed->algo)
                               << " for " << summary(row.config) << ": " << now << " ms now, "
                               << then << " ms then";
        }
      }
    }
  }
  if (std::string_view(GetParam()) == "kernels.jsonl") {
    EXPECT_GT(compared, 50);
  }
}

TEST_P(MeasuredAdvice, ErrorsAreRefusalsAndRefusalsAreErrors) {
  int errors = 0;
  for (const auto& [key, group] : read(GetParam())) {
    for (const auto& [algo, row] : group) {
      std::vector<std::string> found;
      for (const auto& finding : judged(row.config).findings) {
        // Only the backward pass itself shows its limit.
        if (finding.rule_id.starts_with("persistence/small-h-backward-limit") && !row.executed)
          continue;
        // Wrong results are no refusal: cuDNN computes them.
        if (finding.rule_id.starts_with("algorithm/small-h-wrong-")) continue;
        // Memory is not what cuDNN asks about.
        if (finding.severity == Severity::error && !finding.rule_id.starts_with("memory/"))
          found.push_back(finding.rule_id);
      }
      errors += static_cast<int>(found.size());
      if (!found.empty()) {
        EXPECT_TRUE(row.refused) << testing::PrintToString(found) << " for " << summary(row.config);
      }
      if (!row.accepted_sizes) {
        EXPECT_FALSE(found.empty()) << "nothing explains the refusal of " << summary(row.config);
      }
    }
  }
  if (std::string_view(GetParam()) == "temp-space.jsonl") {
    EXPECT_GT(errors, 500);
  }
}

std::string test_name(const testing::TestParamInfo<const char*>& file) {
  std::string name = file.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(H200, MeasuredAdvice,
                         testing::Values("eligibility.jsonl", "guide-figures-9-10.jsonl",
                                         "kernels.jsonl", "temp-space.jsonl"),
                         test_name);

}  // namespace
}  // namespace rnnadvisor::advisor
