#include "profiler/profile/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile/check.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

using ::testing::ElementsAre;

KernelRecord kernel(std::string name, std::int64_t start, std::int64_t correlation = 0,
                    int process = -1) {
  KernelRecord record;
  record.name = std::move(name);
  record.start_ns = start;
  record.end_ns = start + 10;
  record.correlation = correlation;
  record.process = process;
  return record;
}

RnnCall call_of(int configuration, int process = -1) {
  RnnCall call;
  call.configuration = configuration;
  call.process = process;
  return call;
}

TEST(Builder, SortsByStartAndKeepsRowsTogether) {
  ProfileBuilder builder;
  for (const int i : {5, 3, 9, 1, 3}) {
    auto record = kernel("k" + std::to_string(i), i, 100 + i);
    record.stream = i;
    record.registers = 2 * i;
    record.grid = {i, 1, 1};
    builder.add_kernel(record);
    builder.add_transfer({i, i + 1, 1000 * i, 0, MemoryOperation::copy, i, -1, 0, i, 0});
    builder.add_api({i, i + 1, i, 0, "f" + std::to_string(i), i == 9, i, -1, 0});
    builder.add_allocation({i, 10 * i, i, i == 3, 0, 0});
    builder.add_overhead({i, i, "o" + std::to_string(i)});
  }
  const Profile p = builder.finish();
  EXPECT_THAT(p.kernels.start_ns, ElementsAre(1, 3, 3, 5, 9));
  EXPECT_THAT(p.kernels.stream, ElementsAre(1, 3, 3, 5, 9));
  EXPECT_THAT(p.kernels.registers, ElementsAre(2, 6, 6, 10, 18));
  EXPECT_THAT(p.kernels.correlation, ElementsAre(101, 103, 103, 105, 109));
  EXPECT_THAT(p.transfers.bytes, ElementsAre(1000, 3000, 3000, 5000, 9000));
  EXPECT_THAT(p.api.result, ElementsAre(1, 3, 3, 5, 9));
  EXPECT_THAT(p.api.driver, ElementsAre(false, false, false, false, true));
  EXPECT_THAT(p.allocations.bytes, ElementsAre(10, 30, 30, 50, 90));
  EXPECT_THAT(p.allocations.release, ElementsAre(false, true, true, false, false));
  for (std::size_t i = 0; i < 5; ++i) {
    const auto number = std::to_string(p.kernels.start_ns[i]);
    EXPECT_EQ(p.text(p.kernels.name[i]), "k" + number);
    EXPECT_EQ(p.text(p.api.name[i]), "f" + number);
    EXPECT_EQ(p.text(p.overhead.kind[i]), "o" + number);
    EXPECT_EQ(p.kernels.grid[i][0], p.kernels.start_ns[i]);
  }
  EXPECT_TRUE(check_profile(p, ErrorCode::internal));
}

TEST(Builder, AttributesByCorrelationWithinAProcess) {
  ProfileBuilder builder;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(builder.add_process({}), i) << "nothing tells them apart";
  const int a = builder.add_call(call_of(-1, 1)), b = builder.add_call(call_of(-1, 2));
  builder.attribute(10, a, 1);
  builder.attribute(10, b, 2);
  builder.attribute(11, a, 1);
  builder.attribute(11, b, 1);  // the last word counts
  builder.attribute(-7, a, 1);
  builder.add_kernel(kernel("x", 0, 10, 1));
  builder.add_kernel(kernel("x", 1, 10, 2));
  builder.add_kernel(kernel("x", 2, 11, 1));
  builder.add_kernel(kernel("x", 3, 12, 1));
  builder.add_kernel(kernel("x", 4, 10, 3));
  builder.add_kernel(kernel("x", 5, -7, 1));
  auto own = kernel("x", 6, 10, 1);
  own.call = b;
  builder.add_kernel(own);
  auto wrong = kernel("x", 7, 99, 1);
  wrong.call = 55;
  builder.add_kernel(wrong);
  builder.add_transfer({0, 1, 8, 11, MemoryOperation::set, 0, -1, 0, 0, 1});
  builder.add_api({0, 1, 10, 0, "cudaLaunchKernel", false, 0, -1, 2});
  builder.add_allocation({0, 8, 0, false, 0, 2, 10, -1});
  const Profile p = builder.finish();
  EXPECT_THAT(p.kernels.call, ElementsAre(a, b, b, -1, -1, a, b, -1));
  EXPECT_THAT(p.transfers.call, ElementsAre(b));
  EXPECT_THAT(p.api.call, ElementsAre(b));
  EXPECT_THAT(p.allocations.call, ElementsAre(b));
}

