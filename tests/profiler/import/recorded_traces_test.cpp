// Traces that torch.profiler made on an H200 (tests/data/traces) as profiles.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "profiler/import/byte_source.h"
#include "profiler/import/open_recording.h"
#include "profiler/import/torch_trace.h"
#include "profiler/profile/check.h"
#include "profiler/profile/environment.h"
#include "profiler/profile/recorder.h"
#include "tests/profiler/import/import_bytes.h"
#include "tests/profiler/profile/rich_profile.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::import_trace {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string traces = RNNADVISOR_SOURCE_DIR "/tests/data/traces/";

Profile recorded(const std::string& name) {
  auto profile = open_recording(traces + name + ".json.gz");
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  if (!profile) return {};
  const auto checked = check_profile(*profile, ErrorCode::internal);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return std::move(*profile);
}

std::map<Phase, int> phases(const Profile& profile) {
  std::map<Phase, int> counts;
  for (const auto& call : profile.calls) ++counts[call.phase];
  return counts;
}

bool has_note(const Profile& profile, const std::string& code) {
  return std::any_of(profile.notes.begin(), profile.notes.end(),
                     [&](const Note& note) { return note.code == code; });
}

std::string unpacked(const std::string& name) {
  return first_bytes(traces + name + ".json.gz", 1U << 25U);
}

// 8 steps, each a forward and a backward pass of one layer.
TEST(RecordedTraces, AProgramOfEightSteps) {
  for (const auto* name : {"small_model", "batch_first", "autocast_training", "relu_rnn"}) {
    SCOPED_TRACE(name);
    const auto profile = recorded(name);
    EXPECT_THAT(phases(profile), ElementsAre(std::pair(Phase::forward_training, 8),
                                             std::pair(Phase::backward_data, 8),
                                             std::pair(Phase::backward_weights, 8)));
    ASSERT_EQ(profile.configurations.size(), 1U);
    EXPECT_EQ(profile.configurations[0].origin, Origin::imported);
    EXPECT_EQ(profile.configurations[0].outcome, Outcome::completed);
    EXPECT_EQ(profile.configurations[0].program.name, Framework::pytorch);
    ASSERT_EQ(profile.devices.size(), 1U);
    EXPECT_EQ(profile.devices[0].name, "NVIDIA H200");
    EXPECT_GT(profile.devices[0].memory_bandwidth, 0);  // of the shipped description
    ASSERT_EQ(profile.processes.size(), 1U);
    EXPECT_GT(profile.processes[0].pid, 0);
    EXPECT_EQ(recorder_of(profile), Recorder::torch_profiler);
    EXPECT_TRUE(profile.environment.tracing);
    EXPECT_EQ(profile.environment.cuda_driver_version, "13.0");
    std::set<int> with_kernels;
    for (const int call : profile.kernels.call)
      if (call >= 0) with_kernels.insert(call);
    EXPECT_EQ(with_kernels.size(), profile.calls.size());
    for (const auto& call : profile.calls) {
      EXPECT_EQ(call.configuration, 0);
      EXPECT_GE(call.stream, 0);
      EXPECT_EQ(call.forward >= 0, !is_forward(call.phase));
      if (call.forward >= 0) {
        const auto& forward = profile.calls[static_cast<std::size_t>(call.forward)];
        EXPECT_EQ(forward.phase, Phase::forward_training);
        EXPECT_LT(forward.host_end_ns, call.host_start_ns);
      }
    }
  }
}

// What runs in a call is cuDNN's, and all of cuDNN's recurrent kernels run in calls.
TEST(RecordedTraces, KernelsBelongToTheirCalls) {
  for (const auto* name : {"small_model", "batch_first", "autocast_training", "relu_rnn",
                           "gru_classifier.tensorboard"}) {
    SCOPED_TRACE(name);
    const auto profile = recorded(name);
    const auto& k = profile.kernels;
    for (std::size_t i = 0; i < k.size(); ++i) {
      const auto& text = profile.text(k.name[i]);
      const bool pytorch = text.find("at::native") != std::string::npos;
      const auto holds = [&](const char* part) { return text.find(part) != std::string::npos; };
      if (k.call[i] >= 0) {
        EXPECT_FALSE(pytorch) << text;
      }
      if (holds("persist") || holds("elementWise") || holds("ampere_lstm") || holds("RNN_")) {
        EXPECT_GE(k.call[i], 0) << text;
      }
      if (k.call[i] < 0) continue;
      const Phase phase = profile.calls[static_cast<std::size_t>(k.call[i])].phase;
      if (holds("_bp2")) {
        EXPECT_EQ(phase, Phase::backward_weights) << text;
      }
      if (holds("_bp1") || holds("persist_bp") || holds("Persist_bp") || holds("lstm_bp")) {
        EXPECT_EQ(phase, Phase::backward_data) << text;
      }
      if (holds("persist_fp") || holds("Persist_fp") || holds("lstm_tile")) {
        EXPECT_EQ(phase, Phase::forward_training) << text;
      }
    }
  }
}

