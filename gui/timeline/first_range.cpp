#include "gui/timeline/first_range.h"

#include <algorithm>
#include <array>

namespace rnnadvisor::gui::timeline {
namespace {

// A template, for a profile may have ten million kernels.
template <typename Visit>
void each_span(const Timeline& timeline, const Visit& visit) {
  for (int i = 0; i < static_cast<int>(timeline.calls.size()); ++i)
    visit(item_range(timeline, {ItemKind::call, i}));
  if (!timeline.calls.empty()) return;
  const auto& k = timeline.profile->kernels;
  for (std::size_t i = 0; i < k.size(); ++i) visit({k.start_ns[i], k.end_ns[i]});
}

// The spans that begin within `part`: from the first begin to the last end.
TimeRange hull(const Timeline& timeline, TimeRange part) {
  TimeRange found{part.end_ns, part.begin_ns};
  each_span(timeline, [&](TimeRange one) {
    if (one.begin_ns < part.begin_ns || one.begin_ns > part.end_ns) return;
    found.begin_ns = std::min(found.begin_ns, one.begin_ns);
    found.end_ns = std::max(found.end_ns, one.end_ns);
  });
  return found;
}

// One side of a pause longer than half of `range`, the one with more work; `range` where there is
// no such pause.
TimeRange without_pause(const Timeline& timeline, TimeRange range) {
  // Coarse on purpose: a pause that matters is of many slots.
  constexpr std::int64_t slots = 1000;
  const std::int64_t width = range.length() / slots + 1;
  std::array<int, slots + 2> change{};  // spans under way, from slot to slot
  std::array<std::int64_t, slots + 1> work{};
  each_span(timeline, [&](TimeRange one) {
    if (one.begin_ns < range.begin_ns || one.begin_ns > range.end_ns) return;
    const auto from = (one.begin_ns - range.begin_ns) / width;
    const auto to = std::min((one.end_ns - range.begin_ns) / width, slots);
    ++change[static_cast<std::size_t>(from)];
    --change[static_cast<std::size_t>(std::max(from, to)) + 1];
    work[static_cast<std::size_t>(from)] += one.length();
  });
  std::int64_t longest = 0, pause_end = 0, run = 0;
  int under_way = 0;
  for (std::int64_t slot = 0; slot <= slots; ++slot) {
    under_way += change[static_cast<std::size_t>(slot)];
    run = under_way > 0 ? 0 : run + 1;
    if (run > longest) {
      longest = run;
      pause_end = slot + 1;
    }
  }
  if (longest * 2 <= slots) return range;
  const auto split = work.begin() + pause_end;
  std::int64_t before = 0, after = 0;
  for (auto at = work.begin(); at != split; ++at) before += *at;
  for (auto at = split; at != work.end(); ++at) after += *at;
  const std::int64_t middle = range.begin_ns + (pause_end - longest / 2) * width;
  return hull(timeline,
              before > after ? TimeRange{range.begin_ns, middle} : TimeRange{middle, range.end_ns});
}

}  // namespace

TimeRange first_range(const Timeline& timeline) {
  TimeRange range = hull(timeline, timeline.range);
  if (range.length() <= 0) return timeline.range;
  // Each round leaves less than half, so that few are needed.
  for (int round = 0; round < 8; ++round) {
    const TimeRange less = without_pause(timeline, range);
    if (less.length() <= 0 || less == range) break;
    range = less;
  }
  if (range.length() > timeline.range.length() / 2) return timeline.range;
  return with_margin(range, 0.05, timeline.range);
}

}  // namespace rnnadvisor::gui::timeline
