#include "profiler/classify/program_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/statistics.h"
#include "profiler/classify/recorded_steps.h"

namespace rnnadvisor {
namespace {

constexpr std::size_t fewest_steps = 3;

// Chosen with recordings of PyTorch programs on an H200 (CUDA 13) whose steps were also measured as
// a CUDA graph (tests/gpu/results/h200/planted-programs.json, .tar.xz), and checked with those of
// another day by tests/gpu/planted_programs/graph_estimates.py: what lies between two nodes of a
// graph; how much longer a step takes while it is traced; and measured speedups over estimates.
// Their least is far lower where something forbids capture: what the host did there besides, as
// the play of an environment, stays when that is out.
constexpr double graph_node_ns = 420;
constexpr double graph_launch_ns = 15'000;  // of the graph itself
constexpr double tracing_slows = 1.135;
constexpr double least_of_estimate = 0.62, most_of_estimate = 1.4;
constexpr double least_of_traced = 0.54, most_of_traced = 1.65;
constexpr double least_if_forbidden = 0.26;
// Recurrences side by side overlap more in a graph, where no launch holds them up.
constexpr double overlapped = 0.6, most_overlapped = 1.4;  // of the share of time that was idle

struct Traced {
  double span = 0, busy = 0, launches = 0, rnn_wait = 0, host_wait = 0, host_copies = 0;
  double input_copies = 0, input_ns = 0, input_bytes = 0;
  PartTimes parts{};
};

Traced traced_step(const std::vector<StepWork>& work, const StepPiece& piece, CallTimes& of_calls) {
  const auto earlier = [](const StepWork& w, std::int64_t time) { return w.start_ns < time; };
  const auto first = std::lower_bound(work.begin(), work.end(), piece.from_ns, earlier);
  const auto last = std::lower_bound(first, work.end(), piece.to_ns, earlier);
  Traced step;
  step.span = static_cast<double>(piece.to_ns - piece.from_ns);
  step.launches = static_cast<double>(last - first);
  const auto for_host = [&](std::int64_t ns) {
    if (ns <= longest_launch_ns) return false;
    step.host_wait += static_cast<double>(ns);
    return true;
  };
  const auto end = walk_work(
      {first, last}, piece.from_ns,
      [&](const StepWork* before, const StepWork& next, std::int64_t ns) {
        if (for_host(ns) || before == nullptr || !waits_in_rnn(*before, next)) return;
        step.rnn_wait += static_cast<double>(ns);
        of_calls.add_wait(next, static_cast<double>(ns));
      },
      [&](const StepWork& each, std::int64_t ns) {
        const auto more = static_cast<double>(ns);
        step.busy += more;
        step.parts[static_cast<std::size_t>(each.part)] += more;
        of_calls.add_work(each, more);
        if (each.copy == copy_to_device || each.copy == copy_to_host) step.host_copies += more;
        if (each.copy == copy_to_device) step.input_copies += more;
      });
  for_host(piece.to_ns - end);
  return step;
}

// Of the process, by start: copies to the device.
std::vector<std::size_t> copies_to_device(const Profile& profile, int process, int device) {
  std::vector<std::size_t> found;
  const auto& all = profile.transfers;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all.process[i] == process && all.device[i] == device && all.kind[i] == copy_to_device &&
        all.operation[i] == MemoryOperation::copy)
      found.push_back(i);
  std::sort(found.begin(), found.end(),
            [&](std::size_t a, std::size_t b) { return all.start_ns[a] < all.start_ns[b]; });
  return found;
}

void add_inputs(Traced& step, const TransferTable& all, const std::vector<std::size_t>& copies,
                std::int64_t from, std::int64_t to) {
  auto at = std::lower_bound(
      copies.begin(), copies.end(), from,
      [&](std::size_t copy, std::int64_t time) { return all.start_ns[copy] < time; });
  for (; at != copies.end() && all.start_ns[*at] < to; ++at) {
    step.input_ns += static_cast<double>(all.end_ns[*at] - all.start_ns[*at]);
    step.input_bytes += static_cast<double>(all.bytes[*at]);
  }
}

double median_of(std::vector<double> values) { return median_interval(values).median; }

}  // namespace

std::vector<int> step_beginnings(const Profile& profile, int device) {
  return step_beginnings(profile, device, -1);
}

double ProgramSteps::busy_share() const { return std::min(1.0, busy_ns / untraced_ns); }

double ProgramSteps::host_wait() const {
  const double idle = std::max(0.0, untraced_ns - busy_ns);
  return std::min(idle, host_wait_ns * std::min(1.0, untraced_ns / traced_ns));
}

double ProgramSteps::rnn_wait() const {
  return rnn_wait_share * std::max(0.0, untraced_ns - busy_ns - host_wait());
}

