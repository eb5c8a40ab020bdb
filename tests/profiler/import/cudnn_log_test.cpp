// cuDNN's API logs as profiles: real ones of an H200 (tests/data/traces/traces.jsonl) against
// recordings of the same programs by the plugin, and what logs of others may look like.
#include "profiler/import/cudnn_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <string>

#include "core/config/read_config.h"
#include "profiler/import/byte_source.h"
#include "profiler/import/open_recording.h"
#include "profiler/profile/check.h"
#include "profiler/profile/file.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::import_trace {
namespace {

const std::string traces = RNNADVISOR_SOURCE_DIR "/tests/data/traces/";

std::string log_text(const std::string& file) {
  auto source = ByteSource::open(traces + file);
  if (!source) return {};
  std::string text;
  for (;;) {
    const auto before = text.size();
    text.resize(before + (1 << 20));
    const auto got = source->read(text.data() + before, 1 << 20);
    text.resize(before + got);
    if (got == 0) return text;
  }
}

Profile import(const std::string& text) {
  Profile profile = import_cudnn_log_text(text, {});
  const auto checked = check_profile(profile, ErrorCode::internal);
  EXPECT_TRUE(checked) << checked.error().message;
  return profile;
}

const Note* note_of(const Profile& profile, std::string_view code) {
  const auto found = std::find_if(profile.notes.begin(), profile.notes.end(),
                                  [&](const Note& note) { return note.code == code; });
  return found == profile.notes.end() ? nullptr : &*found;
}

// The configurations that calls were made of; PyTorch draws a new seed for dropout in each run.
std::set<std::string> configurations(const Profile& profile) {
  std::set<std::string> lines;
  for (const auto& call : profile.calls) {
    if (call.configuration < 0) continue;
    RnnConfig config = profile.configurations[static_cast<std::size_t>(call.configuration)].config;
    config.dropout_seed = 1;
    lines.insert(to_json_line(config));
  }
  return lines;
}

// Phase, sizes and alignment of calls.
std::set<std::string> kinds_of_calls(const Profile& profile) {
  std::set<std::string> kinds;
  for (const auto& call : profile.calls)
    kinds.insert(std::string(to_string(call.phase)) + " " + std::to_string(call.weights_bytes) +
                 " " + std::to_string(call.workspace_bytes) + " " +
                 std::to_string(call.reserve_bytes));
  return kinds;
}

void expect_same(const std::string& log, const std::string& recording) {
  const auto profile = import_cudnn_log(traces + log, {});
  ASSERT_TRUE(profile) << profile.error().message;
  const auto recorded = read_profile(recording);
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_EQ(configurations(*profile), configurations(*recorded));
  EXPECT_EQ(kinds_of_calls(*profile), kinds_of_calls(*recorded));
  for (const auto& configuration : profile->configurations) {
    EXPECT_EQ(configuration.origin, Origin::imported);
    EXPECT_EQ(configuration.outcome, Outcome::completed);
  }
}

TEST(CudnnLog, HasTheConfigurationsThatThePluginRecorded) {
  expect_same("relu_rnn.cudnn.log.gz", RNNADVISOR_RECORDINGS "/relu-rnn.rnnprof");
  expect_same("small_model.cudnn.log.gz", RNNADVISOR_RECORDINGS "/small-model.rnnprof");
  expect_same("evaluation.cudnn.log.gz", RNNADVISOR_RECORDINGS "/evaluation.rnnprof");
  expect_same("lstm.cudnn.log.gz",
              RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/jax-lstm.rnnprof");
}

// The same programs by torch.profiler, which knows no alignment and no sizes of cuDNN's buffers.
TEST(CudnnLog, HasTheConfigurationsOfTorchProfiler) {
  for (const std::string program : {"relu_rnn", "small_model"}) {
    const auto log = import_cudnn_log(traces + program + ".cudnn.log.gz", {});
    ASSERT_TRUE(log) << log.error().message;
    const auto trace = open_recording(traces + program + ".json.gz");
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(configurations(*log), configurations(*trace));
  }
}

TEST(CudnnLog, KnowsMachineProcessAndArguments) {
  const auto profile = import_cudnn_log(traces + "lstm.cudnn.log.gz", {});
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->devices.size(), 1U);
  const auto& device = profile->devices[0];
  EXPECT_EQ(device.name, "NVIDIA H200");
  EXPECT_EQ(device.compute_major, 9);
  EXPECT_EQ(device.sm_count, 132);
  EXPECT_EQ(device.memory_bytes, 150109880320);
  EXPECT_GT(device.memory_bandwidth, 0);  // of the shipped description
  EXPECT_EQ(profile->environment.cudnn_version, "9.19.0");
  ASSERT_EQ(profile->processes.size(), 1U);
  EXPECT_EQ(profile->processes[0].pid, 2867);
  ASSERT_EQ(profile->calls.size(), 15U);
  const auto& first = profile->calls[0];
  EXPECT_EQ(first.phase, Phase::forward_training);
  EXPECT_EQ(first.thread, 2867);
  EXPECT_EQ(first.host_start_ns, 1795904396412491000);  // 2026-11-28T22:19:56.412491 UTC
  EXPECT_EQ(first.host_end_ns, first.host_start_ns);
  EXPECT_EQ(profile->stream_name(first.process, first.device, first.stream), "0x6bdcad0");
  ASSERT_GE(first.arguments, 0);
  const auto& arguments = profile->call_arguments[static_cast<std::size_t>(first.arguments)];
  const auto alignment = [&](CallPointer pointer) {
    return arguments.alignment[static_cast<std::size_t>(pointer)];
  };
  EXPECT_EQ(alignment(CallPointer::x), 512);         // 0x7faa23600200
  EXPECT_EQ(alignment(CallPointer::weights), 256);   // 0x7faa22400300
  EXPECT_EQ(alignment(CallPointer::reserve), 2048);  // 0x309ab0800
  EXPECT_EQ(alignment(CallPointer::dx), -1);
  EXPECT_EQ(arguments.contiguous, true);
  EXPECT_EQ(profile->calls[1].forward, 0);  // both name the reserve of the first call
  EXPECT_EQ(profile->calls[2].forward, 0);
  const auto& program = profile->configurations[0].program;
  EXPECT_EQ(program.dev_seq_lengths, true);
  EXPECT_EQ(program.needs_backward, true);
  EXPECT_EQ(profile->kernels.size(), 0U);
  EXPECT_EQ(profile->notes.size(), 0U) << profile->notes[0].code;
}

// What cuDNN 9.19 wrote when tests/profiler/import/refused_layers.c had it refuse layers.
TEST(CudnnLog, KeepsStatusAndReasonOfWhatWasRefused) {
  const auto profile = import_cudnn_log(traces + "refused.cudnn.log.gz", {});
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->setup_calls.size(), 3U);
  const auto& setup = profile->setup_calls;
  EXPECT_EQ(profile->text(setup[0].function), "cudnnSetRNNDescriptor_v8");
  EXPECT_EQ(setup[0].status, 3000);
  EXPECT_EQ(profile->text(setup[0].reason), "projSize != hiddenSize");
  EXPECT_EQ(profile->text(setup[1].reason), "mathPrec != CUDNN_DATA_DOUBLE");
  EXPECT_EQ(setup[2].status, 2000);
  EXPECT_EQ(profile->text(setup[2].reason),
            "currentSeqLength < 0 || currentSeqLength > maxSeqLength");
  EXPECT_EQ(std::count_if(profile->notes.begin(), profile->notes.end(),
                          [](const Note& note) { return note.code == "descriptor-refused"; }),
            3);
  const auto* note = note_of(*profile, "descriptor-refused");
  ASSERT_NE(note, nullptr);
  for (const auto* part : {"cudnnSetRNNDescriptor_v8", "CUDNN_STATUS_NOT_SUPPORTED", "gru",
                           "hidden_size 256", "proj_size 64"})
    EXPECT_NE(note->text.find(part), std::string::npos) << note->text;
  ASSERT_EQ(profile->calls.size(), 1U);
  EXPECT_EQ(profile->calls[0].status, 2000);
  EXPECT_EQ(profile->text(profile->calls[0].reason), "!rnnDesc || !handle || !xDesc || !yDesc");
  ASSERT_EQ(profile->configurations.size(), 1U);
  const auto& configuration = profile->configurations[0];
  EXPECT_EQ(configuration.outcome, Outcome::refused);
  EXPECT_EQ(configuration.config.seq_lengths, (std::vector<int>{20, 10}));
  EXPECT_EQ(configuration.config.data_type, DataType::half);
}