TEST(Builder, DemanglesNamesOnceAndInternsThem) {
  ProfileBuilder builder;
  builder.add_kernel(kernel("_ZN9elsewhere6kernelIfEEvPT_i", 0));
  builder.add_kernel(kernel("_ZN9elsewhere6kernelIfEEvPT_i", 1));
  builder.add_kernel(kernel("void elsewhere::kernel<float>(float*, int)", 2));
  builder.add_kernel(kernel("_Znot a mangled name", 3));
  const Profile p = builder.finish();
  EXPECT_EQ(p.strings.size(), 2U);
  EXPECT_EQ(p.text(p.kernels.name[0]), "void elsewhere::kernel<float>(float*, int)");
  EXPECT_THAT(p.kernels.name, ElementsAre(0, 0, 0, 1));
}

TEST(Builder, NvtxDepthIsPerThreadAndProcess) {
  ProfileBuilder builder;
  const auto range = [&](std::int64_t start, std::int64_t end, std::int64_t thread,
                         int process = 0) {
    builder.add_nvtx({start, end, thread, "r", "", 0, process, "", {}});
  };
  builder.add_process({});
  builder.add_process({});
  range(0, 100, 1);
  range(0, 50, 1);   // same start: the longer is outside
  range(50, 60, 1);  // begins where its neighbour ends: a sibling
  range(55, 55, 1);  // a mark inside it
  range(70, 90, 2);
  range(75, 80, 1, 1);
  range(120, 130, 1);
  const Profile p = builder.finish();
  EXPECT_THAT(p.nvtx.start_ns, ElementsAre(0, 0, 50, 55, 70, 75, 120));
  EXPECT_THAT(p.nvtx.end_ns, ElementsAre(100, 50, 60, 55, 90, 80, 130));
  EXPECT_THAT(p.nvtx.depth, ElementsAre(0, 1, 1, 2, 0, 0, 0));
}

TEST(Builder, CallsKnowTheRangesAroundThem) {
  ProfileBuilder builder;
  const int process = builder.add_process({}), other = builder.add_process({});
  const auto range = [&](std::int64_t start, std::int64_t end, std::string name, int of,
                         std::int64_t thread = 1) {
    builder.add_nvtx({start, end, thread, std::move(name), "", 0, of, "", {}});
  };
  range(0, 100, "epoch", process);
  range(10, 50, "step", process);
  range(20, 20, "mark", process);
  range(60, 90, "next", process);
  range(0, 100, "another process", other);
  range(0, 100, "another thread", process, 2);
  range(30, 35, "ends too early", process);
  const auto call = [&](std::int64_t start, std::int64_t end, int of, std::int64_t thread = 1) {
    RnnCall made = call_of(-1, of);
    made.host_start_ns = start;
    made.host_end_ns = end;
    made.thread = thread;
    return made;
  };
  builder.add_call(call(65, 70, process));
  builder.add_call(call(30, 40, process));
  builder.add_call(call(20, 60, process));
  builder.add_call(call(5, 6, other));
  builder.add_call(call(5, 6, process, 3));
  builder.add_call(call(200, 210, process));
  builder.add_call(call(10, 50, process));
  CallRecord told;
  told.call = call(30, 40, process);
  told.nvtx_path = "as the hook saw it";
  builder.add_call(told);
  const Profile p = builder.finish();
  std::vector<std::string> paths;
  for (const auto& made : p.calls) paths.push_back(p.text(made.nvtx_path));
  EXPECT_THAT(paths, ElementsAre("epoch/next", "epoch/step", "epoch", "another process", "", "",
                                 "epoch/step", "as the hook saw it"));
  EXPECT_EQ(p.calls[4].nvtx_path, -1);
}

