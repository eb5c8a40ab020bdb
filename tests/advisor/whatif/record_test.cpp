#include "advisor/whatif/record.h"

#include <gmock/gmock.h>

#include "advisor/facts/experiments.h"
#include "advisor/whatif/trial.h"
#include "profiler/profile/check.h"
#include "profiler/profile/file.h"
#include "tests/advisor/whatif/stand_in.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RnnConfig encoder(int layers = 1) {
  RnnConfig config;
  config.id = "encoder";
  config.num_layers = layers;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  return config;
}

Profile captured_profile(const RnnConfig& config) {
  Profile profile;
  profile.devices = {*find_device("h200")};
  Configuration configuration;
  configuration.config = config;
  configuration.origin = Origin::captured;
  configuration.program.name = Framework::cudnn_api;
  profile.configurations.push_back(configuration);
  profile.notes.push_back({NoteSeverity::info, "note", "kept", 1});
  return profile;
}

Trial trial_of(const Profile& profile, std::vector<Transform> transforms, double after) {
  Trial trial;
  trial.configuration = 0;
  auto candidate = make_candidate(transforms, "a/rule", profile, 0, profile.devices.front(), {});
  EXPECT_TRUE(candidate) << candidate.error().message;
  trial.candidate = *candidate;
  ExperimentResult result;
  result.outcome = Outcome::completed;
  result.memory_bytes = 2000;
  VariantResult own;
  own.outcome = Outcome::completed;
  own.memory_bytes = 1500;
  own.shifts = {{"y", 1e-4, -1, -1}};
  for (const auto scope : {ExperimentScope::inference, ExperimentScope::forward_training,
                           ExperimentScope::training_step})
    own.timings.push_back(stand_in::timing(scope, 1.0, after, 21, 0.01));
  result.variants = {own};
  take_result(trial, profile.configurations[0].config, result, 0);
  return trial;
}

TEST(Record, OneExperimentWithItsConfiguration) {
  const auto profile = captured_profile(encoder());
  const auto trial =
      trial_of(profile, {*parse_transform("algo", R"({"value":"persist_static"})")}, 0.5);
  EXPECT_EQ(trial.verdict, ExperimentVerdict::confirmed);
  const auto made = with_trials(profile, std::span(&trial, 1), profile.devices[0]);
  ASSERT_EQ(made.experiments.size(), 1u);
  const auto& experiment = made.experiments[0];
  EXPECT_EQ(experiment.rule, "a/rule");
  EXPECT_EQ(experiment.where, "cudnn");
  EXPECT_EQ(experiment.meaning, "exact");
  EXPECT_EQ(experiment.device, 0);
  EXPECT_EQ(experiment.memory_before, 2000);
  EXPECT_EQ(experiment.memory_after, 1500);
  EXPECT_THAT(experiment.changed, ElementsAre(1));
  ASSERT_EQ(made.configurations.size(), 2u);
  const auto& changed = made.configurations[1];
  EXPECT_EQ(changed.config.algo, Algo::persist_static);
  EXPECT_EQ(changed.config.id, "encoder");
  EXPECT_EQ(changed.program, profile.configurations[0].program);
  EXPECT_EQ(changed.origin, Origin::run);
  ASSERT_NE(changed.timing(Phase::forward_training), nullptr);
  EXPECT_DOUBLE_EQ(changed.timing(Phase::forward_training)->ms.median, 0.5);
  EXPECT_EQ(changed.timing(Phase::forward_training)->samples_ms.size(), 21u);
  EXPECT_EQ(changed.timing(Phase::backward_data), nullptr) << "was not measured by itself";
  // The original is as it was.
  EXPECT_EQ(made.configurations[0].config, profile.configurations[0].config);
  EXPECT_THAT(made.configurations[0].timings, IsEmpty());
  EXPECT_EQ(made.notes.size(), 1u);
  EXPECT_TRUE(check_profile(made, ErrorCode::internal));
}

