#include "profiler/classify/gaps.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rnnadvisor {
namespace {

// No kernel takes longer than this.
constexpr std::int64_t longest_kernel = 1'000'000'000;
// What began longer before and still runs is a wait that encloses many calls.
constexpr std::int64_t longest_wait = 1'000'000'000;

// Calls `visit(gap)` for each gap of the device between kernels from row `from` on, in their order;
// false ends it.
template <class Visit>
void each_gap(const Profile& profile, int device, std::size_t from, Visit visit) {
  const auto& k = profile.kernels;
  int last = -1;  // the kernel that ends last so far
  for (std::size_t i = from; i < k.size(); ++i) {
    if (k.device[i] != device) continue;
    const auto row = static_cast<int>(i);
    if (last >= 0) {
      const std::int64_t end = k.end_ns[static_cast<std::size_t>(last)];
      if (k.start_ns[i] > end && !visit(GpuGap{device, end, k.start_ns[i], last, row})) return;
    }
    if (last < 0 || k.end_ns[i] >= k.end_ns[static_cast<std::size_t>(last)]) last = row;
  }
}

}  // namespace

std::vector<std::int64_t> untraced_times(const Profile& profile) {
  std::vector<std::int64_t> times;
  for (const auto& call : profile.calls)
    if (call.untraced) times.push_back(call.host_start_ns);
  std::sort(times.begin(), times.end());
  return times;
}

bool any_within(const std::vector<std::int64_t>& times, std::int64_t begin_ns,
                std::int64_t end_ns) {
  const auto first = std::lower_bound(times.begin(), times.end(), begin_ns);
  return first != times.end() && *first < end_ns;
}

std::optional<GpuGap> gap_around(const Profile& profile, int device, std::int64_t time_ns) {
  const auto& k = profile.kernels;
  const auto later = std::upper_bound(k.start_ns.begin(), k.start_ns.end(), time_ns);
  GpuGap gap{.device = device};
  // Of what began before, the kernel that ends last.
  for (auto i = static_cast<std::size_t>(later - k.start_ns.begin()); i-- > 0;) {
    if (gap.before >= 0 && k.start_ns[i] < gap.begin_ns - longest_kernel) break;
    if (k.device[i] != device || (gap.before >= 0 && k.end_ns[i] <= gap.begin_ns)) continue;
    gap.before = static_cast<int>(i);
    gap.begin_ns = k.end_ns[i];
  }
  for (auto i = static_cast<std::size_t>(later - k.start_ns.begin()); i < k.size(); ++i) {
    if (k.device[i] != device) continue;
    gap.after = static_cast<int>(i);
    gap.end_ns = k.start_ns[i];
    break;
  }
  const bool inside = gap.before >= 0 && gap.after >= 0 && gap.begin_ns <= time_ns;
  return inside ? std::optional(gap) : std::nullopt;
}

std::optional<GpuGap> gap_before(const Profile& profile, int kernel) {
  const auto& k = profile.kernels;
  if (kernel < 0 || static_cast<std::size_t>(kernel) >= k.size()) return std::nullopt;
  const auto i = static_cast<std::size_t>(kernel);
  const auto gap = gap_around(profile, k.device[i], k.start_ns[i] - 1);
  return gap && gap->after == kernel ? gap : std::nullopt;
}

std::optional<GpuGap> longest_gap(const Profile& profile, int device, std::int64_t from_ns,
                                  std::int64_t until_ns) {
  const auto& starts = profile.kernels.start_ns;
  const auto first =
      std::lower_bound(starts.begin(), starts.end(), from_ns - longest_kernel) - starts.begin();
  std::optional<GpuGap> longest;
  const auto untraced = untraced_times(profile);
  each_gap(profile, device, static_cast<std::size_t>(first), [&](const GpuGap& gap) {
    if (gap.end_ns > until_ns) return false;
    if (gap.begin_ns >= from_ns && (!longest || gap.length() > longest->length()) &&
        !any_within(untraced, gap.begin_ns, gap.end_ns))
      longest = gap;
    return true;
  });
  return longest;
}

// The next RNN call is looked for among so many kernels: a step has fewer.
constexpr std::size_t kernels_after_a_gap = 100'000;

