// Device times and kernels: CUDA events and CUPTI, with stand-ins for the driver and CUPTI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/effort.h"
#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using spool::Loss;
using spool::Mode;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kernel_ns = 1'500'000;  // of the stand-in

// As a launcher starts it, in the mode that wants kernels.
struct KernelChild : Child {
  explicit KernelChild(const char* mode = "kernels") : Child(PROBE_FILE) {
    variable("RNNADVISOR_MODE", mode)
        .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
        .variable("PROBE_CUPTI", "1")
        .variable("RNNADVISOR_UNTRACED_STEPS", "0");  // program_steps_test.cpp has them
  }
};
// In the mode that does without CUPTI.
struct CallsChild : Child {
  CallsChild() : Child(PROBE_FILE) { variable("CUDA_INJECTION64_PATH", PLUGIN_FILE); }
};

std::uint64_t lost(const Spool& s, Loss loss) {
  return s.header.lost[static_cast<std::size_t>(loss)];
}

TEST(Events, EachCallIsTimed) {
  CallsChild child;
  const auto result = child.run({"cuda", "700"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(700));
  ASSERT_THAT(s.times, SizeIs(700));
  for (std::size_t i = 0; i < 700; ++i) {
    EXPECT_EQ(s.calls[i].flags & spool::call_timed, std::uint32_t{spool::call_timed});
    EXPECT_EQ(s.calls[i].device, 0);
    EXPECT_EQ(s.times[i].device_ns, kernel_ns);
  }
  EXPECT_THAT(s.kernels, IsEmpty());
  ASSERT_THAT(s.devices, SizeIs(1));
  const auto& d = s.devices[0];
  EXPECT_STREQ(d.name, "Stand-in GPU");
  EXPECT_EQ(d.memory_bytes, std::uint64_t{141} << 30);
  EXPECT_EQ(d.major, 1000 + 75);  // numbers of attributes, as in cuda.h
  EXPECT_EQ(d.minor, 1000 + 76);
  EXPECT_EQ(d.multiprocessors, 1000 + 16);
  EXPECT_EQ(d.sm_clock_khz, 1000 + 13);
  EXPECT_EQ(d.memory_clock_khz, 1000 + 36);
  EXPECT_EQ(d.bus_bits, 1000 + 37);
  EXPECT_EQ(d.l2_bytes, 1000 + 38);
  EXPECT_EQ(d.shared_per_sm, 1000u + 81);
  EXPECT_EQ(d.shared_per_block, 1000u + 97);
  EXPECT_EQ(d.registers_per_sm, 1000u + 82);
  EXPECT_EQ(d.threads_per_sm, 1000u + 39);
  EXPECT_EQ(d.uuid[15], 16);
  EXPECT_EQ(s.environment.at("cuda_driver_version"), "13.0");
}

TEST(Events, ThoseOfAResetDeviceAreNotUsed) {
  CallsChild child;
  const auto result = child.run({"cuda-reset"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(12));
  EXPECT_THAT(result.spool().times, SizeIs(9)) << "what was under way is lost with the device";
}

TEST(Events, ContextsAreKeptApart) {
  CallsChild child;
  const auto result = child.run({"cuda-two-contexts"});
  ASSERT_EQ(result.status, 0) << result.error;
  ASSERT_THAT(result.spool().calls, SizeIs(5));
  EXPECT_THAT(result.spool().times, SizeIs(4)) << "all but the one without a context";
}

TEST(Events, ADeviceThatHangsKeepsNoProgramFromItsEnd) {
  CallsChild child;
  const auto result = child.run({"cuda-hangs"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(600));
  EXPECT_THAT(result.spool().times, IsEmpty());
  EXPECT_EQ(result.spool().header.exit_status, 0);
}

TEST(Events, ACaptureIsNotDisturbed) {
  CallsChild child;
  const auto result = child.run({"cuda-capture"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(3));
  EXPECT_EQ(s.calls[1].flags & spool::call_captured_in_graph, 0u);
  EXPECT_NE(s.calls[2].flags & spool::call_captured_in_graph, 0u);
  EXPECT_EQ(s.calls[2].capture_id, 1u);
  EXPECT_NE(s.calls[2].stream, 0u);
  EXPECT_THAT(s.times, SizeIs(2));
}

// The signal comes at another moment each time.
TEST(Events, ExitInASignalHandlerEnds) {
  for (int i = 0; i < 30; ++i) {
    CallsChild child;
    const auto result = child.run({"cuda-exit-in-handler", std::to_string(4000 + 331 * i)});
    ASSERT_EQ(result.status, 5) << result.error;
    EXPECT_EQ(result.spool().header.exit_status, 5);
    EXPECT_GT(result.spool().header.end_ns, 0);
  }
}

TEST(Cupti, KernelsBelongToTheirCalls) {
  KernelChild child;
  const auto result = child.run({"cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(3));
  ASSERT_THAT(s.kernels, SizeIs(3));
  ASSERT_THAT(s.ranges, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& k = s.kernels[i];
    EXPECT_EQ(s.text(k.name), "standin_rnn_kernel");
    EXPECT_EQ(k.end_ns - k.start_ns, kernel_ns);
    EXPECT_GE(k.start_ns, s.calls[i].start_ns);
    EXPECT_LE(k.start_ns, s.calls[i].end_ns);
    EXPECT_LT(s.ranges[i].first, k.correlation);
    EXPECT_GT(s.ranges[i].last, k.correlation);
    EXPECT_EQ(s.ranges[i].call, s.calls[i].id);
    EXPECT_EQ(s.ranges[i].stream, 7u);
    EXPECT_EQ(s.ranges[i].thread, s.calls[i].thread);
    EXPECT_THAT(k.grid, ElementsAre(1, 2, 3));
    EXPECT_THAT(k.block, ElementsAre(4, 5, 6));
    EXPECT_EQ(k.registers, 64u);
    EXPECT_EQ(k.shared_static, 48u);
    EXPECT_EQ(k.shared_dynamic, 96u);
    EXPECT_EQ(k.stream, 7u);
    EXPECT_EQ(k.context, 1u);
    EXPECT_EQ(k.graph_node, 0u);
  }
  EXPECT_THAT(s.times, IsEmpty()) << "no events beside CUPTI";
  EXPECT_THAT(s.transfers, SizeIs(6)) << "a copy and a fill each";
  ASSERT_THAT(s.api, SizeIs(3)) << "only those that wait for the GPU";
  EXPECT_EQ(s.text(s.api[0].name), "cudaStreamSynchronize");
  EXPECT_THAT(s.memory, IsEmpty());
  EXPECT_EQ(s.header.mode, Mode::kernels);
  ASSERT_THAT(s.libraries, SizeIs(2));
  EXPECT_EQ(s.lost(), 0u);
}

TEST(Cupti, TheModeFullHasEverything) {
  KernelChild child("full");
  const auto result = child.run({"cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.transfers, SizeIs(6));
  EXPECT_EQ(s.transfers[0].bytes, 1234u);
  EXPECT_EQ(s.transfers[0].copy_kind, 1u) << "to the device";
  EXPECT_EQ(s.transfers[1].bytes, 99u);
  EXPECT_EQ(s.transfers[1].copy_kind, 0u) << "a fill";
  ASSERT_THAT(s.api, SizeIs(3));
  EXPECT_EQ(s.text(s.api[0].name), "cudaLaunchKernel");
  EXPECT_EQ(s.api[0].driver, 0u);
  EXPECT_EQ(s.api[0].thread, s.calls.at(0).thread) << "the system's, as of everything else";
  ASSERT_THAT(s.memory, SizeIs(3));
  EXPECT_EQ(s.memory[0].address, 0x7000u);
  EXPECT_EQ(s.memory[0].bytes, 512u);
  EXPECT_EQ(s.memory[0].release, 1u);
  ASSERT_THAT(s.overhead, SizeIs(3));
  EXPECT_EQ(s.text(s.overhead[0].kind), "CUPTI resources");
}

TEST(Cupti, CallsOfTheDriverAreThereWhenAskedFor) {
  KernelChild child("kernels");
  child.variable("RNNADVISOR_TRACE", "api,driver");
  const auto result = child.run({"cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.api, SizeIs(6));
  EXPECT_EQ(s.text(s.api[0].name), "cuLaunchKernel");
  EXPECT_EQ(s.api[0].driver, 1u);
  EXPECT_EQ(s.text(s.api[1].name), "cudaLaunchKernel");
  EXPECT_EQ(s.api[1].driver, 0u);
}

TEST(Cupti, TheTraceVariableChooses) {
  for (const auto& [words, transfers, api, memory] :
       {std::tuple("none", 0u, 0u, 0u), std::tuple("memory", 0u, 0u, 3u),
        std::tuple("api,transfers", 6u, 3u, 0u)}) {
    KernelChild child("full");
    const auto result = child.variable("RNNADVISOR_TRACE", words).run({"cuda"});
    ASSERT_EQ(result.status, 0) << result.error;
    EXPECT_THAT(result.spool().transfers, SizeIs(transfers)) << words;
    EXPECT_THAT(result.spool().api, SizeIs(api)) << words;
    EXPECT_THAT(result.spool().memory, SizeIs(memory)) << words;
    EXPECT_THAT(result.spool().kernels, SizeIs(3)) << words;
    EXPECT_THAT(result.spool().notes, IsEmpty()) << words;
  }
}

TEST(Cupti, NodesOfGraphsAreFollowed) {
  KernelChild child;
  const auto result = child.run({"cuda-capture"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(3));
  ASSERT_THAT(s.nodes, SizeIs(2)) << "the node of another library's kernel is not recorded";
  EXPECT_EQ(s.nodes[0].node, 1u);
  EXPECT_EQ(s.nodes[0].call, s.calls[2].id);
  EXPECT_EQ(s.nodes[1].node, 1001u);
  EXPECT_EQ(s.nodes[1].original, 1u);
  ASSERT_THAT(s.kernels, SizeIs(3));
  EXPECT_EQ(s.kernels[2].graph_node, 1001u);
}

TEST(Cupti, MoreRecordsThanABufferHolds) {
  KernelChild child("full");
  const auto result = child.variable("RNNADVISOR_BUFFER_BYTES", "65536").run({"cuda", "2000"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().kernels, SizeIs(2000));
  EXPECT_THAT(result.spool().ranges, SizeIs(2000));
  EXPECT_EQ(result.spool().lost(), 0u);
}

TEST(Cupti, WhatItDropsIsCounted) {
  KernelChild child;
  const auto result = child.variable("STANDIN_CUPTI_DROPS", "13").run({"cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(lost(result.spool(), Loss::cupti), 13u);
}

TEST(Cupti, ThreadsLoseNothing) {
  KernelChild child;
  const auto result = child.run({"cuda-threads", "4", "1000"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(4000));
  EXPECT_THAT(result.spool().kernels, SizeIs(4000));
  EXPECT_EQ(result.spool().lost(), 0u);
}

// Each function that it may refuse leaves it as it was, and the calls with times of events.
TEST(Cupti, ARefusalIsReportedAndLeavesNothingBehind) {
  for (const char* function :
       {"cuptiSubscribe", "cuptiActivityRegisterCallbacks", "cuptiActivityEnable"}) {
    KernelChild child;
    const auto result = child.variable("STANDIN_CUPTI_REFUSES", function).run({"cupti-refused"});
    ASSERT_EQ(result.status, 0) << function << result.error;
    const auto& s = result.spool();
    EXPECT_EQ(s.header.asked_mode, Mode::kernels);
    EXPECT_EQ(s.header.mode, Mode::calls);
    ASSERT_THAT(s.notes, SizeIs(1)) << function;
    EXPECT_EQ(s.notes[0].first, "cupti-refused");
    EXPECT_THAT(s.notes[0].second, AllOf(HasSubstr(function), HasSubstr("PRIVILEGES")));
    EXPECT_THAT(s.calls, SizeIs(1));
    EXPECT_THAT(s.times, SizeIs(1));
  }
}

TEST(Cupti, WithoutItsLibraryCallsAreTimed) {
  if (test::sanitized())
    GTEST_SKIP()
        << "the sanitizer's dlopen() looks in the program's own folders and finds the stand-in";
  KernelChild child;
  const auto result = child.without("PROBE_CUPTI")
                          .variable("RNNADVISOR_CUPTI", "/nonexistent/libcupti.so")
                          .variable("LD_LIBRARY_PATH", "/nonexistent")
                          .run({"cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.spool().header.mode, Mode::calls);
  // The real one is found where the loader knows its folder; with a driver that is none it refuses.
  EXPECT_THAT(result.spool().note_codes(), ElementsAre(AnyOf("no-cupti", "cupti-refused")));
  EXPECT_THAT(result.spool().times, SizeIs(3));
}

TEST(Cupti, ItsLibraryIsTakenFromTheVariable) {
  KernelChild child;
  const auto result = child.without("PROBE_CUPTI")
                          .variable("RNNADVISOR_CUPTI", STANDIN_FOLDER "/libcupti.so.13")
                          .run({"cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().kernels, SizeIs(3));
}

class Conflict : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(, Conflict,
                         ::testing::Combine(::testing::Values("before", "after"),
                                            ::testing::Values("handle", "linked")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param);
                         });

TEST_P(Conflict, TheOtherUserOfCuptiHasIt) {
  const auto [when, how] = GetParam();
  KernelChild child;
  const auto result = child.run({"cupti-other", when, how});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_EQ(s.header.asked_mode, Mode::kernels);
  EXPECT_EQ(s.header.mode, Mode::calls);
  EXPECT_THAT(s.note_codes(), ElementsAre("tracing-conflict"));
  EXPECT_THAT(s.calls, SizeIs(4));
  const std::size_t before = std::string(when) == "after" ? 2 : 0;
  EXPECT_THAT(s.kernels, SizeIs(before)) << "what was recorded until then";
  EXPECT_THAT(s.times, SizeIs(4 - before)) << "events from there on";
}

TEST(Cupti, AConflictInTheMiddleOfACall) {
  KernelChild child;
  const auto result = child.run({"cupti-within"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().calls, SizeIs(3));
  EXPECT_THAT(result.spool().kernels, SizeIs(1));
  EXPECT_THAT(result.spool().times, SizeIs(1));
}

TEST(Cupti, WithoutASpoolTheProgramsOwnUseIsItsOwn) {
  for (const char* how : {"handle", "linked"}) {
    KernelChild child;
    const auto result = child.without("RNNADVISOR_SPOOL").run({"cupti-other", "after", how});
    EXPECT_EQ(result.status, 0) << result.error;
    EXPECT_THAT(result.spools, IsEmpty());
  }
}

TEST(Injection, AnotherToolHasItsTurnOnce) {
  KernelChild child;
  const auto result =
      child.variable("RNNADVISOR_CHAIN_CUDA_INJECTION", STANDIN_FOLDER "/libtool.so")
          .run({"cuda-chain"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.out, "1\n");
}

TEST(Injection, ChainedToItselfOrToNothing) {
  for (const char* tool : {PLUGIN_FILE, "/nonexistent/libtool.so"}) {
    KernelChild child;
    const auto result = child.variable("RNNADVISOR_CHAIN_CUDA_INJECTION", tool).run({"cuda"});
    ASSERT_EQ(result.status, 0) << tool << result.error;
    EXPECT_THAT(result.spool().kernels, SizeIs(3));
  }
}

// The plugin need not be preloaded: the driver's injection alone records kernels.
TEST(Injection, WithoutPreloadKernelsAreRecorded) {
  KernelChild child;
  const auto result = child.without("LD_PRELOAD").run({"cuda"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().kernels, SizeIs(3));
  EXPECT_THAT(result.spool().calls, IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
