#include "advisor/cli/sweep_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advisor/cli/profile_parts.h"
#include "profiler/profile/check.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ConfigInput input(const std::string& id, int batch_size = 8) {
  ConfigInput result;
  result.config.id = id;
  result.config.batch_size = batch_size;
  return result;
}

SweepPlan plan_of(std::initializer_list<const char*> ids) {
  SweepPlan plan;
  for (const char* id : ids) plan.configurations.push_back(input(id));
  return plan;
}

Profile profile_of(const std::vector<std::pair<std::string, Outcome>>& results) {
  ProfileBuilder builder;
  for (const auto& [id, outcome] : results) builder.append(fake_result(input(id), outcome));
  return builder.finish();
}

std::vector<std::string> ids(const Profile& profile) {
  std::vector<std::string> list;
  for (const auto& configuration : profile.configurations) list.push_back(configuration.config.id);
  return list;
}

// Every kernel still belongs to the call of the configuration that it names.
void expect_consistent(const Profile& profile) {
  ASSERT_EQ(profile.kernels.call.size(), profile.kernels.size());
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const int call = profile.kernels.call[i];
    ASSERT_GE(call, 0);
    ASSERT_LT(call, static_cast<int>(profile.calls.size()));
    const int configuration = profile.calls[static_cast<std::size_t>(call)].configuration;
    ASSERT_GE(configuration, 0);
    ASSERT_LT(configuration, static_cast<int>(profile.configurations.size()));
    EXPECT_EQ(
        profile.text(profile.kernels.name[i]),
        "kernel of " + profile.configurations[static_cast<std::size_t>(configuration)].config.id);
  }
}

TEST(Resumption, NothingEarlierMeansEverythingIsRun) {
  const auto resumption = plan_resumption(plan_of({"a", "b"}), nullptr);
  EXPECT_THAT(resumption.to_run, ElementsAre(0, 1));
  EXPECT_THAT(resumption.kept, IsEmpty());
}

TEST(Resumption, FinalResultsAreKeptOthersRunAgain) {
  const Profile earlier = profile_of({{"done", Outcome::completed},
                                      {"refused", Outcome::refused},
                                      {"too-large", Outcome::out_of_memory_predicted},
                                      {"crashed", Outcome::crashed},
                                      {"interrupted", Outcome::interrupted},
                                      {"failed", Outcome::failed},
                                      {"late", Outcome::timed_out},
                                      {"other", Outcome::crashed}});
  const auto plan =
      plan_of({"late", "failed", "interrupted", "crashed", "too-large", "refused", "done", "new"});
  const auto resumption = plan_resumption(plan, &earlier);
  EXPECT_THAT(resumption.to_run, ElementsAre(0, 1, 2, 3, 7));
  EXPECT_THAT(resumption.kept,
              ElementsAre(0, 1, 2, 7));  // "other" is not of this plan, but is not lost
  EXPECT_EQ(resumption.in_plan, 3);
}

TEST(Resumption, EqualConfigurationsAreMatchedOneToOne) {
  const Profile earlier = profile_of({{"a", Outcome::completed}});
  EXPECT_THAT(plan_resumption(plan_of({"a", "a", "a"}), &earlier).to_run, ElementsAre(1, 2));
}

TEST(Resumption, AnotherNameOrFieldIsAnotherConfiguration) {
  const Profile earlier = profile_of({{"a", Outcome::completed}});
  SweepPlan plan;
  plan.configurations = {input("a", 9), input("b", 8)};
  EXPECT_THAT(plan_resumption(plan, &earlier).to_run, ElementsAre(0, 1));
}

TEST(ProfileParts, SelectionRenumbersEverything) {
  const Profile whole =
      profile_of({{"a", Outcome::completed}, {"b", Outcome::completed}, {"c", Outcome::completed}});
  expect_consistent(whole);
  const std::vector<int> order = {2, 0};
  const Profile part = select_configurations(whole, order);
  EXPECT_THAT(ids(part), ElementsAre("c", "a"));
  EXPECT_EQ(part.calls.size(), 2u);
  EXPECT_EQ(part.kernels.size(), 2u);
  expect_consistent(part);
}

