// program.gpu_busy and its kin: the whole step of a recorded program, of which the RNN is a part.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"
#include "profiler/kernels/classify.h"
#include "profiler/profile/recorder.h"

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

// Of a step without tracing, 0 … 1.
std::optional<double> part_of_step(const ProgramSteps* steps, double ns) {
  if (steps == nullptr) return std::nullopt;
  return std::min(1.0, ns / std::max(steps->untraced_ns, steps->busy_ns));
}
std::optional<double> percent(std::optional<double> part) {
  return part ? std::optional(100 * *part) : std::nullopt;
}
// What a step would gain without this part of it.
std::optional<double> without(std::optional<double> part) {
  return part && *part < 1 ? std::optional(1 / (1 - *part)) : std::nullopt;
}
std::optional<double> input_copies(const Subject& s, const Index& i) {
  const auto* steps = steps_of(s, i);
  return part_of_step(steps, steps != nullptr ? steps->input_copies_ns : 0);
}
std::optional<double> host_wait(const Subject& s, const Index& i) {
  if (const auto* steps = steps_of(s, i)) return part_of_step(steps, steps->host_wait());
  const auto* busy = busy_of(s, i);
  // Profilers of frameworks slow the program itself: the GPU waits for a launch, too, as long as
  // for other work of the host.
  const auto recorder = recorder_of(i.profile());
  if (busy == nullptr || recorder == Recorder::torch_profiler || recorder == Recorder::xla_profiler)
    return std::nullopt;
  return static_cast<double>(busy->host_wait_ns) / static_cast<double>(busy->span_ns);
}

const RepeatedKernels* repeated_of(const Subject& s, const Index& i) {
  return busy_of(s, i) != nullptr ? &i.program_step(s.configuration).repeated : nullptr;
}

// How many times as long as without tracing a step takes under torch.profiler: the median of 22
// programs of tests/gpu/planted_programs on H200 GPUs (tests/gpu/results/h200/traces-scored.json).
constexpr double torch_profiler_slows = 1.61;
// And how many times as long as under rnnadvisor's own tracing, which graph_estimate() knows.
constexpr double torch_profiler_slows_more = torch_profiler_slows / 1.135;

