// From hand-written spools to a profile: what was recorded.
#include <algorithm>

#include "tests/profiler/launch/collect_fixture.h"

namespace rnnadvisor::launch {
namespace {

using ::testing::Pair;

TEST_F(Collect, OneProcessWithEverything) {
  const Profile p = profile_of(sample_spool());
  ASSERT_THAT(p.processes, SizeIs(1));
  const Process& process = p.processes[0];
  EXPECT_EQ(process.pid, 100);
  EXPECT_EQ(process.parent_pid, 99);
  EXPECT_EQ(process.host, "node1");
  EXPECT_EQ(process.executable, "/usr/bin/python3.11");
  EXPECT_EQ(process.command_line, "python3 train.py");
  EXPECT_EQ(process.rank, 1);
  EXPECT_EQ(process.local_rank, 0);
  EXPECT_EQ(process.mode, "full");
  EXPECT_EQ(process.framework, "pytorch");
  EXPECT_EQ(process.cudnn_version, "9.19.0");
  EXPECT_EQ(process.end, ProcessEnd::exited);
  EXPECT_EQ(process.exit_status, 0);
  EXPECT_THAT(process.variables, ElementsAre(Pair("CUBLAS_WORKSPACE_CONFIG", ":4096:8")));

  ASSERT_THAT(p.devices, SizeIs(1));
  EXPECT_EQ(p.devices[0].id, "nvidia-h200");
  EXPECT_TRUE(p.devices[0].live);
  ASSERT_THAT(p.configurations, SizeIs(1));
  const Configuration& c = p.configurations[0];
  EXPECT_EQ(c.origin, Origin::captured);
  EXPECT_EQ(c.outcome, Outcome::completed);
  EXPECT_EQ(c.config.cell, Cell::lstm);
  EXPECT_EQ(c.config.bias_mode, BiasMode::double_bias);
  EXPECT_EQ(c.config.data_type, DataType::half);
  EXPECT_EQ(c.config.math_precision, DataType::float32);
  EXPECT_EQ(c.config.math_type, MathType::tensor_op);
  EXPECT_EQ(c.config.hidden_size, 512);
  EXPECT_EQ(c.config.num_layers, 2);
  EXPECT_EQ(c.config.seq_length, 4);
  EXPECT_EQ(c.config.batch_size, 3);
  EXPECT_EQ(c.config.mode, Mode::training);
  EXPECT_EQ(c.program.name, Framework::pytorch);
  EXPECT_EQ(c.program.cublas_workspace_set, true);
  EXPECT_EQ(c.program.packed_sequence, false);
  EXPECT_EQ(c.program.pointer_alignment, 16);  // 2^4, the least of what the calls were given
  EXPECT_EQ(c.program.needs_backward, true);
  EXPECT_EQ(c.program.mixed_algos, false);
  EXPECT_EQ(c.program.dev_seq_lengths, false);

  EXPECT_EQ(p.environment.cudnn_version, "9.19.0");
  EXPECT_EQ(p.environment.cudnn_path, "/opt/lib/libcudnn.so.9");
  EXPECT_EQ(p.environment.framework, "pytorch");
  EXPECT_EQ(p.environment.host, "node1");
  EXPECT_TRUE(p.environment.tracing);
  EXPECT_THAT(codes(p), ElementsAre("call-sites-off"));
}

TEST_F(Collect, CallsKnowTheirPlaceAndTheirForwardPass) {
  const Profile p = profile_of(sample_spool());
  ASSERT_GE(p.calls.size(), 3u);
  const RnnCall& forward = p.calls[0];
  EXPECT_EQ(forward.phase, Phase::forward_training);
  EXPECT_EQ(forward.source, CallSource::hook);
  EXPECT_EQ(forward.graph, GraphState::none);
  EXPECT_EQ(forward.host_start_ns, 10'000);
  EXPECT_EQ(forward.host_end_ns, 12'000);
  EXPECT_EQ(forward.weights_bytes, 4096);
  EXPECT_EQ(forward.workspace_bytes, 1024);
  EXPECT_EQ(forward.reserve_bytes, 2048);
  EXPECT_EQ(forward.device_duration_ns, 1'500);
  EXPECT_EQ(forward.stream, 7);  // CUPTI's number, from its kernels
  EXPECT_EQ(forward.forward, -1);
  EXPECT_EQ(p.text(forward.nvtx_path), "epoch/step 1");
  const auto& arguments = p.call_arguments[static_cast<std::size_t>(forward.arguments)];
  EXPECT_EQ(arguments.alignment[static_cast<std::size_t>(CallPointer::x)], 512);
  EXPECT_EQ(arguments.alignment[static_cast<std::size_t>(CallPointer::weights)], 16);
  EXPECT_EQ(arguments.alignment[static_cast<std::size_t>(CallPointer::hx)], -1);
  EXPECT_EQ(arguments.contiguous, true);
  EXPECT_THAT(arguments.seq_lengths, IsEmpty());

  for (const std::size_t backward : {1U, 2U}) {
    const RnnCall& call = p.calls[backward];
    EXPECT_EQ(call.forward, 0);
    ASSERT_EQ(call.site, forward.site);  // inherited
    const auto& site = p.call_sites[static_cast<std::size_t>(call.site)];
    EXPECT_EQ(p.text(site.file), "train.py");
    EXPECT_EQ(p.text(site.function), "step");
    EXPECT_EQ(site.line, 31);
    const auto& inner = p.call_sites[static_cast<std::size_t>(site.inner)];
    EXPECT_EQ(inner.line, 1100);
  }
  EXPECT_EQ(p.calls[1].phase, Phase::backward_data);
  EXPECT_EQ(p.calls[2].phase, Phase::backward_weights);
}

TEST_F(Collect, KernelsBelongToTheirCalls) {
  const Profile p = profile_of(sample_spool());
  ASSERT_EQ(p.kernels.size(), 4u);  // sorted by start
  EXPECT_EQ(p.kernels.call[0], 0);
  EXPECT_EQ(p.kernels.call[1], 1);
  EXPECT_EQ(p.kernels.call[2], -1);
  EXPECT_EQ(p.text(p.kernels.name[0]), "elemWiseRNNcell");
  EXPECT_EQ(p.kernels.registers[0], 64);
  EXPECT_THAT(p.kernels.grid[0], ElementsAre(1, 2, 3));
  ASSERT_EQ(p.transfers.size(), 1u);
  EXPECT_EQ(p.transfers.call[0], 0);
  EXPECT_EQ(p.transfers.operation[0], MemoryOperation::copy);
  EXPECT_EQ(p.transfers.bytes[0], 4096);
  ASSERT_EQ(p.api.size(), 1u);
  EXPECT_EQ(p.api.call[0], 0);
  EXPECT_EQ(p.text(p.api.name[0]), "cudaLaunchKernel");
  ASSERT_EQ(p.allocations.size(), 1u);
  EXPECT_EQ(p.allocations.bytes[0], 2048);
  ASSERT_EQ(p.overhead.size(), 1u);
  EXPECT_EQ(p.text(p.overhead.kind[0]), "buffer flush");
}

TEST_F(Collect, RangesAreMadeOfTheirEnds) {
  const Profile p = profile_of(sample_spool());
  ASSERT_THAT(p.thread_names, SizeIs(1));
  EXPECT_EQ(p.thread_names[0].process, 0);
  EXPECT_EQ(p.thread_names[0].thread, 100);
  EXPECT_EQ(p.text(p.thread_names[0].name), "main");
  EXPECT_EQ(p.stream_name(0, 0, 7), "compute");
  ASSERT_EQ(p.nvtx.size(), 3u);  // the outer first
  EXPECT_EQ(p.text(p.nvtx.name[0]), "epoch");
  EXPECT_EQ(p.nvtx.end_ns[0], 60'000);
  EXPECT_EQ(p.text(p.nvtx.name[1]), "step 1");
  EXPECT_EQ(p.nvtx.end_ns[1], 50'000);
  EXPECT_EQ(p.text(p.nvtx.domain[1]), "train");
  EXPECT_EQ(p.text(p.nvtx.category[1]), "loop");
  EXPECT_EQ(static_cast<std::uint32_t>(p.nvtx.color[1]), 0xff00ff00u);
  EXPECT_EQ(p.nvtx.payload[1], NvtxPayload(std::int64_t{-5}));
  EXPECT_EQ(p.text(p.nvtx.name[2]), "checkpoint");
  EXPECT_EQ(p.nvtx.start_ns[2], p.nvtx.end_ns[2]);
  EXPECT_EQ(p.nvtx.payload[2], NvtxPayload());
}

spool::Nvtx range_event(SpoolWriter& w, std::int64_t time, std::string_view name,
                        std::uint32_t thread, std::uint64_t range = 0) {
  spool::Nvtx event{};
  event.time_ns = time;
  event.name = name.empty() ? 0 : w.text(name);
  event.thread = thread;
  event.range = range;
  return event;
}

TEST_F(Collect, UnfinishedRangesEndWithTheirProcessAndSpareEndsAreNothing) {
  SpoolWriter w;
  spool::NvtxPop pop{};
  pop.time_ns = 1'500;
  pop.thread = 1;
  w.add(pop);  // its push lies before the capture range
  w.add(range_event(w, 2'000, "open", 1), spool::Type::nvtx_push, {});
  w.add(range_event(w, 3'000, "inner", 1), spool::Type::nvtx_push, {});
  pop.time_ns = 4'000;
  w.add(pop);
  pop.thread = 2;  // another thread's stack
  pop.time_ns = 5'000;
  w.add(pop);
  w.add(range_event(w, 6'000, "never ended", 1, 5), spool::Type::nvtx_start, {});
  w.add(range_event(w, 7'000, "", 1, 6), spool::Type::nvtx_end, {});
  const Profile p = profile_of(w);
  ASSERT_EQ(p.nvtx.size(), 3u);
  EXPECT_EQ(p.text(p.nvtx.name[0]), "open");
  EXPECT_EQ(p.nvtx.end_ns[0], 9'000'000);
  EXPECT_EQ(p.text(p.nvtx.name[1]), "inner");
  EXPECT_EQ(p.nvtx.end_ns[1], 4'000);
  EXPECT_EQ(p.text(p.nvtx.name[2]), "never ended");
  EXPECT_EQ(p.nvtx.end_ns[2], 9'000'000);
  ASSERT_NE(find_note(p, "nvtx-unfinished"), nullptr);
  EXPECT_EQ(find_note(p, "nvtx-unfinished")->count, 2);
}

// A graph that captured a forward call, launched three times.
TEST_F(Collect, LaunchesOfAGraphAreCallsOfTheirOwn) {
  SpoolWriter w;
  w.header.calls = 1;
  w.add(sample_device(0, 1));
  w.add_configuration(sample_configuration(1));
  spool::Call captured = sample_call(1, spool::Entry::forward, 10'000, 12'000);
  captured.flags = spool::call_captured_in_graph;
  w.add(captured);
  w.add(spool::GraphNode{{}, 500, 0, 1});
  w.add(spool::GraphNode{{}, 600, 500, 0});  // instantiated
  w.add(spool::GraphNode{{}, 601, 499, 0});  // of another tool's node
  for (std::uint32_t launch = 1; launch <= 3; ++launch) {
    spool::Kernel kernel{};
    kernel.start_ns = launch * 100'000;
    kernel.end_ns = kernel.start_ns + 1'000;
    kernel.name = w.text("elemWiseRNNcell");
    kernel.correlation = 70 + launch;
    kernel.stream = 9;
    kernel.graph_node = 600;
    w.add(kernel);
    kernel.start_ns += 2'000;
    kernel.end_ns += 2'000;
    w.add(kernel);
    kernel.graph_node = 601;
    w.add(kernel);
  }
  spool::Api api{};
  api.start_ns = 290'000;
  api.end_ns = 295'000;
  api.name = w.text("cudaGraphLaunch_v10000");
  api.correlation = 73;
  api.thread = 100;
  w.add(api);
  const Profile p = profile_of(w);
  ASSERT_THAT(p.calls, SizeIs(4));
  EXPECT_EQ(p.calls[0].graph, GraphState::captured);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(p.calls[i].graph, GraphState::replayed);
    EXPECT_EQ(p.calls[i].configuration, p.calls[0].configuration);
    EXPECT_EQ(p.calls[i].arguments, p.calls[0].arguments);
    EXPECT_EQ(p.calls[i].stream, 9);
  }
  EXPECT_EQ(p.calls[1].host_start_ns, 100'000);  // no API record: where the GPU began
  EXPECT_EQ(p.calls[1].host_end_ns, 100'000);
  EXPECT_EQ(p.calls[3].host_start_ns, 290'000);
  EXPECT_EQ(p.calls[3].host_end_ns, 295'000);
  EXPECT_THAT(p.kernels.call, ElementsAre(1, 1, -1, 2, 2, -1, 3, 3, -1));
  EXPECT_EQ(find_note(p, "graph-replays")->count, 3);
}

// One block of a program that still runs, its earlier ones in the same file.
TEST_F(Collect, WhatBeganBeforeATimeIsLeftOut) {
  add(sample_spool());
  const Profile all = collect().profile;
  ASSERT_GE(all.calls.size(), 2u);
  for (const auto& call : all.calls) {
    for (const std::int64_t since : {call.host_start_ns, call.host_start_ns + 1}) {
      CollectOptions options;
      options.since_ns = since;
      const Profile p = collect(options).profile;
      const auto earlier =
          std::count_if(all.calls.begin(), all.calls.end(),
                        [&](const RnnCall& each) { return each.host_start_ns < since; });
      EXPECT_EQ(p.calls.size() + static_cast<std::size_t>(earlier), all.calls.size());
      const auto later = [&](const auto& times) {
        return static_cast<std::size_t>(std::count_if(
            times.begin(), times.end(), [&](std::int64_t start) { return start >= since; }));
      };
      EXPECT_EQ(p.kernels.size(), later(all.kernels.start_ns));
      EXPECT_EQ(p.transfers.size(), later(all.transfers.start_ns));
      EXPECT_EQ(p.api.size(), later(all.api.start_ns));
      const Note* note = find_note(p, "calls-earlier");
      EXPECT_EQ(note == nullptr ? 0 : note->count, earlier);
      EXPECT_EQ(find_note(p, "calls-outside") == nullptr,
                find_note(all, "calls-outside") == nullptr);
    }
  }
}

// The graph that a block launches may have been captured before it.
TEST_F(Collect, LaterLaunchesOfAnEarlierGraphAreKept) {
  SpoolWriter w;
  w.header.calls = 1;
  w.add(sample_device(0, 1));
  w.add_configuration(sample_configuration(1));
  spool::Call captured = sample_call(1, spool::Entry::forward, 10'000, 12'000);
  captured.flags = spool::call_captured_in_graph;
  w.add(captured);
  w.add(spool::GraphNode{{}, 500, 0, 1});
  for (std::uint32_t launch = 1; launch <= 3; ++launch) {
    spool::Kernel kernel{};
    kernel.start_ns = launch * 100'000;
    kernel.end_ns = kernel.start_ns + 1'000;
    kernel.name = w.text("elemWiseRNNcell");
    kernel.correlation = 70 + launch;
    kernel.graph_node = 500;
    w.add(kernel);
  }
  add(w);
  CollectOptions options;
  options.since_ns = 200'000;
  const Profile p = collect(options).profile;
  ASSERT_THAT(p.calls, SizeIs(3));
  EXPECT_EQ(p.calls[0].graph, GraphState::captured);
  EXPECT_EQ(p.calls[1].graph, GraphState::replayed);
  EXPECT_EQ(p.calls[1].host_start_ns, 200'000);
  EXPECT_EQ(p.calls[2].configuration, p.calls[0].configuration);
}

TEST_F(Collect, AChainOfClonesThatNeverEndsIsNoCall) {
  SpoolWriter w;
  w.add(spool::GraphNode{{}, 1, 2, 0});
  w.add(spool::GraphNode{{}, 2, 1, 0});
  spool::Kernel kernel{};
  kernel.start_ns = 5'000;
  kernel.end_ns = 6'000;
  kernel.graph_node = 1;
  w.add(kernel);
  EXPECT_THAT(profile_of(w).kernels.call, ElementsAre(-1));
}

// A call after the last that was wanted still launches kernels: on cuDNN's own streams, too, which
// stay cuDNN's.
TEST_F(Collect, ACallThatIsNotRecordedTakesNothingFromOthers) {
  SpoolWriter w;
  w.header.calls = 1;
  w.add(sample_device(0, 10));
  w.add_configuration(sample_configuration(1));
  w.add(sample_call(1, spool::Entry::forward, 10'000, 12'000));
  for (const std::uint32_t correlation : {5U, 15U}) {
    spool::Kernel kernel{};
    kernel.start_ns = 1000 * correlation;
    kernel.end_ns = kernel.start_ns + 500;
    kernel.correlation = correlation;
    kernel.stream = 33;
    w.add(kernel);
  }
  w.add(spool::CorrelationRange{{}, 1, 4, 6, 7, 0});
  w.add(spool::CorrelationRange{{}, 2, 14, 16, 7, 0});
  const Profile p = profile_of(w);
  ASSERT_THAT(p.calls, SizeIs(1));
  EXPECT_THAT(p.kernels.call, ElementsAre(0, -1));
  EXPECT_EQ(find_note(p, "kernels-untold"), nullptr);
}

// Two processes of a job on two GPUs of one kind, each calling its own "device 0".
TEST_F(Collect, ProcessesOfAJob) {
  for (const int rank : {1, 0}) {
    SpoolWriter w;
    w.header.pid = 200 + rank;
    w.header.rank = w.header.local_rank = rank;
    w.header.world_size = 2;
    w.header.calls = 1;
    w.add(sample_device(0, static_cast<std::uint8_t>(10 + rank)));
    w.add_configuration(sample_configuration(1));
    w.add(sample_call(1, spool::Entry::forward, 10'000 + rank, 12'000));
    spool::Kernel kernel{};
    kernel.start_ns = 11'000;
    kernel.end_ns = 11'500;
    kernel.correlation = 5;  // in both
    w.add(kernel);
    w.add(spool::CorrelationRange{{}, 1, 4, 6, 0, 0});
    add(w);
  }
  const Profile p = collect().profile;
  ASSERT_THAT(p.processes, SizeIs(2));
  EXPECT_EQ(p.processes[0].rank, 0);  // in the order of ranks
  EXPECT_EQ(p.processes[1].rank, 1);
  EXPECT_EQ(p.processes[1].world_size, 2);
  EXPECT_THAT(p.devices, SizeIs(2));
  EXPECT_NE(p.devices[0].uuid, p.devices[1].uuid);
  EXPECT_EQ(p.devices[1].uuid, "GPU-00000000-0000-0000-0000-00000000000b");
  EXPECT_TRUE(p.devices[0].same_kind(p.devices[1]));
  ASSERT_THAT(p.configurations, SizeIs(1));  // both GPUs are of one kind
  ASSERT_THAT(p.calls, SizeIs(2));
  EXPECT_EQ(p.calls[0].device, 0);
  EXPECT_EQ(p.calls[1].device, 1);
  EXPECT_EQ(p.calls[1].process, 1);
  EXPECT_THAT(p.kernels.call, ElementsAre(0, 1));
  EXPECT_THAT(p.kernels.device, ElementsAre(0, 1));
}

// Samples of a device whose clock stands `off` before the host's.
SpoolWriter with_counters(std::int64_t off) {
  SpoolWriter w;
  w.header.pid = 1;
  w.header.calls = 1;
  w.add(sample_device(0, 7));
  w.add_configuration(sample_configuration(1));
  w.add(spool::String{{}, 90, 17}, spool::Type::string, "sm__cycles_active");
  w.add(spool::String{{}, 91, 11}, spool::Type::string, "dram__bytes");
  spool::CounterMetrics metrics{};
  metrics.count = 2;
  metrics.names[0] = 90;
  metrics.names[1] = 91;
  w.add(metrics);
  constexpr std::int64_t ms = 1'000'000, origin = 1'000'000 * ms;
  w.add(sample_call(1, spool::Entry::forward, origin, origin + 10));
  spool::Kernel kernel{};
  kernel.start_ns = origin + 1;
  kernel.end_ns = origin + 10 * ms;
  kernel.correlation = 5;
  w.add(kernel);
  w.add(spool::CorrelationRange{{}, 1, 4, 6, 0, 0});
  for (int i = 0; i < 4; ++i) {
    spool::CounterSample sample{};
    sample.start_ns = origin + i * ms + ms / 2 - off;
    sample.end_ns = sample.start_ns + ms;
    sample.count = 2;
    sample.values[0] = 50;
    sample.values[1] = 1e9 + i;
    w.add(sample);
    w.add(spool::CounterClock{{}, sample.end_ns + off + (i == 2 ? 0 : ms), sample.end_ns, 0, 0});
  }
  return w;
}

void expect_counters(const Profile& p) {
  ASSERT_EQ(p.counters.size(), 8U);
  EXPECT_TRUE(p.environment.counters);
  EXPECT_EQ(p.text(p.counters.metric[1]), "dram__bytes");
  EXPECT_EQ(p.counters.start_ns[0], 1'000'000'500'000);
  ASSERT_THAT(p.configurations, SizeIs(1));
  ASSERT_THAT(p.configurations[0].counters, SizeIs(2));
  EXPECT_EQ(p.configurations[0].counters[0].value, 50);
  EXPECT_EQ(p.configurations[0].counters[1].value, 1e9 + 1.5);
}

bool clock_noted(const Profile& p) {
  return std::any_of(p.notes.begin(), p.notes.end(),
                     [](const Note& n) { return n.code == "counter-clock"; });
}

TEST_F(Collect, CountersBecomeSamplesAndValuesOfTheirCalls) {
  const Profile p = profile_of(with_counters(0));
  expect_counters(p);
  EXPECT_FALSE(clock_noted(p));
}

// By the smallest distance between the clocks, which is too large to be waiting.
TEST_F(Collect, CountersOfADriftedClockAreMoved) {
  const Profile p = profile_of(with_counters(3'000'000'000));
  expect_counters(p);
  EXPECT_TRUE(clock_noted(p));
}

TEST_F(Collect, CountersThatCannotBeAreLeftOut) {
  SpoolWriter w = with_counters(0);
  spool::CounterSample bad{};
  bad.device = 5;  // no metrics were told for it
  bad.count = 2;
  bad.start_ns = 1000;
  bad.end_ns = 2000;
  w.add(bad);
  bad.device = 0;
  bad.values[0] = std::numeric_limits<double>::quiet_NaN();
  w.add(bad);
  bad.values[0] = 1;
  bad.end_ns = 500;  // ends before it begins
  w.add(bad);
  bad.end_ns = 2000;
  bad.count = 4'000'000'000;  // more than there is room for
  w.add(bad);
  const Profile p = profile_of(w);
  EXPECT_EQ(p.counters.size(), 8U + 1 + 2);
}

}  // namespace
}  // namespace rnnadvisor::launch
