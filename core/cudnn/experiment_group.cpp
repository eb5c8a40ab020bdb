// One group of variants, with the original, on the GPU at once.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/cudnn/cuda_error.h"
#include "core/cudnn/device_event.h"
#include "core/cudnn/experiment_attempt.h"
#include "core/cudnn/experiment_run.h"

namespace rnnadvisor::experiment {

std::optional<ExperimentScope> ExperimentRun::scope_for(const Variant& variant,
                                                        ExperimentScope scope) {
  if (!variant.infers) return scope;
  if (scope == ExperimentScope::training_step) return std::nullopt;
  return ExperimentScope::inference;
}

std::vector<ExperimentScope> ExperimentRun::own_scopes(const Variant& variant) const {
  std::vector<ExperimentScope> scopes;
  for (const ExperimentScope scope : scopes_) {
    const auto own = scope_for(variant, scope);
    if (own && std::find(scopes.begin(), scopes.end(), *own) == scopes.end())
      scopes.push_back(*own);
  }
  return scopes;
}

Attempt<Outputs> ExperimentRun::set_up(DeviceProgram& program, void* workspace,
                                       const RnnConfig& before, bool mapped, bool graph,
                                       const std::vector<ExperimentScope>& scopes) const {
  RNNADVISOR_ATTEMPT(program.allocate(workspace));
  if (mapped) {
    RNNADVISOR_ATTEMPT(program.upload(before, *data_));
  } else {
    RNNADVISOR_ATTEMPT(program.fill(request_.seed));
  }
  Outputs most;
  for (const ExperimentScope scope : scopes) {
    // The whole step computes what its forward pass alone does; a graph of that pass is another.
    const bool read =
        graph || scope != ExperimentScope::forward_training ||
        std::find(scopes.begin(), scopes.end(), ExperimentScope::training_step) == scopes.end();
    auto outputs = program.check(scope, before, read);
    if (outputs && graph) {
      // Captured after a first run, so that nothing is loaded or allocated while that is forbidden.
      RNNADVISOR_ATTEMPT(program.capture(scope));
      outputs = program.check(scope, before, true);
    }
    if (!outputs) return outputs;
    if (scope == ExperimentScope::training_step || most.gradients.empty())
      most = std::move(*outputs);
  }
  return most;
}

bool ExperimentRun::time_group(const std::vector<int>& group, std::size_t groups_left) {
  trying(-1);
  auto original = measured_original();
  if (!original) return lose(-1, original.error());
  std::int64_t workspace_bytes = (*original)->need().workspace;
  for (const int i : group) {
    if (variant(i).program)
      workspace_bytes = std::max(workspace_bytes, variant(i).program->need().workspace);
  }
  const auto workspace = DeviceBuffer::allocate(workspace_bytes);
  if (!workspace) return lose(-1, failure_of(workspace.error()));
  auto outputs =
      set_up(**original, workspace->data(), request_.before, data_.has_value(), false, scopes_);
  if (!outputs) return lose(-1, outputs.error());
  result_.outcome = Outcome::completed;
  if (!dropout_) before_outputs_ = std::move(*outputs);
  std::vector<int> ready;
  const bool going_on = set_up_variants(group, workspace->data(), ready) &&
                        (ready.empty() || time_ready(ready, **original, groups_left));
  for (const int i : group) variant(i).program.reset();
  return going_on;
}

void ExperimentRun::run_alone() {
  for (int i = 0; i < variant_count(); ++i) {
    Variant& it = variant(i);
    if (!it.program) continue;
    trying(i);
    const auto ran = [&]() -> Attempt<void> {
      const MemoryShare need = it.program->need();
      if (need.own > available_ - need.workspace) {
        return failed(Outcome::out_of_memory_predicted,
                      fmt::format("needs {} of device memory, and {} can be taken; nothing was "
                                  "allocated",
                                  format_bytes(static_cast<double>(need.own + need.workspace)),
                                  format_bytes(static_cast<double>(available_))));
      }
      const auto workspace = DeviceBuffer::allocate(need.workspace);
      if (!workspace) return tl::unexpected(failure_of(workspace.error()));
      const auto outputs = set_up(*it.program, workspace->data(), request_.before, false,
                                  wanted(i).cuda_graph, own_scopes(it));
      if (!outputs) return tl::unexpected(outputs.error());
      return {};
    }();
    if (!ran) {
      if (!lose(i, ran.error())) return;
      continue;
    }
    it.program.reset();
    result(i).outcome = Outcome::completed;
    result(i).message = it.infers ? "it infers where the original trains" : "";
  }
}

bool ExperimentRun::set_up_variants(const std::vector<int>& group, void* workspace,
                                    std::vector<int>& ready) {
  for (const int i : group) {
    Variant& it = variant(i);
    if (!it.program) continue;  // lost when it was compared without dropout
    trying(i);
    const auto outputs = set_up(*it.program, workspace, request_.before, it.related && data_,
                                wanted(i).cuda_graph, own_scopes(it));
    if (!outputs) {
      if (!lose(i, outputs.error())) return false;
      continue;
    }
    if (!dropout_) compare(i, *outputs);
    ready.push_back(i);
  }
  return true;
}

bool ExperimentRun::time_ready(const std::vector<int>& ready, DeviceProgram& original,
                               std::size_t groups_left) {
  const DeviceEvent start;
  const DeviceEvent stop;
  for (const auto* event : {&start, &stop}) {
    if (auto ok = cuda_check(event->status(), "cudaEventCreate"); !ok)
      return lose(-1, failure_of(ok.error()));
  }
  const auto number = [&](std::size_t i) { return ready[i]; };
  std::vector<std::vector<ExperimentScope>> scopes(ready.size());
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const ExperimentScope scope : scopes_) {
      if (scope_for(variant(number(i)), scope)) scopes[i].push_back(scope);
    }
  }
  const cudaStream_t stream = session_.stream();
  const Sampler sample = [&](int who, ExperimentScope scope) -> Attempt<double> {
    Variant* it = who < 0 ? nullptr : &variant(number(static_cast<std::size_t>(who)));
    DeviceProgram& program = it == nullptr ? original : *it->program;
    const ExperimentScope own = it == nullptr ? scope : scope_for(*it, scope).value_or(scope);
    RNNADVISOR_ATTEMPT(program.prepare(own));
    RNNADVISOR_ATTEMPT(program.finish());
    RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaEventRecord(start.get(), stream)));
    RNNADVISOR_ATTEMPT(program.launch(own));
    RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaEventRecord(stop.get(), stream)));
    RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaEventSynchronize(stop.get())));
    float ms = 0;
    RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaEventElapsedTime(&ms, start.get(), stop.get())));
    return static_cast<double>(ms);
  };
  RoundOptions options;
  options.warmup = std::max(0, request_.warmup);
  options.min_rounds = std::max(1, request_.min_rounds);
  options.max_rounds = std::max(options.min_rounds, request_.max_rounds);
  options.seconds =
      std::max(0.0, request_.budget_seconds - seconds()) / static_cast<double>(groups_left);
  options.target_interval = request_.target_interval;
  options.seed = request_.seed;
  options.clock = [this] { return seconds(); };
  options.on_round = [this](int round) { tell(ExperimentProgress::Kind::round, -1, round); };
  tell(ExperimentProgress::Kind::timing, -1, 0);
  // Warm by then, as it is behind the last one.
  GpuClocks before;
  options.on_begin = [&] { before = clocks(); };
  const Rounds rounds = time_rounds(scopes_, scopes, sample, options);
  const GpuClocks after = clocks();
  if (rounds.stopped) {
    return lose(rounds.stopped_by < 0 ? -1 : number(static_cast<std::size_t>(rounds.stopped_by)),
                *rounds.stopped);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (rounds.failures[i]) {
      lose(number(i), *rounds.failures[i]);
      continue;
    }
    VariantResult& to = result(number(i));
    for (const ScopeSamples& samples : rounds.scopes) {
      if (!samples.after[i].empty()) to.timings.push_back(make_timing(samples, i, request_.seed));
    }
    to.outcome = Outcome::completed;
    to.message = variant(number(i)).remark;
    to.clocks_before = before;
    to.clocks_after = after;
  }
  return true;
}

}  // namespace rnnadvisor::experiment