TEST(Builder, WhatCallsShareIsKeptOnce) {
  ProfileBuilder builder;
  CallRecord record;
  record.site = {"train.py", "step", 7};
  record.inner = {"rnn.py", "forward", 900};
  record.reason = "because";
  record.arguments.emplace();
  record.arguments->seq_lengths = {3, 2};
  for (int i = 0; i < 3; ++i) builder.add_call(record);
  record.arguments->contiguous = true;
  record.site.line = 8;
  builder.add_call(record);
  record.site.file.clear();  // no line of the program's own: the framework's stands for it
  record.reason.clear();
  record.arguments.reset();
  builder.add_call(record);
  record.inner.file.clear();
  builder.add_call(record);
  const Profile p = builder.finish();
  ASSERT_TRUE(check_profile(p, ErrorCode::internal));
  EXPECT_EQ(p.call_arguments.size(), 2U);
  ASSERT_EQ(p.call_sites.size(), 3U);
  std::vector<int> sites, arguments;
  for (const auto& call : p.calls) {
    sites.push_back(call.site);
    arguments.push_back(call.arguments);
  }
  EXPECT_THAT(sites, ElementsAre(1, 1, 1, 2, 0, -1));
  EXPECT_THAT(arguments, ElementsAre(0, 0, 0, 1, -1, -1));
  EXPECT_EQ(p.call_sites[1].inner, 0);
  EXPECT_EQ(p.text(p.call_sites[0].file), "rnn.py");
  EXPECT_EQ(p.text(p.calls[0].reason), "because");
  EXPECT_EQ(p.calls[4].reason, -1);
}

TEST(Builder, PayloadsThatAreEqualNumbersAreEqual) {
  ProfileBuilder builder;
  builder.add_nvtx({0, 1, 0, "", "", 0, -1, "", std::uint64_t{5}});
  builder.add_nvtx({1, 2, 0, "", "", 0, -1, "", std::uint64_t{1} << 63U});
  const Profile p = builder.finish();
  EXPECT_EQ(p.nvtx.payload[0], NvtxPayload(std::int64_t{5}));
  EXPECT_EQ(p.nvtx.payload[1], NvtxPayload(std::uint64_t{1} << 63U));
  EXPECT_TRUE(check_profile(p, ErrorCode::internal));
}

TEST(CallArgumentsTest, TheLeastAlignmentLeavesNullAndUnknownOut) {
  CallArguments arguments;
  EXPECT_EQ(arguments.least_alignment(), -1);
  arguments.alignment[2] = 0;
  EXPECT_EQ(arguments.least_alignment(), -1);
  arguments.alignment[0] = 256;
  arguments.alignment[5] = 16;
  EXPECT_EQ(arguments.least_alignment(), 16);
}

TEST(Builder, MendsWhatATraceLeavesBehindAndSaysSo) {
  ProfileBuilder builder;
  builder.add_configuration({});
  auto unfinished = kernel("x", 100);
  unfinished.end_ns = 0;
  unfinished.device = 5;
  builder.add_kernel(unfinished);
  RnnCall call = call_of(7);
  call.host_start_ns = 10;
  call.process = 3;
  call.site = call.arguments = call.reason = call.nvtx_path = call.forward = 3;
  builder.add_call(call);
  Process ended;
  ended.start_ns = 50;
  ended.end_ns = 20;
  builder.add_process(ended);
  SetupRecord setup;
  setup.call.configuration = 9;
  setup.call.host_start_ns = 4;
  builder.add_setup(setup);
  const Profile p = builder.finish();
  EXPECT_EQ(p.processes[0].end_ns, 50);
  EXPECT_EQ(p.setup_calls[0].host_end_ns, 4);
  EXPECT_EQ(p.setup_calls[0].configuration, -1);
  // A record always has a process: here all share one of which nothing is known.
  ASSERT_EQ(p.processes.size(), 2U);
  EXPECT_EQ(p.processes[1], Process());
  EXPECT_EQ(p.calls[0].process, 1);
  EXPECT_EQ(p.kernels.process[0], 1);
  EXPECT_EQ(p.setup_calls[0].process, 1);
  EXPECT_EQ(p.calls[0].site, -1);
  EXPECT_EQ(p.calls[0].forward, -1);
  EXPECT_EQ(p.kernels.end_ns[0], 100);
  EXPECT_EQ(p.kernels.device[0], -1);
  EXPECT_EQ(p.calls[0].host_end_ns, 10);
  EXPECT_EQ(p.calls[0].configuration, -1);
  ASSERT_EQ(p.notes.size(), 1U);
  EXPECT_EQ(p.notes[0].code, "interval-without-end");
  EXPECT_EQ(p.notes[0].count, 4);
  // A configuration always has a device.
  ASSERT_EQ(p.devices.size(), 1U);
  EXPECT_EQ(p.devices[0].id, "unknown");
  EXPECT_EQ(p.configurations[0].device, 0);
  EXPECT_TRUE(check_profile(p, ErrorCode::internal));
}

