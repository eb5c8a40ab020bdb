#include "gui/timeline/kept_tracks.h"

#include <algorithm>
#include <set>

namespace rnnadvisor::gui::timeline {
namespace {

TrackName name_of(const Timeline& timeline, int track) {
  const auto& of = timeline.tracks[static_cast<std::size_t>(track)];
  return {of.kind, of.key};
}

int track_of(const Timeline& timeline, const TrackName& name) {
  const auto found = timeline.track_of.find(name);
  return found == timeline.track_of.end() ? -1 : found->second;
}

// `names` with what only `before` has, each after what it stood after there.
std::vector<TrackName> merged(const Timeline& timeline, const std::vector<TrackName>& names,
                              const std::vector<TrackName>& before) {
  std::vector<TrackName> result;
  std::map<TrackName, std::vector<TrackName>> following;
  const std::set<TrackName> here(names.begin(), names.end());
  const TrackName* after = nullptr;
  for (const auto& name : before) {
    if (here.contains(name)) {
      after = &name;
    } else if (track_of(timeline, name) < 0) {
      (after == nullptr ? result : following[*after]).push_back(name);
    }
  }
  for (const auto& name : names) {
    result.push_back(name);
    const auto more = following.find(name);
    if (more != following.end())
      result.insert(result.end(), more->second.begin(), more->second.end());
  }
  return result;
}

// Each heading with its tracks behind it, whatever has come between them.
TrackOrder by_headings(const Timeline& timeline, const std::vector<int>& tracks) {
  std::map<int, std::vector<int>> of_heading;
  for (const int track : tracks)
    of_heading[timeline.tracks[static_cast<std::size_t>(track)].parent].push_back(track);
  TrackOrder order;
  order.reserve(tracks.size());
  for (const int root : of_heading[-1]) {
    order.push_back(root);
    const auto children = of_heading.find(root);
    if (children != of_heading.end())
      order.insert(order.end(), children->second.begin(), children->second.end());
  }
  return order;
}

}  // namespace

KeptTracks keep_tracks(const Timeline& timeline, std::span<const TrackState> states,
                       const Arrangement& arrangement, double height, const FirstState& first,
                       const KeptTracks& before) {
  KeptTracks kept;
  kept.height = height;
  kept.states = before.states;
  for (std::size_t i = 0; i < std::min(states.size(), timeline.tracks.size()); ++i) {
    const TrackName name = name_of(timeline, static_cast<int>(i));
    if (states[i] == first(name)) {
      kept.states.erase(name);
    } else {
      kept.states[name] = states[i];
    }
  }
  const auto names = [&](const std::vector<int>& tracks) {
    std::vector<TrackName> result;
    for (const int track : tracks) {
      if (track >= 0 && static_cast<std::size_t>(track) < timeline.tracks.size())
        result.push_back(name_of(timeline, track));
    }
    return result;
  };
  kept.pinned = merged(timeline, names(arrangement.pinned), before.pinned);
  // Once tracks were moved there is an order, but in a timeline without any.
  kept.order = arrangement.order.empty() ? before.order
                                         : merged(timeline, names(arrangement.order), before.order);
  return kept;
}

RestoredTracks restore_tracks(const Timeline& timeline, const KeptTracks& kept,
                              const FirstState& first) {
  RestoredTracks restored;
  const int count = static_cast<int>(timeline.tracks.size());
  for (int i = 0; i < count; ++i) {
    const TrackName name = name_of(timeline, i);
    const auto found = kept.states.find(name);
    TrackState state = found != kept.states.end() ? found->second : first(name);
    // A heading alone pinned says nothing.
    if (name.first == TrackKind::process) state.pinned = false;
    restored.states.push_back(state);
  }
  std::vector<bool> known(timeline.tracks.size());
  const auto find = [&](const std::vector<TrackName>& names, bool pinned) {
    std::vector<int> tracks;
    known.assign(timeline.tracks.size(), false);
    for (const auto& name : names) {
      const int track = track_of(timeline, name);
      if (track < 0 || known[static_cast<std::size_t>(track)]) continue;
      if (pinned && !restored.states[static_cast<std::size_t>(track)].pinned) continue;
      known[static_cast<std::size_t>(track)] = true;
      tracks.push_back(track);
    }
    return tracks;
  };
  restored.arrangement.pinned = find(kept.pinned, true);
  if (kept.order.empty()) return restored;
  const auto placed = find(kept.order, false);
  std::vector<int> all;
  const auto add_new = [&](int from) {
    for (int i = from; i < count && !known[static_cast<std::size_t>(i)]; ++i) all.push_back(i);
  };
  add_new(0);
  for (const int track : placed) {
    all.push_back(track);
    add_new(track + 1);
  }
  restored.arrangement.order = by_headings(timeline, all);
  return restored;
}

}  // namespace rnnadvisor::gui::timeline
