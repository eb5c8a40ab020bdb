#include "profiler/run/traced_run.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "core/cudnn/driver.h"
#include "core/cudnn/machine.h"
#include "core/cudnn/rnn_runner.h"
#include "profiler/cupti/add_batch.h"
#include "profiler/cupti/counters.h"
#include "profiler/cupti/cupti_api.h"
#include "profiler/cupti/cupti_source.h"
#include "profiler/cupti/nvtx_scope.h"
#include "profiler/profile/this_process.h"

namespace rnnadvisor {
namespace {

// The clock of processes; CUPTI's is the same, but not every run loads CUPTI.
std::int64_t real_time_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

constexpr unsigned phase_colors[] = {0xFF4477AA, 0xFF66CCEE, 0xFFEE6677, 0xFFCCBB44};

}  // namespace

struct TracedRunner::State {
  std::unique_ptr<RnnRunner> runner;
  GpuState gpu;
  Environment environment;
  std::unique_ptr<ActivitySource> source;
  std::optional<Error> source_problem;
  std::unique_ptr<CounterSession> counters;
  std::optional<Error> counters_problem;
  bool context_lost = false;

  ActivitySource* tracer();
  void sample_clocks(Profile& profile, const char* when) const;
  Result<void> run_in_order(Phase phase);
  void trace(ProfileBuilder& builder, int configuration, int process, const RnnConfig& config);
  void count(ProfileBuilder& builder, Configuration& configuration, const RunOptions& options);
};

TracedRunner::TracedRunner(std::unique_ptr<State> state) : state_(std::move(state)) {}
TracedRunner::~TracedRunner() = default;

Result<std::unique_ptr<TracedRunner>> TracedRunner::create(int ordinal) {
  auto state = std::make_unique<State>();
  // Without looking at CUPTI: a process that only times must not load it.
  const MachineReport machine = inspect_host();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= machine.gpus.size()) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no GPU {}: {}", ordinal,
                            machine.gpus.empty() ? machine.driver_problem
                                                 : fmt::format("{} found", machine.gpus.size())),
                "'rnnadvisor doctor' lists the GPUs; a configuration can be checked without one: "
                "rnnadvisor check --device NAME");
  }
  state->gpu = machine.gpus[static_cast<std::size_t>(ordinal)];
  auto runner = RnnRunner::create(ordinal);
  if (!runner) return fail(runner.error());
  state->runner = std::move(*runner);
  Environment& environment = state->environment;
  environment.host = machine.host;
  environment.operating_system = machine.operating_system;
  environment.cpu = machine.cpu;
  environment.driver_version = machine.driver_version;
  environment.cuda_driver_version = machine.cuda_driver_version;
  environment.cuda_runtime_version = machine.cuda_runtime_version;
  environment.cudnn_version = state->runner->cudnn_version();
  environment.cudnn_path = state->runner->cudnn_path();
  return std::unique_ptr<TracedRunner>(new TracedRunner(std::move(state)));
}

bool TracedRunner::context_lost() const { return state_->context_lost; }
const std::string& TracedRunner::gpu_uuid() const { return state_->gpu.uuid; }

ActivitySource* TracedRunner::State::tracer() {
  if (!source && !source_problem) {
    auto made = make_cupti_source();
    if (made) {
      source = std::move(*made);
    } else {
      source_problem = made.error();
    }
  }
  return source.get();
}

void TracedRunner::State::sample_clocks(Profile& profile, const char* when) const {
  const GpuClocks clocks = read_clocks(gpu.uuid);
  if (clocks.sm_mhz == 0) return;
  profile.environment.clocks.push_back(
      {when, 0, clocks.sm_mhz, clocks.memory_mhz, clocks.temperature_c, clocks.power_mw});
}

void TracedRunner::State::trace(ProfileBuilder& builder, int configuration, int process,
                                const RnnConfig& config) {
  ActivitySource* activity = tracer();
  if (activity == nullptr) {
    builder.add_note({NoteSeverity::warning, "no-trace",
                      "kernels were not recorded: " + source_problem->message, 1});
    return;
  }
  if (const auto started = activity->start(); !started) {
    builder.add_note({NoteSeverity::warning, "no-trace",
                      "kernels were not recorded: " + started.error().message, 1});
    if (!activity->conflict().empty()) {
      builder.add_note(
          {NoteSeverity::warning, "tracing-conflict",
           "kernels were not recorded: '" + activity->conflict() + "' traces this process already",
           1});
    }
    return;
  }
  std::vector<int> calls;
  {
    const NvtxScope whole(config.id.empty() ? summary(config) : config.id);
    for (const Phase phase : runner->phases()) {
      const NvtxScope scope(std::string(to_string(phase)),
                            phase_colors[static_cast<std::size_t>(phase)]);
      RnnCall call;
      call.configuration = configuration;
      call.device =
          builder.profile().configurations[static_cast<std::size_t>(configuration)].device;
      call.phase = phase;
      call.process = process;
      call.thread = activity->thread_id();
      call.graph = GraphState::none;
      activity->push(calls.size() + 1);
      call.host_start_ns = activity->now_ns();
      const auto launched = runner->launch(phase);
      call.host_end_ns = activity->now_ns();
      activity->pop();
      // Each phase ends before the next begins: their kernels never overlap in the timeline.
      const auto finished = runner->synchronize();
      if (!launched || !finished) {
        builder.add_note(
            {NoteSeverity::error, "trace-failed",
             "the traced pass failed: " + (launched ? finished.error() : launched.error()).message,
             1});
        break;
      }
      calls.push_back(builder.add_call(call));
    }
  }
  auto batch = activity->stop();
  if (!batch) {
    builder.add_note({NoteSeverity::error, "trace-failed",
                      "the trace could not be read: " + batch.error().message, 1});
    return;
  }
  add_batch(builder, std::move(*batch), calls,
            builder.profile().configurations[static_cast<std::size_t>(configuration)].device,
            process);
  builder.profile().environment.tracing = true;
}

