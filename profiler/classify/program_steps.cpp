#include "profiler/classify/program_steps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/statistics.h"

namespace rnnadvisor {
namespace {

constexpr std::size_t fewest_steps = 3;
constexpr std::size_t warm_up = 2;  // the first steps load libraries and kernels

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

struct Piece {
  std::int64_t from = 0, to = 0;
};

Traced traced_step(const std::vector<StepWork>& work, Piece piece, CallTimes& of_calls) {
  const auto earlier = [](const StepWork& w, std::int64_t time) { return w.start_ns < time; };
  const auto first = std::lower_bound(work.begin(), work.end(), piece.from, earlier);
  const auto last = std::lower_bound(first, work.end(), piece.to, earlier);
  Traced step;
  step.span = static_cast<double>(piece.to - piece.from);
  step.launches = static_cast<double>(last - first);
  const auto for_host = [&](std::int64_t ns) {
    if (ns <= longest_launch_ns) return false;
    step.host_wait += static_cast<double>(ns);
    return true;
  };
  const auto end = walk_work(
      {first, last}, piece.from,
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
  for_host(piece.to - end);
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

// The steps that these calls begin, each from its first kernel to that of the next.
std::vector<Piece> step_pieces(const Profile& profile, const std::vector<int>& calls) {
  std::map<int, std::int64_t> first_kernel;  // by call
  for (std::size_t k = 0; k < profile.kernels.size(); ++k) {
    const int call = profile.kernels.call[k];
    if (call < 0) continue;
    const auto [entry, fresh] = first_kernel.try_emplace(call, profile.kernels.start_ns[k]);
    if (!fresh) entry->second = std::min(entry->second, profile.kernels.start_ns[k]);
  }
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < calls.size(); ++i) {
    const auto from = first_kernel.find(calls[i]), to = first_kernel.find(calls[i + 1]);
    if (from == first_kernel.end() || to == first_kernel.end() || to->second <= from->second)
      continue;
    pieces.push_back({from->second, to->second});
  }
  if (pieces.size() > warm_up + fewest_steps)
    pieces.erase(pieces.begin(), pieces.begin() + warm_up);
  return pieces;
}

double median_of(std::vector<double> values) { return median_interval(values).median; }

// Of a recording that marks no beginnings: the first forward pass of training after a backward
// pass. Nothing else of it is a step then.
std::set<int> first_passes(const Profile& profile, int device) {
  std::vector<int> calls;
  for (std::size_t i = 0; i < profile.calls.size(); ++i)
    if (profile.calls[i].device == device) calls.push_back(static_cast<int>(i));
  std::sort(calls.begin(), calls.end(), [&](int a, int b) {
    return profile.calls[static_cast<std::size_t>(a)].host_start_ns <
           profile.calls[static_cast<std::size_t>(b)].host_start_ns;
  });
  std::set<int> found;
  std::map<int, bool> under_way;  // by process
  for (const int call : calls) {
    const auto& one = profile.calls[static_cast<std::size_t>(call)];
    if (!is_forward(one.phase)) {
      under_way[one.process] = false;
    } else if (one.phase == Phase::forward_training &&
               !std::exchange(under_way[one.process], true)) {
      found.insert(call);
    }
  }
  return found;
}

}  // namespace

std::vector<int> step_beginnings(const Profile& profile, int device) {
  struct Kind {
    int timed = 0, all = 0;
    auto operator<=>(const Kind&) const = default;
  };
  std::map<std::pair<int, bool>, Kind> kinds;  // by process, and whether it trains
  const auto kind = [](const RnnCall& call) {
    return std::pair{call.process, call.phase == Phase::forward_training};
  };
  // What was taken for inference before the first backward pass was part of a training step.
  std::map<int, std::int64_t> trains_from;  // by process
  bool marked = false;
  for (const auto& call : profile.calls) {
    if (call.device != device) continue;
    marked = marked || call.begins_step;
    if (is_forward(call.phase)) continue;
    const auto [from, fresh] = trains_from.try_emplace(call.process, call.host_start_ns);
    if (!fresh) from->second = std::min(from->second, call.host_start_ns);
  }
  const auto derived = marked ? std::set<int>{} : first_passes(profile, device);
  const auto begins = [&](int index) {
    const auto& call = profile.calls[static_cast<std::size_t>(index)];
    if (call.device != device || !is_forward(call.phase)) return false;
    if (marked ? !call.begins_step : !derived.contains(index)) return false;
    const auto from = trains_from.find(call.process);
    return from == trains_from.end() || call.host_start_ns > from->second;
  };
  const int calls = static_cast<int>(profile.calls.size());
  for (int i = 0; i < calls; ++i) {
    if (!begins(i)) continue;
    const auto& call = profile.calls[static_cast<std::size_t>(i)];
    auto& counted = kinds[kind(call)];
    ++counted.all;
    if (call.step_duration_ns >= 0) ++counted.timed;
  }
  const auto most = std::max_element(
      kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<int> found;
  if (most == kinds.end()) return found;
  for (int i = 0; i < calls; ++i)
    if (begins(i) && kind(profile.calls[static_cast<std::size_t>(i)]) == most->first)
      found.push_back(i);
  std::sort(found.begin(), found.end(), [&](int a, int b) {
    return profile.calls[static_cast<std::size_t>(a)].host_start_ns <
           profile.calls[static_cast<std::size_t>(b)].host_start_ns;
  });
  return found;
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
  const auto pieces = step_pieces(profile, calls);
  if (pieces.size() < fewest_steps) return std::nullopt;
  std::vector<Traced> traced;
  for (const auto& piece : pieces) {
    traced.push_back(traced_step(work, piece, steps.of_calls));
    add_inputs(traced.back(), profile.transfers, inputs, piece.from, piece.to);
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
  const auto pieces = step_pieces(profile, step_beginnings(profile, device));
  if (pieces.empty()) return std::nullopt;
  std::vector<double> spans;
  for (const auto& piece : pieces) spans.push_back(static_cast<double>(piece.to - piece.from));
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
