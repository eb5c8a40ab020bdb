// In what order tracks stand, and from when to when they reach.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "gui/timeline/build_parts.h"
#include "gui/timeline/scale.h"

namespace rnnadvisor::gui::timeline {

void find_range(Timeline& timeline) {
  const auto& allocations = timeline.profile->allocations;
  bool any = false;
  auto& range = timeline.range;
  const auto include = [&](std::int64_t begin, std::int64_t end) {
    range.begin_ns = any ? std::min(range.begin_ns, begin) : begin;
    range.end_ns = any ? std::max(range.end_ns, end) : end;
    any = true;
  };
  for (const auto& track : timeline.tracks) {
    for (const auto& lane : track.lanes) {
      if (lane.spans.count == 0) continue;
      const Pyramid& pyramid = *lane.pyramid;
      if (const int top = pyramid.levels(); top > 0) {
        include(pyramid.node(top, 0).begin, pyramid.node(top, 0).end);
      } else {
        for (std::size_t i = 0; i < lane.spans.count; ++i)
          include(lane.spans.start_of(i), lane.spans.end_of(i));
      }
    }
  }
  for (const auto& track : timeline.tracks) {
    if (!track.samples.empty())
      include(track.samples.range().begin_ns, track.samples.range().end_ns);
  }
  for (const auto time : {allocations.time_ns.empty() ? -1 : allocations.time_ns.front(),
                          allocations.time_ns.empty() ? -1 : allocations.time_ns.back()})
    if (time >= 0) include(time, time);
  if (range.length() < shortest_visible_ns) range.end_ns = range.begin_ns + shortest_visible_ns;
}

namespace {

// Streams that kernels of the same RNN call run on: each gets the lowest of them.
void group_streams(Timeline& timeline) {
  auto& tracks = timeline.tracks;
  std::vector<int> above(tracks.size());
  std::iota(above.begin(), above.end(), 0);
  const auto root = [&](int track) {
    const auto up = [&](int t) -> int& { return above[static_cast<std::size_t>(t)]; };
    while (up(track) != track) track = up(track) = up(up(track));
    return track;
  };
  std::vector<int> of_call(timeline.calls.size(), -1);
  const auto& calls = timeline.profile->kernels.call;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    if (tracks[t].kind != TrackKind::kernels) continue;
    int last = -1;
    for (const auto& lane : tracks[t].lanes) {
      for (std::size_t i = 0; i < lane.spans.count; ++i) {
        const int call = calls[lane.spans.row(i)];
        if (call < 0 || call == last) continue;
        last = call;
        int& first = of_call[static_cast<std::size_t>(call)];
        if (first < 0) first = static_cast<int>(t);
        const int x = root(first), y = root(static_cast<int>(t));
        above[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
      }
    }
  }
  // Tracks of a kind are in the order of their keys, so that a root is the lowest of its streams.
  std::map<TrackKey, int> first_stream;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const int first = root(static_cast<int>(t));
    if (first == static_cast<int>(t)) continue;
    const auto& lowest = tracks[static_cast<std::size_t>(first)].key;
    first_stream[lowest] = first_stream[tracks[t].key] = lowest.stream;
  }
  for (auto& track : tracks) {
    const auto found = first_stream.find(track.key);
    if (found != first_stream.end()) track.first_stream = found->second;
  }
}

}  // namespace

void order_tracks(Timeline& timeline) {
  auto& tracks = timeline.tracks;
  group_streams(timeline);
  std::set<int> processes;
  for (const auto& track : tracks) {
    if (track.key.process >= 0) processes.insert(track.key.process);
  }
  for (const int process : processes)
    tracks.push_back({TrackKind::process, {process, -1, -1, -1}, -1, {}, {}});
  const auto place = [](const Track& track) {
    const auto& kind = traits_of(track.kind);
    // A device, then its counters; calls, kernels and transfers of a stream together, and streams
    // of the same calls.
    TrackKey key = track.key;
    if (track.first_stream >= 0) key.stream = track.first_stream;
    return std::tuple(kind.section < 0 ? -1 : track.key.process,
                      kind.section < 0 ? track.key.device : kind.section, key, track.key,
                      static_cast<int>(track.kind));
  };
  std::stable_sort(tracks.begin(), tracks.end(),
                   [&](const Track& a, const Track& b) { return place(a) < place(b); });
  int heading = -1;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    timeline.track_of.try_emplace({tracks[i].kind, tracks[i].key}, static_cast<int>(i));
    if (tracks[i].kind == TrackKind::process) {
      heading = static_cast<int>(i);
    } else if (traits_of(tracks[i].kind).under_heading()) {
      tracks[i].parent = heading;
    }
  }
}

}  // namespace rnnadvisor::gui::timeline