TEST(RecordedTraces, AutocastIsTheOperatorInAnother) {
  const auto profile = recorded("autocast_training");
  ASSERT_EQ(profile.configurations.size(), 1U);
  EXPECT_EQ(profile.configurations[0].program.autocast, Autocast::float16);
  EXPECT_EQ(profile.configurations[0].config.data_type, DataType::half);
}

// PyTorch before 2.0 has other names of categories, numbers in quotes, and steps as operators.
TEST(RecordedTraces, CategoriesOfEarlierReleasesAreTheSame) {
  std::string text = unpacked("gru_classifier.tensorboard");
  const auto replace = [&](const std::string& from, const std::string& to) {
    int times = 0;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
      ++times;
    }
    EXPECT_GT(times, 0) << from;
  };
  replace(R"("cat": "cpu_op")", R"("cat": "Operator")");
  replace(R"("cat": "kernel")", R"("cat": "Kernel")");
  replace(R"("cat": "cuda_runtime")", R"("cat": "Runtime")");
  replace(R"("cat": "gpu_memcpy")", R"("cat": "Memcpy")");
  replace(R"("cat": "gpu_memset")", R"("cat": "Memset")");
  replace(R"("cat": "user_annotation", "name": "ProfilerStep)",
          R"("cat": "Operator", "name": "ProfilerStep)");
  const Profile now = import_bytes(unpacked("gru_classifier.tensorboard"));
  EXPECT_FALSE(now.calls.empty());
  testing::expect_equal(import_bytes(text), now);
}

// ProfilerStep#n are steps, and ranges of one name.
TEST(RecordedTraces, AScheduleMarksSteps) {
  const auto profile = recorded("gru_classifier.tensorboard");
  int begin = 0;
  for (const auto& call : profile.calls) {
    begin += call.begins_step ? 1 : 0;
    if (call.begins_step) {
      EXPECT_EQ(call.phase, Phase::forward_training);
    }
    if (call.phase == Phase::forward_training) {
      EXPECT_THAT(profile.text(call.nvtx_path), HasSubstr("ProfilerStep"));
    }
  }
  EXPECT_EQ(begin, 3);  // schedule(active=3)
  std::set<NvtxPayload> numbers;
  for (std::size_t i = 0; i < profile.nvtx.size(); ++i)
    if (profile.text(profile.nvtx.name[i]) == "ProfilerStep")
      numbers.insert(profile.nvtx.payload[i]);
  EXPECT_EQ(numbers.size(), 3U);
}

TEST(RecordedTraces, AFolderOfRanksIsOneProfile) {
  const TemporaryFolder folder;
  for (const std::string rank : {"0", "1"})
    fs::copy_file(traces + "ranks." + rank + ".json.gz",
                  folder / ("node7_31" + rank + ".176.pt.trace.json.gz"));
  EXPECT_EQ(recording_kind(folder / ""), RecordingKind::torch_folder);
  const auto profile = open_recording(folder / "");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->processes.size(), 2U);
  for (int rank = 0; rank < 2; ++rank) {
    const auto& process = profile->processes[static_cast<std::size_t>(rank)];
    EXPECT_EQ(process.rank, rank);
    EXPECT_EQ(process.world_size, 2);
    EXPECT_EQ(process.host, "node7");
  }
  // Both ran on one GPU, the same layer, three times.
  EXPECT_EQ(profile->devices.size(), 1U);
  EXPECT_EQ(profile->configurations.size(), 1U);
  EXPECT_EQ(profile->calls.size(), 18U);
  // Times of both are on one clock: they ran at the same time.
  const auto span = [&](int process) {
    std::pair<std::int64_t, std::int64_t> found{latest_time_ns, 0};
    for (const auto& call : profile->calls)
      if (call.process == process)
        found = {std::min(found.first, call.host_start_ns),
                 std::max(found.second, call.host_end_ns)};
    return found;
  };
  EXPECT_LT(span(0).first, span(1).second);
  EXPECT_LT(span(1).first, span(0).second);
}

