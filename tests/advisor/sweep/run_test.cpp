#include "advisor/sweep/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile/file.h"
#include "tests/profiler/merge/fake_result.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SweepPlan plan_of(std::initializer_list<const char*> ids) {
  SweepPlan plan;
  for (const char* id : ids) plan.configurations.push_back(fake_input(id));
  return plan;
}

TEST(Resumption, NothingEarlierMeansEverythingIsRun) {
  const auto resumption = plan_resumption(plan_of({"a", "b"}), nullptr);
  EXPECT_THAT(resumption.to_run, ElementsAre(0, 1));
  EXPECT_THAT(resumption.kept, IsEmpty());
}

TEST(Resumption, FinalResultsAreKeptOthersRunAgain) {
  const Profile earlier = fake_profile({{"done", Outcome::completed},
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
  const Profile earlier = fake_profile({{"a", Outcome::completed}});
  EXPECT_THAT(plan_resumption(plan_of({"a", "a", "a"}), &earlier).to_run, ElementsAre(1, 2));
}

TEST(Resumption, AnotherNameOrFieldIsAnotherConfiguration) {
  const Profile earlier = fake_profile({{"a", Outcome::completed}});
  SweepPlan plan;
  plan.configurations = {fake_input("a", 9), fake_input("b", 8)};
  EXPECT_THAT(plan_resumption(plan, &earlier).to_run, ElementsAre(0, 1));
}

TEST(RunSweep, ResultsComeInTheOrderOfThePlan) {
  TemporaryFolder folder;
  std::vector<std::string> ran;
  const auto run = [&](const RunRequest& request) -> Result<Profile> {
    ProfileBuilder builder;
    int finished = 0;
    for (const auto& configuration : request.configurations) {
      ran.push_back(configuration.config.id);
      const Profile one = fake_result(configuration);
      builder.append(one);
      request.on_progress({++finished, static_cast<int>(request.configurations.size()), &one});
    }
    return builder.finish();
  };
  const Profile earlier = fake_profile({{"c", Outcome::completed}, {"other", Outcome::completed}});
  SweepRun sweep;
  sweep.plan = plan_of({"a", "b", "c", "d"});
  sweep.plan.figures.push_back({"f", "", "batch_size", "", "training_ms", "", "", {}});
  sweep.path = folder / "x.rnnprof";
  sweep.earlier = &earlier;
  std::vector<std::pair<int, int>> progress;
  sweep.on_progress = [&](int finished, int total, const Configuration&) {
    progress.emplace_back(finished, total);
  };
  const auto profile = run_sweep(sweep, run);
  ASSERT_TRUE(profile);
  EXPECT_THAT(ran, ElementsAre("a", "b", "d"));
  EXPECT_THAT(ids_of(*profile), ElementsAre("a", "b", "c", "d", "other"));
  EXPECT_THAT(progress, ElementsAre(std::pair(2, 4), std::pair(3, 4), std::pair(4, 4)));
  EXPECT_EQ(profile->figures.size(), 1u);
  expect_consistent(*profile);
  const auto written = read_profile(sweep.path);
  ASSERT_TRUE(written);
  EXPECT_EQ(ids_of(*written), ids_of(*profile));
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
  EXPECT_THAT(ids_of(*file), ElementsAre("a", "b", "c"));
  EXPECT_THAT(plan_resumption(sweep.plan, &*file).to_run, IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor::advisor
