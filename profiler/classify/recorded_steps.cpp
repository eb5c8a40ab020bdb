#include "profiler/classify/recorded_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/outliers.h"
#include "core/base/statistics.h"
#include "profiler/classify/work_between.h"

namespace rnnadvisor {
namespace {

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

// The kernels of collectives that a process ran, by name and then by their order: what ranks run
// together has the same place in each.
using Collectives = std::map<int, std::vector<std::size_t>>;

std::vector<Collectives> collectives_of(const Profile& profile,
                                        const std::vector<ProcessSteps>& processes) {
  std::vector<char> wanted;
  bool any = false;
  for (const auto& text : profile.strings) {
    wanted.push_back(is_collective(text) ? 1 : 0);
    any = any || wanted.back() != 0;
  }
  std::vector<Collectives> found(processes.size());
  const auto& k = profile.kernels;
  for (std::size_t i = 0; any && i < k.size(); ++i) {
    if (k.name[i] < 0 || wanted[static_cast<std::size_t>(k.name[i])] == 0) continue;
    for (std::size_t p = 0; p < processes.size(); ++p)
      if (processes[p].process == k.process[i] && processes[p].device == k.device[i])
        found[p][k.name[i]].push_back(i);
  }
  return found;
}

bool match(const std::vector<Collectives>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [&](const Collectives& one) {
    return std::equal(one.begin(), one.end(), ranks.front().begin(), ranks.front().end(),
                      [](const auto& a, const auto& b) {
                        return a.first == b.first && a.second.size() == b.second.size();
                      });
  });
}

void add_waits(const Profile& profile, const std::vector<Collectives>& ranks,
               std::vector<ProcessSteps>& processes) {
  const auto& k = profile.kernels;
  const auto length = [&](std::size_t kernel) { return k.end_ns[kernel] - k.start_ns[kernel]; };
  for (auto& process : processes)
    for (auto& step : process.steps) step.collective_wait_ns = 0;
  for (const auto& [name, kernels] : ranks.front()) {
    for (std::size_t n = 0; n < kernels.size(); ++n) {
      std::int64_t shortest = length(kernels[n]);
      for (const auto& rank : ranks) shortest = std::min(shortest, length(rank.at(name)[n]));
      for (std::size_t p = 0; p < processes.size(); ++p) {
        const std::size_t kernel = ranks[p].at(name)[n];
        auto& steps = processes[p].steps;
        auto at = std::upper_bound(
            steps.begin(), steps.end(), k.start_ns[kernel],
            [](std::int64_t time, const RecordedStep& step) { return time < step.from_ns; });
        if (at == steps.begin() || k.start_ns[kernel] >= std::prev(at)->to_ns) continue;
        std::prev(at)->collective_wait_ns += static_cast<double>(length(kernel) - shortest);
      }
    }
  }
}

// Whether the processes are different ranks of one job.
bool are_ranks(const Profile& profile, const std::vector<ProcessSteps>& processes) {
  std::set<int> ranks;
  for (const auto& each : processes) {
    const auto& process = profile.processes[static_cast<std::size_t>(each.process)];
    if (process.rank < 0 || !ranks.insert(process.rank).second ||
        process.world_size !=
            profile.processes[static_cast<std::size_t>(processes.front().process)].world_size)
      return false;
  }
  return processes.size() > 1;
}

void sum_up(ProcessSteps& process) {
  std::vector<double> lengths, waits, own;
  for (const auto& step : process.steps) {
    if (step.warm_up) continue;
    const auto length = static_cast<double>(step.length());
    lengths.push_back(length);
    waits.push_back(step.collective_wait_ns);
    own.push_back(length - std::max(0.0, step.collective_wait_ns));
  }
  process.median_ns = median_interval(lengths).median;
  process.collective_wait_ns = median_interval(waits).median;
  process.own_ns = median_interval(own).median;
  const auto bounds = outlier_bounds(lengths);
  process.low_ns = bounds.low;
  process.high_ns = bounds.high;
  for (auto& step : process.steps)
    step.outlier = !step.warm_up && !bounds.hold(static_cast<double>(step.length()));
}

}  // namespace

