#include "profiler/classify/capture_obstacles.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/statistics.h"
#include "profiler/classify/program_steps.h"

namespace rnnadvisor {
namespace {

constexpr std::size_t steps_of_warm_up = 2, fewest_looked_at = 2;
// Of all steps; our choice. Two kinds of steps that make up so many are worth a graph each.
constexpr double share_of_two_kinds = 0.9;

// Calls of the CUDA runtime that return only when the GPU has finished, by the beginning of their
// name.
constexpr std::array<std::string_view, 4> waiting_calls = {
    "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMemcpy_v"};

enum class EventKind { read, send, wait };
struct Event {
  std::int64_t time = 0;  // kernels after it start later
  EventKind kind = EventKind::wait;
  double bytes = 0;
};

bool starts_with_any(std::string_view name) {
  return std::any_of(waiting_calls.begin(), waiting_calls.end(),
                     [&](std::string_view one) { return name.starts_with(one); });
}

struct Events {
  std::vector<Event> all;  // in the order of time
  // Later steps do not show it, because calls that wait were recorded only before it.
  std::int64_t known_until = std::numeric_limits<std::int64_t>::max();
};

// Of the process. `threads`: those that launch, as far as known; others may wait without holding
// up a step.
Events events_of(const Profile& profile, int device, int process,
                 const std::set<std::int64_t>& threads) {
  struct Copy {
    std::int64_t start, end;
    double bytes;
    EventKind kind;
    bool waited_for;
  };
  std::vector<Copy> copies;
  const auto& transfers = profile.transfers;
  for (std::size_t t = 0; t < transfers.size(); ++t) {
    if (transfers.device[t] != device || transfers.process[t] != process) continue;
    if (transfers.operation[t] != MemoryOperation::copy) continue;
    if (transfers.kind[t] != copy_to_host && transfers.kind[t] != copy_to_device) continue;
    copies.push_back(
        {transfers.start_ns[t], transfers.end_ns[t], static_cast<double>(transfers.bytes[t]),
         transfers.kind[t] == copy_to_host ? EventKind::read : EventKind::send, false});
  }
  Events found;
  auto& events = found.all;
  bool knows_waits = false;
  std::int64_t last_wait = std::numeric_limits<std::int64_t>::min();
  const auto& api = profile.api;
  std::map<int, EventKind> kinds;  // by name
  for (std::size_t a = 0; a < api.size(); ++a) {
    if (api.process[a] != process || api.driver[a]) continue;
    const std::string_view name = profile.text(api.name[a]);
    const bool waits = starts_with_any(name);
    knows_waits = knows_waits || waits;
    if (waits) last_wait = std::max(last_wait, api.start_ns[a]);
    if (api.thread[a] != 0 && !threads.empty() && !threads.contains(api.thread[a])) continue;
    if (!waits) continue;
    // The last copy that had not ended when the call began, or that was ended shortly before, is
    // what it waits for.
    constexpr std::int64_t call_after_copy_ns = 20'000;
    const auto after =
        std::upper_bound(copies.begin(), copies.end(), api.end_ns[a],
                         [](std::int64_t time, const Copy& copy) { return time < copy.start; });
    if (after != copies.begin() && !std::prev(after)->waited_for &&
        std::prev(after)->end >= api.start_ns[a] - call_after_copy_ns) {
      std::prev(after)->waited_for = true;
    } else {
      events.push_back({api.end_ns[a], EventKind::wait, 0});
    }
  }
  for (const auto& copy : copies) {
    // Without calls that wait in the recording a copy to the host is taken for one.
    if (copy.waited_for || (!knows_waits && copy.kind == EventKind::read))
      events.push_back({copy.start, copy.kind, copy.bytes});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.time < b.time; });
  for (const auto& call : profile.calls)
    if (call.untraced && call.process == process && knows_waits && call.host_start_ns > last_wait)
      found.known_until = std::min(found.known_until, call.host_start_ns);
  return found;
}

// The kernels of PyTorch's optimizers and of its gradient scaler. Of the same template, gradients
// are set to zero at the beginning of a step.
bool is_update(std::string_view name) {
  return (name.find("multi_tensor_apply_kernel") != std::string_view::npos &&
          name.find("ZeroFunctor") == std::string_view::npos) ||
         name.find("amp_update_scale") != std::string_view::npos;
}

struct Launched {
  std::int64_t start = 0;
  bool layer = false;     // of an RNN call or of a recurrence without cuDNN
  bool backward = false;  // of a backward call; not known of recurrences without cuDNN
  bool update = false;
};

struct Step {
  std::map<EventKind, double> inside;
  double read_bytes = 0, reads_between = 0;
  bool before_update = true;
};

Step look_at(const std::vector<Launched>& kernels, const std::vector<Event>& events,
             bool calls_known, std::int64_t from, std::int64_t to) {
  std::int64_t inside_to = from, layers_to = from, backward_to = from;
  auto kernel =
      std::lower_bound(kernels.begin(), kernels.end(), from,
                       [](const Launched& one, std::int64_t time) { return one.start < time; });
  for (; kernel != kernels.end() && kernel->start < to; ++kernel) {
    if (kernel->layer || kernel->update) inside_to = kernel->start;
    if (kernel->layer) layers_to = kernel->start;
    if (kernel->backward) backward_to = kernel->start;
  }
  if (backward_to == from && !calls_known) backward_to = layers_to;
  Step step;
  auto event =
      std::lower_bound(events.begin(), events.end(), from,
                       [](const Event& one, std::int64_t time) { return one.time < time; });
  for (; event != events.end() && event->time < to; ++event) {
    if (event->time >= inside_to) {
      if (event->kind == EventKind::read) ++step.reads_between;
      continue;
    }
    ++step.inside[event->kind];
    if (event->kind != EventKind::read) continue;
    step.read_bytes += event->bytes;
    step.before_update = step.before_update && event->time > backward_to && backward_to > from;
  }
  return step;
}

using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;  // start and end, ns

// What a process launched on a device, by start.
struct Launches {
  std::vector<Launched> kernels;
  std::map<int, std::int64_t> first_kernel;  // by call
  bool gradient_scaler = false;
};

Launches launches_of(const Profile& profile, int device, int process, const Spans& recurrences) {
  Launches found;
  std::map<int, bool> updates;  // by name
  for (std::size_t k = 0; k < profile.kernels.size(); ++k) {
    if (profile.kernels.device[k] != device || profile.kernels.process[k] != process) continue;
    const int name = profile.kernels.name[k], call = profile.kernels.call[k];
    const auto start = profile.kernels.start_ns[k];
    const auto [update, fresh] = updates.try_emplace(name, false);
    if (fresh) {
      update->second = is_update(profile.text(name));
      found.gradient_scaler =
          found.gradient_scaler || profile.text(name).find("amp_update_scale") != std::string::npos;
    }
    const auto recurrence = std::partition_point(recurrences.begin(), recurrences.end(),
                                                 [&](auto& run) { return run.second < start; });
    const bool in_recurrence = recurrence != recurrences.end() && recurrence->first <= start;
    const bool backward =
        call >= 0 && !is_forward(profile.calls[static_cast<std::size_t>(call)].phase);
    found.kernels.push_back({start, call >= 0 || in_recurrence, backward, update->second});
    if (call >= 0) found.first_kernel.try_emplace(call, start);
  }
  return found;
}

// From the first kernel of a step's first RNN call to that of the next step.
Spans spans_of_calls(const std::vector<int>& beginnings, const Launches& launches) {
  Spans found;
  for (std::size_t i = 0; i + 1 < beginnings.size(); ++i) {
    const auto from = launches.first_kernel.find(beginnings[i]);
    const auto to = launches.first_kernel.find(beginnings[i + 1]);
    const auto none = launches.first_kernel.end();
    if (from != none && to != none && to->second > from->second)
      found.emplace_back(from->second, to->second);
  }
  return found;
}

// Of a program whose recurrences run without cuDNN: from the first cell after the optimizer's
// kernels to the next such.
Spans spans_of_updates(const Launches& launches) {
  Spans found;
  std::int64_t from = -1;
  bool updated = true;
  for (const auto& kernel : launches.kernels) {
    if (kernel.layer && std::exchange(updated, false)) {
      if (from >= 0) found.emplace_back(from, kernel.start);
      from = kernel.start;
    }
    updated = updated || kernel.update;
  }
  return found;
}

// Without overlaps, by start.
Spans runs_of(std::span<const NativeRecurrence> recurrences, int device, int process) {
  Spans all, found;
  for (const auto& one : recurrences)
    if (one.device == device && one.process == process)
      all.insert(all.end(), one.runs.begin(), one.runs.end());
  std::sort(all.begin(), all.end());
  for (const auto& run : all) {
    if (!found.empty() && run.first <= found.back().second) {
      found.back().second = std::max(found.back().second, run.second);
    } else {
      found.push_back(run);
    }
  }
  return found;
}

// `beginnings`: of steps, by RNN calls; empty where recurrences without cuDNN tell them.
void look_at_steps(const Profile& profile, int device, int process,
                   const std::vector<int>& beginnings,
                   std::span<const NativeRecurrence> recurrences, CaptureObstacles& found) {
  std::set<std::int64_t> threads;
  for (const auto& call : profile.calls)
    if (call.process == process) threads.insert(call.thread);
  const auto launches =
      launches_of(profile, device, process, runs_of(recurrences, device, process));
  found.gradient_scaler = launches.gradient_scaler;
  const auto events = events_of(profile, device, process, threads);
  std::vector<Step> steps;
  const bool by_calls = !beginnings.empty();
  for (const auto& [from, to] :
       by_calls ? spans_of_calls(beginnings, launches) : spans_of_updates(launches))
    if (to <= events.known_until)
      steps.push_back(look_at(launches.kernels, events.all, by_calls, from, to));
  if (steps.size() > steps_of_warm_up + fewest_looked_at)
    steps.erase(steps.begin(), steps.begin() + steps_of_warm_up);
  if (steps.size() < fewest_looked_at) return;
  found.steps = static_cast<int>(steps.size());
  const auto median = [&](auto&& value) {
    std::vector<double> values;
    for (auto& step : steps) values.push_back(value(step));
    return median_interval(values).median;
  };
  const auto inside = [&](EventKind kind) {
    return median([&](Step& step) { return step.inside[kind]; });
  };
  found.reads = inside(EventKind::read);
  found.sends = inside(EventKind::send);
  found.waits = inside(EventKind::wait);
  found.read_bytes = median([](Step& step) { return step.read_bytes; });
  found.reads_between_steps = median([](Step& step) { return step.reads_between; });
  found.reads_only_before_update =
      found.reads > 0 &&
      std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.before_update; });
}

