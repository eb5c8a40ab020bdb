// program.gpu_busy and its kin: the whole step of a recorded program, of which the RNN is a part.
#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

const GpuBusy* busy_of(const Subject& s, const Index& i) {
  if (!s.get().from_program()) return nullptr;
  const auto& busy = i.program_step(s.configuration).busy;
  return busy ? &*busy : nullptr;
}

const ProgramSteps* steps_of(const Subject& s, const Index& i) {
  if (busy_of(s, i) == nullptr) return nullptr;
  const auto& steps = i.program_step(s.configuration).steps;
  return steps ? &*steps : nullptr;
}

std::optional<double> graph(const Subject& s, const Index& i, double GraphEstimate::* member) {
  const auto* busy = busy_of(s, i);
  if (busy == nullptr) return std::nullopt;
  return graph_estimate(*busy, steps_of(s, i), i.program_step(s.configuration).concurrent).*member;
}

}  // namespace

void add_step_facts(Catalogue& catalogue) {
  define(catalogue, "program.step_traced", "", Provenance::measured,
         "a recording tells how busy the whole program kept the GPU: program.gpu_busy is known",
         [](const Subject& s, const Index& i) { return busy_of(s, i) != nullptr; });
  define(
      catalogue, "program.gpu_busy", "%", Provenance::measured,
      "share of a step in which at least one kernel or transfer ran on the device: their time in "
      "traced steps over that of steps without tracing. Where none was timed without it, over "
      "the second half of the recorded program's kernels, pauses above 10 ms left out; tracing "
      "slows launches, so that without it the share is larger",
      [](const Subject& s, const Index& i) -> std::optional<double> {
        const auto* busy = busy_of(s, i);
        if (busy == nullptr) return std::nullopt;
        const auto* steps = steps_of(s, i);
        return 100 * (steps != nullptr ? steps->busy_share() : busy->share());
      });
  define(catalogue, "program.step_ms", "ms", Provenance::measured,
         "a whole step of the recorded program without tracing, median",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* steps = steps_of(s, i);
           return steps != nullptr ? std::optional(steps->untraced_ns / 1e6) : std::nullopt;
         });
  define_gain(
      catalogue, "cuda_graph", "program.graph_speedup", "1", Provenance::modelled,
      "the time of a step without tracing over that of its kernels and transfers, with 0.42 µs "
      "between two of them and 15 µs for the launch: what a CUDA graph of the step gains if every "
      "kernel stays as it is. It is no shorter than what the host does besides: waits of the GPU "
      "above 1 ms, and copies between host and GPU. A stack or a bidirectional layer under the "
      "standard algorithm counts "
      "up to 1.6 times as much, because a graph overlaps its kernels. Where no step was timed "
      "without tracing: the traced time over 1.135, which tracing cost in the median of 20 "
      "programs",
      [](const Subject& s, const Index& i) { return graph(s, i, &GraphEstimate::speedup); });
  define_gain(catalogue, "cuda_graph", "program.graph_speedup_low", "1", Provenance::modelled,
              "the lower end of what recorded programs reached of their estimates",
              [](const Subject& s, const Index& i) { return graph(s, i, &GraphEstimate::low); });
  define_gain(catalogue, "cuda_graph", "program.graph_speedup_high", "1", Provenance::modelled,
              "the upper end; up to twice as high where a stack or a bidirectional layer "
              "ran under the standard algorithm, whose kernels a graph overlaps",
              [](const Subject& s, const Index& i) { return graph(s, i, &GraphEstimate::high); });
  define(catalogue, "program.world_size", "", Provenance::captured,
         "processes of the distributed job that the recorded program is part of",
         [](const Subject& s, const Index& i) -> std::optional<std::int64_t> {
           if (busy_of(s, i) == nullptr) return std::nullopt;
           const int size = i.program_step(s.configuration).world_size;
           return size > 0 ? std::optional<std::int64_t>(size) : std::nullopt;
         });
  define(catalogue, "program.collective_share", "%", Provenance::measured,
         "share of the time of program.gpu_busy in which kernels of NCCL ran, in which they also "
         "wait for the other GPUs",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           if (busy_of(s, i) == nullptr) return std::nullopt;
           return 100 * i.program_step(s.configuration).collectives.value_or(0);
         });
  define(catalogue, "program.main_configuration", "", Provenance::measured,
         "of the configurations recorded on its device this one has the most time in kernels",
         [](const Subject& s, const Index& i) {
           return s.get().from_program() &&
                  i.program_step(s.configuration).main_configuration == s.configuration;
         });
}

}  // namespace rnnadvisor::advisor