std::vector<int> step_beginnings(const Profile& profile, int device, int process) {
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
  const auto ours = [&](const RnnCall& call) {
    return call.device == device && (process < 0 || call.process == process);
  };
  bool marked = false;
  for (const auto& call : profile.calls) {
    if (!ours(call)) continue;
    marked = marked || call.begins_step;
    if (is_forward(call.phase)) continue;
    const auto [from, fresh] = trains_from.try_emplace(call.process, call.host_start_ns);
    if (!fresh) from->second = std::min(from->second, call.host_start_ns);
  }
  const auto derived = marked ? std::set<int>{} : first_passes(profile, device);
  const auto begins = [&](int index) {
    const auto& call = profile.calls[static_cast<std::size_t>(index)];
    if (!ours(call) || !is_forward(call.phase)) return false;
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

std::vector<std::int64_t> first_kernels(const Profile& profile) {
  std::vector<std::int64_t> first_kernel(profile.calls.size(), -1);
  const auto& k = profile.kernels;
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (k.call[i] < 0) continue;
    auto& first = first_kernel[static_cast<std::size_t>(k.call[i])];
    if (first < 0 || k.start_ns[i] < first) first = k.start_ns[i];
  }
  return first_kernel;
}

std::vector<StepPiece> step_pieces(std::span<const std::int64_t> first_kernels,
                                   const std::vector<int>& beginnings) {
  const auto first_of = [&](int call) { return first_kernels[static_cast<std::size_t>(call)]; };
  std::vector<StepPiece> pieces;
  for (std::size_t i = 0; i + 1 < beginnings.size(); ++i) {
    const std::int64_t from = first_of(beginnings[i]), to = first_of(beginnings[i + 1]);
    if (from >= 0 && to > from) pieces.push_back({beginnings[i], from, to});
  }
  return pieces;
}

std::size_t warm_up_of(std::size_t steps) { return steps > warm_up_steps + 3 ? warm_up_steps : 0; }

std::vector<StepPiece> without_warm_up(std::vector<StepPiece> pieces) {
  pieces.erase(pieces.begin(),
               pieces.begin() + static_cast<std::ptrdiff_t>(warm_up_of(pieces.size())));
  return pieces;
}

bool is_nccl(std::string_view kernel) {
  return kernel.starts_with("ncclDevKernel") || kernel.starts_with("ncclKernel");
}
bool is_collective(std::string_view kernel) {
  return is_nccl(kernel) && kernel.find("SendRecv") == std::string_view::npos;
}

RecordedSteps recorded_steps(const Profile& profile) {
  RecordedSteps all;
  std::set<std::pair<int, int>> places;
  for (const auto& call : profile.calls)
    if (call.process >= 0 && call.device >= 0) places.emplace(call.process, call.device);
  const auto first = first_kernels(profile);
  for (const auto& [process, device] : places) {
    ProcessSteps of{process, device, {}};
    const auto pieces = step_pieces(first, step_beginnings(profile, device, process));
    for (std::size_t i = 0; i < pieces.size(); ++i)
      of.steps.push_back({pieces[i], i < warm_up_of(pieces.size())});
    if (of.steps.size() > 1) all.processes.push_back(std::move(of));
  }
  const auto rank = [&](const ProcessSteps& of) {
    return profile.processes[static_cast<std::size_t>(of.process)].rank;
  };
  std::stable_sort(all.processes.begin(), all.processes.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (are_ranks(profile, all.processes)) {
    using Waits = RecordedSteps::Waits;
    const auto collectives = collectives_of(profile, all.processes);
    all.waits = collectives.front().empty() ? Waits::no_collectives
                : !match(collectives)       ? Waits::do_not_match
                                            : Waits::known;
    if (all.waits == Waits::known) add_waits(profile, collectives, all.processes);
  }
  for (auto& process : all.processes) sum_up(process);
  if (all.waits == RecordedSteps::Waits::known)
    all.slowest = static_cast<int>(
        std::max_element(all.processes.begin(), all.processes.end(),
                         [](const auto& a, const auto& b) { return a.own_ns < b.own_ns; }) -
        all.processes.begin());
  return all;
}

StepTimes step_times(const Profile& profile, int device, const StepPiece& step,
                     std::span<const NativeRecurrence> recurrences) {
  StepTimes times;
  times.length_ns = static_cast<double>(step.length());
  const int process = profile.calls[static_cast<std::size_t>(step.call)].process;
  auto work = work_between(profile, process, device, step.from_ns, step.to_ns, recurrences);
  // What runs on belongs to the next step from there on.
  for (auto& each : work) each.end_ns = std::min(each.end_ns, step.to_ns);
  times.idle_ns = times.length_ns;
  walk_work(
      work, step.from_ns, [](const StepWork*, const StepWork&, std::int64_t) {},
      [&](const StepWork& each, std::int64_t ns) {
        times.part_ns[static_cast<std::size_t>(each.part)] += static_cast<double>(ns);
        times.idle_ns -= static_cast<double>(ns);
      });
  return times;
}

}  // namespace rnnadvisor
