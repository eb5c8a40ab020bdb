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

TEST(Append, AnEnvironmentStaysWhatFollowsIt) {
  Profile measured, never_ran;
  measured.environment.cudnn_version = "9.19.0";
  measured.environment.driver_version = "580.159.04";
  ProfileBuilder builder;
  builder.append(never_ran);
  builder.append(measured);
  builder.append(never_ran);
  EXPECT_EQ(builder.profile().environment.cudnn_version, "9.19.0");

  ProfileBuilder named;
  named.profile().environment.command_line = "rnnadvisor sweep sizes.toml";
  named.append(measured);
  EXPECT_EQ(named.profile().environment.command_line, "rnnadvisor sweep sizes.toml");
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
  EXPECT_EQ(two.setup_calls.size(), 2 * one.setup_calls.size());
  EXPECT_EQ(two.call_arguments, one.call_arguments);
  EXPECT_EQ(two.call_sites, one.call_sites);
  // One process can be told from others. The killed one has no start and the stray kernel nothing.
  EXPECT_EQ(two.processes.size(), 2 * one.processes.size() - 1);
  EXPECT_EQ(two.figures.size(), one.figures.size());
  ASSERT_EQ(two.notes.size(), one.notes.size());
  EXPECT_EQ(two.notes[0].count, 2 * one.notes[0].count);
}

// Files before version 3 have no uuid: GPUs of one program differ in their places alone.
TEST(Append, TwoGpusThatLookTheSameStayTwo) {
  Profile one = rich_profile();
  one.devices = {one.devices[0], one.devices[0]};
  ProfileBuilder builder;
  builder.append(one);
  expect_equal(builder.finish(), one);
  // A second file may be of the same machine.
  ProfileBuilder twice;
  twice.append(one);
  twice.append(one);
  EXPECT_EQ(twice.finish().devices, one.devices);
}

