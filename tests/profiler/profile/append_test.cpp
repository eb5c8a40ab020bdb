#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "profiler/profile/builder.h"
#include "profiler/profile/check.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;
using testing::expect_equal;
using testing::rich_profile;

TEST(Append, ToAnEmptyBuilderIsTheSameProfile) {
  ProfileBuilder builder;
  builder.append(rich_profile());
  expect_equal(builder.finish(), rich_profile());
}

TEST(Append, TwiceDoublesEveryTableAndSharesStringsAndDevices) {
  const Profile one = rich_profile();
  ProfileBuilder builder;
  builder.append(one);
  builder.append(one);
  const Profile two = builder.finish();
  ASSERT_TRUE(check_profile(two, ErrorCode::internal));
  EXPECT_EQ(two.strings, one.strings);
  EXPECT_EQ(two.devices, one.devices);
  EXPECT_EQ(two.configurations.size(), 2 * one.configurations.size());
  EXPECT_EQ(two.calls.size(), 2 * one.calls.size());
  EXPECT_EQ(two.kernels.size(), 2 * one.kernels.size());
  EXPECT_EQ(two.transfers.size(), 2 * one.transfers.size());
  EXPECT_EQ(two.api.size(), 2 * one.api.size());
  EXPECT_EQ(two.allocations.size(), 2 * one.allocations.size());
  EXPECT_EQ(two.nvtx.size(), 2 * one.nvtx.size());
  EXPECT_EQ(two.overhead.size(), 2 * one.overhead.size());
  EXPECT_EQ(two.experiments.size(), 2 * one.experiments.size());
  EXPECT_EQ(two.figures.size(), one.figures.size());
  ASSERT_EQ(two.notes.size(), one.notes.size());
  EXPECT_EQ(two.notes[0].count, 2 * one.notes[0].count);
}

TEST(Append, RenumbersEveryIndex) {
  const Profile one = rich_profile();
  ProfileBuilder builder;
  DeviceSpec first;
  first.id = "first";
  builder.add_device(first);
  builder.add_configuration({});
  RnnCall own;
  own.process = 4711;  // the appended part has this process too
  builder.add_call(own);
  builder.add_overhead({0, 1, "a string that moves all others"});
  builder.append(one);
  const Profile p = builder.finish();
  ASSERT_TRUE(check_profile(p, ErrorCode::internal));

  ASSERT_EQ(p.configurations.size(), one.configurations.size() + 1);
  for (std::size_t i = 0; i < one.configurations.size(); ++i) {
    EXPECT_EQ(p.configurations[i + 1].config, one.configurations[i].config);
    EXPECT_EQ(p.configurations[i + 1].device, one.configurations[i].device + 1);
  }
  const int process = p.calls[1].process;
  EXPECT_NE(process, 4711);
  for (std::size_t i = 0; i < one.calls.size(); ++i) {
    const int before = one.calls[i].configuration;
    EXPECT_EQ(p.calls[i + 1].configuration, before < 0 ? -1 : before + 1);
    EXPECT_EQ(p.calls[i + 1].device, one.calls[i].device < 0 ? -1 : one.calls[i].device + 1);
    EXPECT_EQ(p.calls[i + 1].process, process);
  }
  ASSERT_EQ(p.kernels.size(), one.kernels.size());
  for (std::size_t i = 0; i < one.kernels.size(); ++i) {
    EXPECT_EQ(p.text(p.kernels.name[i]), one.text(one.kernels.name[i]));
    EXPECT_EQ(p.kernels.call[i], one.kernels.call[i] < 0 ? -1 : one.kernels.call[i] + 1);
    EXPECT_EQ(p.kernels.device[i], one.kernels.device[i] < 0 ? -1 : one.kernels.device[i] + 1);
    EXPECT_EQ(p.kernels.process[i],
              one.kernels.process[i] == 4711 ? process : one.kernels.process[i]);
    EXPECT_EQ(p.kernels.family[i], one.kernels.family[i]);
    EXPECT_EQ(p.kernels.role[i], one.kernels.role[i]);
  }
  for (std::size_t i = 0; i < one.nvtx.size(); ++i) {
    EXPECT_EQ(p.text(p.nvtx.name[i]), one.text(one.nvtx.name[i]));
    EXPECT_EQ(p.text(p.nvtx.domain[i]), one.text(one.nvtx.domain[i]));
  }
  EXPECT_EQ(p.text(p.api.name[0]), one.text(one.api.name[0]));
  EXPECT_EQ(p.experiments[0].configuration, one.experiments[0].configuration + 1);
  EXPECT_EQ(p.experiments[0].changed, one.experiments[0].changed + 1);
  EXPECT_EQ(p.experiments[1].configuration, -1);
  EXPECT_EQ(p.environment.clocks[0].device, one.environment.clocks[0].device + 1);
}

