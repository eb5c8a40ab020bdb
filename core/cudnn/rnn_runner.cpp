#include "core/cudnn/rnn_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/cudnn/correctness.h"
#include "core/cudnn/cuda_error.h"
#include "core/cudnn/device_session.h"
#include "core/cudnn/problem.h"
#include "core/cudnn/timing.h"
#include "core/model/memory.h"

namespace rnnadvisor {
namespace {

Error to_error(const StageResult& stage) {
  Error error;
  error.code = ErrorCode::cudnn;
  error.message = fmt::format("{} returned {}{}{}", model::to_string(stage.stage),
                              stage.status_name, stage.reason.empty() ? "" : ": ", stage.reason);
  return error;
}

void set_failed(RunReport& report, const Error& error) {
  report.outcome =
      error.code == ErrorCode::out_of_memory ? Outcome::out_of_memory : Outcome::failed;
  report.message = error.message;
}

}  // namespace

struct RnnRunner::State {
  std::unique_ptr<DeviceSession> session;
  std::unique_ptr<RnnProblem> problem;  // after the session, so that it goes first
  std::vector<Phase> phases;

  // One phase, checked; the stage result joins the report. False ends the configuration.
  bool execute_checked(Phase phase, RunReport& report);
  void note_context(RunReport& report) {
    report.context_lost = report.context_lost || is_sticky(cudaPeekAtLastError());
    cudaGetLastError();
  }
};

RnnRunner::RnnRunner(std::unique_ptr<State> state) : state_(std::move(state)) {}
RnnRunner::~RnnRunner() = default;

Result<std::unique_ptr<RnnRunner>> RnnRunner::create(int ordinal) {
  auto state = std::make_unique<State>();
  auto session = DeviceSession::open(ordinal);
  if (!session) return fail(session.error());
  state->session = std::move(*session);
  return std::unique_ptr<RnnRunner>(new RnnRunner(std::move(state)));
}

bool RnnRunner::State::execute_checked(Phase phase, RunReport& report) {
  const auto stage_of = [&] {
    switch (phase) {
      case Phase::forward_inference:
        return model::Stage::forward_inference;
      case Phase::forward_training:
        return model::Stage::forward_training;
      case Phase::backward_data:
        return model::Stage::backward_data;
      case Phase::backward_weights:
        break;
    }
    return model::Stage::backward_weights;
  };
  if (auto ok = problem->poison_outputs(phase); !ok) {
    set_failed(report, ok.error());
    return false;
  }
  // The poison was written on the default stream; ours does not wait for it by itself.
  cudaDeviceSynchronize();
  StageResult stage = problem->launch(phase);
  stage.stage = stage_of();
  const cudaError_t finished = cudaStreamSynchronize(session->stream());
  if (stage.status == 0 && finished != cudaSuccess) {
    stage.reason = cuda_error(finished, "cudaStreamSynchronize").message;
    stage.status_name = cudaGetErrorName(finished);
    stage.status = -static_cast<int>(finished);
  }
  report.stages.push_back(stage);
  if (stage.status != 0) {
    report.outcome =
        stage.status == CUDNN_STATUS_NOT_SUPPORTED || stage.status == CUDNN_STATUS_BAD_PARAM
            ? Outcome::refused
            : Outcome::failed;
    report.message = to_error(stage).message;
    return false;
  }
  const auto problem_found = problem->check_outputs(phase);
  if (!problem_found) {
    set_failed(report, problem_found.error());
    return false;
  }
  if (!problem_found->empty()) {
    report.outputs_finite = false;
    report.message = *problem_found;
  }
  return true;
}

bool RnnRunner::prepare(const RnnConfig& config, const RunOptions& options, RunReport& report) {
  release();
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (auto ok = RNNADVISOR_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes)); !ok) {
    set_failed(report, ok.error());
    state_->note_context(report);
    return false;
  }
  report.memory_free_before = static_cast<std::int64_t>(free_bytes);
  if (config.batch_size > RnnProblem::largest_batch) {
    report.outcome = Outcome::out_of_memory_predicted;
    report.message = fmt::format("batch_size {} would need gigabytes for the length array alone",
                                 config.batch_size);
    return false;
  }

  state_->problem =
      std::make_unique<RnnProblem>(state_->session->api(), state_->session->handle(), config);
  RnnProblem& problem = *state_->problem;
  const auto stop = [&](Outcome outcome, std::string message) {
    report.outcome = outcome;
    report.message = std::move(message);
    state_->note_context(report);
    release();
    return false;
  };
  auto set = problem.set_descriptors();
  if (!set) {
    set_failed(report, set.error());
    return stop(report.outcome, report.message);
  }
  report.stages.push_back(*set);
  if (set->status != 0) return stop(Outcome::refused, to_error(*set).message);
  const StageResult sizes = problem.query_sizes(report);
  report.stages.push_back(sizes);
  if (sizes.status != 0) return stop(Outcome::refused, to_error(sizes).message);
  if (model::weight_query_wraps(config)) {
    // Running it would write far outside the buffers cuDNN asked for.
    return stop(Outcome::failed,
                "cuDNN counts the weights in 32 bits and answers with wrapped sizes from 2^31 "
                "weight elements "
                "on: it was not run; use fewer or narrower layers");
  }
  report.memory_predicted = problem.bytes_needed();
  if (options.sizes_only) {
    report.message = "sizes only, as asked";
    report.outcome = Outcome::not_run;
    release();
    return false;
  }
  if (report.memory_predicted > report.memory_free_before - RnnProblem::memory_margin) {
    return stop(Outcome::out_of_memory_predicted,
                fmt::format("needs {} of device memory and {} of {} is free ({} is left for cuDNN "
                            "itself); nothing was allocated",
                            format_bytes(static_cast<double>(report.memory_predicted)),
                            format_bytes(static_cast<double>(free_bytes)),
                            format_bytes(static_cast<double>(total_bytes)),
                            format_bytes(static_cast<double>(RnnProblem::memory_margin))));
  }
  if (auto ok = problem.allocate(options.seed); !ok) {
    set_failed(report, ok.error());
    return stop(report.outcome, report.message);
  }
  const StageResult built = problem.build_dynamic();
  if (built.status != 0) {
    report.stages.push_back(built);
    return stop(Outcome::refused, "cudnnBuildRNNDynamic: " + to_error(built).message);
  }
  std::vector<Phase> wanted = {Phase::forward_inference};
  if (config.mode == Mode::training) wanted.assign(all_phases.begin(), all_phases.end());
  for (const Phase phase : wanted) {
    if (!state_->execute_checked(phase, report)) return stop(report.outcome, report.message);
    state_->phases.push_back(phase);
  }
  std::size_t free_after = 0;
  if (cudaMemGetInfo(&free_after, &total_bytes) == cudaSuccess && free_after <= free_bytes) {
    report.memory_peak_used = static_cast<std::int64_t>(free_bytes - free_after);
  }
  return true;
}

