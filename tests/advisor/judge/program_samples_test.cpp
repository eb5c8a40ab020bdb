// The programs of samples/programs as they were recorded on a GPU: each shows first what it is
// there to show, or directly behind that it waits for launches, and nothing that it launched was
// lost on the way.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <string>

#include "advisor/facts/profile_index.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"
#include "core/config/toml/parse_toml.h"
#include "tests/advisor/judge/judged_recording.h"

namespace rnnadvisor::advisor {
namespace {

namespace fs = std::filesystem;

struct Program {
  std::string name, finding;
  bool waits = false;  // for launches, so that a graph of the whole step would gain more
};

std::vector<Program> programs() {
  std::ifstream file(RNNADVISOR_SOURCE_DIR "/samples/programs/programs.toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto table = toml_text::parse_toml(text, "programs.toml");
  std::vector<Program> found;
  if (!table) return found;
  for (const auto& node : *(*table)["program"].as_array()) {
    const auto& entry = *node.as_table();
    found.push_back({entry["name"].value_or(std::string()),
                     entry["finding"].value_or(std::string()), entry["waits"].value_or(false)});
  }
  return found;
}

fs::path recording(const std::string& name) {
  return fs::path(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs") / (name + ".rnnprof");
}

TEST(ProgramSamples, EveryFindingIsARule) {
  ASSERT_GE(programs().size(), 13U);
  for (const auto& program : programs())
    EXPECT_NE(builtin_rules().find(program.finding), nullptr) << program.name << program.finding;
}

TEST(ProgramSamples, EachIsRecordedAndNothingElse) {
  std::set<std::string> known;
  for (const auto& program : programs()) {
    EXPECT_TRUE(fs::exists(recording(program.name))) << program.name;
    known.insert(program.name + ".rnnprof");
  }
  for (const auto& file : fs::directory_iterator(recording("x").parent_path()))
    EXPECT_TRUE(known.contains(file.path().filename().string())) << file.path();
}

// The step as a CUDA graph, or why it cannot be one.
bool is_about_graphs(const Finding& finding) {
  return finding.rule_id == "launch/host-bound" || finding.rule_id == "launch/capture-forbidden";
}

TEST(ProgramSamples, TheRightCauseComesFirst) {
  for (const auto& program : programs()) {
    const auto& all = judged_recording(recording(program.name).string()).judgement.findings;
    const auto cause = std::find_if(all.begin(), all.end(), [&](const Finding& finding) {
      return finding.rule_id == program.finding;
    });
    ASSERT_NE(cause, all.end()) << program.name;
    // A cause that nothing can be done about within its framework is the first of the remarks.
    // Before another cause stands at most the graph of the step, where the program waits, and what
    // one command mends.
    if (is_remark(*cause)) {
      EXPECT_EQ(cause, std::find_if(all.begin(), all.end(), is_remark)) << program.name;
    } else {
      EXPECT_TRUE(std::all_of(all.begin(), cause, [&](const Finding& finding) {
        return (program.waits && is_about_graphs(finding)) ||
               (!finding.suggestions.empty() &&
                finding.suggestions.front().effort == Effort::command);
      })) << program.name;
    }
    if (program.waits) {
      const auto first = std::span(all).first(std::min<std::size_t>(all.size(), 3));
      EXPECT_TRUE(std::any_of(first.begin(), first.end(), is_about_graphs)) << program.name;
    }
  }
}

// A graph of the step is an estimate and needs code; the command needs neither code nor trust.
TEST(ProgramSamples, NoGraphStandsAboveACommandThatGainsAboutAsMuch) {
  int commands = 0;
  for (const auto& program : programs()) {
    const auto& [profile, judgement] = judged_recording(recording(program.name).string());
    const ProfileIndex index(profile);
    const auto saving = [&](const Finding& finding) {
      const auto share = share_of_step(index, finding.configuration, finding.gain->scope);
      return (share ? share->share : 1) * (1 - 1 / finding.gain->speedup);
    };
    double graph = 0;
    for (const auto& finding : judgement.findings) {
      if (is_remark(finding) || !finding.gain || finding.gain->basis != GainBasis::modelled ||
          finding.gain->changes.empty())
        continue;
      if (finding.gain->changes.front().kind == "cuda_graph" &&
          finding.gain->scope == "program step") {
        graph = saving(finding);
      } else if (finding.suggestions.front().effort == Effort::command) {
        ++commands;
        EXPECT_TRUE(graph == 0 || graph > 2 * saving(finding))
            << program.name << ": " << graph << " above " << saving(finding);
      }
    }
  }
  EXPECT_GT(commands, 0);
}

TEST(ProgramSamples, CallsHaveTheirKernelsAndTheirPlace) {
  for (const auto& program : programs()) {
    // These two show what runs without cuDNN.
    if (program.name == "pytorch-native-fallback" || program.name == "pytorch-custom-cell")
      continue;
    const Profile& profile = judged_recording(recording(program.name).string()).profile;
    std::set<int> with_kernels(profile.kernels.call.begin(), profile.kernels.call.end());
    ASSERT_GE(profile.calls.size(), 10U) << program.name;
    for (std::size_t i = 0; i < profile.calls.size(); ++i) {
      const auto& call = profile.calls[i];
      EXPECT_TRUE(call.untraced || with_kernels.contains(static_cast<int>(i)))
          << program.name << " call " << i;
      EXPECT_EQ(call.source, CallSource::hook);
      EXPECT_EQ(call.status, 0);
      // Python's lines; a backward call has that of its forward call.
      if (!program.name.starts_with("cpp-")) {
        EXPECT_GE(call.site, 0) << program.name << " call " << i;
      }
      // Autograd calls backward on a thread of its own, without the program's ranges.
      if (call.phase == Phase::forward_training && program.name != "jax-lstm") {
        EXPECT_GE(call.nvtx_path, 0) << program.name << " call " << i;
      }
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