// Backward phases need the forward pass of the same repetition before them.
Result<void> TracedRunner::State::run_in_order(Phase phase) {
  if (phase == Phase::backward_data || phase == Phase::backward_weights) {
    if (auto ok = runner->launch(Phase::forward_training); !ok) return ok;
  }
  if (phase == Phase::backward_weights) {
    if (auto ok = runner->launch(Phase::backward_data); !ok) return ok;
  }
  return runner->synchronize();
}

void TracedRunner::State::count(ProfileBuilder& builder, Configuration& configuration,
                                const RunOptions& options) {
  if (!counters && !counters_problem) {
    auto made = CounterSession::create(runner->ordinal(),
                                       {tensor_instructions_metric, all_instructions_metric});
    if (made) {
      counters = std::move(*made);
    } else {
      counters_problem = made.error();
    }
  }
  const auto note = [&](const Error& error) {
    const bool required = options.counters == Counters::required;
    builder.add_note({required ? NoteSeverity::error : NoteSeverity::info, "no-counters",
                      "hardware counters were not read: " + error.message +
                          (error.remedy.empty() ? "" : "; " + error.remedy),
                      1});
  };
  if (!counters) return note(*counters_problem);
  for (const Phase phase : runner->phases()) {
    if (const auto ready = run_in_order(phase); !ready) return note(ready.error());
    const auto values = counters->measure([&]() -> Result<void> {
      if (auto ok = runner->launch(phase); !ok) return ok;
      return runner->synchronize();
    });
    if (!values) return note(values.error());
    configuration.counters.push_back({phase, tensor_instructions_metric, (*values)[0]});
    configuration.counters.push_back({phase, all_instructions_metric, (*values)[1]});
  }
  builder.profile().environment.counters = true;
}

Profile TracedRunner::run(const ConfigInput& input, const RunOptions& options) {
  ProfileBuilder builder;
  builder.profile().environment = state_->environment;
  if (options.trace || options.counters != Counters::off) {
    // Before any NVTX call of the process: this names CUPTI to NVTX.
    if (const auto api = CuptiApi::load()) {
      builder.profile().environment.cupti_version = std::to_string((*api)->version);
      builder.profile().environment.cupti_path = (*api)->path;
    }
  }
  state_->sample_clocks(builder.profile(), "start");
  Configuration configuration;
  configuration.config = input.config;
  configuration.program = input.program;
  configuration.given = input.given;
  configuration.origin = Origin::run;
  configuration.device = builder.add_device(state_->gpu.spec);
  const int index = builder.add_configuration(configuration);
  Process self = this_process();
  self.mode = "run";
  self.cudnn_version = state_->environment.cudnn_version;
  self.end = ProcessEnd::running;
  const int process = builder.add_process(self);

  RunReport report;
  RnnRunner& runner = *state_->runner;
  if (runner.prepare(input.config, options, report)) {
    if (options.correctness) runner.compare_with_reference(report);
    if (report.outcome == Outcome::completed && options.time) runner.time(options, report);
    if (report.outcome == Outcome::completed && options.trace)
      state_->trace(builder, index, process, input.config);
    if (report.outcome == Outcome::completed && options.counters != Counters::off) {
      state_->count(builder, builder.profile().configurations[static_cast<std::size_t>(index)],
                    options);
    }
  }
  runner.release();
  state_->context_lost = report.context_lost || cudaPeekAtLastError() != cudaSuccess;
  state_->sample_clocks(builder.profile(), "end");
  builder.profile().processes[static_cast<std::size_t>(process)].end_ns = real_time_ns();

  Configuration& result = builder.profile().configurations[static_cast<std::size_t>(index)];
  result.outcome = report.outcome;
  result.message = report.message;
  result.stages = report.stages;
  result.timings = report.timings;
  result.correctness = report.correctness;
  result.memory_free_before = report.memory_free_before;
  result.memory_peak_used = report.memory_peak_used;
  result.memory_predicted = report.memory_predicted;
  result.outputs_finite = report.outputs_finite;
  result.sizes_from_cudnn = report.workspace_inference >= 0;
  if (result.sizes_from_cudnn) {
    const auto exact = [](std::int64_t value) {
      return model::Bytes{value, model::Exactness::exact};
    };
    result.sizes = {exact(report.weights), exact(report.workspace_inference),
                    exact(report.workspace_training), exact(report.reserve_training)};
  }
  for (auto& call : builder.profile().calls) {
    call.workspace_bytes = call.phase == Phase::forward_inference ? report.workspace_inference
                                                                  : report.workspace_training;
    call.reserve_bytes = call.phase == Phase::forward_inference ? 0 : report.reserve_training;
    call.weights_bytes = report.weights;
  }
  return builder.finish();
}

}  // namespace rnnadvisor