TEST(ProfileParts, SelectionKeepsWhatBelongsToItsCalls) {
  ProfileBuilder builder;
  const int gone = builder.add_configuration({}), kept = builder.add_configuration({});
  for (const int configuration : {gone, kept}) {
    RnnCall forward;
    forward.configuration = configuration;
    RnnCall backward = forward;
    backward.phase = Phase::backward_data;
    backward.forward = builder.add_call(forward);
    const int call = builder.add_call(backward);
    SetupRecord setup;
    setup.call.configuration = configuration;
    setup.function = configuration == kept ? "cudnnBuildRNNDynamic" : "of the one left out";
    builder.add_setup(setup);
    builder.add_allocation({call + 1, 64, 0x1000 + call, false, -1, -1, 0, call});
  }
  const std::vector<int> order = {kept};
  const Profile part = select_configurations(builder.finish(), order);
  const auto whole = check_profile(part, ErrorCode::internal);
  ASSERT_TRUE(whole) << to_text(whole.error());
  ASSERT_EQ(part.calls.size(), 2U);
  EXPECT_EQ(part.calls[0].forward, -1);
  EXPECT_EQ(part.calls[1].forward, 0);
  ASSERT_EQ(part.setup_calls.size(), 1U);
  EXPECT_EQ(part.setup_calls[0].configuration, 0);
  EXPECT_EQ(part.text(part.setup_calls[0].function), "cudnnBuildRNNDynamic");
  EXPECT_EQ(part.allocations.call, (std::vector<int>{-1, 1})) << "memory outlives its call";
}

TEST(ProfileParts, MergeKeepsOneResultOfEachConfiguration) {
  std::vector<Profile> parts;
  parts.push_back(profile_of({{"a", Outcome::crashed}, {"b", Outcome::completed}}));
  parts.push_back(profile_of({{"a", Outcome::completed}, {"b", Outcome::completed}}));
  parts[0].figures.push_back({"f", "", "batch_size", "", "training_ms", "", "", {}});
  parts[1].figures.push_back({"f", "", "batch_size", "", "training_ms", "", "", {}});
  const auto merged = merge_profiles(parts);
  EXPECT_THAT(ids(merged.profile), ElementsAre("a", "b"));
  EXPECT_EQ(merged.profile.configurations[0].outcome, Outcome::completed);
  EXPECT_EQ(merged.left_out, 2);
  EXPECT_EQ(merged.profile.figures.size(), 1u);
  expect_consistent(merged.profile);
}

// Times that the files do not agree on are told, also of configurations with other names.
TEST(ProfileParts, MergeTellsWhichTimesAreApart) {
  const auto recorded = [](const char* name, double forward, double backward) {
    Profile profile = profile_of({{name, Outcome::completed}});
    profile.configurations[0].timings.clear();
    for (const auto& [phase, ms] :
         {std::pair{Phase::forward_training, forward}, std::pair{Phase::backward_data, backward}}) {
      PhaseTiming timing;
      timing.phase = phase;
      timing.ms = {ms, 0.97 * ms, 1.03 * ms, 0.96, 7};
      profile.configurations[0].timings.push_back(timing);
    }
    return profile;
  };
  std::vector<Profile> parts = {recorded("a", 7.3, 5.0), recorded("b", 10.6, 5.1)};
  const auto merged = merge_profiles(parts);
  ASSERT_TRUE(merged.apart);
  EXPECT_EQ(merged.apart->least_ms, 7.3);
  EXPECT_EQ(merged.apart->most_ms, 10.6);
  EXPECT_EQ(merged.apart->least_in, 0u);
  EXPECT_EQ(merged.apart->most_in, 1u);
  EXPECT_EQ(merged.apart->calls, 1);
  parts[1] = recorded("a", 7.4, 4.9);
  EXPECT_FALSE(merge_profiles(parts).apart);

  const TemporaryFolder folder;
  ASSERT_TRUE(write_profile(recorded("a", 7.3, 5.0), folder / "1.rnnprof"));
  ASSERT_TRUE(write_profile(recorded("a", 10.6, 5.1), folder / "2.rnnprof"));
  const auto called =
      call({"merge", folder / "1.rnnprof", folder / "2.rnnprof", "-o", folder / "m.rnnprof"});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(called.err, ::testing::HasSubstr("7.30 ms in " + (folder / "1.rnnprof")));
  EXPECT_THAT(called.err, ::testing::HasSubstr("10.6 ms in " + (folder / "2.rnnprof")));
}