// Traces that export_chrome_trace() wrote have any name.
TEST(RecordedTraces, AFolderHoldsTracesOfAnyName) {
  const TemporaryFolder folder;
  for (const std::string rank : {"0", "1"})
    fs::copy_file(traces + "ranks." + rank + ".json.gz", folder / ("rank" + rank + ".json.gz"));
  std::ofstream(folder / "settings.json") << R"({"traceEvents": "of something else"})";
  EXPECT_THAT(trace_files(folder / ""),
              ElementsAre(folder / "rank0.json.gz", folder / "rank1.json.gz"));
  const auto profile = open_recording(folder / "");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->processes.size(), 2U);
  EXPECT_EQ(profile->processes[1].rank, 1);
  // Beside those of TensorBoard's handler others are something else.
  fs::copy_file(traces + "ranks.0.json.gz", folder / "n_1.1.pt.trace.json.gz");
  EXPECT_THAT(trace_files(folder / ""), ElementsAre(folder / "n_1.1.pt.trace.json.gz"));
}

// When it was recorded, not when it was imported: traces.jsonl has the day.
TEST(RecordedTraces, KnowsWhenItWasRecorded) {
  EXPECT_THAT(recorded("small_model").environment.created, StartsWith("2026-11-28T"));
  // Without the zero of its clock the time of importing is all that is known.
  auto text = unpacked("relu_rnn");
  const auto base = text.find("baseTimeNanoseconds");
  ASSERT_NE(base, std::string::npos);
  text[base] = 'B';
  const auto now = time_now();
  EXPECT_GE(import_bytes(text).environment.created, now);
}

// Without record_shapes calls are inferred from kernels, and a note says how to know them.
TEST(RecordedTraces, WithoutArgumentsCallsAreInferred) {
  auto text = unpacked("small_model");
  for (const std::string key : {"\"Concrete Inputs\"", "\"record_shapes\""})
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos; at += key.size())
      text[at + 1] = '-';
  const auto profile = import_bytes(text);
  EXPECT_TRUE(check_profile(profile, ErrorCode::internal));
  ASSERT_FALSE(profile.calls.empty());
  for (const auto& call : profile.calls) EXPECT_EQ(call.source, CallSource::kernels);
  ASSERT_FALSE(profile.configurations.empty());
  EXPECT_FALSE(profile.configurations[0].described());
  EXPECT_TRUE(has_note(profile, "rnn-kernels-without-calls"));
}

TEST(RecordedTraces, APieceOfATraceIsAProfileWithANote) {
  const auto text = unpacked("relu_rnn");
  const TemporaryFolder folder;
  for (const std::size_t share : {1U, 5U, 9U}) {
    const auto file = folder / "part.json";
    std::ofstream(file, std::ios::binary)
        .write(text.data(), static_cast<std::streamsize>(text.size() * share / 10));
    const auto profile = open_recording(file);
    if (share == 1) {  // nothing to judge: kernels come later
      ASSERT_FALSE(profile);
      EXPECT_EQ(profile.error().code, ErrorCode::damaged);
      EXPECT_FALSE(profile.error().remedy.empty());
      continue;
    }
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_TRUE(check_profile(*profile, ErrorCode::internal));
    EXPECT_TRUE(has_note(*profile, "trace-cut-off"));
  }
  // Of the compressed file as well.
  std::ifstream whole(traces + "relu_rnn.json.gz", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(whole)), {});
  std::ofstream(folder / "part.gz", std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size() / 2));
  const auto profile = open_recording(folder / "part.gz");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(has_note(*profile, "trace-cut-off"));
}

TEST(RecordedTraces, ReadTheSameInAnyPieces) {
  const auto text = unpacked("relu_rnn");
  const auto whole = import_bytes(text);
  for (const std::size_t piece : {7U, 4099U}) {
    const auto pieces = import_bytes(text, piece);
    EXPECT_EQ(pieces.calls, whole.calls);
    EXPECT_EQ(pieces.kernels.start_ns, whole.kernels.start_ns);
    EXPECT_EQ(pieces.kernels.call, whole.kernels.call);
  }
}

TEST(RecordedTraces, WhatIsPassedOverIsOfNoUse) {
  for (const auto* name : {"autocast_training", "gru_classifier.tensorboard", "ranks.0"}) {
    SCOPED_TRACE(name);
    const auto text = unpacked(name);
    const auto all = import_bytes(text, 1U << 16U, {});
    const auto wanted = import_bytes(text);
    EXPECT_EQ(wanted.calls, all.calls);
    EXPECT_EQ(wanted.strings, all.strings);
    EXPECT_EQ(wanted.notes.size(), all.notes.size());
    EXPECT_EQ(wanted.kernels.start_ns, all.kernels.start_ns);
    EXPECT_EQ(wanted.kernels.grid, all.kernels.grid);
    EXPECT_EQ(wanted.kernels.call, all.kernels.call);
    EXPECT_EQ(wanted.transfers.bytes, all.transfers.bytes);
    EXPECT_EQ(wanted.api.end_ns, all.api.end_ns);
    EXPECT_EQ(wanted.nvtx.payload, all.nvtx.payload);
  }
}