TEST(Append, KeepsTheFirstEnvironmentAndAddsClocks) {
  Profile a, b;
  a.environment.created = "1";
  a.environment.host = "first";
  a.environment.clocks = {{"start", -1, 1, 1, 1, 1}, {"end", -1, 2, 2, 2, 2}};
  b.environment.created = "2";
  b.environment.host = "second";
  b.environment.tracing = true;
  b.environment.clocks = {{"start", -1, 3, 3, 3, 3}, {"end", -1, 4, 4, 4, 4}};
  ProfileBuilder builder;
  builder.append(a);
  builder.append(b);
  const Profile p = builder.finish();
  EXPECT_EQ(p.environment.host, "first");
  EXPECT_TRUE(p.environment.tracing);
  ASSERT_EQ(p.environment.clocks.size(), 2U);
  EXPECT_EQ(p.environment.clocks[0].sm_mhz, 1);
  EXPECT_EQ(p.environment.clocks[1].sm_mhz, 4);
}

TEST(Append, CorrelationsOfOtherProcessesDoNotMeet) {
  const auto part = [] {
    ProfileBuilder builder;
    RnnCall call;
    builder.add_call(call);
    builder.attribute(1, 0);
    KernelRecord record;
    record.name = "x";
    record.correlation = 1;
    builder.add_kernel(record);
    return builder.finish();
  };
  ProfileBuilder builder;
  for (int i = 0; i < 3; ++i) builder.append(part());
  const Profile p = builder.finish();
  EXPECT_THAT(p.kernels.call, ElementsAre(0, 1, 2));
  EXPECT_THAT(p.kernels.process, ElementsAre(0, 1, 2));
}

TEST(Append, OneFigureFromManyPartsListsAllItsConfigurations) {
  Profile a, b;
  a.figures = {{"f", "t", "", "", "", "", "", {"x", "y"}}, {"g", "", "", "", "", "", "", {"x"}}};
  b.figures = {{"f", "t", "", "", "", "", "", {"y", "z"}}, {"g", "", "", "", "", "", "", {}}};
  ProfileBuilder builder;
  builder.append(a);
  builder.append(b);
  const Profile p = builder.finish();
  ASSERT_EQ(p.figures.size(), 2U);
  EXPECT_THAT(p.figures[0].configuration_ids, ElementsAre("x", "y", "z"));
  EXPECT_TRUE(p.figures[1].configuration_ids.empty());
}

// A sweep appends one small profile per configuration to a growing one.
TEST(Append, ManyPartsTakeLinearTime) {
  const Profile part = testing::many_kernels(500);
  const auto seconds = [&](int parts) {
    const auto start = std::chrono::steady_clock::now();
    ProfileBuilder builder;
    for (int i = 0; i < parts; ++i) builder.append(part);
    EXPECT_EQ(builder.finish().kernels.size(), 500U * static_cast<std::size_t>(parts));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double few = seconds(100), many = seconds(1000);
  EXPECT_LT(many, 40 * few + 0.5) << few << " s for 100 parts, " << many << " s for 1000";
}

}  // namespace
}  // namespace rnnadvisor
