// What becomes of an experiment when its worker does not do what it should. The worker is the stub
// program, which behaves as the ids of the calls say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "profiler/run/run_experiment.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum Outcome;

ExperimentRequest request(const std::vector<std::string>& ids, const std::string& before = "") {
  ExperimentRequest request;
  request.before.id = before;
  for (const auto& id : ids) {
    ExperimentVariant variant;
    variant.calls = {request.before};
    variant.calls.front().id = id;
    request.variants.push_back(variant);
  }
  return request;
}

Result<ExperimentResult> run(const ExperimentRequest& request,
                             const ExperimentRunOptions& options = {}) {
  return run_experiment_in_worker(request, options, RNNADVISOR_STUB_PROGRAM);
}

std::vector<Outcome> outcomes(const ExperimentResult& result) {
  std::vector<Outcome> list;
  for (const auto& variant : result.variants) list.push_back(variant.outcome);
  return list;
}

TEST(ExperimentWorker, ResultsAndProgressComeBack) {
  std::vector<int> tried;
  int rounds = 0;
  ExperimentRunOptions options;
  options.on_progress = [&](const ExperimentProgress& progress) {
    if (progress.kind == ExperimentProgress::Kind::trying) tried.push_back(progress.variant);
    if (progress.kind == ExperimentProgress::Kind::round) rounds = progress.round;
  };
  const auto result = run(request({"a", "b"}), options);
  ASSERT_TRUE(result) << to_text(result.error());
  EXPECT_EQ(result->outcome, completed);
  EXPECT_EQ(result->memory_bytes, 1000);
  EXPECT_GT(result->seconds, 0);
  EXPECT_THAT(outcomes(*result), ElementsAre(completed, completed));
  EXPECT_EQ(result->variants[1].message, "b");
  EXPECT_THAT(tried, ElementsAre(-1, 0, 1));
  EXPECT_EQ(rounds, 1);
}

TEST(ExperimentWorker, AVariantThatCrashesCostsItselfOnly) {
  std::vector<int> tried;
  ExperimentRunOptions options;
  options.on_progress = [&](const ExperimentProgress& progress) {
    if (progress.kind == ExperimentProgress::Kind::trying) tried.push_back(progress.variant);
  };
  const auto result = run(request({"a", "crash", "c", "crash", "e"}), options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, completed);
  EXPECT_THAT(outcomes(*result), ElementsAre(completed, crashed, completed, crashed, completed));
  EXPECT_THAT(result->variants[1].message, HasSubstr("signal 9"));
  EXPECT_EQ(result->variants[4].message, "e");
  // The numbers are those of the request also in the second and third worker.
  EXPECT_THAT(tried, ElementsAre(-1, 0, 1, -1, 0, 2, 3, -1, 0, 2, 4));
}