TEST(Record, LayersThatAreEqualAreOneConfiguration) {
  const auto profile = captured_profile(encoder(4));
  const auto trial = trial_of(profile, {*parse_transform("split_layers", "{}")}, 0.5);
  const auto made = with_trials(profile, std::span(&trial, 1), profile.devices[0]);
  EXPECT_THAT(made.experiments[0].changed, ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(made.configurations.size(), 2u);
  EXPECT_THAT(made.configurations[1].timings, IsEmpty()) << "the time is that of all of them";
}

TEST(Record, AGraphChangesNoConfiguration) {
  const auto profile = captured_profile(encoder());
  const auto trial = trial_of(profile, {*parse_transform("cuda_graph", "{}")}, 0.5);
  const auto made = with_trials(profile, std::span(&trial, 1), profile.devices[0]);
  EXPECT_THAT(made.experiments[0].changed, IsEmpty());
  EXPECT_EQ(made.configurations.size(), 1u);
}

// A description that travels in the program has other words for --device, which a file has not.
TEST(Record, TheGpuOfAFileIsNotAddedAgain) {
  auto profile = captured_profile(encoder());
  profile.devices[0].aliases.clear();
  const auto trial = trial_of(profile, {*parse_transform("cuda_graph", "{}")}, 0.5);
  const auto shipped = *find_device("h200");
  ASSERT_FALSE(shipped.aliases.empty());
  const auto made = with_trials(profile, std::span(&trial, 1), shipped);
  EXPECT_EQ(made.devices, profile.devices);
  EXPECT_EQ(made.experiments[0].device, 0);
}

TEST(Record, AnotherGpuIsAdded) {
  const auto profile = captured_profile(encoder());
  const auto trial =
      trial_of(profile, {*parse_transform("algo", R"({"value":"persist_static"})")}, 0.5);
  const auto other = *find_device("a100");
  const auto made = with_trials(profile, std::span(&trial, 1), other);
  ASSERT_EQ(made.devices.size(), 2u);
  EXPECT_EQ(made.experiments[0].device, 1);
  EXPECT_EQ(made.configurations[1].device, 1);
  EXPECT_TRUE(check_profile(made, ErrorCode::internal));
}

TEST(Record, SurvivesTheFile) {
  const TemporaryFolder folder;
  const auto profile = captured_profile(encoder());
  const std::vector trials = {
      trial_of(profile, {*parse_transform("algo", R"({"value":"persist_static"})")}, 0.5),
      trial_of(profile, {*parse_transform("cuda_graph", "{}")}, 2.0)};
  EXPECT_EQ(trials[1].verdict, ExperimentVerdict::refuted);
  const auto made = with_trials(profile, trials, profile.devices[0]);
  const auto path = folder.file("verified.rnnprof");
  const auto written = write_profile(made, path);
  ASSERT_TRUE(written) << to_text(written.error());
  const auto read = read_profile(path);
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(read->experiments, made.experiments);
  EXPECT_EQ(tried_configurations(*read), tried_configurations(made));
}

TEST(Record, ATorchExperimentBringsItsCode) {
  auto profile = captured_profile(encoder());
  Experiment experiment;
  experiment.configuration = 0;
  experiment.where = "pytorch";
  experiment.transforms = R"([{"kind":"split_layers","parameters":{}}])";
  experiment.meaning = "exact";
  experiment.changed = {77};  // replaced by what is added
  experiment.code = {{"split.py", "python", "import torch\n"}};
  add_experiment(profile, experiment, {});
  ASSERT_EQ(profile.experiments.size(), 1u);
  EXPECT_THAT(profile.experiments[0].changed, IsEmpty());
  EXPECT_EQ(profile.experiments[0].code, experiment.code);
  EXPECT_TRUE(check_profile(profile, ErrorCode::internal));
}

}  // namespace
}  // namespace rnnadvisor::advisor