// Kinds of steps by the shapes of their RNN calls, and whether two of them are not enough for
// nearly all.
void look_at_shapes(const Profile& profile, int device, const std::vector<int>& beginnings,
                    CaptureObstacles& found) {
  const auto& first = profile.calls[static_cast<std::size_t>(beginnings.front())];
  const bool trains = first.phase == Phase::forward_training;
  std::vector<const RnnCall*> calls;
  for (const auto& call : profile.calls)
    if (call.device == device && call.process == first.process) calls.push_back(&call);
  std::sort(calls.begin(), calls.end(),
            [](const RnnCall* a, const RnnCall* b) { return a->host_start_ns < b->host_start_ns; });
  std::map<std::vector<int>, int> kinds;  // configurations called in a step, in order
  auto call = calls.begin();
  for (std::size_t i = 0; i + 1 < beginnings.size(); ++i) {
    const auto from = profile.calls[static_cast<std::size_t>(beginnings[i])].host_start_ns;
    const auto to = profile.calls[static_cast<std::size_t>(beginnings[i + 1])].host_start_ns;
    std::vector<int> called;
    std::size_t of_step = 0;  // what a program evaluates after its backward pass is no part of it
    for (; call != calls.end() && (*call)->host_start_ns < to; ++call) {
      if ((*call)->host_start_ns < from) continue;
      if (is_forward((*call)->phase)) called.push_back((*call)->configuration);
      if (!trains || !is_forward((*call)->phase)) of_step = called.size();
    }
    called.resize(of_step);
    ++kinds[std::move(called)];
  }
  std::vector<int> counts;
  int all = 0;
  for (const auto& [kind, count] : kinds) {
    counts.push_back(count);
    all += count;
  }
  std::sort(counts.rbegin(), counts.rend());
  found.shapes = static_cast<int>(counts.size());
  found.shapes_vary =
      counts.size() > 2 && counts[0] + counts[1] < share_of_two_kinds * static_cast<double>(all);
}

