// Plans as files, and in the form that the plugin reads.
#include "profiler/launch/plan.h"

#include <cstring>

#include "profiler/spool/hash.h"
#include "profiler/spool/plan.h"
#include "tests/profiler/launch/collect_fixture.h"
#include "tests/profiler/launch/sample_choices.h"

namespace rnnadvisor::launch {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Plan sample_plan() {
  return {
      "NVIDIA H200",
      "9.19.0",
      true,
      {{"LSTM 2x512 half B32 T128", 0x0123456789abcdef, Algo::persist_static, false, 11.6, 2.57},
       {std::string("GRU \"1x1000\" \\ \x1b\0\n\x7f float", 25), 0xffffffffffffffff, Algo::standard,
        true, 0, 0}}};
}

TEST(Plan, IsReadBackEqual) {
  const auto plan = sample_plan();
  const auto read = read_plan(write_plan(plan), "x.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, plan);
}

TEST(Plan, EveryMistakeHasItsPlace) {
  const std::string good = write_plan(sample_plan());
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return read_plan(text, "x.toml");
  };
  for (const auto& [from, to] : {std::pair("format = 1", "format = 2"),
                                 {"format = 1", "format = \"1\""},
                                 {"gpu = \"NVIDIA H200\"", "gpu = 7"},
                                 {"9.19.0", "nine"},
                                 {"9.19.0", "9.19"},
                                 {"key = \"0123", "key = \"xyz"},
                                 {"persist_static", "persistent"},
                                 {"original_ms = 11.6", "original_ms = -1"},
                                 {"original_ms", "before_ms"},
                                 {"conversion = true", "conversion = 1"},
                                 {"[[choice]]", "[choice]"},
                                 {"allow = \"numerics\"", "allow = \"all\""}}) {
    const auto read = with(from, to);
    ASSERT_FALSE(read) << to;
    EXPECT_TRUE(read.error().where) << to;
    EXPECT_FALSE(read.error().remedy.empty()) << to;
  }
  EXPECT_EQ(with("format = 1", "format = 2").error().code, ErrorCode::newer_version);
}

TEST(Plan, ThePluginsFormIsWholeAndBounded) {
  const std::string bytes = plan_bytes(sample_plan());
  spool::PlanHeader header;
  ASSERT_EQ(bytes.size(), sizeof header + 2 * sizeof(spool::PlanEntry));
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.magic, spool::plan_magic);
  EXPECT_EQ(header.count, 2U);
  EXPECT_EQ(header.cudnn_version, 91900U);
  EXPECT_STREQ(header.gpu, "NVIDIA H200");
  const std::size_t before = offsetof(spool::PlanHeader, cudnn_version);
  EXPECT_EQ(header.checksum, spool::hash_bytes(bytes.data() + before, bytes.size() - before));
}

TEST_F(Collect, APlanHasWhatWasChosenAndWhatWasThere) {
  auto chosen = spool::sample_acceleration(1, 1);
  chosen.key = 42;
  auto writer = spool::choices_spool(chosen);
  auto undecided = spool::sample_acceleration(2, 1);
  undecided.key = 43;
  undecided.state = spool::ChoiceState::measuring;
  writer.add(undecided);
  auto limited = spool::sample_acceleration(3, 1);
  limited.key = 44;
  limited.origin = spool::ChoiceOrigin::limited;
  writer.add(limited);
  auto kept = spool::sample_acceleration(4, 1);
  kept.key = 45;
  kept.origin = spool::ChoiceOrigin::unplanned;
  writer.add(kept);
  add(writer);
  const auto collected = collect();
  const auto plan = plan_of(collected, {}, true);
  EXPECT_TRUE(plan.numerics);
  ASSERT_THAT(plan.choices, SizeIs(1));
  EXPECT_EQ(plan.choices[0].key, 42U);
  EXPECT_EQ(plan.choices[0].algo, Algo::persist_static);
  EXPECT_DOUBLE_EQ(plan.choices[0].original_ms, 6);
  EXPECT_DOUBLE_EQ(plan.choices[0].chosen_ms, 1.5);
  EXPECT_THAT(plan.choices[0].calls, HasSubstr("LSTM"));

  // What is there stays.
  Plan before = plan;
  before.choices[0].algo = Algo::standard;
  EXPECT_EQ(plan_of(collected, before, false), before);
  before.choices[0].key = 7;
  EXPECT_THAT(plan_of(collected, before, false).choices, SizeIs(2));
  before.gpu = "NVIDIA A100";
  EXPECT_EQ(plan_of(collected, before, false), before);
  EXPECT_EQ(plan_of(Collected{}, before, false), before);
}

}  // namespace
}  // namespace rnnadvisor::launch
