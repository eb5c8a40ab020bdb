#include "tests/profiler/profile/rich_profile.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "core/config/read_config.h"

namespace rnnadvisor::testing {
namespace {

constexpr std::int64_t t0 = 1'760'000'000'123'456'789;  // a CLOCK_REALTIME of October 2025

DeviceSpec h200() {
  DeviceSpec d;
  d.id = "nvidia-h200";
  d.name = "NVIDIA H200";
  d.architecture = "Hopper";
  d.compute_major = 9;
  d.compute_minor = 1;
  d.sm_count = 132;
  d.memory_bytes = 150'000'000'000;
  d.l2_bytes = 62'914'560;
  d.shared_memory_per_sm = 233'472;
  d.shared_memory_per_block = 232'448;
  d.registers_per_sm = 65'536;
  d.memory_bandwidth = 4.8e12;
  d.fp64_flops = 67e12;
  d.fp32_flops = 66.9e12;
  d.tf32_tensor_flops = 494.7e12;
  d.fp16_flops = 133.8e12;
  d.fp16_tensor_flops = 989.4e12;
  d.bf16_tensor_flops = 989.5e12;
  d.boost_clock_hz = 1.98e9;
  d.source = "datasheet";
  d.measured_bandwidth = MeasuredValue{4.1e12, "a copy kernel"};
  d.measured_fp16_tensor_flops = MeasuredValue{0.1 + 0.2, "not representable exactly"};
  d.kernel_launch_seconds = MeasuredValue{2.5e-6, "x"};
  d.grid_sync_seconds = MeasuredValue{4e-6, ""};
  d.persist_backward_hidden = MeasuredValue{1024, "file"};
  d.hidden_limits = {{Algo::persist_static, Cell::lstm, false, 1536, 1547, "rows"},
                     {Algo::persist_static_small_h, Cell::gru, true, 128, 192, "more rows"}};
  d.crossovers = {{Cell::gru, DataType::bfloat16, 512, 1.5, 2.5, "figure"}};
  d.cudnn_version = "9.19.0";
  d.live = true;
  return d;
}

Configuration configuration(std::string id, Algo algo, int device) {
  Configuration f;
  f.config.id = std::move(id);
  f.config.algo = algo;
  f.config.data_type = DataType::half;
  f.config.math_type = MathType::tensor_op;
  f.config.seq_length = 8;
  f.config.batch_size = 3;
  f.origin = Origin::run;
  f.outcome = Outcome::completed;
  f.device = device;
  f.sizes = {{1, model::Exactness::exact},
             {2, model::Exactness::fitted},
             {3, model::Exactness::estimate},
             {std::numeric_limits<std::int64_t>::max(), model::Exactness::unknown}};
  f.sizes_from_cudnn = true;
  f.memory_free_before = 140'000'000'000;
  f.memory_peak_used = 123'456'789;
  f.memory_predicted = 123'000'000;
  return f;
}

void add_configurations(ProfileBuilder& builder) {
  auto standard = configuration("a \"quoted\" 'id' <&> \u00fc", Algo::standard, 0);
  standard.config.seq_lengths = {8, 5, 2};
  standard.config.dropout = 0.25;
  standard.config.dropout_seed = std::numeric_limits<std::uint64_t>::max();
  standard.program.name = Framework::pytorch;
  standard.program.version = "2.11.0";
  standard.program.recurrent_dropout = 0.5;
  standard.program.hidden_detached = false;
  standard.stages = {{model::Stage::set_descriptor, true, 0, "CUDNN_STATUS_SUCCESS", ""},
                     {model::Stage::backward_weights, false, 3000, "CUDNN_STATUS_NOT_SUPPORTED",
                      "reason; with\nlines"}};
  standard.timings = {
      {Phase::forward_training, {0.1, 0.09, 0.11, 0.957, 3}, {0.1, 0.09, 0.11}, 3, true},
      {Phase::backward_data, {1.0 / 3, 0, 1e-300, 0, 1}, {1.0 / 3}, 0, false},
      {Phase::backward_weights, {}, {}, 0, false}};
  standard.counters = {{Phase::forward_training, "sm__inst_executed_pipe_tensor.sum", 1e18},
                       {Phase::backward_data, "broken", std::numeric_limits<double>::quiet_NaN()}};
  standard.correctness = {{"y", 1e-7, 1e-5, true},
                          {"dw", std::numeric_limits<double>::infinity(), 1e-5, false},
                          {"dx", std::numeric_limits<double>::quiet_NaN(), 1e-5, false}};
  // The user gave three keys; the framework asks for another algorithm and a batch of its own.
  const auto written = read_json_line(
      R"({"algo":"persist_static","data_type":"half","seq_lengths":[8,5,2,1]})", "written", 1);
  standard.given = written->given;
  standard.written = written->config;
  builder.add_configuration(std::move(standard));
  builder.add_configuration(configuration("persistent", Algo::persist_static, 1));
  auto failed = configuration("failed", Algo::persist_dynamic, 0);
  failed.origin = Origin::captured;
  failed.outcome = Outcome::out_of_memory_predicted;
  failed.message = "needs 200 GiB";
  failed.outputs_finite = false;
  failed.sizes_from_cudnn = false;
  failed.memory_peak_used = -1;
  builder.add_configuration(std::move(failed));
  auto checked = configuration("checked", Algo::persist_static_small_h, 0);
  checked.origin = Origin::checked;
  checked.outcome = Outcome::not_run;
  builder.add_configuration(std::move(checked));
}

// The process of everything but the stray kernel, which belongs to none that is known, and one that
// left no record but its end.
int add_processes(ProfileBuilder& builder) {
  Process p;
  p.pid = 4711;
  p.parent_pid = 4710;
  p.host = "node-1";
  p.executable = "/usr/bin/python3.12";
  p.command_line = "python3 train.py --name 'x y'";
  p.cudnn_version = "9.19.0";
  p.framework = "pytorch";
  p.framework_version = "2.11.0";
  p.rank = 3;
  p.local_rank = 1;
  p.world_size = 8;
  p.mode = "full";
  p.start_ns = t0 - 1'000'000'000;
  p.end_ns = t0 + 5'000'000'000;
  p.end = ProcessEnd::exited;
  p.exit_status = 2;
  p.variables = {{"CUBLAS_WORKSPACE_CONFIG", ":4096:8"}, {"EMPTY", ""}};
  const int index = builder.add_process(p);
  Process killed;
  killed.pid = 4712;
  killed.end = ProcessEnd::killed;
  killed.signal = 9;
  builder.add_process(killed);
  return index;
}

// What a hook knows of every other call.
CallRecord hooked(RnnCall call, int number) {
  CallRecord record;
  call.source = CallSource::hook;
  call.graph = number % 4 == 0 ? GraphState::captured : GraphState::none;
  call.weights_bytes = 9'000 + number;
  call.device_duration_ns = 1'300 + number;
  call.device_start_ns = number % 4 == 0 ? -1 : call.host_end_ns + 7;
  call.forward = number > 1 ? number - 1 : -1;
  call.untraced = call.begins_step = number % 4 == 0;
  call.step_duration_ns = call.begins_step ? 1'700 + number : -1;
  record.call = call;
  record.reason = number % 4 == 0 ? "maxSeqLength > (0x7fff * 2 + 1)" : "";
  record.nvtx_path = number % 4 == 0 ? "epoch 1/step 2" : "";
  record.site = {"/home/u/train.py", "Model.forward", 10 + number % 4};
  record.inner = {"torch/nn/modules/rnn.py", "", 0};
  CallArguments arguments;
  arguments.alignment[static_cast<std::size_t>(CallPointer::x)] = 512;
  arguments.alignment[static_cast<std::size_t>(CallPointer::hx)] = 0;
  arguments.alignment[static_cast<std::size_t>(CallPointer::seq_lengths)] = 4;
  if (number % 4 == 0) {
    arguments.contiguous = false;
    arguments.seq_lengths = {8, 5, 0};
  }
  record.arguments = arguments;
  return record;
}

void add_setup_calls(ProfileBuilder& builder, int process) {
  SetupRecord build;
  build.call = {1, -1, process, 12, t0 + 2'000, t0 + 90'000'000, 0, -1};
  build.function = "cudnnBuildRNNDynamic";
  builder.add_setup(build);
  SetupRecord refused;
  refused.call = {-1, -1, process, 13, t0 + 1'000, t0 + 1'001, 3000, -1};
  refused.function = "cudnnSetRNNDescriptor_v8";
  refused.reason = "projSize > hiddenSize";
  builder.add_setup(refused);
}

void add_calls_and_kernels(ProfileBuilder& builder, int process) {
  const auto phases = {Phase::forward_inference, Phase::forward_training, Phase::backward_data,
                       Phase::backward_weights};
  int number = 0;
  for (const int configuration : {0, 1, -1}) {
    for (const Phase phase : phases) {
      RnnCall call;
      call.configuration = configuration;
      call.phase = phase;
      call.process = process;
      call.thread = 140'737'488'355'328 + number % 2;
      call.device = configuration;
      call.stream = 7;
      call.host_start_ns = t0 + 100'000 * number;
      call.host_end_ns = call.host_start_ns + 5'000;
      call.status = number;
      call.workspace_bytes = 1'000 + number;
      call.reserve_bytes = configuration == 0 ? -1 : 77;
      call.repetition = number;
      const int index =
          number % 2 == 0 ? builder.add_call(hooked(call, number)) : builder.add_call(call);
      builder.attribute(number, index, process);
      KernelRecord kernel;
      kernel.name =
          configuration == 0
              ? "void elemWiseRNNcell<__half, __half, float, (cudnnRNNMode_t)2>(int)"
              : "void RNN_persist_fp<__half, __half, float, (cudnnRNNMode_t)2, true, 256>()";
      kernel.correlation = number;
      kernel.start_ns = call.host_end_ns;
      kernel.end_ns = kernel.start_ns + 1'234 + number;
      kernel.device = configuration;
      kernel.stream = 7 + number % 2;
      kernel.process = process;
      kernel.grid = {number + 1, 2, 3};
      kernel.block = {32, 4, 2};
      kernel.registers = 255;
      kernel.shared_static = 49'152;
      kernel.shared_dynamic = number;
      builder.add_kernel(kernel);
      kernel.name = "nvjet_sm90_hsh_64x64_64x13_2x1_v_bz_TNT";
      kernel.start_ns = kernel.end_ns;
      kernel.end_ns += 10;
      builder.add_kernel(kernel);
      ++number;
    }
  }
  KernelRecord stray;
  stray.name = "_ZN9elsewhere6kernelIfEEvPT_i";
  stray.start_ns = stray.end_ns = t0 - 1;
  stray.correlation = -5;
  stray.device = -1;
  stray.stream = -1;
  builder.add_kernel(stray);
}

void add_other_tables(ProfileBuilder& builder, int process) {
  builder.add_transfer({t0 + 5, t0 + 9, 4'096, 2, MemoryOperation::copy, 1, -1, 0, 7, process});
  builder.add_transfer(
      {t0 + 6, t0 + 7, 1'000'000'000'000, 900, MemoryOperation::set, 0, 3, 1, 8, process});
  builder.add_api(
      {t0 + 1, t0 + 3, 2, 140'737'488'355'328, "cudaLaunchKernel", false, 0, -1, process});
  builder.add_api(
      {t0 + 2, t0 + 3, 2, 140'737'488'355'328, "cuLaunchKernel", true, 700, -1, process});
  builder.add_allocation({t0 + 4, 1'048'576, 0x7f00'0000'0000, false, 0, process, 2, -1});
  builder.add_allocation({t0 + 40, 1'048'576, 0x7f00'0000'0000, true, 1, process, -9, -1});
  constexpr std::int64_t on_the_thread_of_calls = 140'737'488'355'329;
  builder.add_nvtx({t0, t0 + 100, 12, "outer", "rnnadvisor", 0x11223344, process, "7", {}});
  builder.add_nvtx(
      {t0 + 10, t0 + 20, 12, "inner \xff not UTF-8", "", -1, process, "", std::int64_t{-5}});
  builder.add_nvtx({t0 + 15, t0 + 15, 12, "mark", "rnnadvisor", 0, process, "loss", 0.25});
  builder.add_nvtx({t0 + 16, t0 + 16, 12, "no number", "", 0, process, "loss",
                    std::numeric_limits<double>::quiet_NaN()});
  builder.add_nvtx({t0 + 17, t0 + 18, 12, "large", "", 0, process, "",
                    std::numeric_limits<std::uint64_t>::max()});
  builder.add_nvtx(
      {t0 + 50'000, t0 + 350'000, on_the_thread_of_calls, "step 17", "", 0, process, "", {}});
  builder.add_nvtx(
      {t0 + 60'000, t0 + 150'000, on_the_thread_of_calls, "lstm", "", 0, process, "", {}});
  builder.add_overhead({t0 + 50, t0 + 60, "buffer flush", process});
  builder.add_counter({t0 + 70, t0 + 80, 0, process, "sm__cycles_active.avg", 12.5});
  builder.add_counter({t0 + 60, t0 + 70, 1, process, "sm__cycles_active.avg", 0});
  builder.add_thread_name(process, 12, "first");
  builder.add_thread_name(process, 12, "loader");
  builder.add_resource_name(process, 0, -1, "trainer");
  builder.add_resource_name(process, 0, 7, "not yet");
  builder.add_resource_name(process, 0, 7, "compute");
  builder.add_note({NoteSeverity::warning, "records-dropped", "CUPTI dropped records", 12});
  builder.add_note({NoteSeverity::error, "clocks", "", 0});
}

}  // namespace

Profile rich_profile() {
  ProfileBuilder builder;
  auto& environment = builder.profile().environment;
  environment = {"0.1.0",
                 "rnnadvisor run 'x y.toml'",
                 "host",
                 "Debian",
                 "cpu",
                 "2025-10-09T08:53:20Z",
                 "580.159.04",
                 "13.0",
                 "13.1",
                 "9.19.0",
                 "13.2",
                 "/usr/lib/libcudnn.so.9",
                 "/usr/lib/libcupti.so.13",
                 "torch",
                 "2.11.0",
                 true,
                 true,
                 {{"start", 0, 1980, 3201, 44, 123456}, {"end", 1, 1755, 3200, 61, 650000}}};
  builder.add_device(h200());
  DeviceSpec plain;
  plain.id = "plain";
  plain.uuid = "GPU-0a0b0c0d-0000-0000-0000-000000000001";
  builder.add_device(plain);
  add_configurations(builder);
  const int process = add_processes(builder);
  add_setup_calls(builder, process);
  add_calls_and_kernels(builder, process);
  add_other_tables(builder, process);
  builder.profile().figures = {
      {"guide-figure-10a", "title", "batch_size", "algo", "training_ms", "statement", "guide", {}},
      {"f2", "", "", "", "", "", "", {"persistent", "failed"}}};
  Experiment tried;
  tried.configuration = 0;
  tried.changed = {1, 0};
  tried.where = "cudnn";
  tried.rule = "persistence/why";
  tried.transforms = R"([{"kind":"split_layers","parameters":{}}])";
  tried.meaning = "exact";
  tried.verdict = ExperimentVerdict::confirmed;
  tried.message = "note";
  tried.device = 1;
  tried.memory_before = 1'000;
  tried.memory_after = 2'000;
  tried.seconds = 0.75;
  tried.timings = {{ExperimentScope::training_step,
                    {2, 1.5, 2.5, 0.95, 3},
                    {1, 0.5, 1.25, 0.95, 3},
                    2,
                    1.5,
                    3,
                    0.99,
                    1.01,
                    {2, 1.5, 2.5},
                    {1, 0.5, 1.25},
                    {2, 2, 2}},
                   {ExperimentScope::inference, {}, {}, 0, 0, 0, 0, 0, {}, {}, {}}};
  tried.shifts = {{"y", 1e-4, 2e-4, -1}};
  tried.clocks_before = {1980, 3201, 41, 118'000, 0};
  tried.clocks_after = {1965, 0, 0, 0, 0x24};
  tried.code = {{"split.py", "python", "import torch\n"}};
  builder.profile().experiments = {tried, Experiment()};
  return builder.finish();
}

Profile many_kernels(std::size_t kernels) {
  ProfileBuilder builder;
  builder.add_device(h200());
  auto f = configuration("many", Algo::standard, 0);
  f.config.seq_length = 1000;
  builder.add_configuration(std::move(f));
  constexpr std::size_t per_call = 2000;
  std::int64_t now = t0;
  KernelRecord kernel;
  for (std::size_t i = 0; i < kernels; ++i) {
    if (i % per_call == 0) {
      RnnCall call;
      call.configuration = 0;
      call.device = 0;
      call.host_start_ns = now;
      call.host_end_ns = now + 1'000'000;
      builder.add_call(call);
    }
    kernel.name = i % 2 == 0 ? "nvjet_sm90_hsh_64x8_64x16_2x4_h_bz_TNT"
                             : "void elemWiseRNNcell<__half, __half, float, (cudnnRNNMode_t)2, "
                               "(cudnnRNNBiasMode_t)2>(int)";
    kernel.correlation = static_cast<std::int64_t>(i);
    kernel.start_ns = now;
    kernel.end_ns = now + 1'800 + static_cast<std::int64_t>(i % 97);
    kernel.stream = 7;
    kernel.grid = {static_cast<int>(i % 2) + 1, 1, 1};
    kernel.block = {128, 1, 1};
    builder.add_kernel(kernel);
    builder.attribute(kernel.correlation, static_cast<int>(i / per_call));
    now = kernel.end_ns + 400;
  }
  return builder.finish();
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = std::filesystem::temp_directory_path().string() + "/rnnadvisor-test-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}
TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace rnnadvisor::testing
