// Profiles that jax.profiler made on an H200 (tests/data/traces), and small ones made here.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "core/config/read_config.h"
#include "profiler/import/byte_source.h"
#include "profiler/import/open_recording.h"
#include "profiler/import/xla_module.h"
#include "profiler/import/xla_profile.h"
#include "profiler/profile/check.h"
#include "profiler/profile/recorder.h"
#include "tests/profiler/import/xplane_bytes.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::import_trace {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;

const std::string xla_traces = RNNADVISOR_SOURCE_DIR "/tests/data/traces/";

Profile opened(const std::string& path) {
  auto profile = open_recording(path);
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  if (!profile) return {};
  const auto checked = check_profile(*profile, ErrorCode::internal);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return std::move(*profile);
}

std::map<Phase, int> calls_by_phase(const Profile& profile) {
  std::map<Phase, int> counts;
  for (const auto& call : profile.calls) ++counts[call.phase];
  return counts;
}

bool noted(const Profile& profile, const std::string& code) {
  return std::any_of(profile.notes.begin(), profile.notes.end(),
                     [&](const Note& note) { return note.code == code; });
}

std::set<std::string> layers(const Profile& profile) {
  std::set<std::string> found;
  for (const auto& each : profile.configurations) {
    RnnConfig config = each.config;
    config.id.clear();
    found.insert(to_json_line(config));
  }
  return found;
}

std::string unpacked_xplane(const std::string& name) {
  return first_bytes(xla_traces + name + ".xplane.pb.gz", 1U << 26U);
}

// Five training steps of one LSTM, as jax_lstm.py makes them by default.
TEST(XlaProfile, EachOperationIsItsCalls) {
  const auto profile = opened(xla_traces + "jax_small.xplane.pb.gz");
  EXPECT_THAT(calls_by_phase(profile),
              ElementsAre(Pair(Phase::forward_training, 5), Pair(Phase::backward_data, 5),
                          Pair(Phase::backward_weights, 5)));
  ASSERT_EQ(profile.configurations.size(), 1U);
  const auto& configuration = profile.configurations[0];
  EXPECT_EQ(configuration.origin, Origin::imported);
  EXPECT_EQ(configuration.program.name, Framework::jax);
  EXPECT_EQ(configuration.program.version, "0.11.2");
  EXPECT_EQ(configuration.config.layout, Layout::batch_major_unpacked);
  EXPECT_EQ(configuration.config.batch_size, 32);
  EXPECT_EQ(configuration.config.seq_length, 64);
  ASSERT_EQ(profile.devices.size(), 1U);
  EXPECT_EQ(profile.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(profile.devices[0].sm_count, 132);
  EXPECT_EQ(profile.environment.cuda_driver_version, "13.0");
  ASSERT_EQ(profile.processes.size(), 1U);
  EXPECT_EQ(profile.processes[0].pid, 534);
  EXPECT_EQ(profile.processes[0].host, "vm");
  EXPECT_EQ(recorder_of(profile), Recorder::xla_profiler);
  EXPECT_FALSE(noted(profile, "lengths-not-recorded"));
  std::map<int, int> kernels;
  for (const int call : profile.kernels.call)
    if (call >= 0) ++kernels[call];
  // As rnnadvisor's own recording of the same program has them.
  const std::map<Phase, int> expected = {
      {Phase::forward_training, 135}, {Phase::backward_data, 138}, {Phase::backward_weights, 9}};
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const auto& call = profile.calls[i];
    EXPECT_EQ(kernels[static_cast<int>(i)], expected.at(call.phase));
    EXPECT_GT(call.workspace_bytes, 0);
    EXPECT_GT(call.reserve_bytes, 0);
    ASSERT_GE(call.site, 0);
    const auto& site = profile.call_sites[static_cast<std::size_t>(call.site)];
    EXPECT_TRUE(profile.text(site.file).ends_with("jax_lstm.py"));
    EXPECT_EQ(profile.text(site.function), "forward");
    if (is_forward(call.phase)) continue;
    ASSERT_GE(call.forward, 0);
    const auto& forward = profile.calls[static_cast<std::size_t>(call.forward)];
    EXPECT_EQ(forward.phase, Phase::forward_training);
    EXPECT_LT(forward.host_start_ns, call.host_start_ns);
  }
}

