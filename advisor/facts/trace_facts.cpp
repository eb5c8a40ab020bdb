// trace.*: what the recorded kernels and counters show.
#include <algorithm>
#include <array>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"
#include "profiler/profile/recorder.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

const PhaseKernels* forward_kernels(const Subject& s, const Index& i) {
  const auto* training = i.phase_kernels(s.configuration, Phase::forward_training);
  return training != nullptr ? training
                             : i.phase_kernels(s.configuration, Phase::forward_inference);
}

std::vector<std::string> implementations() {
  std::vector<std::string> names;
  for (int value = 0; value <= static_cast<int>(model::Implementation::persistent_small_h);
       ++value) {
    names.emplace_back(to_string(static_cast<model::Implementation>(value)));
  }
  return names;
}

std::vector<std::string> recorders() {
  std::vector<std::string> names;
  for (const Recorder recorder : all_recorders) names.emplace_back(to_string(recorder));
  return names;
}

std::optional<std::string> ran_in(const PhaseKernels* kernels) {
  if (kernels == nullptr || !kernels->implementation) return std::nullopt;
  return std::string(to_string(*kernels->implementation));
}

std::optional<double> busy(const Subject& s, const Index& i, Phase phase) {
  const auto busy = busy_share(i, s.configuration, phase);
  return busy ? std::optional(100 * busy->share) : std::nullopt;
}

