#include "gui/timeline/hit.h"

#include <algorithm>

#include "gui/timeline/idle.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr std::size_t reach = 256;

// Overlapping spans share only the last lane of a track; a few steps back find those.
constexpr std::size_t overlap_reach = 32;

// The process, device, stream and thread of an item.
TrackKey places_of(const Profile& p, Item item) {
  const auto i = static_cast<std::size_t>(item.index);
  switch (item.kind) {
    case ItemKind::call:
      return {p.calls[i].process, p.calls[i].device, -1, p.calls[i].thread};
    case ItemKind::kernel:
      return {p.kernels.process[i], p.kernels.device[i], p.kernels.stream[i], -1};
    case ItemKind::transfer:
      return {p.transfers.process[i], p.transfers.device[i], p.transfers.stream[i], -1};
    case ItemKind::api:
      return {p.api.process[i], -1, -1, p.api.thread[i]};
    case ItemKind::nvtx:
      return {p.nvtx.process[i], -1, -1, p.nvtx.thread[i]};
    default:
      return {};
  }
}

// Of the track of a kind that an item is on.
TrackKey key_of(TrackTraits::Of of, const TrackKey& places) {
  switch (of) {
    case TrackTraits::Of::process:
      return {places.process, -1, -1, -1};
    case TrackTraits::Of::device:
      return {places.process, places.device, -1, -1};
    case TrackTraits::Of::stream:
      return {places.process, places.device, places.stream, -1};
    case TrackTraits::Of::thread:
      return {places.process, -1, -1, places.thread};
  }
  return {};
}

// The position of a row in a lane, by its start and then by the row itself.
std::optional<std::size_t> position_of(const Spans& spans, std::uint32_t row) {
  const std::int64_t start = spans.start[row];
  for (std::size_t i = spans.first_from(start); i < spans.count && spans.start_of(i) == start;
       ++i) {
    if (spans.row(i) == row) return i;
  }
  return std::nullopt;
}

std::int64_t distance(const Spans& spans, std::size_t i, std::int64_t time) {
  if (time < spans.start_of(i)) return spans.start_of(i) - time;
  return std::max<std::int64_t>(0, time - spans.end_of(i));
}

// Of a whole track.
std::optional<Place> nearest(const Timeline& timeline, int track_index, std::int64_t time) {
  const auto& track = timeline.tracks[static_cast<std::size_t>(track_index)];
  std::optional<Place> best;
  std::int64_t best_distance = 0;
  for (std::size_t lane = 0; lane < track.lanes.size(); ++lane) {
    const Spans& spans = track.lanes[lane].spans;
    const std::size_t after = spans.first_from(time);
    for (const std::size_t i : {after == 0 ? 0 : after - 1, after}) {
      if (i >= spans.count) continue;
      const auto away = distance(spans, i, time);
      if (best && away >= best_distance) continue;
      best = Place{track_index, static_cast<int>(lane), i};
      best_distance = away;
    }
  }
  return best;
}

}  // namespace

std::optional<std::size_t> span_at(const Spans& spans, std::int64_t time, std::int64_t slack) {
  const std::size_t after = spans.first_from(time + 1);
  for (std::size_t back = 1; back <= std::min(after, overlap_reach); ++back) {
    const std::size_t i = after - back;
    if (spans.end_of(i) > time) return i;
  }
  std::optional<std::size_t> best;
  const auto consider = [&](std::size_t i) {
    const auto length = [&](std::size_t s) { return spans.end_of(s) - spans.start_of(s); };
    const auto rank = [&](std::size_t s) {
      return std::pair(length(s), -distance(spans, s, time));
    };
    if (!best || rank(i) > rank(*best)) best = i;
  };
  for (std::size_t i = after; i < std::min<std::size_t>(spans.count, after + reach); ++i) {
    if (spans.start_of(i) > time + slack) break;
    consider(i);
  }
  for (std::size_t back = 1; back <= std::min(after, reach); ++back) {
    const std::size_t i = after - back;
    if (spans.end_of(i) < time - slack) break;
    consider(i);
  }
  return best;
}