std::optional<ProgramSteps> program_steps(const Profile& profile, int device,
                                          std::span<const NativeRecurrence> recurrences) {
  const auto calls = step_beginnings(profile, device);
  if (calls.size() < fewest_steps) return std::nullopt;
  const auto at = [&](int call) -> const RnnCall& {
    return profile.calls[static_cast<std::size_t>(call)];
  };
  ProgramSteps steps;
  steps.process = at(calls.front()).process;
  steps.trains = at(calls.front()).phase == Phase::forward_training;
  std::vector<double> untraced;
  for (const int call : calls)
    if (at(call).step_duration_ns > 0)
      untraced.push_back(static_cast<double>(at(call).step_duration_ns));
  if (untraced.size() < fewest_steps) return std::nullopt;
  const auto interval = median_interval(untraced);
  steps.untraced = static_cast<int>(untraced.size());
  steps.untraced_ns = interval.median;
  steps.untraced_low_ns = interval.low;
  steps.untraced_high_ns = interval.high;

  const auto work = step_work(profile, steps.process, device, 0, recurrences);
  const auto inputs = copies_to_device(profile, steps.process, device);
  const auto pieces = without_warm_up(step_pieces(first_kernels(profile), calls));
  if (pieces.size() < fewest_steps) return std::nullopt;
  std::vector<Traced> traced;
  for (const auto& piece : pieces) {
    traced.push_back(traced_step(work, piece, steps.of_calls));
    add_inputs(traced.back(), profile.transfers, inputs, piece.from_ns, piece.to_ns);
  }
  const auto median_by = [&](double Traced::* member) {
    std::vector<double> values;
    for (const auto& step : traced) values.push_back(step.*member);
    return median_of(std::move(values));
  };
  steps.traced = static_cast<int>(traced.size());
  steps.traced_ns = median_by(&Traced::span);
  steps.busy_ns = median_by(&Traced::busy);
  steps.launches = median_by(&Traced::launches);
  steps.host_wait_ns = median_by(&Traced::host_wait);
  steps.host_copies_ns = median_by(&Traced::host_copies);
  steps.input_copies_ns = median_by(&Traced::input_copies);
  steps.input_ns = median_by(&Traced::input_ns);
  steps.input_bytes = median_by(&Traced::input_bytes);
  // The median of a sum is not that of its parts: these have their shares of all steps.
  double waits = 0;  // for launches
  double &busy = steps.all_busy_ns, &rnn_waits = steps.all_rnn_wait_ns;
  for (const auto& step : traced) {
    busy += step.busy;
    waits += step.span - step.busy - step.host_wait;
    rnn_waits += step.rnn_wait;
    for (std::size_t p = 0; p < step_parts; ++p) steps.part_ns[p] += step.parts[p];
  }
  for (auto& part : steps.part_ns) part = busy > 0 ? part / busy * steps.busy_ns : 0;
  steps.rnn_wait_share = waits > 0 ? std::clamp(rnn_waits / waits, 0.0, 1.0) : 0;
  return steps;
}

std::optional<TracedSteps> traced_steps(const Profile& profile, int device) {
  const auto pieces =
      without_warm_up(step_pieces(first_kernels(profile), step_beginnings(profile, device)));
  if (pieces.empty()) return std::nullopt;
  std::vector<double> spans;
  for (const auto& piece : pieces)
    spans.push_back(static_cast<double>(piece.to_ns - piece.from_ns));
  return TracedSteps{static_cast<int>(pieces.size()), median_of(std::move(spans))};
}

GraphEstimate graph_estimate(const GpuBusy& busy, const ProgramSteps* steps,
                             const GraphedStep& step) {
  double now = static_cast<double>(busy.span_ns) / tracing_slows, low = now, high = now;
  double work = static_cast<double>(busy.busy_ns);
  double graph = work + graph_node_ns * static_cast<double>(busy.launches);
  GraphEstimate estimate{.least = least_of_traced, .most = most_of_traced};
  double host_wait = static_cast<double>(busy.host_wait_ns), host_copies = 0;
  if (steps != nullptr) {
    now = steps->untraced_ns;
    low = steps->untraced_low_ns;
    high = steps->untraced_high_ns;
    work = steps->busy_ns;
    graph = work + graph_node_ns * steps->launches + graph_launch_ns;
    estimate.least = least_of_estimate;
    estimate.most = most_of_estimate;
    host_wait = steps->host_wait();
    host_copies = steps->host_copies_ns;
  }
  estimate.waits = host_wait > 0;
  if (step.forbidden) estimate.least = least_if_forbidden;
  const double idle = std::max(0.0, 1 - work / now);
  const auto overlap = [&](double ns, double by) {
    return ns * (1 - step.concurrent + step.concurrent / (1 + by * idle));
  };
  // What the host does besides goes on while the graph runs, or after it where something waits: it
  // is not known which, and the estimate lies between both.
  const double beside = host_wait + host_copies;
  const auto meanwhile = [&](double ns) { return std::max(ns, beside); };
  const double expected = overlap(graph, overlapped);
  const double between = std::sqrt(meanwhile(expected) * std::max(expected + host_wait, beside));
  // It never launches more slowly than the program does.
  estimate.speedup = std::max(1.0, now / between);
  estimate.without_overlap =
      std::clamp(low / (graph + host_wait * low / now), 1.0, estimate.speedup);
  estimate.low = std::max(estimate.least * estimate.without_overlap, 1.0);
  // Nor are kernels much shorter in it than in the recorded step.
  const double shortest = std::max(meanwhile(overlap(graph, most_overlapped)) / high,
                                   meanwhile(overlap(work, most_overlapped)) / now);
  estimate.high = std::max(estimate.most / shortest, estimate.speedup);
  return estimate;
}

}  // namespace rnnadvisor