// One profile for each rank of a program: all run the same, and nothing of any is left out.
TEST(ProfileParts, MergePutsTheRanksOfAProgramTogether) {
  std::vector<Profile> parts;
  for (int rank = 0; rank < 3; ++rank) {
    ProfileBuilder builder;
    builder.add_device(*find_device("h200"));
    Process process;
    process.pid = 100 + rank;
    process.host = "node";
    process.start_ns = 1000 + rank;
    process.rank = rank;
    builder.add_process(process);
    Configuration configuration;
    configuration.config.id = "same";
    configuration.origin = Origin::captured;
    configuration.outcome = rank == 0 ? Outcome::refused : Outcome::completed;
    PhaseTiming timing;
    timing.phase = Phase::forward_training;
    timing.samples_ms = {1.0 + rank, 2.0 + rank};
    timing.ms = median_interval(timing.samples_ms);
    configuration.timings.push_back(timing);
    builder.add_configuration(configuration);
    for (int i = 0; i < 2; ++i) {
      RnnCall call;
      call.configuration = 0;
      call.process = 0;
      call.phase = Phase::forward_training;
      call.source = CallSource::hook;
      call.host_start_ns = 2000 + i;
      call.host_end_ns = 2001 + i;
      builder.add_call(call);
    }
    parts.push_back(builder.finish());
  }
  const auto merged = merge_profiles(parts);
  EXPECT_EQ(merged.left_out, 0);
  const Profile& p = merged.profile;
  ASSERT_EQ(p.configurations.size(), 1u);
  EXPECT_EQ(p.configurations[0].outcome, Outcome::completed);
  ASSERT_EQ(p.configurations[0].timings.size(), 1u);
  EXPECT_THAT(p.configurations[0].timings[0].samples_ms,
              ::testing::UnorderedElementsAre(1, 2, 2, 3, 3, 4));
  EXPECT_EQ(p.configurations[0].timings[0].ms.median, 2.5);
  ASSERT_EQ(p.processes.size(), 3u);
  ASSERT_EQ(p.calls.size(), 6u);
  std::map<int, int> calls;
  for (const auto& call : p.calls) {
    EXPECT_EQ(call.configuration, 0);
    ++calls[call.process];
  }
  EXPECT_THAT(calls,
              ElementsAre(::testing::Pair(0, 2), ::testing::Pair(1, 2), ::testing::Pair(2, 2)));
  expect_consistent(p);
}

TEST(RunSweep, ResultsComeInTheOrderOfThePlan) {
  TemporaryFolder folder;
  FakeMachine machine;
  const Profile earlier = profile_of({{"c", Outcome::completed}, {"other", Outcome::completed}});
  SweepRun sweep;
  sweep.plan = plan_of({"a", "b", "c", "d"});
  sweep.plan.figures.push_back({"f", "", "batch_size", "", "training_ms", "", "", {}});
  sweep.path = folder / "x.rnnprof";
  sweep.earlier = &earlier;
  std::vector<std::pair<int, int>> progress;
  sweep.on_progress = [&](int finished, int total, const Configuration&) {
    progress.emplace_back(finished, total);
  };
  const auto profile = run_sweep(sweep, machine.services().run_configurations);
  ASSERT_TRUE(profile);
  EXPECT_THAT(machine.ran, ElementsAre("a", "b", "d"));
  EXPECT_THAT(ids(*profile), ElementsAre("a", "b", "c", "d", "other"));
  EXPECT_THAT(progress, ElementsAre(std::pair(2, 4), std::pair(3, 4), std::pair(4, 4)));
  EXPECT_EQ(profile->figures.size(), 1u);
  expect_consistent(*profile);
  const auto written = read_profile(sweep.path);
  ASSERT_TRUE(written);
  EXPECT_EQ(ids(*written), ids(*profile));
}

TEST(RunSweep, PartialResultsAreSavedWhileItRuns) {
  TemporaryFolder folder;
  SweepRun sweep;
  sweep.plan = plan_of({"a", "b", "c"});
  sweep.path = folder / "x.rnnprof";
  sweep.save_every_seconds = 0;
  std::vector<std::size_t> saved;
  const auto run = [&](const RunRequest& request) -> Result<Profile> {
    int finished = 0;
    for (const auto& configuration : request.configurations) {
      const Profile one = fake_result(configuration);
      request.on_progress({++finished, 3, &one});
      if (const auto file = read_profile(sweep.path)) saved.push_back(file->configurations.size());
    }
    return fail(ErrorCode::cuda, "the GPU fell off the bus");
  };
  const auto profile = run_sweep(sweep, run);
  ASSERT_FALSE(profile);
  EXPECT_THAT(profile.error().message, HasSubstr("fell off"));
  ASSERT_FALSE(saved.empty());
  EXPECT_EQ(saved.front(), 1u);
  // What was measured before the failure is in the file, and the next attempt goes on there.
  const auto file = read_profile(sweep.path);
  ASSERT_TRUE(file);
  EXPECT_THAT(ids(*file), ElementsAre("a", "b", "c"));
  EXPECT_THAT(plan_resumption(sweep.plan, &*file).to_run, IsEmpty());
}