TEST(CudnnLog, TakesTheGpuThatIsGivenWhereTheLogHasNone) {
  ImportOptions options;
  options.device = shipped_devices().front();
  const auto profile = import_cudnn_log(traces + "refused.cudnn.log.gz", options);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->configurations.size(), 1U);
  EXPECT_EQ(profile->devices[static_cast<std::size_t>(profile->configurations[0].device)].name,
            shipped_devices().front().name);
}

TEST(CudnnLog, IsToldByItsContent) {
  EXPECT_EQ(recording_kind(traces + "lstm.cudnn.log.gz"), RecordingKind::cudnn_log);
  const TemporaryFolder folder;
  std::ofstream(folder / "plain.txt") << log_text("lstm.cudnn.log.gz");
  EXPECT_EQ(recording_kind(folder / "plain.txt"), RecordingKind::cudnn_log);
  const auto profile = open_recording(folder / "plain.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->calls.size(), 15U);
}

TEST(CudnnLog, MissingFileIsAnError) {
  const auto profile = import_cudnn_log("/nowhere/x.log", {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::not_found);
}

TEST(CudnnLog, CanBeInterrupted) {
  ImportOptions options;
  options.keep_going = [](double share) { return share < 0.5; };
  const auto profile = import_cudnn_log(traces + "small_model.cudnn.log.gz", options);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::interrupted);
}

// CUDNN_LOGDEST_DBG=stdout: what the program prints stands between the records, also before one
// without a line break.
TEST(CudnnLog, PassesOverWhatTheProgramPrints) {
  std::string text = log_text("lstm.cudnn.log.gz");
  std::string mixed = "Epoch 1\n";
  std::size_t begin = 0, records = 0;
  for (auto at = text.find("\nI! "); at != std::string::npos; at = text.find("\nI! ", begin)) {
    mixed += text.substr(begin, at + 1 - begin) + "loss 0.5\nstep: ";
    begin = at + 1;
    ++records;
  }
  mixed += text.substr(begin);
  const Profile profile = import(mixed);
  EXPECT_EQ(profile.calls, import(text).calls);
  const auto* note = note_of(profile, "log-lines-passed-over");
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(note->count, static_cast<std::int64_t>(2 * records + 1));
}

// Two processes that append to one file: their records alternate.
TEST(CudnnLog, TellsProcessesApart) {
  const std::string first = log_text("lstm.cudnn.log.gz");
  std::string second = first;
  for (auto at = second.find("=2867;"); at != std::string::npos; at = second.find("=2867;", at))
    second.replace(at, 6, "=4000;");
  std::string mixed;
  for (std::size_t a = 0, b = 0; a < first.size() || b < second.size();) {
    const auto take = [&](const std::string& from, std::size_t& at) {
      const auto end = std::min(from.find("\nI! ", at + 1), from.size());
      mixed += from.substr(at, end - at);
      at = end;
    };
    take(first, a);
    take(second, b);
  }
  const Profile profile = import(mixed);
  ASSERT_EQ(profile.processes.size(), 2U);
  EXPECT_EQ(profile.calls.size(), 30U);
  EXPECT_EQ(profile.configurations.size(), 1U);
  EXPECT_EQ(profile.devices.size(), 2U);  // nothing tells whether GPU 0 is the same one
  for (const auto& call : profile.calls) {
    if (call.forward < 0) continue;
    EXPECT_EQ(profile.calls[static_cast<std::size_t>(call.forward)].process, call.process);
  }
  EXPECT_EQ(note_of(profile, "log-records-damaged"), nullptr);
}

// The same log with the header of cuDNN 8, which had no build number.
TEST(CudnnLog, ReadsTheHeaderOfCudnn8) {
  std::string text = log_text("lstm.cudnn.log.gz");
  for (auto at = text.find("(v91900 56)"); at != std::string::npos; at = text.find("(v91900 56)"))
    text.replace(at, 11, "(v8907)");
  const Profile profile = import(text);
  EXPECT_EQ(profile.environment.cudnn_version, "8.9.7");
  EXPECT_EQ(profile.calls.size(), 15U);
}

// Property: a log that is cut anywhere has the calls whose records are whole, and the same ones.
TEST(CudnnLog, KeepsWhatIsWholeOfACutLog) {
  const std::string text = log_text("lstm.cudnn.log.gz");
  const auto whole = import(text).calls;
  std::vector<std::size_t> ends;  // of records of calls
  for (auto at = text.find(" function cudnnRNN"); at != std::string::npos;
       at = text.find(" function cudnnRNN", at + 1))
    ends.push_back(text.find('\n', text.find("Process=", at)));
  ASSERT_EQ(ends.size(), whole.size());
  std::mt19937 random(20261128);
  for (int i = 0; i < 40; ++i) {
    const std::size_t cut = std::uniform_int_distribution<std::size_t>(0, text.size())(random);
    const Profile profile = import(text.substr(0, cut));
    const auto expected =
        std::count_if(ends.begin(), ends.end(), [&](auto end) { return end <= cut; });
    // A cut within the last line may leave all that counts of it.
    const auto calls = static_cast<std::ptrdiff_t>(profile.calls.size());
    EXPECT_TRUE(calls == expected || calls == expected + 1) << cut;
    for (std::size_t c = 0; c < profile.calls.size(); ++c) {
      EXPECT_EQ(profile.calls[c].phase, whole[c].phase);
      EXPECT_EQ(profile.calls[c].host_start_ns, whole[c].host_start_ns);
      EXPECT_EQ(profile.calls[c].reserve_bytes, whole[c].reserve_bytes);
    }
  }
}

// Property: lines that are lost or exchanged never make a call that was not made.
TEST(CudnnLog, NeverInventsACall) {
  const std::string text = log_text("lstm.cudnn.log.gz");
  const auto known = configurations(import(text));
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::mt19937 random(20261129);
  std::uniform_int_distribution<std::size_t> any(0, lines.size() - 1);
  for (int i = 0; i < 25; ++i) {
    auto drawn = lines;
    for (int change = 0; change < 40; ++change) {
      if (change % 2 == 0) {
        drawn[any(random)].clear();
      } else {
        std::swap(drawn[any(random)], drawn[any(random)]);
      }
    }
    std::string changed;
    for (const auto& line : drawn) changed += line + '\n';
    const Profile profile = import(changed);
    EXPECT_LE(profile.calls.size(), 15U);
    for (const auto& config : configurations(profile)) {
      const bool same = known.contains(config);
      const auto* damaged = note_of(profile, "log-records-damaged");
      EXPECT_TRUE(same || damaged != nullptr) << config;
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::import_trace
