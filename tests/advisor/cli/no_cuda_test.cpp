// A build without CUDA, the program as it is: what needs no GPU works, and all else says why not
// and what to do. Everything that the two builds have in common is tested in the other one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "advisor/cli/exit_status.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Called answer(const std::vector<std::string>& arguments) {
  return call(arguments, live_services());
}

TEST(WithoutCuda, RecordedProfilesAndConfigurationsAreJudged) {
  const auto report =
      answer({"report", RNNADVISOR_SOURCE_DIR "/samples/recorded/persistent-float.rnnprof"});
  EXPECT_EQ(report.status, exit_ok) << report.err;
  EXPECT_THAT(report.out, HasSubstr("What to do first"));
  const auto check = answer({"check", "--cell", "lstm", "--hidden-size", "1000", "--data-type",
                             "half", "--batch-size", "32", "--device", "nvidia-h200"});
  EXPECT_EQ(check.status, exit_ok) << check.err;
  EXPECT_THAT(check.out, HasSubstr("persist_static"));
}

TEST(WithoutCuda, SaysSo) {
  EXPECT_THAT(answer({"version"}).out, HasSubstr("built without CUDA"));
  EXPECT_THAT(answer({"version", "--json"}).out, HasSubstr("\"runs_on_gpu\": false"));
  EXPECT_THAT(answer({"doctor"}).out, HasSubstr("built without CUDA"));
}

TEST(WithoutCuda, WhatNeedsAGpuNamesTheRemedy) {
  const std::vector<std::string> layer = {"--cell", "lstm",         "--hidden-size",
                                          "64",     "--batch-size", "8"};
  std::vector<std::vector<std::string>> commands = {
      {"sweep", "sample:gnmt"},     {"calibrate"},         {"profile", "--", "true"},
      {"accelerate", "--", "true"}, {"try", "--", "true"}, {"env"}};
  commands.push_back({"run"});
  commands.back().insert(commands.back().end(), layer.begin(), layer.end());
  for (const auto& words : commands) {
    const auto called = answer(words);
    EXPECT_EQ(called.status, exit_environment) << words[0] << called.err;
    EXPECT_THAT(called.err, HasSubstr("CUDA")) << words[0];
    EXPECT_THAT(called.out, IsEmpty()) << words[0];
  }
}

}  // namespace
}  // namespace rnnadvisor::cli