TEST(SweepCommand, InterruptedThenResumedThenMergedFromShards) {
  TemporaryFolder folder;
  const auto sweep = folder / "s.toml";
  write_text_file(sweep, "[[sweep]]\nid = \"B{batch_size}\"\ngrid.batch_size = [8, 16, 24, 32]\n");
  const auto path = folder / "s.rnnprof";
  FakeMachine machine;
  machine.stop_after = 2;
  auto called = call({"sweep", sweep, "-o", path}, machine.services());
  EXPECT_EQ(called.status, 130) << called.err;
  EXPECT_THAT(machine.ran, ElementsAre("B8", "B16"));
  EXPECT_THAT(called.err, HasSubstr("2 of 4 configurations were not finished"));

  FakeMachine again;
  called = call({"sweep", sweep, "-o", path}, again.services());
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_THAT(again.ran, ElementsAre("B24", "B32"));
  EXPECT_THAT(ids(*read_profile(path)), ElementsAre("B8", "B16", "B24", "B32"));

  FakeMachine done;
  EXPECT_EQ(call({"sweep", sweep, "-o", path}, done.services()).status, 0);
  EXPECT_THAT(done.ran, IsEmpty());

  FakeMachine anew;
  EXPECT_EQ(call({"sweep", sweep, "-o", path, "--force"}, anew.services()).status, 0);
  EXPECT_EQ(anew.ran.size(), 4u);

  FakeMachine first, second;
  EXPECT_EQ(call({"sweep", sweep, "-o", folder / "1", "--shard", "1/2"}, first.services()).status,
            0);
  EXPECT_EQ(call({"sweep", sweep, "-o", folder / "2", "--shard", "2/2"}, second.services()).status,
            0);
  EXPECT_THAT(first.ran, ElementsAre("B8", "B24"));
  EXPECT_THAT(second.ran, ElementsAre("B16", "B32"));
  EXPECT_EQ(call({"merge", folder / "1", folder / "2", "-o", folder / "all"}).status, 0);
  EXPECT_EQ(read_profile(folder / "all")->configurations.size(), 4u);
  EXPECT_EQ(call({"merge", folder / "1", "-o", folder / "all"}).status, 2);  // exists
}

TEST(SweepCommand, SaysWhenTheFileIsOfAnotherGpu) {
  TemporaryFolder folder;
  const auto path = folder / "x.rnnprof";
  FakeMachine machine;  // its results are an H200's
  ASSERT_EQ(call({"sweep", "sample:bfloat16-fallback", "-o", path}, machine.services()).status, 0);
  machine.gpu = true;  // the GPU that is asked for its name is an A100
  EXPECT_THAT(call({"sweep", "sample:bfloat16-fallback", "-o", path}, machine.services()).err,
              HasSubstr("was recorded on NVIDIA H200, this machine has"));
}

TEST(SweepCommand, ListAndDryRunRunNothing) {
  TemporaryFolder folder;
  FakeMachine machine;
  auto called = call({"sweep", "sample:guide-figure-10", "--list"}, machine.services());
  EXPECT_EQ(called.status, 0);
  EXPECT_EQ(std::count(called.out.begin(), called.out.end(), '\n'), 32);
  // What is listed is what check and run read.
  EXPECT_EQ(read_jsonl(called.out, "list")->size(), 32u);
  called = call({"sweep", "sample:guide-figure-10", "--dry-run", "-o", folder / "x.rnnprof"},
                machine.services());
  EXPECT_EQ(called.status, 0);
  EXPECT_THAT(called.out, HasSubstr("32 configurations, 32 to run"));
  EXPECT_THAT(machine.requests, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder / "x.rnnprof"));
}

TEST(SweepCommand, AFileThatIsNoProfileIsNotReplaced) {
  TemporaryFolder folder;
  const auto path = folder / "notes.txt";
  write_text_file(path, "my notes");
  FakeMachine machine;
  const auto called = call({"sweep", "sample:gnmt", "-o", path}, machine.services());
  EXPECT_EQ(called.status, 2) << called.err;
  EXPECT_EQ(read_text(path), "my notes");
  EXPECT_THAT(machine.requests, IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor::cli