// The fifth template argument of RNN_persist_fp / RNN_persist_bp tells whether the kernel uses
// Tensor Cores (facts 8.3).
std::optional<bool> tensor_core_flag(std::string_view name) {
  const auto at = name.find("RNN_persist_");
  if (at == std::string_view::npos) return std::nullopt;
  const auto open = name.find('<', at);
  if (open == std::string_view::npos || open - at > 16) return std::nullopt;
  int argument = 0;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t p = open + 1; p < name.size(); ++p) {
    const char c = name[p];
    if (c == '<' || c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && (c == ',' || c == '>')) {
      if (argument == 4) {
        auto text = name.substr(begin, p - begin);
        while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
        if (text == "true" || text == "(bool)1") return true;
        if (text == "false" || text == "(bool)0") return false;
        return std::nullopt;
      }
      if (c == '>') return std::nullopt;
      ++argument;
      begin = p + 1;
    } else if (c == '>' && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

std::optional<bool> persist_tensor_cores(const Subject& s, const Index& i) {
  const auto& profile = i.profile();
  std::optional<bool> all;
  for (const int call : i.calls(s.configuration)) {
    for (const int kernel : i.kernels(call)) {
      const auto flag =
          tensor_core_flag(profile.text(profile.kernels.name[static_cast<std::size_t>(kernel)]));
      if (flag) all = all.value_or(true) && *flag;
    }
  }
  return all;
}

// The recurrences without cuDNN on the device of a configuration that stands for them; empty for
// all others.
std::vector<const NativeRecurrence*> recurrences(const Subject& s, const Index& i) {
  std::vector<const NativeRecurrence*> found;
  // One with calls stands for calls of cuDNN that no hook saw.
  if (s.get().described() || !i.calls(s.configuration).empty()) return found;
  for (const auto& recurrence : i.native_recurrences())
    if (recurrence.device == s.get().device) found.push_back(&recurrence);
  return found;
}

std::optional<bool> native_cells(const Subject& s, const Index& i) {
  if (!i.profile().environment.tracing || !s.get().from_program()) return std::nullopt;
  const auto found = recurrences(s, i);
  return std::any_of(found.begin(), found.end(), [](const NativeRecurrence* recurrence) {
    return recurrence->cell != NativeCell::handwritten;
  });
}

std::optional<bool> handwritten_cells(const Subject& s, const Index& i) {
  if (!i.profile().environment.tracing || !s.get().from_program()) return std::nullopt;
  const auto found = recurrences(s, i);
  return std::any_of(found.begin(), found.end(), [](const NativeRecurrence* recurrence) {
    return recurrence->cell == NativeCell::handwritten;
  });
}

// Of the device's time in kernels, what ran from the first to the last step of such recurrences.
std::optional<double> recurrence_share(const Subject& s, const Index& i) {
  const auto found = recurrences(s, i);
  if (found.empty()) return std::nullopt;
  const auto& kernels = i.profile().kernels;
  std::int64_t part = 0, whole = 0;
  for (const auto* recurrence : found) part += recurrence->kernel_ns;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    if (kernels.device[k] == s.get().device) whole += kernels.end_ns[k] - kernels.start_ns[k];
  if (whole <= 0) return std::nullopt;
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void add_recurrences(Catalogue& catalogue) {
  std::vector<std::string> cells;
  for (const NativeCell cell :
       {NativeCell::framework_lstm, NativeCell::framework_gru, NativeCell::handwritten})
    cells.emplace_back(to_string(cell));
  define(
      catalogue, "trace.recurrence", "", Provenance::measured,
      "the cells of a recurrence that ran without cuDNN, step by step",
      [](const Subject& s, const Index& i) -> std::optional<std::string> {
        const auto found = recurrences(s, i);
        if (found.empty()) return std::nullopt;
        return std::string(to_string(found.front()->cell));
      },
      cells);
  define(catalogue, "trace.recurrence_steps", "", Provenance::measured,
         "cells that recurrences without cuDNN evaluated, forward and backward",
         [](const Subject& s, const Index& i) -> std::optional<std::int64_t> {
           const auto found = recurrences(s, i);
           if (found.empty()) return std::nullopt;
           std::int64_t steps = 0;
           for (const auto* recurrence : found) steps += recurrence->steps;
           return steps;
         });
  define(catalogue, "trace.recurrence_kernels", "1", Provenance::measured,
         "kernels for each cell of a recurrence without cuDNN",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto found = recurrences(s, i);
           std::int64_t steps = 0, kernels = 0;
           for (const auto* recurrence : found) {
             steps += recurrence->steps;
             kernels += recurrence->kernels;
           }
           if (steps == 0) return std::nullopt;
           return static_cast<double>(kernels) / static_cast<double>(steps);
         });
  define(catalogue, "trace.recurrence_share", "%", Provenance::measured,
         "share of the GPU's kernel time in recurrences without cuDNN", recurrence_share);
  define(catalogue, "trace.recurrence_busy", "%", Provenance::measured,
         "share of the time of recurrences without cuDNN in which the GPU worked",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           std::int64_t busy = 0, span = 0;
           for (const auto* recurrence : recurrences(s, i)) {
             busy += recurrence->kernel_ns;
             span += recurrence->span_ns;
           }
           if (span <= 0) return std::nullopt;
           return std::min(100.0, 100 * static_cast<double>(busy) / static_cast<double>(span));
         });
}

std::int64_t calls_inferred(const Subject& s, const Index& i) {
  const auto calls = i.calls(s.configuration);
  return std::count_if(calls.begin(), calls.end(), [&](int call) {
    return i.profile().calls[static_cast<std::size_t>(call)].source == CallSource::kernels;
  });
}

std::optional<double> share_of_inferred(const Subject& s, const Index& i) {
  if (calls_inferred(s, i) == 0) return std::nullopt;
  const auto& kernels = i.profile().kernels;
  std::int64_t part = 0, whole = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    if (kernels.device[k] == s.get().device) whole += kernels.end_ns[k] - kernels.start_ns[k];
  for (const int call : i.calls(s.configuration))
    for (const int k : i.kernels(call))
      part += kernels.end_ns[static_cast<std::size_t>(k)] -
              kernels.start_ns[static_cast<std::size_t>(k)];
  if (whole <= 0) return std::nullopt;
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<bool> counted_tensor_cores(const Subject& s) {
  std::optional<bool> used;
  for (const auto& counter : s.get().counters) {
    if (counter.metric.find("pipe_tensor") == std::string::npos) continue;
    used = used.value_or(false) || counter.value > 0;
  }
  return used;
}

std::int64_t notes(const Subject& s, std::string_view code) {
  std::int64_t sum = 0;
  for (const auto& note : s.profile->notes) {
    if (note.code == code) sum += std::max<std::int64_t>(note.count, 1);
  }
  return sum;
}

bool attempted(const Subject& s) {
  return s.profile->environment.tracing || notes(s, "no-trace") > 0 ||
         notes(s, "trace-failed") > 0 || notes(s, "tracing-conflict") > 0;
}

void add_implementation(Catalogue& catalogue) {
  define(catalogue, "trace.available", "", Provenance::measured,
         "kernels of this configuration were recorded",
         [](const Subject& s, const Index& i) { return i.traced(s.configuration); });
  define(
      catalogue, "trace.implementation", "", Provenance::measured,
      "kernel family that ran in the forward pass",
      [](const Subject& s, const Index& i) { return ran_in(forward_kernels(s, i)); },
      implementations());
  define(
      catalogue, "trace.implementation_backward", "", Provenance::measured,
      "kernel family that ran in backward data",
      [](const Subject& s, const Index& i) {
        return ran_in(i.phase_kernels(s.configuration, Phase::backward_data));
      },
      implementations());
  define(catalogue, "trace.ran_as_asked", "", Provenance::measured,
         "the kernels of the forward pass belong to the algorithm that was asked for",
         [](const Subject& s, const Index& i) -> std::optional<bool> {
           const auto* kernels = forward_kernels(s, i);
           if (kernels == nullptr || !kernels->implementation) return std::nullopt;
           return *kernels->implementation == model::implementation_of(s.get().config.algo);
         });
  define(catalogue, "trace.mixed_implementations", "", Provenance::measured,
         "forward and backward data ran kernels of different families",
         [](const Subject& s, const Index& i) -> std::optional<bool> {
           const auto* forward = forward_kernels(s, i);
           const auto* backward = i.phase_kernels(s.configuration, Phase::backward_data);
           if (forward == nullptr || backward == nullptr) return std::nullopt;
           if (!forward->implementation || !backward->implementation) return std::nullopt;
           return *forward->implementation != *backward->implementation;
         });
  define(catalogue, "trace.persist_tensor_cores", "", Provenance::measured,
         "the names of the persistent kernels say that they use Tensor Cores",
         persist_tensor_cores);
  define(catalogue, "trace.native_cells", "", Provenance::measured,
         "kernels of a framework's own cells ran: the RNN was not cuDNN's", native_cells);
  define(catalogue, "trace.handwritten_cells", "", Provenance::measured,
         "kernels like those of a recurrent cell written by hand ran step by step",
         handwritten_cells);
  define(catalogue, "trace.tensor_cores", "", Provenance::measured,
         "Tensor Cores executed instructions, by counters", counted_tensor_cores);
}

void add_kernels(Catalogue& catalogue) {
  for (const Phase phase : all_phases) {
    const std::string name(to_string(phase));
    define(catalogue, "trace." + name + "_busy", "%", Provenance::measured,
           "share of " + name +
               " in which the GPU worked; each process's first call is left out where 3 others are "
               "there",
           [phase](const Subject& s, const Index& i) { return busy(s, i, phase); });
    define(catalogue, "trace." + name + "_kernels", "", Provenance::measured,
           "kernels of one call of " + name,
           [phase](const Subject& s, const Index& i) -> std::optional<double> {
             const auto* kernels = i.phase_kernels(s.configuration, phase);
             if (kernels == nullptr || kernels->calls <= 0) return std::nullopt;
             return kernels->kernels_per_call();
           });
  }
  define(catalogue, "trace.forward_busy", "%", Provenance::measured,
         "share of the forward pass in which the GPU worked; each process's first call is left out "
         "where 3 others are there",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto training = busy(s, i, Phase::forward_training);
           return training ? training : busy(s, i, Phase::forward_inference);
         });
  define(catalogue, "trace.kernels_per_step", "1", Provenance::measured,
         "kernels of the forward pass per time step and pseudo-layer",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* kernels = forward_kernels(s, i);
           if (kernels == nullptr || kernels->calls <= 0) return std::nullopt;
           const auto& c = s.get().config;
           return kernels->kernels_per_call() /
                  (static_cast<double>(c.seq_length) * c.num_layers * c.directions());
         });
  define(catalogue, "trace.unknown_kernel_share", "%", Provenance::measured,
         "share of the forward pass's kernel time in kernels that no known family names",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* kernels = forward_kernels(s, i);
           if (kernels == nullptr || kernels->kernel_ns <= 0) return std::nullopt;
           const auto found = kernels->role_ns.find(KernelRole::unknown);
           const auto ns = found == kernels->role_ns.end() ? 0 : found->second;
           return 100 * static_cast<double>(ns) / static_cast<double>(kernels->kernel_ns);
         });
  define(catalogue, "trace.conversion_share", "%", Provenance::measured,
         "share of the forward pass's kernel time spent on conversions and layout changes",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto* kernels = forward_kernels(s, i);
           if (kernels == nullptr || kernels->kernel_ns <= 0) return std::nullopt;
           std::int64_t ns = 0;
           for (const KernelRole role : {KernelRole::conversion, KernelRole::layout_change}) {
             const auto found = kernels->role_ns.find(role);
             if (found != kernels->role_ns.end()) ns += found->second;
           }
           return 100 * static_cast<double>(ns) / static_cast<double>(kernels->kernel_ns);
         });
}

}  // namespace