// What runs in a call is cuDNN's, in the direction that its name says.
TEST(XlaProfile, KernelsBelongToTheirCalls) {
  for (const auto* name : {"jax_small", "jax_unequal_lengths", "jax_without_tf32",
                           "jax_both_directions", "jax_two_lstms"}) {
    SCOPED_TRACE(name);
    const auto profile = opened(xla_traces + name + ".xplane.pb.gz");
    const auto& k = profile.kernels;
    for (std::size_t i = 0; i < k.size(); ++i) {
      const auto& text = profile.text(k.name[i]);
      const auto holds = [&](const char* part) { return text.find(part) != std::string::npos; };
      if (holds("RNN") || holds("elementWise_bp")) {
        EXPECT_GE(k.call[i], 0) << text;
      }
      if (k.call[i] < 0) continue;
      EXPECT_FALSE(holds("fusion")) << text;
      const Phase phase = profile.calls[static_cast<std::size_t>(k.call[i])].phase;
      if (holds("_bp2")) {
        EXPECT_EQ(phase, Phase::backward_weights) << text;
      }
      if (holds("_bp1")) {
        EXPECT_EQ(phase, Phase::backward_data) << text;
      }
      if (holds("elemWiseRNNcell")) {
        EXPECT_EQ(phase, Phase::forward_training) << text;
      }
    }
  }
}

TEST(XlaProfile, DescriptorsAreThoseThatCudnnWasGiven) {
  const auto profile = opened(xla_traces + "jax_two_lstms.xplane.pb.gz");
  const auto log = opened(xla_traces + "jax_two_lstms.cudnn.log.gz");
  EXPECT_EQ(layers(profile).size(), 2U);
  EXPECT_EQ(layers(profile), layers(log));
  EXPECT_EQ(calls_by_phase(profile), calls_by_phase(log));
  // Each backward call belongs to the last forward call of its own layer.
  for (const auto& call : profile.calls) {
    if (call.forward < 0) continue;
    EXPECT_EQ(profile.calls[static_cast<std::size_t>(call.forward)].configuration,
              call.configuration);
  }
  const auto exact = opened(xla_traces + "jax_without_tf32.xplane.pb.gz");
  ASSERT_EQ(exact.configurations.size(), 1U);
  EXPECT_EQ(exact.configurations[0].config.math_type, MathType::fma);
}

TEST(XlaProfile, LengthsThatAreAConstantOfTheProgramAreKnown) {
  const auto profile = opened(xla_traces + "jax_unequal_lengths.xplane.pb.gz");
  ASSERT_EQ(profile.configurations.size(), 1U);
  const auto& lengths = profile.configurations[0].config.seq_lengths;
  ASSERT_EQ(lengths.size(), 24U);
  EXPECT_EQ(lengths.front(), 1);
  EXPECT_EQ(lengths.back(), 64);
  EXPECT_FALSE(noted(profile, "lengths-not-recorded"));
}

TEST(XlaProfile, InferenceAsksForTrainingToo) {
  const auto profile = opened(xla_traces + "jax_inference.xplane.pb.gz");
  EXPECT_THAT(calls_by_phase(profile), ElementsAre(Pair(Phase::forward_training, 5)));
}

