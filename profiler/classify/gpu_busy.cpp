#include "profiler/classify/gpu_busy.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "profiler/classify/program_steps.h"

namespace rnnadvisor {
namespace {

constexpr std::int64_t fewest_kernels = 100;
constexpr std::int64_t longest_wait_ns = 10'000'000;
constexpr std::int64_t outlier = 4;  // times the median pause

bool whole(const Profile& profile) {
  return profile.environment.tracing &&
         std::none_of(profile.notes.begin(), profile.notes.end(), [](const Note& note) {
           return note.code == "records-dropped" || note.code == "kernels-without-time";
         });
}

// Of at least two steps that began, one in two has such a pause.
bool come_back(std::size_t pauses, const Profile& profile, int device, std::int64_t from_ns) {
  if (pauses == 0) return false;
  const auto beginnings = step_beginnings(profile, device);
  const auto steps = std::count_if(beginnings.begin(), beginnings.end(), [&](int call) {
    return profile.calls[static_cast<std::size_t>(call)].host_start_ns >= from_ns;
  });
  return steps >= 2 && 2 * pauses >= static_cast<std::size_t>(steps);
}

std::int64_t median_pause(std::vector<std::int64_t> pauses) {
  const auto middle = pauses.begin() + static_cast<std::ptrdiff_t>(pauses.size() / 2);
  std::nth_element(pauses.begin(), middle, pauses.end());
  return *middle;
}

}  // namespace

std::optional<GpuBusy> gpu_busy(const Profile& profile, int device,
                                std::span<const NativeRecurrence> recurrences) {
  if (!whole(profile)) return std::nullopt;
  const auto& kernels = profile.kernels;
  std::map<int, std::vector<std::int64_t>> starts;  // of kernels, by process
  for (std::size_t k = 0; k < kernels.size(); ++k)
    if (kernels.device[k] == device) starts[kernels.process[k]].push_back(kernels.start_ns[k]);
  const auto most = std::max_element(
      starts.begin(), starts.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == starts.end()) return std::nullopt;
  GpuBusy busy;
  busy.process = most->first;
  auto& times = most->second;
  const auto half = static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), times.begin() + half, times.end());
  const std::int64_t from = times[static_cast<std::size_t>(half)];
  busy.from_ns = from;

  busy.kernels =
      std::count_if(times.begin(), times.end(), [&](std::int64_t start) { return start >= from; });
  if (busy.kernels < fewest_kernels) return std::nullopt;
  const auto work = step_work(profile, busy.process, device, from, recurrences);
  busy.launches = static_cast<std::int64_t>(work.size());
  // Nothing was traced in between: no sign of waiting, however short.
  std::int64_t untraced_from = -1, untraced_to = -1;
  for (const auto& call : profile.calls) {
    if (!call.untraced || call.process != busy.process) continue;
    if (untraced_from < 0) untraced_from = call.host_start_ns;
    untraced_from = std::min(untraced_from, call.host_start_ns);
    untraced_to = std::max(untraced_to, call.host_end_ns);
  }
  std::vector<std::int64_t> pauses;
  walk_work(
      work, from,
      [&](const StepWork* before, const StepWork& next, std::int64_t wait) {
        if (next.start_ns - wait < untraced_to && next.start_ns > untraced_from) {
          busy.pause_ns += wait;
          return;
        }
        if (wait > longest_wait_ns) {
          pauses.push_back(wait);
          return;
        }
        busy.span_ns += wait;
        // Twice as long, because nothing tells how much tracing added.
        if (wait > 2 * longest_launch_ns) {
          busy.host_wait_ns += wait;
          return;
        }
        if (before == nullptr || !waits_in_rnn(*before, next)) return;
        busy.rnn_wait_ns += wait;
        busy.of_calls.add_wait(next, static_cast<double>(wait));
      },
      [&](const StepWork& each, std::int64_t more) {
        busy.busy_ns += more;
        busy.part_ns[static_cast<std::size_t>(each.part)] += static_cast<double>(more);
        busy.of_calls.add_work(each, static_cast<double>(more));
      });
  const bool of_steps = come_back(pauses.size(), profile, device, from);
  const std::int64_t longest = of_steps ? outlier * median_pause(pauses) : 0;
  for (const std::int64_t pause : pauses) {
    if (pause > longest) {
      busy.pause_ns += pause;
      continue;
    }
    busy.span_ns += pause;
    busy.host_wait_ns += pause;
  }
  busy.span_ns += busy.busy_ns;
  if (busy.busy_ns <= 0) return std::nullopt;
  return busy;
}

}  // namespace rnnadvisor