GapCause cause_of(const Profile& profile, const GpuGap& gap) {
  GapCause cause;
  const auto& a = profile.api;
  const auto& k = profile.kernels;
  const auto after = static_cast<std::size_t>(gap.after);
  const auto end = std::lower_bound(a.start_ns.begin(), a.start_ns.end(), gap.end_ns);
  for (auto i = static_cast<std::size_t>(end - a.start_ns.begin()); i-- > 0;) {
    if (a.start_ns[i] < gap.begin_ns - longest_wait) break;
    if (a.process[i] != k.process[after]) continue;
    const std::int64_t inside =
        std::min(a.end_ns[i], gap.end_ns) - std::max(a.start_ns[i], gap.begin_ns);
    if (inside <= cause.api_ns) continue;
    cause.api = static_cast<int>(i);
    cause.api_ns = inside;
  }
  if (k.call[after] >= 0) cause.site = profile.calls[static_cast<std::size_t>(k.call[after])].site;
  if (cause.site >= 0) return cause;
  const std::size_t last = std::min(k.size(), after + kernels_after_a_gap);
  for (std::size_t i = after; i < last; ++i) {
    if (k.call[i] < 0 || k.device[i] != gap.device || k.process[i] != k.process[after]) continue;
    if (profile.calls[static_cast<std::size_t>(k.call[i])].site < 0) continue;
    cause.next_call = k.call[i];
    break;
  }
  return cause;
}

HostActivity host_during(const Profile& profile, const GpuGap& gap) {
  HostActivity activity;
  const int process = profile.kernels.process[static_cast<std::size_t>(gap.after)];
  const auto& a = profile.api;
  std::map<int, HostActivity::Calls> by_name;
  const auto end = std::lower_bound(a.start_ns.begin(), a.start_ns.end(), gap.end_ns);
  for (auto i = static_cast<std::size_t>(end - a.start_ns.begin()); i-- > 0;) {
    if (a.start_ns[i] < gap.begin_ns - longest_wait) break;
    const std::int64_t inside =
        std::min(a.end_ns[i], gap.end_ns) - std::max(a.start_ns[i], gap.begin_ns);
    if (a.process[i] != process || inside <= 0) continue;
    auto& calls = by_name[a.name[i]];
    calls.name = a.name[i];
    calls.ns += inside;
    ++calls.count;
  }
  for (const auto& [name, calls] : by_name) activity.api.push_back(calls);
  std::stable_sort(activity.api.begin(), activity.api.end(),
                   [](const auto& x, const auto& y) { return x.ns > y.ns; });
  // The table is sorted by start, so that what encloses comes first.
  const auto& n = profile.nvtx;
  const std::int64_t middle = gap.begin_ns + gap.length() / 2;
  for (std::size_t i = 0; i < n.size() && n.start_ns[i] <= middle; ++i) {
    if (n.end_ns[i] > middle && n.process[i] == process)
      activity.ranges.push_back(static_cast<int>(i));
  }
  return activity;
}

std::vector<GapPattern> gap_patterns(const Profile& profile, int device, std::size_t most,
                                     std::int64_t from_ns) {
  std::map<std::pair<int, int>, std::vector<GpuGap>> alike;
  const auto& name = profile.kernels.name;
  const auto untraced = untraced_times(profile);
  each_gap(profile, device, 0, [&](const GpuGap& gap) {
    if (gap.begin_ns >= from_ns && !any_within(untraced, gap.begin_ns, gap.end_ns))
      alike[{name[static_cast<std::size_t>(gap.before)], name[static_cast<std::size_t>(gap.after)]}]
          .push_back(gap);
    return true;
  });
  std::vector<GapPattern> patterns;
  for (auto& [between, gaps] : alike) {
    GapPattern pattern;
    std::tie(pattern.before_name, pattern.after_name) = between;
    pattern.count = static_cast<std::int64_t>(gaps.size());
    for (const auto& gap : gaps) pattern.total_ns += gap.length();
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>((gaps.size() - 1) / 2);
    std::nth_element(gaps.begin(), middle, gaps.end(),
                     [](const auto& x, const auto& y) { return x.length() < y.length(); });
    pattern.median_ns = middle->length();
    pattern.longest = *std::max_element(gaps.begin(), gaps.end(), [](const auto& x, const auto& y) {
      return x.length() < y.length();
    });
    patterns.push_back(pattern);
  }
  std::stable_sort(patterns.begin(), patterns.end(),
                   [](const auto& x, const auto& y) { return x.total_ns > y.total_ns; });
  if (patterns.size() > most) patterns.resize(most);
  return patterns;
}

}  // namespace rnnadvisor
