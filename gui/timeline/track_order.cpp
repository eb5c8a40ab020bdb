#include "gui/timeline/track_order.h"

#include <algorithm>
#include <numeric>

namespace rnnadvisor::gui::timeline {
namespace {

int parent_of(const Timeline& timeline, int track) {
  return timeline.tracks[static_cast<std::size_t>(track)].parent;
}

std::vector<int> siblings_of(const Timeline& timeline, const TrackOrder& order, int track) {
  std::vector<int> siblings;
  for (const int each : order) {
    if (are_siblings(timeline, each, track)) siblings.push_back(each);
  }
  return siblings;
}

// `siblings` in their new order, everything else in its old one.
void rearrange(const Timeline& timeline, TrackOrder& order, const std::vector<int>& siblings) {
  const int parent = parent_of(timeline, siblings.front());
  TrackOrder result;
  const auto add = [&](int track) {
    result.push_back(track);
    for (const int child : order) {
      if (parent_of(timeline, child) == track && track != parent) result.push_back(child);
    }
    if (track == parent) result.insert(result.end(), siblings.begin(), siblings.end());
  };
  if (parent < 0) {
    for (const int track : siblings) add(track);
  } else {
    for (const int track : order) {
      if (parent_of(timeline, track) < 0) add(track);
    }
  }
  order = std::move(result);
}

void complete(const Timeline& timeline, TrackOrder& order) {
  if (order.size() == timeline.tracks.size()) return;
  order.resize(timeline.tracks.size());
  std::iota(order.begin(), order.end(), 0);
}

bool valid(const Timeline& timeline, int track) {
  return track >= 0 && static_cast<std::size_t>(track) < timeline.tracks.size();
}

}  // namespace

bool are_siblings(const Timeline& timeline, int a, int b) {
  return valid(timeline, a) && valid(timeline, b) &&
         parent_of(timeline, a) == parent_of(timeline, b);
}

bool move_track_to(const Timeline& timeline, TrackOrder& order, int track, int target) {
  if (track == target || !are_siblings(timeline, track, target)) return false;
  complete(timeline, order);
  auto siblings = siblings_of(timeline, order, track);
  const auto from = std::find(siblings.begin(), siblings.end(), track);
  const auto to = std::find(siblings.begin(), siblings.end(), target);
  if (from < to) {
    std::rotate(from, from + 1, to + 1);
  } else {
    std::rotate(to, from, from + 1);
  }
  rearrange(timeline, order, siblings);
  return true;
}

bool move_track(const Timeline& timeline, TrackOrder& order, int track, int by) {
  if (!valid(timeline, track)) return false;
  complete(timeline, order);
  const auto siblings = siblings_of(timeline, order, track);
  const auto at = std::find(siblings.begin(), siblings.end(), track) - siblings.begin();
  const auto to = at + (by < 0 ? -1 : 1);
  if (to < 0 || to >= static_cast<std::ptrdiff_t>(siblings.size())) return false;
  return move_track_to(timeline, order, track, siblings[static_cast<std::size_t>(to)]);
}

}  // namespace rnnadvisor::gui::timeline
