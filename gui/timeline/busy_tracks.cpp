// When a device works: the union of its kernels.
#include <map>
#include <optional>

#include "gui/timeline/build_parts.h"

namespace rnnadvisor::gui::timeline {
namespace {

// Streams that take turns need no columns of their own: then the rows of the device, in the order
// of the table, say it.
std::optional<Lane> taking_turns(Timeline& timeline, int device) {
  const auto& k = timeline.profile->kernels;
  std::int64_t end = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (k.device[i] != device) continue;
    if (k.start_ns[i] < end) return std::nullopt;
    end = k.end_ns[i];
    ++count;
  }
  Spans spans{
      k.start_ns.data(), k.end_ns.data(), nullptr, nullptr, 0, static_cast<std::uint32_t>(count),
      busy_color};
  if (count < k.size()) {
    std::vector<std::uint32_t> rows;
    rows.reserve(count);
    for (std::uint32_t i = 0; i < k.size(); ++i) {
      if (k.device[i] == device) rows.push_back(i);
    }
    timeline.rows.push_back(std::move(rows));
    spans.rows = timeline.rows.back().data();
  }
  return Lane{spans, std::make_shared<const Pyramid>(spans)};
}

Lane merged(Timeline& timeline, int device) {
  if (auto lane = taking_turns(timeline, device)) return std::move(*lane);
  const auto& k = timeline.profile->kernels;
  std::vector<std::int64_t> begin, end;
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (k.device[i] != device) continue;
    if (!end.empty() && k.start_ns[i] <= end.back()) {
      end.back() = std::max(end.back(), k.end_ns[i]);
    } else {
      begin.push_back(k.start_ns[i]);
      end.push_back(k.end_ns[i]);
    }
  }
  begin.shrink_to_fit();
  end.shrink_to_fit();
  timeline.busy_begin.push_back(std::move(begin));
  timeline.busy_end.push_back(std::move(end));
  const Spans spans{timeline.busy_begin.back().data(),
                    timeline.busy_end.back().data(),
                    nullptr,
                    nullptr,
                    0,
                    static_cast<std::uint32_t>(timeline.busy_begin.back().size()),
                    busy_color};
  return {spans, std::make_shared<const Pyramid>(spans)};
}

}  // namespace

// When any kernel runs on a device, be it one that a filter leaves out. Where all its kernels lie
// in one lane, that lane says it.
void add_busy_tracks(Timeline& timeline, const BuildOptions& options) {
  std::map<int, std::vector<const Lane*>> lanes;
  for (const auto& track : timeline.tracks) {
    if (track.kind != TrackKind::kernels) continue;
    for (const auto& lane : track.lanes) lanes[track.key.device].push_back(&lane);
  }
  std::vector<Track> tracks;
  for (const auto& [device, of_device] : lanes) {
    Track track{TrackKind::busy, {-1, device, -1, -1}, -1, {}, {}};
    if (of_device.size() == 1 && !options.keep) {
      Lane lane = *of_device.front();
      track.lanes.push_back(std::move(lane));
    } else {
      track.lanes.push_back(merged(timeline, device));
    }
    tracks.push_back(std::move(track));
  }
  for (auto& track : tracks) timeline.tracks.push_back(std::move(track));
}

}  // namespace rnnadvisor::gui::timeline
