#include "profiler/classify/memory_use.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace rnnadvisor {
namespace {

using Place = std::pair<int, int>;  // process, device

// Peak of what was allocated and not yet freed, by process and device.
std::map<Place, std::int64_t> allocated(const Profile& profile) {
  struct Live {
    std::unordered_map<std::int64_t, std::int64_t> bytes;  // by address
    std::int64_t now = 0, peak = 0;
  };
  std::map<Place, Live> places;
  const auto& events = profile.allocations;  // sorted by time
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto& live = places[{events.process[i], events.device[i]}];
    auto& at = live.bytes[events.address[i]];
    live.now -= at;  // a free, or an address given again whose free was not recorded
    at = events.release[i] ? 0 : std::max<std::int64_t>(0, events.bytes[i]);
    live.now += at;
    live.peak = std::max(live.peak, live.now);
  }
  std::map<Place, std::int64_t> peaks;
  for (const auto& [place, live] : places) peaks[place] = live.peak;
  return peaks;
}

// Peak of the reserve spaces between forward and backward, by process and device.
std::map<Place, std::int64_t> reserved(const Profile& profile) {
  // When the last backward call of each forward call ended.
  std::vector<std::int64_t> needed_until(profile.calls.size(), -1);
  for (const auto& call : profile.calls) {
    if (call.forward < 0) continue;
    auto& until = needed_until[static_cast<std::size_t>(call.forward)];
    until = std::max(until, call.host_end_ns);
  }
  struct Change {
    std::int64_t time, bytes;
  };
  std::map<Place, std::vector<Change>> changes;
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const auto& call = profile.calls[i];
    if (call.phase != Phase::forward_training || call.status != 0 || call.reserve_bytes < 0 ||
        needed_until[i] < call.host_start_ns)
      continue;
    auto& list = changes[{call.process, call.device}];
    list.push_back({call.host_start_ns, call.reserve_bytes});
    list.push_back({needed_until[i], -call.reserve_bytes});
  }
  std::map<Place, std::int64_t> peaks;
  for (auto& [place, list] : changes) {
    // What ends when another begins is gone before it.
    std::sort(list.begin(), list.end(), [](const Change& a, const Change& b) {
      return std::pair(a.time, a.bytes) < std::pair(b.time, b.bytes);
    });
    std::int64_t now = 0, peak = 0;
    for (const auto& change : list) {
      now += change.bytes;
      peak = std::max(peak, now);
    }
    peaks[place] = peak;
  }
  return peaks;
}

void lower(std::int64_t& least, std::int64_t bytes) {
  if (bytes >= 0) least = least < 0 ? bytes : std::min(least, bytes);
}

// What was free when the program failed, by configuration.
void find_free_at_failure(const Profile& profile, std::vector<MemoryUse>& use) {
  std::vector<std::int64_t> at_end(use.size(), -1);
  for (const auto& call : profile.calls) {
    if (call.configuration < 0) continue;
    const auto index = static_cast<std::size_t>(call.configuration);
    if (call.status != 0) lower(use[index].free_at_failure, call.memory_free_bytes);
    if (call.process < 0 || static_cast<std::size_t>(call.process) >= profile.processes.size())
      continue;
    const auto& process = profile.processes[static_cast<std::size_t>(call.process)];
    if (!process.ended_well()) lower(at_end[index], process.memory_free_bytes);
  }
  for (std::size_t i = 0; i < use.size(); ++i)
    if (use[i].free_at_failure < 0) use[i].free_at_failure = at_end[i];
}

}  // namespace

std::vector<MemoryUse> memory_use(const Profile& profile) {
  std::vector<MemoryUse> use(profile.configurations.size());
  const auto peaks = allocated(profile);
  const auto reserves = reserved(profile);
  const auto raise = [](std::int64_t& value, const auto& by_place, const Place& place) {
    if (const auto found = by_place.find(place); found != by_place.end())
      value = std::max(value, found->second);
  };
  for (const auto& call : profile.calls) {
    if (call.configuration < 0) continue;
    auto& of = use[static_cast<std::size_t>(call.configuration)];
    raise(of.peak, peaks, {call.process, call.device});
    raise(of.reserve_held, reserves, {call.process, call.device});
  }
  find_free_at_failure(profile, use);
  return use;
}

}  // namespace rnnadvisor