const std::vector<Phase>& RnnRunner::phases() const { return state_->phases; }

void RnnRunner::time(const RunOptions& options, RunReport& report) {
  std::vector<TimedPhase> timed;
  for (const Phase phase : state_->phases) {
    TimedPhase entry;
    entry.phase = phase;
    entry.prepare = [this, phase]() -> Result<void> {
      if (phase == Phase::backward_weights)
        return state_->problem->clear_weight_gradients(state_->session->stream());
      return {};
    };
    entry.launch = [this, phase] { return launch(phase); };
    timed.push_back(std::move(entry));
  }
  auto timings = time_phases(timed, state_->session->stream(), options);
  if (!timings) {
    set_failed(report, timings.error());
    state_->note_context(report);
    return;
  }
  report.timings = std::move(*timings);
}

Result<void> RnnRunner::launch(Phase phase) {
  const StageResult stage = state_->problem->launch(phase);
  if (stage.status != 0) return fail(to_error(stage));
  return {};
}

Result<void> RnnRunner::synchronize() {
  return RNNADVISOR_CUDA(cudaStreamSynchronize(state_->session->stream()));
}

void RnnRunner::compare_with_reference(RunReport& report) {
  std::string why_not;
  if (!comparable_with_reference(state_->problem->config(), why_not)) {
    report.message = why_not;
    return;
  }
  auto results = compare_problem(*state_->problem);
  if (!results) {
    set_failed(report, results.error());
    state_->note_context(report);
    return;
  }
  report.correctness = std::move(*results);
  if (state_->problem->config().clip_mode == ClipMode::minmax &&
      state_->problem->config().mode == Mode::training) {
    report.message =
        "gradients were not compared: what cuDNN's backward pass does with the clip is not "
        "established";
  }
}

void RnnRunner::release() {
  state_->phases.clear();
  state_->problem.reset();
}

std::string RnnRunner::cudnn_version() const {
  const auto v = state_->session->api().version;
  return v >= 90000 ? fmt::format("{}.{}.{}", v / 10000, v % 10000 / 100, v % 100)
                    : fmt::format("{}.{}.{}", v / 1000, v % 1000 / 100, v % 100);
}

std::string RnnRunner::cudnn_path() const { return state_->session->api().path; }
int RnnRunner::ordinal() const { return state_->session->ordinal(); }

}  // namespace rnnadvisor
