#include "core/cudnn/timing.h"

#include <cuda_runtime_api.h>

#include <chrono>

#include "core/cudnn/cuda_error.h"
#include "core/cudnn/device_event.h"

namespace rnnadvisor {
namespace {

bool tight(const MedianInterval& interval, const RunOptions& options) {
  return interval.count >= options.min_repeats && interval.confidence >= 0.95 &&
         interval.median > 0 &&
         (interval.high - interval.low) / interval.median <= options.target_interval;
}

}  // namespace

Result<std::vector<PhaseTiming>> time_phases(std::vector<TimedPhase>& phases, void* stream_pointer,
                                             const RunOptions& options) {
  const auto stream = static_cast<cudaStream_t>(stream_pointer);
  DeviceEvent start;
  DeviceEvent stop;
  RNNADVISOR_TRY(RNNADVISOR_CUDA(start.status()));
  RNNADVISOR_TRY(RNNADVISOR_CUDA(stop.status()));
  std::vector<PhaseTiming> timings;
  for (const auto& phase : phases) {
    PhaseTiming timing;
    timing.phase = phase.phase;
    timing.warmup = options.warmup;
    timings.push_back(timing);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int round = -options.warmup; round < options.max_repeats; ++round) {
    for (std::size_t i = 0; i < phases.size(); ++i) {
      RNNADVISOR_TRY(phases[i].prepare());
      RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaStreamSynchronize(stream)));
      RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaEventRecord(start.get(), stream)));
      RNNADVISOR_TRY(phases[i].launch());
      RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaEventRecord(stop.get(), stream)));
      RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaEventSynchronize(stop.get())));
      if (round < 0) continue;
      float ms = 0;
      RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaEventElapsedTime(&ms, start.get(), stop.get())));
      timings[i].samples_ms.push_back(ms);
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    // A configuration that takes seconds per call is not warmed up more often than the budget
    // allows.
    if (round < 0 && seconds > options.budget_seconds) round = -1;
    if (round + 1 < options.min_repeats) continue;
    bool all_tight = true;
    for (auto& timing : timings) {
      timing.ms = median_interval(timing.samples_ms);
      timing.converged = tight(timing.ms, options);
      all_tight = all_tight && timing.converged;
    }
    if (all_tight || seconds > options.budget_seconds) break;
  }
  for (auto& timing : timings) {
    timing.ms = median_interval(timing.samples_ms);
    timing.converged = tight(timing.ms, options);
  }
  return timings;
}

}  // namespace rnnadvisor
