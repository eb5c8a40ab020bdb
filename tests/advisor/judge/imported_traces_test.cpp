// The same programs recorded both ways on H200 GPUs, by torch.profiler or jax.profiler
// (tests/data/traces) and by `rnnadvisor profile` (planted-programs.tar.xz and jax-programs.tar.xz
// in tests/gpu/results/h200): the same configurations, and the same findings but for those that
// need what a trace does not have (docs/importing.md).
//
// RNNADVISOR_TRACES=FOLDER compares all traces of tests/gpu/traces/record_traces.py in a folder and
// prints the score that docs/importing.md publishes.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "advisor/judge/judge.h"
#include "advisor/rules/rule.h"
#include "core/config/read_config.h"
#include "core/model/time_for_device.h"
#include "profiler/import/open_recording.h"
#include "profiler/profile/file.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsEmpty;

using Texts = std::set<std::string>;

// Lengths of single sequences are not in a trace; their sum is.
Texts configurations(const Profile& profile) {
  Texts texts;
  for (const auto& each : profile.configurations) {
    if (!each.described()) continue;
    RnnConfig config = each.config;
    const auto steps = config.used_steps();
    config.id.clear();
    config.seq_lengths.clear();
    texts.insert(to_json_line(config) + " " + std::to_string(steps));
  }
  return texts;
}

Texts findings(const Profile& profile) {
  JudgeOptions options;
  options.predict_for = model::predict_time_for;
  options.keep_verdicts = false;
  Texts rules;
  for (const auto& finding : judge(profile, builtin_rules(), options).findings)
    rules.insert(finding.rule_id);
  return rules;
}

Texts without(const Texts& all, const Texts& some) {
  Texts left;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(),
                      std::inserter(left, left.end()));
  return left;
}

// Where a trace and a recording of the same program are expected to differ, and why.
const Texts may_be_more = {
    "tracing/timed-by-trace",  // nothing in a trace was timed without the profiler
};
// "gru_classifier.tensorboard.json.gz" of the program gru-classifier.
std::string recording_of(const fs::path& trace) {
  auto name = trace.filename().string();
  name.resize(name.find('.'));
  std::replace(name.begin(), name.end(), '_', '-');
  return name == "language-model" ? "language-model-33-streams" : name;
}

struct Recordings {
  Recordings() {
    unpacked = true;
    for (const std::string name : {"planted-programs", "jax-programs"}) {
      const auto command = "tar -xJf " RNNADVISOR_SOURCE_DIR "/tests/gpu/results/h200/" + name +
                           ".tar.xz -C " + (folder / "");
      unpacked = unpacked && std::system(command.c_str()) == 0;
    }
  }
  TemporaryFolder folder;
  bool unpacked = false;
};

std::string joined(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) all += " " + text;
  return all;
}

TEST(ImportedTraces, AreJudgedAsRecordings) {
  const Recordings recordings;
  ASSERT_TRUE(recordings.unpacked);
  const char* more = std::getenv("RNNADVISOR_TRACES");
  const fs::path folder = more != nullptr ? more : RNNADVISOR_SOURCE_DIR "/tests/data/traces";
  int compared = 0, equal = 0, same = 0;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const auto name = file.filename().string();
    const auto recording = recordings.folder / (recording_of(file) + ".rnnprof");
    const bool described = name.ends_with(".xplane.pb.gz") ||
                           (name.ends_with(".json.gz") && !name.ends_with(".trace.json.gz") &&
                            name.find(".plain.") == std::string::npos);
    if (!described || !fs::exists(recording)) continue;
    SCOPED_TRACE(name);
    const auto imported = import_trace::open_recording(file.string());
    const auto recorded = read_profile(recording);
    ASSERT_TRUE(imported && recorded);
    const auto trace_rules = findings(*imported), own_rules = findings(*recorded);
    const auto missing = without(own_rules, trace_rules), added = without(trace_rules, own_rules);
    const bool one = configurations(*imported) == configurations(*recorded);
    ++compared;
    equal += one ? 1 : 0;
    same += missing.empty() && added.empty() ? 1 : 0;
    if (more != nullptr) {
      std::printf("%s: configurations %s; of %zu findings missing:%s; more:%s\n", name.c_str(),
                  one ? "equal" : "differ", own_rules.size(), joined(missing).c_str(),
                  joined(added).c_str());
      continue;
    }
    EXPECT_TRUE(one);
    EXPECT_THAT(missing, IsEmpty());
    EXPECT_THAT(without(added, name.starts_with("jax_") ? Texts() : may_be_more), IsEmpty());
  }
  if (more != nullptr)
    std::printf("%d traces: configurations of %d equal, findings of %d\n", compared, equal, same);
  EXPECT_GE(compared, 10);
}

// A step is as long as the range that the profiler's schedule marks.
TEST(ImportedTraces, TellHowLongAStepIs) {
  const auto imported = import_trace::open_recording(
      RNNADVISOR_SOURCE_DIR "/tests/data/traces/gru_classifier.tensorboard.json.gz");
  ASSERT_TRUE(imported);
  std::vector<double> spans;
  const auto& ranges = imported->nvtx;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (imported->text(ranges.name[i]) == "ProfilerStep")
      spans.push_back(static_cast<double>(ranges.end_ns[i] - ranges.start_ns[i]));
  ASSERT_EQ(spans.size(), 3U);
  const auto judged = judge(*imported, builtin_rules(), {});
  ASSERT_EQ(judged.steps.size(), 1U);
  EXPECT_EQ(judged.steps[0].untraced, 0);
  EXPECT_EQ(judged.steps[0].traced, 1);
  std::sort(spans.begin(), spans.end());
  EXPECT_GT(judged.steps[0].traced_ns, 0.8 * spans.front());
  EXPECT_LT(judged.steps[0].traced_ns, 1.2 * spans.back());
  // Without marks steps follow from the order of passes.
  const auto other =
      import_trace::open_recording(RNNADVISOR_SOURCE_DIR "/tests/data/traces/relu_rnn.json.gz");
  ASSERT_TRUE(other);
  const auto inferred = judge(*other, builtin_rules(), {});
  ASSERT_EQ(inferred.steps.size(), 1U);
  EXPECT_GE(inferred.steps[0].traced, 3);
  EXPECT_GT(inferred.steps[0].traced_ns, 1e6);
}

}  // namespace
}  // namespace rnnadvisor::advisor
