#include "gui/timeline/lanes.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace rnnadvisor::gui::timeline {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::size_t hash_of(const TrackKey& key) {
  std::uint64_t hash = static_cast<std::uint64_t>(key.thread);
  for (const int part : {key.process, key.device, key.stream})
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

// Key to number, by open addressing: one look-up per span of a profile, most of them of the key of
// the span before.
class Keys {
 public:
  std::uint32_t number(const TrackKey& key) {
    if (last_ != none && keys_[last_] == key) return last_;
    if ((keys_.size() + 1) * 2 > slots_.size()) grow();
    std::size_t slot = hash_of(key) & (slots_.size() - 1);
    while (slots_[slot] != none && keys_[slots_[slot]] != key)
      slot = (slot + 1) & (slots_.size() - 1);
    if (slots_[slot] == none) {
      slots_[slot] = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
    }
    return last_ = slots_[slot];
  }
  const std::vector<TrackKey>& keys() const { return keys_; }

 private:
  void grow() {
    slots_.assign(std::max<std::size_t>(16, slots_.size() * 2), none);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) {
      std::size_t slot = hash_of(keys_[i]) & (slots_.size() - 1);
      while (slots_[slot] != none) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }
  std::vector<TrackKey> keys_;
  std::vector<std::uint32_t> slots_;
  std::uint32_t last_ = none;
};

struct OpenLane {
  std::int64_t end;      // of its last span
  std::uint32_t number;  // among all lanes of all tracks
};

struct LaneCount {
  std::uint32_t track = 0, count = 0, first = none, last = 0;
};

// The first lane in which the span overlaps nothing.
std::uint32_t lane_for(std::vector<OpenLane>& open, std::int64_t start, std::int64_t end,
                       std::uint32_t track, std::vector<LaneCount>& lanes) {
  for (auto& lane : open) {
    if (lane.end > start) continue;
    lane.end = end;
    return lane.number;
  }
  if (open.size() == most_lanes) {
    open.back().end = std::max(open.back().end, end);
    return open.back().number;
  }
  const auto number = static_cast<std::uint32_t>(lanes.size());
  open.push_back({end, number});
  lanes.push_back({track, 0, none, 0});
  return number;
}

}  // namespace

LanedRows lay_out_lanes(const LaneInput& input, const std::stop_token& stop) {
  Keys keys;
  std::vector<std::vector<OpenLane>> open;
  std::vector<LaneCount> lanes;
  std::vector<std::uint32_t> lane_of(input.count, none);
  const auto row_at = [&](std::uint32_t i) { return input.order != nullptr ? input.order[i] : i; };
  for (std::uint32_t i = 0; i < input.count; ++i) {
    if ((i & 0xfffff) == 0 && stop.stop_requested()) return {};
    const std::uint32_t row = row_at(i);
    if (input.keep && !input.keep(row)) continue;
    const std::uint32_t track = keys.number(input.key(row));
    if (track >= open.size()) open.resize(track + 1U);
    const std::uint32_t lane =
        lane_for(open[track], input.start[row], input.end[row], track, lanes);
    lane_of[i] = lane;
    auto& counted = lanes[lane];
    if (counted.first == none) counted.first = row;
    counted.last = row;
    ++counted.count;
  }

  LanedRows result;
  std::vector<std::uint32_t> place(lanes.size());
  std::uint32_t total = 0;
  bool all_consecutive = input.order == nullptr;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    place[i] = total;
    total += lanes[i].count;
    all_consecutive = all_consecutive && lanes[i].last - lanes[i].first + 1 == lanes[i].count;
  }
  std::vector<std::uint32_t> by_key(keys.keys().size());
  std::iota(by_key.begin(), by_key.end(), 0U);
  std::sort(by_key.begin(), by_key.end(),
            [&](auto a, auto b) { return keys.keys()[a] < keys.keys()[b]; });
  for (const auto track : by_key) {
    LanedTrack laned{keys.keys()[track], {}};
    for (const auto& lane : open[track]) {
      const auto& counted = lanes[lane.number];
      laned.lanes.push_back({place[lane.number], counted.count, counted.first, all_consecutive});
    }
    result.tracks.push_back(std::move(laned));
  }
  if (all_consecutive) return result;
  result.rows.resize(total);
  for (std::uint32_t i = 0; i < input.count; ++i) {
    if (lane_of[i] != none) result.rows[place[lane_of[i]]++] = row_at(i);
  }
  return result;
}

}  // namespace rnnadvisor::gui::timeline