// Bytes that changed give another profile or an error, and never one that breaks an invariant.
TEST(RecordedTraces, DamageNeverBreaksAProfile) {
  const auto text = unpacked("relu_rnn").substr(0, 400'000);
  std::uint64_t state = 88172645463325252U;
  const auto random = [&](std::size_t below) {
    state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
    return static_cast<std::size_t>(state % below);
  };
  for (int round = 0; round < 12; ++round) {
    auto damaged = text;
    for (int i = 0; i < 200; ++i) {
      const std::string_view letters = "0123456789-.e\"[]{},: aZ\\\0";
      damaged[random(damaged.size())] = letters[random(letters.size())];
    }
    // A mistake of the grammar ends the reading: most letters become digits inside of numbers.
    for (int i = 0; i < 3000; ++i) {
      const auto at = random(text.size());
      if (round > 2 && text[at] >= '0' && text[at] <= '9')
        damaged[at] = static_cast<char>('0' + random(10));
      if (round > 2) damaged[random(text.size())] = text[random(text.size())];
    }
    const auto& used = round % 2 == 0 ? damaged : text;
    const auto profile = import_bytes(used);
    const auto checked = check_profile(profile, ErrorCode::internal);
    EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  }
}

TEST(OpenRecording, TellsKindsByContent) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, std::string_view bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  };
  EXPECT_EQ(recording_kind(traces + "small_model.json.gz"), RecordingKind::torch_trace);
  EXPECT_EQ(recording_kind(write("a.rnnprof", "\n {\"traceEvents\": []}")),
            RecordingKind::torch_trace);
  EXPECT_EQ(
      recording_kind(write("b", "\n\nI! CuDNN (v91900 56) function cudnnGetVersion() called:\n")),
      RecordingKind::cudnn_log);
  EXPECT_EQ(recording_kind(write("c.json", "SQLite format 3")), RecordingKind::rnnprof);
  EXPECT_EQ(recording_kind(write("d.json", "plain text")), RecordingKind::rnnprof);
  EXPECT_EQ(recording_kind(write("f.json", "{\"cell\": \"lstm\"}")), RecordingKind::rnnprof);
  EXPECT_EQ(recording_kind(write("e.json", "")), RecordingKind::rnnprof);
  EXPECT_EQ(recording_kind(folder / "missing"), RecordingKind::rnnprof);
  EXPECT_EQ(recording_kind(folder / ""), RecordingKind::rnnprof);  // nothing of TensorBoard's in it
  EXPECT_FALSE(is_foreign_trace(folder / "d.json"));
}

TEST(OpenRecording, RefusesTracesOfOtherTools) {
  const TemporaryFolder folder;
  // Of Chrome itself, and of XLA where no GPU did anything.
  std::ofstream(folder / "chrome.json") << R"({"traceEvents":[
    {"ph":"X","pid":1,"tid":14,"ts":1.5,"dur":2,"name":"RunTask"}]})";
  std::ofstream(folder / "jax.json")
      << R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[
    {"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}},
    {"ph":"X","pid":1,"tid":14,"ts":1.5,"dur":2,"name":"ParseArguments"}]})";
  for (const std::string name : {"chrome.json", "jax.json"}) {
    const auto other = open_recording(folder / name);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(other.error().remedy, HasSubstr("rnnadvisor profile"));
  }
  std::ofstream(folder / "config.json") << R"({"cell": "lstm"})";
  const auto config = open_recording(folder / "config.json");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::damaged);
  EXPECT_EQ(open_recording(folder / "missing.json").error().code, ErrorCode::not_found);
}

TEST(OpenRecording, CanBeCancelled) {
  for (const std::string name :
       {"small_model.json.gz", "jax_small.trace.json.gz", "jax_small.xplane.pb.gz"}) {
    SCOPED_TRACE(name);
    const int most = name.ends_with(".pb.gz") ? 3 : 1;
    ProfileReadOptions options;
    double last = 0;
    int asked = 0;
    options.keep_going = [&](double share) {
      EXPECT_GE(share, last);
      EXPECT_LE(share, 1);
      last = share;
      return ++asked < most;
    };
    const auto profile = open_recording(traces + name, options);
    ASSERT_FALSE(profile);
    EXPECT_EQ(profile.error().code, ErrorCode::interrupted);
    EXPECT_EQ(asked, most);
  }
}

}  // namespace
}  // namespace rnnadvisor::import_trace