void add_trace_facts(Catalogue& catalogue) {
  add_implementation(catalogue);
  add_kernels(catalogue);
  add_recurrences(catalogue);
  define(catalogue, "trace.records_dropped", "", Provenance::measured,
         "activity records that were lost", [](const Subject& s) -> std::optional<std::int64_t> {
           if (!s.profile->environment.tracing) return std::nullopt;
           return notes(s, "records-dropped") + notes(s, "kernels-without-time");
         });
  define(catalogue, "trace.calls_inferred", "", Provenance::measured,
         "calls of cuDNN that were not seen, or without what they were given; known by their "
         "kernels; there may have been more",
         calls_inferred);
  define(catalogue, "trace.inferred_share", "%", Provenance::measured,
         "share of the GPU's kernel time in such calls", share_of_inferred);
  define(catalogue, "trace.attempted", "", Provenance::measured,
         "kernels were recorded, or would have been but for what a note tells",
         [](const Subject& s) -> std::optional<bool> { return attempted(s); });
  define(catalogue, "trace.conflict", "", Provenance::measured,
         "another tool traced the process at the same time",
         [](const Subject& s) -> std::optional<bool> {
           if (!attempted(s)) return std::nullopt;
           return notes(s, "tracing-conflict") > 0;
         });
  define(
      catalogue, "trace.recorded_by", "", Provenance::measured,
      "the tool that recorded the calls of this configuration, or the program where it has none",
      [](const Subject& s, const Index& i) -> std::optional<std::string> {
        const auto calls = i.calls(s.configuration);
        const auto& profile = i.profile();
        const auto recorder =
            calls.empty() ? recorder_of(profile)
                          : recorder_of(profile.processes[static_cast<std::size_t>(
                                profile.calls[static_cast<std::size_t>(calls.front())].process)]);
        if (!recorder) return std::nullopt;
        return std::string(to_string(*recorder));
      },
      recorders());
  define(catalogue, "trace.timed_by_trace", "", Provenance::measured,
         "times come from traced calls only: nothing was timed without tracing",
         [](const Subject& s, const Index& i) -> std::optional<bool> {
           if (!i.traced(s.configuration)) return std::nullopt;
           return s.get().timings.empty();
         });
}

}  // namespace rnnadvisor::advisor