// One that was read from a file has no other words for --device any more, and is the same device.
TEST(Builder, ADeviceOfAFileIsThatOfThisProgram) {
  const auto shipped = find_device("h200");
  ASSERT_TRUE(shipped);
  ASSERT_FALSE(shipped->aliases.empty());
  DeviceSpec read = *shipped;
  read.aliases.clear();
  ProfileBuilder builder;
  EXPECT_EQ(builder.add_device(*shipped), builder.add_device(read));
  EXPECT_EQ(builder.add_device(*shipped), 0);
  read.sm_count += 1;
  EXPECT_EQ(builder.add_device(read), 1);
}

TEST(Builder, EqualNotesAddUpAndEqualDevicesAreOne) {
  ProfileBuilder builder;
  builder.add_note({NoteSeverity::warning, "a", "text", 2});
  builder.add_note({NoteSeverity::warning, "a", "text", 3});
  builder.add_note({NoteSeverity::error, "a", "text", 4});
  DeviceSpec device;
  device.id = "x";
  EXPECT_EQ(builder.add_device(device), 0);
  EXPECT_EQ(builder.add_device(device), 0);
  device.live = true;
  EXPECT_EQ(builder.add_device(device), 1);
  const Profile p = builder.finish();
  ASSERT_EQ(p.notes.size(), 2U);
  EXPECT_EQ(p.notes[0].count, 5);
  EXPECT_EQ(p.notes[1].count, 4);
}

TEST(Builder, IsEmptyAfterFinish) {
  ProfileBuilder builder;
  builder.append(testing::rich_profile());
  builder.attribute(1, 0, 0);
  builder.finish();
  testing::expect_equal(builder.finish(), Profile());
}

TEST(Builder, TrialsOfASearchBelongToNoCall) {
  ProfileBuilder builder;
  const int process = builder.add_process(Process{});
  const int call = builder.add_call(RnnCall{});
  KernelRecord kernel;
  kernel.name = "void RNN_persist_fp<__half, __half, float, (cudnnRNNMode_t)2, true, 256>()";
  kernel.process = process;
  for (const int correlation : {3, 2, 1}) {
    kernel.correlation = correlation;
    kernel.start_ns = kernel.end_ns = 100 * correlation;
    builder.add_kernel(kernel);
  }
  builder.attribute(3, call, process);
  builder.attribute_search(1, process);
  builder.attribute_search(2, process + 1);  // of another process: not this one's
  const Profile p = builder.finish();
  EXPECT_THAT(p.kernels.correlation, ElementsAre(1, 2, 3));
  EXPECT_THAT(p.kernels.call, ElementsAre(-1, -1, call));
  EXPECT_THAT(p.kernels.role, ElementsAre(KernelRole::algorithm_search, KernelRole::persistent,
                                          KernelRole::persistent));
  EXPECT_EQ(p.kernels.family[0], model::Implementation::persistent)
      << "what was tried is still told";

  // Merged behind a profile whose kernels come later, and before more of them.
  ProfileBuilder merged;
  kernel.process = -1;
  kernel.start_ns = kernel.end_ns = 1000;
  merged.add_kernel(kernel);
  merged.append(p);
  kernel.start_ns = kernel.end_ns = 50;
  merged.add_kernel(kernel);
  const Profile both = merged.finish();
  EXPECT_THAT(both.kernels.role,
              ElementsAre(KernelRole::persistent, KernelRole::algorithm_search,
                          KernelRole::persistent, KernelRole::persistent, KernelRole::persistent));
}

}  // namespace
}  // namespace rnnadvisor
