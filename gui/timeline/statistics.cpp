#include "gui/timeline/statistics.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace rnnadvisor::gui::timeline {
namespace {

std::int64_t overlap(std::int64_t begin, std::int64_t end, TimeRange range) {
  return std::max<std::int64_t>(0, std::min(end, range.end_ns) - std::max(begin, range.begin_ns));
}

// Calls `visit(row)` for the spans of a lane that lie at least partly in the range.
template <class Visit>
void each_in(const Spans& spans, TimeRange range, const std::stop_token& stop, Visit visit) {
  // Ends rise with the starts but in the last of many lanes, where overlaps are a few spans long.
  std::size_t i = spans.first_from(range.begin_ns);
  for (std::size_t back = 0; i > 0 && back < 32; ++back) --i;
  for (; i < spans.count; ++i) {
    const std::uint32_t row = spans.row(i);
    if (spans.start[row] >= range.end_ns) return;
    if ((i & 0xffff) == 0 && stop.stop_requested()) return;
    if (spans.end[row] > range.begin_ns || spans.start[row] >= range.begin_ns) visit(row);
  }
}

std::int64_t longest_gap(const Spans& spans, TimeRange range, const std::stop_token& stop) {
  std::int64_t previous = range.begin_ns, longest = 0;
  each_in(spans, range, stop, [&](std::uint32_t row) {
    longest = std::max(longest, std::min(spans.start[row], range.end_ns) - previous);
    previous = std::max(previous, spans.end[row]);
  });
  return std::max(longest, range.end_ns - previous);
}

class FullCount {
 public:
  FullCount(const Timeline& timeline, RangeStatistics& sum, const std::stop_token& stop)
      : p_(*timeline.profile), sum_(sum), stop_(stop) {}

  void add(const Track& track) {
    for (const auto& lane : track.lanes) {
      switch (track.kind) {
        case TrackKind::kernels:
          each_in(lane.spans, sum_.range, stop_, [&](std::uint32_t row) { kernel(row); });
          break;
        case TrackKind::transfers:
          each_in(lane.spans, sum_.range, stop_,
                  [&](std::uint32_t row) { sum_.transfer_bytes += p_.transfers.bytes[row]; });
          break;
        case TrackKind::busy:
          for (auto& device : sum_.devices) {
            if (device.device == track.key.device)
              device.longest_gap_ns = longest_gap(lane.spans, sum_.range, stop_);
          }
          break;
        default:
          break;
      }
    }
  }

  void finish() {
    for (const auto& [name, time] : names_) sum_.names.push_back(time);
    std::sort(sum_.names.begin(), sum_.names.end(), [](const auto& a, const auto& b) {
      return std::tuple(-a.total_ns, a.name) < std::tuple(-b.total_ns, b.name);
    });
    if (durations_.empty()) return;
    const auto middle = durations_.begin() + static_cast<std::ptrdiff_t>(durations_.size() / 2);
    std::nth_element(durations_.begin(), middle, durations_.end());
    sum_.median_kernel_ns = *middle;
  }

 private:
  void kernel(std::uint32_t row) {
    const auto& k = p_.kernels;
    const std::int64_t inside = overlap(k.start_ns[row], k.end_ns[row], sum_.range);
    const auto role = static_cast<std::size_t>(k.role[row]);
    sum_.role_ns[role] += inside;
    ++sum_.role_count[role];
    auto& name = names_[k.name[row]];
    name.name = k.name[row];
    name.role = k.role[row];
    ++name.count;
    name.total_ns += inside;
    name.longest_ns = std::max(name.longest_ns, inside);
    if (k.start_ns[row] >= sum_.range.begin_ns)
      durations_.push_back(k.end_ns[row] - k.start_ns[row]);
  }

  const Profile& p_;
  RangeStatistics& sum_;
  const std::stop_token& stop_;
  std::unordered_map<int, NameTime> names_;
  std::vector<std::int64_t> durations_;
};

}  // namespace

RangeStatistics quick_statistics(const Timeline& timeline, TimeRange range) {
  RangeStatistics sum;
  sum.range = range;
  for (std::size_t i = 0; i < timeline.tracks.size(); ++i) {
    const auto& track = timeline.tracks[i];
    Occupancy all;
    for (const auto& lane : track.lanes) {
      const auto one = occupancy(lane.spans, *lane.pyramid, range);
      all.count += one.count;
      all.busy_ns += one.busy_ns;
    }
    switch (track.kind) {
      case TrackKind::kernels:
        sum.kernels += all.count;
        sum.kernel_ns += all.busy_ns;
        break;
      case TrackKind::transfers:
        sum.transfers += all.count;
        sum.transfer_ns += all.busy_ns;
        break;
      case TrackKind::calls:
        sum.calls += all.count;
        break;
      case TrackKind::api:
        sum.api_calls += all.count;
        sum.api_ns += all.busy_ns;
        break;
      case TrackKind::busy:
        sum.devices.push_back({track.key.device, all.busy_ns, 0});
        break;
      case TrackKind::memory:
        sum.most_memory = std::max(sum.most_memory, track.area.most(range));
        break;
      case TrackKind::counter:
        if (const auto summary = track.samples.in(range))
          sum.counters.push_back({static_cast<int>(i), *summary});
        break;
      default:
        break;
    }
  }
  return sum;
}

RangeStatistics full_statistics(const Timeline& timeline, TimeRange range,
                                const std::stop_token& stop) {
  auto sum = quick_statistics(timeline, range);
  FullCount count(timeline, sum, stop);
  for (const auto& track : timeline.tracks) {
    if (stop.stop_requested()) return sum;
    count.add(track);
  }
  count.finish();
  return sum;
}

}  // namespace rnnadvisor::gui::timeline