std::optional<TimeRange> gap_at(const Spans& spans, std::int64_t time, TimeRange limits) {
  const std::size_t after = spans.first_from(time + 1);
  const std::int64_t begin = after > 0 ? spans.end_of(after - 1) : limits.begin_ns;
  const std::int64_t end = after < spans.count ? spans.start_of(after) : limits.end_ns;
  if (time < begin || time >= end) return std::nullopt;
  return TimeRange{begin, end};
}

Item item_of(const Track& track, const Lane& lane, std::size_t span) {
  const ItemKind items = traits_of(track.kind).items;
  if (items == ItemKind::none || span >= lane.spans.count) return {};
  return {items, static_cast<int>(lane.spans.row(span))};
}

std::optional<Place> place_of(const Timeline& timeline, Item item) {
  if (item.empty()) return std::nullopt;
  if (item.kind == ItemKind::gap) return place_of_gap(timeline, item);
  const TrackKey places = places_of(*timeline.profile, item);
  // Of a call the track on the GPU comes first.
  for (const auto& kind : track_traits()) {
    if (kind.items != item.kind || kind.shape != TrackTraits::Shape::spans) continue;
    const auto found = timeline.track_of.find({kind.kind, key_of(kind.of, places)});
    if (found == timeline.track_of.end()) continue;
    const auto& track = timeline.tracks[static_cast<std::size_t>(found->second)];
    for (std::size_t lane = 0; lane < track.lanes.size(); ++lane) {
      const auto at = position_of(track.lanes[lane].spans, static_cast<std::uint32_t>(item.index));
      if (at) return Place{found->second, static_cast<int>(lane), *at};
    }
  }
  return std::nullopt;
}

Item neighbour(const Timeline& timeline, Item item, int by) {
  const auto place = place_of(timeline, item);
  if (!place) return item;
  const auto& track = timeline.tracks[static_cast<std::size_t>(place->track)];
  if (item.kind == ItemKind::gap) {
    const auto next = next_gap_span(track.lanes.front().spans, place->span, by);
    return next ? gap_before_span(timeline, track, *next) : item;
  }
  const Spans& own = track.lanes[static_cast<std::size_t>(place->lane)].spans;
  const std::int64_t start = own.start_of(place->span);
  // Over all lanes of the track, by start and then by row.
  Item best = item;
  std::int64_t best_start = 0;
  const auto row = static_cast<std::uint32_t>(item.index);
  for (const auto& lane : track.lanes) {
    const Spans& spans = lane.spans;
    std::size_t i = spans.first_from(start);
    if (by > 0) {
      while (i < spans.count && spans.start_of(i) == start && spans.row(i) <= row) ++i;
      if (i == spans.count) continue;
    } else {
      while (i < spans.count && spans.start_of(i) == start && spans.row(i) < row) ++i;
      if (i == 0) continue;
      --i;
    }
    const bool nearer =
        best == item || (by > 0 ? spans.start_of(i) < best_start : spans.start_of(i) > best_start);
    if (!nearer) continue;
    best = item_of(track, lane, i);
    best_start = spans.start_of(i);
  }
  return best;
}

Item beside(const Timeline& timeline, Item item, int by) {
  const auto place = place_of(timeline, item);
  if (!place) return item;
  const TimeRange range = item_range(timeline, item);
  const std::int64_t middle = range.begin_ns + range.length() / 2;
  const int count = static_cast<int>(timeline.tracks.size());
  for (int t = place->track + by; t >= 0 && t < count; t += by) {
    const auto& track = timeline.tracks[static_cast<std::size_t>(t)];
    if (track.kind == TrackKind::busy) {
      if (const auto gap = nearest_gap_span(track.lanes.front().spans, middle))
        return gap_before_span(timeline, track, *gap);
    }
    if (traits_of(track.kind).items == ItemKind::none || track.lanes.empty()) continue;
    if (const auto found = nearest(timeline, t, middle)) {
      return item_of(track, track.lanes[static_cast<std::size_t>(found->lane)], found->span);
    }
  }
  return item;
}

}  // namespace rnnadvisor::gui::timeline