TEST(ExperimentWorker, WhereOnlyVariantsCrashTheOriginalStillRuns) {
  const auto result = run(request({"crash"}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, completed);
  EXPECT_THAT(outcomes(*result), ElementsAre(crashed));
}

TEST(ExperimentWorker, AnOriginalThatCrashesEndsIt) {
  const auto result = run(request({"a", "b"}, "crash"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, crashed);
  EXPECT_THAT(result->message, HasSubstr("signal 9"));
  EXPECT_THAT(outcomes(*result), ElementsAre(not_run, not_run));
}

TEST(ExperimentWorker, ACrashWhileAllAreTimedCountsForAll) {
  const auto result = run(request({"a", "crash while timing"}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, crashed);
  EXPECT_THAT(outcomes(*result), ElementsAre(crashed, crashed));
}

TEST(ExperimentWorker, ANewWorkerContinuesAfterALostContext) {
  const auto result = run(request({"a", "lose", "c", "lose", "e"}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, completed);
  EXPECT_FALSE(result->context_lost);
  EXPECT_THAT(outcomes(*result), ElementsAre(completed, failed, completed, failed, completed));
}

TEST(ExperimentWorker, AHangingWorkerIsEnded) {
  ExperimentRunOptions options;
  options.timeout_seconds = 0.5;
  const auto result = run(request({"a", "hang", "c"}), options);
  ASSERT_TRUE(result);
  EXPECT_THAT(outcomes(*result), ElementsAre(completed, timed_out, completed));
  EXPECT_THAT(result->variants[1].message, HasSubstr("no sign of life"));
}

TEST(ExperimentWorker, TheUserCanEndIt) {
  std::atomic<bool> stop = false;
  ExperimentRunOptions options;
  options.stop = &stop;
  options.on_progress = [&](const ExperimentProgress& progress) {
    if (progress.variant == 1) stop = true;
  };
  const auto result = run(request({"a", "hang", "c"}), options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, interrupted);
  EXPECT_THAT(outcomes(*result), ElementsAre(interrupted, interrupted, interrupted));
}

TEST(ExperimentWorker, AResultThatCannotBeReadIsAFailure) {
  const auto result = run(request({"a"}, "half a result"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, failed);
  EXPECT_THAT(result->message, HasSubstr("could not be read"));
  EXPECT_THAT(outcomes(*result), ElementsAre(failed));
}

TEST(ExperimentWorker, WithoutAGpuItIsAnError) {
  setenv("RNNADVISOR_STUB_HANG", "no gpu", 1);
  const auto result = run(request({"a"}));
  unsetenv("RNNADVISOR_STUB_HANG");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no GPU answers");
  EXPECT_EQ(result.error().code, ErrorCode::cuda);
}

TEST(ExperimentWorker, AProgramThatCannotBeStartedIsAnError) {
  const auto result = run_experiment_in_worker(request({"a"}), {}, "/nonexistent/rnnadvisor");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("before it was ready"));
}

std::vector<std::string> messages(const Result<ExperimentResult>& result) {
  std::vector<std::string> list;
  if (result)
    for (const auto& variant : result->variants) list.push_back(variant.message);
  return list;
}

TEST(ExperimentWorkerThatIsKept, DoesOneExperimentAfterTheOther) {
  ExperimentWorker worker;
  const auto first = messages(worker.run_in(request({"pid"}), {}, RNNADVISOR_STUB_PROGRAM));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_NE(first.front(), "");
  EXPECT_EQ(messages(worker.run_in(request({"pid"}), {}, RNNADVISOR_STUB_PROGRAM)), first);
  ExperimentRunOptions other;
  other.device = 1;
  EXPECT_NE(messages(worker.run_in(request({"pid"}), other, RNNADVISOR_STUB_PROGRAM)), first);
}

TEST(ExperimentWorkerThatIsKept, IsNoticedWhenItDiedMeanwhile) {
  ExperimentWorker worker;
  const auto first = messages(worker.run_in(request({"pid"}), {}, RNNADVISOR_STUB_PROGRAM));
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(kill(std::stoi(first.front()), SIGKILL), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto second = messages(worker.run_in(request({"pid"}), {}, RNNADVISOR_STUB_PROGRAM));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(second, first);
}

TEST(ExperimentWorkerThatIsKept, IsReplacedWhenItDies) {
  ExperimentWorker worker;
  EXPECT_THAT(messages(worker.run_in(request({"a"}), {}, RNNADVISOR_STUB_PROGRAM)),
              ElementsAre("a"));
  const auto crashed = worker.run_in(request({"crash", "b"}), {}, RNNADVISOR_STUB_PROGRAM);
  ASSERT_TRUE(crashed) << to_text(crashed.error());
  EXPECT_THAT(outcomes(*crashed), ElementsAre(Outcome::crashed, completed));
  EXPECT_THAT(messages(worker.run_in(request({"c"}), {}, RNNADVISOR_STUB_PROGRAM)),
              ElementsAre("c"));
}

}  // namespace
}  // namespace rnnadvisor