// The trace in JSON has the same kernels and copies, and no descriptors: calls are inferred.
TEST(XlaProfile, ATraceInJsonHasTheSameKernels) {
  for (const std::string name : {"jax_inference", "jax_small"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    fs::copy_file(xla_traces + name + ".trace.json.gz", folder / "node.trace.json.gz");
    const auto trace = opened(folder / "node.trace.json.gz");
    const auto planes = opened(xla_traces + name + ".xplane.pb.gz");
    const auto kernels = [](const Profile& profile) {
      std::vector<std::string> found;
      const auto& k = profile.kernels;
      for (std::size_t i = 0; i < k.size(); ++i)
        found.push_back(profile.text(k.name[i]) + " " + std::to_string(k.stream[i]) + " " +
                        std::to_string(k.grid[i][0]) + " " + std::to_string(k.block[i][0]) + " " +
                        std::to_string(k.correlation[i]) + " " + std::to_string(k.registers[i]) +
                        " " + std::to_string(k.shared_dynamic[i]));
      return found;
    };
    EXPECT_EQ(kernels(trace), kernels(planes));
    EXPECT_EQ(trace.transfers.bytes, planes.transfers.bytes);
    EXPECT_EQ(trace.transfers.kind, planes.transfers.kind);
    EXPECT_EQ(trace.api.size(), planes.api.size());
    ASSERT_FALSE(trace.calls.empty());
    for (const auto& call : trace.calls) EXPECT_EQ(call.source, CallSource::kernels);
    EXPECT_TRUE(noted(trace, "rnn-kernels-without-calls"));
    ASSERT_EQ(trace.configurations.size(), 1U);
    EXPECT_EQ(trace.configurations[0].program.name, Framework::jax);
  }
}

TEST(XlaProfile, TheFolderOfJaxAndTheFileBesideATrace) {
  const TemporaryFolder folder;
  for (const std::string date : {"2026_11_28_10_00_00", "2026_11_29_10_00_00"})
    fs::create_directories(folder / ("plugins/profile/" + date));
  const auto last = folder / "plugins/profile/2026_11_29_10_00_00/node7";
  fs::copy_file(xla_traces + "jax_inference.trace.json.gz", last + ".trace.json.gz");
  EXPECT_THAT(xla_profile_files(folder / ""), ElementsAre(last + ".trace.json.gz"));
  fs::copy_file(xla_traces + "jax_inference.xplane.pb.gz", last + ".xplane.pb.gz");
  fs::copy_file(xla_traces + "jax_small.xplane.pb.gz",
                folder / "plugins/profile/2026_11_28_10_00_00/node7.xplane.pb.gz");
  for (const auto& path :
       {folder / "", folder / "plugins/profile/2026_11_29_10_00_00", last + ".trace.json.gz"}) {
    SCOPED_TRACE(path);
    const auto profile = opened(path);
    EXPECT_THAT(calls_by_phase(profile), ElementsAre(Pair(Phase::forward_training, 5)));
    EXPECT_EQ(noted(profile, "read-instead"), path.ends_with(".json.gz"));
  }
  EXPECT_EQ(recording_kind(folder / ""), RecordingKind::xla_folder);
  EXPECT_EQ(recording_kind(last + ".xplane.pb.gz"), RecordingKind::xla_profile);
  EXPECT_EQ(recording_kind(last + ".trace.json.gz"), RecordingKind::xla_profile);
}

// Each file is a process. These two say that they are of one host, and so of one GPU.
TEST(XlaProfile, HostsOfOneProgramAreOneProfile) {
  const TemporaryFolder folder;
  for (const std::string host : {"node1", "node2"})
    fs::copy_file(xla_traces + "jax_inference.xplane.pb.gz", folder / (host + ".xplane.pb.gz"));
  const auto profile = opened(folder / "");
  EXPECT_EQ(profile.processes.size(), 2U);
  EXPECT_EQ(profile.devices.size(), 1U);
  EXPECT_THAT(calls_by_phase(profile), ElementsAre(Pair(Phase::forward_training, 10)));
  for (const auto& call : profile.calls) EXPECT_GE(call.configuration, 0);
}

TEST(XlaProfile, APieceIsReadUpToThereOrRefused) {
  const auto bytes = unpacked_xplane("jax_small");
  const TemporaryFolder folder;
  const auto file = folder / "part.xplane.pb";
  const auto write = [&](std::string_view part) {
    std::ofstream(file, std::ios::binary)
        .write(part.data(), static_cast<std::streamsize>(part.size()));
  };
  int read = 0, refused = 0;
  for (std::size_t tenth = 1; tenth < 10; ++tenth) {
    write(std::string_view(bytes).substr(0, bytes.size() * tenth / 10));
    const auto profile = open_recording(file);
    if (!profile) {
      EXPECT_EQ(profile.error().code, ErrorCode::damaged);
      EXPECT_FALSE(profile.error().remedy.empty());
      ++refused;
      continue;
    }
    EXPECT_TRUE(check_profile(*profile, ErrorCode::internal));
    EXPECT_TRUE(noted(*profile, "trace-cut-off"));
    ++read;
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
  // The compressed file as well, whose rest cannot be unpacked.
  std::ifstream whole(xla_traces + "jax_small.xplane.pb.gz", std::ios::binary);
  const std::string packed((std::istreambuf_iterator<char>(whole)), {});
  write(std::string_view(packed).substr(0, packed.size() * 9 / 10));
  const auto profile = open_recording(file);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(noted(*profile, "trace-cut-off"));
}

TEST(XlaProfile, CompressedAndPlainAreTheSame) {
  const auto bytes = unpacked_xplane("jax_inference");
  const TemporaryFolder folder;
  std::ofstream(folder / "vm.xplane.pb", std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto plain = opened(folder / "vm.xplane.pb");
  const auto packed = opened(xla_traces + "jax_inference.xplane.pb.gz");
  EXPECT_EQ(plain.kernels.start_ns, packed.kernels.start_ns);
  EXPECT_EQ(plain.kernels.call, packed.kernels.call);
  EXPECT_EQ(plain.calls.size(), packed.calls.size());
}

// Bytes that changed give another profile, and never one that breaks an invariant.
TEST(XlaProfile, DamageNeverBreaksAProfile) {
  const auto bytes = unpacked_xplane("jax_inference");
  std::uint64_t state = 88172645463325252U;
  const auto random = [&](std::size_t below) {
    state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
    return static_cast<std::size_t>(state % below);
  };
  for (int round = 0; round < 24; ++round) {
    auto damaged = bytes;
    for (int i = 0; i < 1 << (round / 2); ++i)
      damaged[random(damaged.size())] = static_cast<char>(random(256));
    const auto profile = import_xplane_bytes(damaged);
    const auto checked = check_profile(profile, ErrorCode::internal);
    EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  }
}

// A kernel on the GPU of plane `name`, 3 us after the line began.
std::string gpu_plane(std::string_view name) {
  const auto event = number_field(1, 7) + number_field(2, 3'000'000) + number_field(3, 2'000'000) +
                     number_stat(1, 42) +
                     text_stat(2, "regs:16 static_shared:8 grid:3,2,1 block:64,1,1");
  const auto line = number_field(1, 14) + field(2, "Stream #14(Compute)") +
                    number_field(3, 1'000'000) + field(4, event);
  const auto derived = number_field(1, 15) + field(2, "XLA Ops") + field(4, event);
  return field(1, field(2, name) + field(3, line) + field(3, derived) +
                      name_entry(4, 7, "a_kernel") + name_entry(5, 1, "correlation_id") +
                      name_entry(5, 2, "kernel_details"));
}

TEST(Xplane, PlanesMayComeInAnyOrder) {
  const auto launch = number_field(1, 3) + number_field(2, 1'000'000) + number_field(3, 1'000'000) +
                      number_stat(9, 42);
  const auto host =
      field(1, field(2, "/host:CPU") +
                   field(3, number_field(1, 5) + number_field(3, 1'000'000) + field(4, launch)) +
                   name_entry(4, 3, "a_kernel") + name_entry(5, 9, "correlation_id"));
  const auto other = field(1, field(2, "/device:TPU:0"));
  const auto gpu = gpu_plane("/device:GPU:1");
  for (const auto& bytes : {gpu + host + other, other + host + gpu}) {
    EXPECT_TRUE(is_xplane(bytes));
    XplaneRead read;
    const auto profile = import_xplane_bytes(bytes, &read);
    EXPECT_TRUE(read.whole);
    EXPECT_TRUE(noted(profile, "planes-unknown"));
    ASSERT_EQ(profile.kernels.size(), 1U);
    EXPECT_EQ(profile.kernels.start_ns[0], 1'003'000);
    EXPECT_EQ(profile.kernels.end_ns[0], 1'005'000);
    EXPECT_EQ(profile.kernels.stream[0], 14);
    EXPECT_EQ(profile.kernels.correlation[0], 42);
    EXPECT_EQ(profile.kernels.grid[0], (std::array<int, 3>{3, 2, 1}));
    EXPECT_EQ(profile.kernels.shared_static[0], 8);
    ASSERT_EQ(profile.api.size(), 1U);
    EXPECT_EQ(profile.api.start_ns[0], 1'001'000);
    EXPECT_EQ(profile.api.thread[0], 5);
    EXPECT_EQ(profile.text(profile.api.name[0]), "cuLaunchKernel");
  }
}

// The bytes of a descriptor as XLA prints them in the configuration of a call.
std::string printed_descriptor(std::initializer_list<std::uint32_t> numbers) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text = "{opaque = \"";
  for (const auto number : numbers)
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const unsigned byte = (number >> shift) & 0xffU;
      text += '\\';
      text += digits[byte / 16];
      text += digits[byte % 16];
    }
  return text + "\"}";
}

// A program jit_f(`program`) with one call of rnn.lstm().
std::string program_entry(std::uint64_t program, const std::string& config) {
  const auto call = field(1, "rnn_fwd.1") + field(28, "cudnn_rnn_ffi") + field(43, config) +
                    field(7, field(3, "/home/me/model.py") + number_field(4, 12));
  const auto module = field(1, "jit_f") + field(3, field(2, call));
  return name_entry(4, program, "jit_f(" + std::to_string(program) + ")",
                    field(5, number_field(1, 1) + field(6, field(1, module))));
}

// A kernel of rnn_fwd.1 of a program, `us` after the beginning.
std::string rnn_kernel(std::uint64_t program, std::uint64_t us, std::uint64_t correlation) {
  return field(4, number_field(1, 7) + number_field(2, us * 1'000'000) +
                      number_field(3, 1'000'000) + number_stat(1, correlation) +
                      text_stat(2, "regs:16 grid:1,1,1 block:32,1,1") + text_stat(3, "jit_f") +
                      text_stat(4, "rnn_fwd.1") + number_stat(5, program) +
                      number_stat(6, 100 + us));
}

std::string two_programs(const std::string& second) {
  const auto descriptor = [](std::uint32_t units) {
    return printed_descriptor({64, units, 1, 32, 100, 0, 0, 1, 5000, 0, 6000, 0});
  };
  const auto programs = field(1, field(2, "/host:metadata") + program_entry(11, descriptor(128)) +
                                     program_entry(12, second.empty() ? descriptor(256) : second));
  const auto line = number_field(1, 14) + field(2, "Stream #14(Compute)") +
                    number_field(3, 1'000'000) + rnn_kernel(11, 10, 1) + rnn_kernel(12, 20, 2) +
                    rnn_kernel(11, 30, 3);
  std::string gpu = field(2, "/device:GPU:0") + field(3, line) + name_entry(4, 7, "RNN_kernel");
  std::uint64_t id = 0;
  for (const auto* name :
       {"correlation_id", "kernel_details", "hlo_module", "hlo_op", "program_id", "scope_range_id"})
    gpu += name_entry(5, ++id, name);
  // Two steps on the host; what they launched is not in the file.
  const auto step = [](std::uint64_t us, std::uint64_t number) {
    return field(4, number_field(1, 1) + number_field(2, us * 1'000'000) +
                        number_field(3, 9'000'000) + number_stat(1, number));
  };
  const auto host =
      field(2, "/host:CPU") +
      field(3, number_field(1, 5) + number_field(3, 1'000'000) + step(8, 3) + step(28, 4)) +
      name_entry(4, 1, "train") + name_entry(5, 1, "step_num");
  return programs + field(1, gpu) + field(1, host);
}

// Programs of one name are told apart by their number, and steps are those of the annotation.
TEST(Xplane, ProgramsOfOneNameAndSteps) {
  const auto profile = import_xplane_bytes(two_programs({}));
  EXPECT_TRUE(check_profile(profile, ErrorCode::internal));
  ASSERT_EQ(profile.calls.size(), 3U);
  std::vector<int> units;
  std::vector<bool> begins;
  for (const auto& call : profile.calls) {
    ASSERT_GE(call.configuration, 0);
    units.push_back(
        profile.configurations[static_cast<std::size_t>(call.configuration)].config.hidden_size);
    begins.push_back(call.begins_step);
    EXPECT_EQ(profile.call_sites[static_cast<std::size_t>(call.site)].line, 12);
  }
  EXPECT_THAT(units, ElementsAre(128, 256, 128));
  EXPECT_THAT(begins, ElementsAre(true, false, true));
  ASSERT_EQ(profile.nvtx.size(), 2U);
  EXPECT_EQ(profile.text(profile.nvtx.name[0]), "train");
  EXPECT_EQ(profile.nvtx.payload[1], NvtxPayload(std::int64_t{4}));
}

TEST(Xplane, ACallWithoutADescriptorIsACall) {
  XplaneRead read;
  const auto profile = import_xplane_bytes(two_programs("{opaque = \"\\01\"}"), &read);
  ASSERT_EQ(profile.calls.size(), 3U);
  EXPECT_EQ(read.unknown_calls, 1);
  EXPECT_EQ(profile.calls[1].configuration, -1);
  EXPECT_GE(profile.calls[0].configuration, 0);
}

TEST(Xplane, OtherBytesAreNone) {
  for (const std::string_view head :
       {"", "\n", "\n\n\n", "{\"traceEvents\":[", "\nI! CuDNN (v91900 56) function"})
    EXPECT_FALSE(is_xplane(head));
  XplaneRead read;
  import_xplane_bytes("no profile at all", &read);
  EXPECT_FALSE(read.any_plane);
}

// Which numbers are which: jaxlib/gpu/rnn_kernels.h.
TEST(XlaModule, ADescriptorOfEitherWidth) {
  const auto bytes = [](std::initializer_list<std::uint32_t> numbers) {
    std::string text;
    for (const auto number : numbers)
      for (unsigned shift = 0; shift < 32; shift += 8) text += static_cast<char>(number >> shift);
    return text;
  };
  const std::uint32_t fifth = 0x3e4ccccdU;  // 0.2 as a float
  for (const auto& text : {bytes({80, 256, 3, 64, 100, fifth, 1, 0, 5000, 0, 6000, 0}),
                           bytes({80, 256, 3, 64, 100, fifth, 1, 0, 5000, 6000})}) {
    XlaRnnCall call;
    ASSERT_TRUE(read_rnn_descriptor(text, call));
    ASSERT_TRUE(call.config);
    EXPECT_EQ(call.config->input_size, 80);
    EXPECT_EQ(call.config->hidden_size, 256);
    EXPECT_EQ(call.config->proj_size, 256);
    EXPECT_EQ(call.config->num_layers, 3);
    EXPECT_EQ(call.config->batch_size, 64);
    EXPECT_EQ(call.config->seq_length, 100);
    EXPECT_EQ(call.config->dropout, 0.2);
    EXPECT_EQ(call.config->direction, Direction::bidirectional);
    EXPECT_EQ(call.config->math_type, MathType::fma);
    EXPECT_EQ(call.workspace_bytes, 5000);
    EXPECT_EQ(call.reserve_bytes, 6000);
  }
  XlaRnnCall call;
  EXPECT_FALSE(read_rnn_descriptor(bytes({80, 0, 3, 64, 100, 0, 1, 0, 0, 0}), call));
  EXPECT_FALSE(read_rnn_descriptor(bytes({80, 256, 3, 64, 100, 0x7fc00000U, 1, 0, 0, 0}), call));
  EXPECT_FALSE(read_rnn_descriptor("short", call));
}

}  // namespace
}  // namespace rnnadvisor::import_trace