TEST(Append, RenumbersEveryIndex) {
  const Profile one = rich_profile();
  ProfileBuilder builder;
  DeviceSpec first;
  first.id = "first";
  builder.add_device(first);
  builder.add_configuration({});
  Process other;
  other.pid = 4711;  // the appended part has this number too
  other.host = "another";
  other.start_ns = 5;
  RnnCall own;
  own.process = builder.add_process(other);
  CallRecord located;
  located.call = own;
  located.site = {"a file that moves all others", "f", 1};
  located.arguments.emplace();
  builder.add_call(located);
  builder.add_overhead({0, 1, "a string that moves all others", own.process});
  builder.append(one);
  const Profile p = builder.finish();
  ASSERT_TRUE(check_profile(p, ErrorCode::internal));
  EXPECT_EQ(p.experiments[0].device, one.experiments[0].device + 1);
  EXPECT_EQ(p.counters.device[0], one.counters.device[0] + 1);
  EXPECT_EQ(p.text(p.counters.metric[0]), "sm__cycles_active.avg");
  ASSERT_EQ(p.thread_names.size(), 1U);
  EXPECT_EQ(p.thread_names[0].process, one.thread_names[0].process + 1);
  EXPECT_EQ(p.text(p.thread_names[0].name), "loader");
  ASSERT_EQ(p.resource_names.size(), 2U);
  EXPECT_EQ(p.device_name(p.thread_names[0].process, p.resource_names[0].device), "trainer");
  EXPECT_EQ(p.stream_name(p.thread_names[0].process, p.resource_names[0].device, 7), "compute");

  ASSERT_EQ(p.configurations.size(), one.configurations.size() + 1);
  for (std::size_t i = 0; i < one.configurations.size(); ++i) {
    EXPECT_EQ(p.configurations[i + 1].config, one.configurations[i].config);
    EXPECT_EQ(p.configurations[i + 1].device, one.configurations[i].device + 1);
  }
  ASSERT_EQ(p.processes.size(), one.processes.size() + 1);
  for (std::size_t i = 0; i < one.calls.size(); ++i) {
    const int before = one.calls[i].configuration;
    EXPECT_EQ(p.calls[i + 1].configuration, before < 0 ? -1 : before + 1);
    EXPECT_EQ(p.calls[i + 1].device, one.calls[i].device < 0 ? -1 : one.calls[i].device + 1);
    EXPECT_EQ(p.processes[static_cast<std::size_t>(p.calls[i + 1].process)].host, "node-1");
    EXPECT_EQ(p.text(p.calls[i + 1].reason), one.text(one.calls[i].reason));
    EXPECT_EQ(p.text(p.calls[i + 1].nvtx_path), one.text(one.calls[i].nvtx_path));
    const int forward = one.calls[i].forward;
    EXPECT_EQ(p.calls[i + 1].forward, forward < 0 ? -1 : forward + 1);
    const int site = one.calls[i].site, arguments = one.calls[i].arguments;
    ASSERT_EQ(p.calls[i + 1].site < 0, site < 0);
    if (site < 0) continue;
    const auto& there = p.call_sites[static_cast<std::size_t>(p.calls[i + 1].site)];
    const auto& here = one.call_sites[static_cast<std::size_t>(site)];
    EXPECT_EQ(p.text(there.file), one.text(here.file));
    EXPECT_EQ(p.text(there.function), one.text(here.function));
    EXPECT_EQ(there.line, here.line);
    EXPECT_EQ(p.text(p.call_sites[static_cast<std::size_t>(there.inner)].file),
              one.text(one.call_sites[static_cast<std::size_t>(here.inner)].file));
    EXPECT_EQ(p.call_arguments[static_cast<std::size_t>(p.calls[i + 1].arguments)],
              one.call_arguments[static_cast<std::size_t>(arguments)]);
  }
  for (std::size_t i = 0; i < one.setup_calls.size(); ++i) {
    const auto &there = p.setup_calls[i], &here = one.setup_calls[i];
    EXPECT_EQ(there.configuration, here.configuration < 0 ? -1 : here.configuration + 1);
    EXPECT_EQ(p.text(there.function), one.text(here.function));
    EXPECT_EQ(p.text(there.reason), one.text(here.reason));
    EXPECT_EQ(there.process, here.process + 1);
  }
  ASSERT_EQ(p.kernels.size(), one.kernels.size());
  for (std::size_t i = 0; i < one.kernels.size(); ++i) {
    EXPECT_EQ(p.text(p.kernels.name[i]), one.text(one.kernels.name[i]));
    EXPECT_EQ(p.kernels.call[i], one.kernels.call[i] < 0 ? -1 : one.kernels.call[i] + 1);
    EXPECT_EQ(p.kernels.device[i], one.kernels.device[i] < 0 ? -1 : one.kernels.device[i] + 1);
    EXPECT_EQ(p.kernels.process[i], one.kernels.process[i] + 1);
    EXPECT_EQ(p.kernels.family[i], one.kernels.family[i]);
    EXPECT_EQ(p.kernels.role[i], one.kernels.role[i]);
  }
  for (std::size_t i = 0; i < one.nvtx.size(); ++i) {
    EXPECT_EQ(p.text(p.nvtx.name[i]), one.text(one.nvtx.name[i]));
    EXPECT_EQ(p.text(p.nvtx.domain[i]), one.text(one.nvtx.domain[i]));
    EXPECT_EQ(p.text(p.nvtx.category[i]), one.text(one.nvtx.category[i]));
    EXPECT_EQ(p.nvtx.process[i], one.nvtx.process[i] + 1);
  }
  EXPECT_EQ(p.text(p.api.name[0]), one.text(one.api.name[0]));
  EXPECT_EQ(p.allocations.call[0], one.allocations.call[0] + 1);
  EXPECT_EQ(p.overhead.process[1], one.overhead.process[0] + 1);
  EXPECT_EQ(p.experiments[0].configuration, one.experiments[0].configuration + 1);
  ASSERT_EQ(p.experiments[0].changed.size(), 2U);
  EXPECT_EQ(p.experiments[0].changed[0], one.experiments[0].changed[0] + 1);
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

// Two parts that do not say of which process they are: never taken for the same one.
TEST(Append, CorrelationsOfOtherProcessesDoNotMeet) {
  const auto part = [] {
    ProfileBuilder builder;
    KernelRecord record;
    record.name = "x";
    record.correlation = 1;
    builder.add_kernel(record);
    return builder.finish();
  };
  ProfileBuilder builder;
  const int call = builder.add_call(RnnCall());
  builder.attribute(1, call);
  KernelRecord own;
  own.name = "own";
  own.correlation = 1;
  builder.add_kernel(own);
  for (int i = 0; i < 2; ++i) builder.append(part());
  const Profile p = builder.finish();
  ASSERT_EQ(p.processes.size(), 3U);
  for (std::size_t i = 0; i < p.kernels.size(); ++i)
    EXPECT_EQ(p.kernels.call[i], p.text(p.kernels.name[i]) == "own" ? call : -1);
  EXPECT_THAT(p.kernels.process, ::testing::UnorderedElementsAre(0, 1, 2));
}

// A worker's results come one by one; what is known of its end comes last.
TEST(Append, PartsOfOneProcessAreOneProcess) {
  Process process;
  process.pid = 100;
  process.host = "h";
  process.start_ns = 1'000;
  process.end = ProcessEnd::running;
  const auto part = [&](std::int64_t end, std::string mode) {
    ProfileBuilder builder;
    process.end_ns = end;
    process.mode = std::move(mode);
    KernelRecord record;
    record.process = builder.add_process(process);
    builder.add_kernel(record);
    return builder.finish();
  };
  ProfileBuilder builder;
  builder.append(part(3'000, ""));
  builder.append(part(2'000, "run"));
  process.end = ProcessEnd::signalled;
  process.signal = 11;
  process.end_ns = 4'000;
  builder.add_process(process);
  builder.append(part(2'500, ""));  // says less: changes nothing
  const Profile p = builder.finish();
  ASSERT_EQ(p.processes.size(), 1U);
  EXPECT_THAT(p.kernels.process, ElementsAre(0, 0, 0));
  EXPECT_EQ(p.processes[0].mode, "run");
  EXPECT_EQ(p.processes[0].end_ns, 4'000);
  EXPECT_EQ(p.processes[0].end, ProcessEnd::signalled);
  EXPECT_EQ(p.processes[0].signal, 11);
  EXPECT_TRUE(check_profile(p, ErrorCode::internal));
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