std::optional<GraphEstimate> graph(const Subject& s, const Index& i) {
  const auto* found = busy_of(s, i);
  if (found == nullptr) return std::nullopt;
  GpuBusy own = *found;
  if (recorder_of(i.profile()) == Recorder::torch_profiler) {
    own.span_ns = std::max(own.busy_ns, static_cast<std::int64_t>(static_cast<double>(own.span_ns) /
                                                                  torch_profiler_slows_more));
  }
  const auto* busy = &own;
  const auto& step = i.program_step(s.configuration);
  const GraphedStep graphed{.concurrent = step.concurrent, .forbidden = step.obstacles.forbidden()};
  return graph_estimate(*busy, steps_of(s, i), graphed);
}
std::optional<double> graph(const Subject& s, const Index& i, double GraphEstimate::* member) {
  const auto estimate = graph(s, i);
  return estimate ? std::optional((*estimate).*member) : std::nullopt;
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
      "the second half of the recorded program's kernels, pauses above 10 ms left out unless they "
      "come back in every second step; tracing "
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
  define(catalogue, "program.input_copy_share", "%", Provenance::measured,
         "share of a step without tracing in which nothing but copies from the host to the GPU ran",
         [](const Subject& s, const Index& i) { return percent(input_copies(s, i)); });
  define(catalogue, "program.input_bytes", "B", Provenance::measured,
         "what a step copies from the host to the GPU, median",
         [](const Subject& s, const Index& i) -> std::optional<std::int64_t> {
           const auto* steps = steps_of(s, i);
           if (steps == nullptr) return std::nullopt;
           return static_cast<std::int64_t>(steps->input_bytes);
         });
  define(catalogue, "program.input_copy_rate", "B/s", Provenance::measured,
         "program.input_bytes over the time of these copies",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* steps = steps_of(s, i);
           if (steps == nullptr || steps->input_ns <= 0) return std::nullopt;
           return steps->input_bytes / steps->input_ns * 1e9;
         });
  define(
      catalogue, "program.without_input_copies", "1", Provenance::modelled,
      "how many times as fast a step would be if its copies to the GPU took no time of their own",
      [](const Subject& s, const Index& i) { return without(input_copies(s, i)); });
  define(
      catalogue, "program.host_wait_share", "%", Provenance::measured,
      "share of a step in which the GPU waited for more than 1 ms at once: for the next batch or "
      "other work of the host, no launch takes so long. Where no step was timed without tracing, "
      "of the time that program.gpu_busy is of, and waits of more than 2 ms",
      [](const Subject& s, const Index& i) { return percent(host_wait(s, i)); });
  define(catalogue, "program.idle_beyond_tracing", "%", Provenance::measured,
         "in a trace of torch.profiler, the share of a step in which nothing would run on the GPU "
         "if the profiler made the step 1.61 times as long, its median in 22 programs",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* busy = busy_of(s, i);
           if (busy == nullptr || recorder_of(i.profile()) != Recorder::torch_profiler)
             return std::nullopt;
           return 100 * (1 - std::min(1.0, busy->share() * torch_profiler_slows));
         });
  define(catalogue, "program.without_host_wait", "1", Provenance::modelled,
         "how many times as fast a step would be without the waits of program.host_wait_share",
         [](const Subject& s, const Index& i) { return without(host_wait(s, i)); });
  define_gain(
      catalogue, "cuda_graph", "program.graph_speedup", "1", Provenance::modelled,
      "the time of a step without tracing over that of its kernels and transfers, with 0.42 µs "
      "between two of them and 15 µs for the launch: what a CUDA graph of the step gains if every "
      "kernel stays as it is. It is no shorter than what the host does besides: waits of the GPU "
      "above 1 ms, and copies between host and GPU; such waits may go on while the graph runs or "
      "add to it, and the estimate is the geometric mean of both. The kernels of a stack or a "
      "bidirectional layer under the standard algorithm take down to 1 / 1.6 of their time, "
      "because a graph overlaps them. Where no step was timed "
      "without tracing: the traced time over 1.135, which tracing cost in the median of 20 "
      "programs; over 1.61 in a trace of torch.profiler, which cost as much in that of 22",
      [](const Subject& s, const Index& i) { return graph(s, i, &GraphEstimate::speedup); });
  define_gain(catalogue, "cuda_graph", "program.graph_speedup_low", "1", Provenance::modelled,
              "the lower end of what recorded programs reached of their estimates, lower where "
              "something forbids capture: what the host does there besides may stay",
              [](const Subject& s, const Index& i) { return graph(s, i, &GraphEstimate::low); });
  define_gain(catalogue, "cuda_graph", "program.graph_speedup_high", "1", Provenance::modelled,
              "the upper end, higher where a stack or a bidirectional layer ran under the "
              "standard algorithm, whose kernels a graph overlaps",
              [](const Subject& s, const Index& i) { return graph(s, i, &GraphEstimate::high); });
  define(catalogue, "program.graph_speedup_without_overlap", "1", Provenance::modelled,
         "program.graph_speedup of the shortest steps that were timed, if no more kernels overlap "
         "than in the program and the waits for other work of the host add to the graph",
         [](const Subject& s, const Index& i) {
           return graph(s, i, &GraphEstimate::without_overlap);
         });
  define(
      catalogue, "program.graph_time", "", Provenance::modelled,
      "what the time of a step as a CUDA graph is made of, in words",
      [](const Subject& s, const Index& i) -> std::optional<std::string> {
        const auto estimate = graph(s, i);
        if (!estimate) return std::nullopt;
        std::string text = "the time of its kernels, with 0.42 µs between two of them";
        if (estimate->waits)
          text +=
              "; the GPU's waits above 1 ms, for other work of the host, may overlap the graph or "
              "add to it (the geometric mean of both)";
        const auto& step = i.program_step(s.configuration);
        if (step.concurrent > 0)
          text +=
              "; kernels of several layers or directions run side by side in a graph, which saves "
              "more than the waits";
        // How often that held: docs/validation.md.
        text += fmt::format(
            ". Nine in ten recorded programs reached {:g} to {:g} times such an estimate",
            estimate->least, estimate->most);
        if (step.obstacles.forbidden())
          text += ": where something forbade capture, other work of the host often stayed";
        return text;
      });
  define(
      catalogue, "program.repeated_kernel", "", Provenance::measured,
      "the kernel outside of recurrent layers that runs most often in a step, at least 1,000 times",
      [](const Subject& s, const Index& i) -> std::optional<std::string> {
        const auto* repeated = repeated_of(s, i);
        if (repeated == nullptr || repeated->most.empty()) return std::nullopt;
        return short_kernel_name(repeated->most);
      });
  define(catalogue, "program.repeated_launches", "", Provenance::measured,
         "how often program.repeated_kernel runs in a step",
         [](const Subject& s, const Index& i) -> std::optional<std::int64_t> {
           const auto* repeated = repeated_of(s, i);
           if (repeated == nullptr) return std::nullopt;
           return std::llround(repeated->most_launches);
         });
  define(catalogue, "program.repeated_share", "%", Provenance::measured,
         "share of a program's launches that are of kernels outside of recurrent layers which run "
         "at least 1,000 times in a step",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* repeated = repeated_of(s, i);
           return repeated != nullptr ? std::optional(100 * repeated->share) : std::nullopt;
         });
  define(catalogue, "program.without_repeats", "1", Provenance::modelled,
         "how many times as fast a step would be without the waits for launches of these kernels, "
         "as part of all such waits in the recording",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* repeated = repeated_of(s, i);
           if (repeated == nullptr) return std::nullopt;
           const auto* steps = steps_of(s, i);
           const double busy = steps != nullptr ? steps->busy_share() : busy_of(s, i)->share();
           const double waits = 1 - busy - host_wait(s, i).value_or(0);
           return without(std::max(0.0, waits) * repeated->share_of_waits);
         });
  define(catalogue, "program.one_sequence_share", "%", Provenance::captured,
         "share of the program's forward passes in training that have a batch of one",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           if (!s.get().from_program()) return std::nullopt;
           return percent(i.program_step(s.configuration).one_sequence_share);
         });
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