// Where no steps can be told apart: configurations of one layer that differ in length and batch.
// Two may be an encoder and a decoder, or a last, smaller batch.
void look_at_configurations(const Profile& profile, int device, CaptureObstacles& found) {
  std::vector<std::pair<RnnConfig, int>> layers;
  for (const auto& one : profile.configurations) {
    if (!one.from_program() || one.device != device || !one.described()) continue;
    RnnConfig layer = one.config;
    layer.seq_length = layer.batch_size = 0;
    layer.seq_lengths.clear();
    const auto known = std::find_if(layers.begin(), layers.end(),
                                    [&](const auto& each) { return each.first == layer; });
    if (known == layers.end()) {
      layers.emplace_back(std::move(layer), 1);
    } else {
      found.shapes = std::max(found.shapes, ++known->second);
    }
  }
  found.shapes_vary = found.shapes > 2;
}

}  // namespace

bool CaptureObstacles::forbidden() const {
  return reads >= 1 || sends >= 1 || waits >= 1 || shapes_vary || lengths_vary;
}

CaptureObstacles capture_obstacles(const Profile& profile, int device,
                                   std::span<const NativeRecurrence> recurrences) {
  CaptureObstacles found;
  for (const auto& call : profile.calls) {
    if (call.device != device || call.configuration < 0) continue;
    if (call.graph == GraphState::captured || call.graph == GraphState::replayed)
      found.has_graphs = true;
    const auto process = static_cast<std::size_t>(call.process);
    if (process < profile.processes.size() && profile.processes[process].world_size > 1)
      found.several_ranks = true;
    const auto& config =
        profile.configurations[static_cast<std::size_t>(call.configuration)].config;
    if (config.has_varying_lengths() ||
        (call.arguments >= 0 &&
         !profile.call_arguments[static_cast<std::size_t>(call.arguments)].seq_lengths.empty())) {
      found.lengths_vary = true;
      if (config.direction == Direction::unidirectional) found.one_direction_lengths_vary = true;
    }
  }
  const auto beginnings = step_beginnings(profile, device);
  if (beginnings.size() > fewest_looked_at) {
    const int process = profile.calls[static_cast<std::size_t>(beginnings.front())].process;
    look_at_steps(profile, device, process, beginnings, recurrences, found);
    look_at_shapes(profile, device, beginnings, found);
  } else {
    const auto most = std::max_element(recurrences.begin(), recurrences.end(),
                                       [device](const auto& a, const auto& b) {
                                         return std::pair(a.device == device, a.span_ns) <
                                                std::pair(b.device == device, b.span_ns);
                                       });
    if (beginnings.empty() && most != recurrences.end() && most->device == device)
      look_at_steps(profile, device, most->process, {}, recurrences, found);
    look_at_configurations(profile, device, found);
  }
  return found;
}

}  // namespace rnnadvisor
