// From a program to its profile, where nothing could hook cuDNN: the driver's injection alone, and
// the kernels of programs that were recorded on an H200 with their calls. Those calls are what
// should be inferred.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "profiler/launch/collect.h"
#include "profiler/profile/check.h"
#include "profiler/profile/file.h"
#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Note* find_note(const Profile& profile, std::string_view code) {
  for (const auto& note : profile.notes)
    if (note.code == code) return &note;
  return nullptr;
}

// Kernels do not show whether a forward call was for training.
Phase direction_of(const RnnCall& call) {
  return call.phase == Phase::forward_inference ? Phase::forward_training : call.phase;
}

struct Recorded {
  const char* program;
  const char* implementation;
};
class WithoutHooks : public ::testing::TestWithParam<Recorded> {};
INSTANTIATE_TEST_SUITE_P(, WithoutHooks,
                         ::testing::Values(Recorded{"cpp-lstm", "persistent"},
                                           Recorded{"pytorch-two-layers", "standard"},
                                           Recorded{"jax-lstm", "standard"},
                                           Recorded{"pytorch-autocast", "persistent"},
                                           Recorded{"pytorch-evaluation", "persistent"}),
                         [](const auto& test) {
                           std::string name = test.param.program;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(WithoutHooks, CallsAreInferredFromTheirKernels) {
  const auto read = read_profile(std::string(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/") +
                                 GetParam().program + ".rnnprof");
  ASSERT_TRUE(read) << to_text(read.error());
  const Profile& before = *read;
  Child child(PROBE_FILE);
  const std::string names = child.folder() + "/names";
  {
    std::ofstream file(names);
    for (const int name : before.kernels.name) file << before.text(name) << '\n';
  }
  const auto result = child.without("LD_PRELOAD")
                          .variable("RNNADVISOR_MODE", "kernels")
                          .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
                          .variable("PROBE_CUPTI", "1")
                          .run({"cuda-kernels", names});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.spool().header.calls, 0u);
  EXPECT_THAT(result.spool().calls, IsEmpty());
  ASSERT_THAT(result.spool().kernels, SizeIs(before.kernels.size()));

  const auto collected = launch::collect_spools(child.spool_folder(), {});
  ASSERT_TRUE(collected) << to_text(collected.error());
  const Profile& p = collected->profile;
  const auto whole = check_profile(p, ErrorCode::internal);
  EXPECT_TRUE(whole) << to_text(whole.error());
  const auto* note = find_note(p, "rnn-kernels-without-calls");
  ASSERT_NE(note, nullptr);
  EXPECT_GT(note->count, 0);
  EXPECT_NE(find_note(p, "no-rnn-calls"), nullptr);
  ASSERT_THAT(p.calls, Not(IsEmpty()));
  EXPECT_THAT(p.calls, Each(Field(&RnnCall::source, CallSource::kernels)));
  for (const auto& call : p.calls) {
    ASSERT_GE(call.configuration, 0);
    const auto& configuration = p.configurations[static_cast<std::size_t>(call.configuration)];
    EXPECT_EQ(configuration.origin, Origin::kernels);
    EXPECT_FALSE(configuration.described()) << "what they were given is not known";
    EXPECT_THAT(configuration.config.id, HasSubstr(GetParam().implementation));
  }
  // Each kernel that was given to a call is of a call of that phase in the recording, and the calls
  // come in its order; equal ones that follow each other count as one.
  ASSERT_EQ(p.kernels.size(), before.kernels.size());
  std::size_t given = 0;
  std::vector<Phase> expected, found;
  const auto follow = [](std::vector<Phase>& phases, Phase phase) {
    if (phases.empty() || phases.back() != phase) phases.push_back(phase);
  };
  for (std::size_t k = 0; k < p.kernels.size(); ++k) {
    const int was = before.kernels.call[k], is = p.kernels.call[k];
    if (is < 0) continue;
    ++given;
    ASSERT_GE(was, 0) << p.text(p.kernels.name[k]);
    const Phase phase = direction_of(before.calls[static_cast<std::size_t>(was)]);
    EXPECT_EQ(direction_of(p.calls[static_cast<std::size_t>(is)]), phase) << k;
    follow(expected, phase);
  }
  for (const auto& call : p.calls) follow(found, direction_of(call));
  EXPECT_EQ(found, expected);
  EXPECT_EQ(p.calls.size(), before.calls.size()) << "something stood between any two of them";
  EXPECT_GE(given, p.calls.size());
}

TEST(Collected, StepsWithoutTracingAreInTheProfile) {
  Child child(PROBE_FILE);
  child.variable("RNNADVISOR_MODE", "kernels")
      .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
      .variable("PROBE_CUPTI", "1");
  ASSERT_EQ(child.run_only({"steps", "train", "120"}).status, 0);
  const auto collected = launch::collect_spools(child.spool_folder(), {});
  ASSERT_TRUE(collected) << to_text(collected.error());
  const Profile& profile = collected->profile;
  std::int64_t untraced = 0, timed = 0, begun = 0;
  for (const auto& call : profile.calls) {
    untraced += call.untraced ? 1 : 0;
    begun += call.begins_step ? 1 : 0;
    if (call.step_duration_ns < 0) continue;
    ++timed;
    EXPECT_EQ(call.step_duration_ns, 3 * 1'500'000);
    EXPECT_TRUE(call.untraced && call.begins_step);
  }
  EXPECT_EQ(timed, 32);
  EXPECT_EQ(begun, 119);
  const auto* note = find_note(profile, "untraced-steps");
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(note->severity, NoteSeverity::info);
  EXPECT_EQ(note->count, untraced);
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
