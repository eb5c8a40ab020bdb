// Search by name: names are matched once each, hits are found by walking the columns from where the
// reader is, so that a search costs a byte per name and nothing per span.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "gui/timeline/lane_hits.h"
#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

struct SearchResult {
  std::vector<char> names;         // by Profile::strings: whether it matches
  std::vector<char> calls;         // by Profile::calls: whether its label matches
  std::vector<char> transfers;     // by transfer_number()
  ItemKind kind = ItemKind::none;  // hits are of this kind alone; none: of any
  std::optional<KernelRole> role;  // kernels among them are of this role
  std::optional<ColorId> color;    // of all hits, where that was searched for and no name
  std::int64_t hits = 0;
  // The first of them, in the order of time.
  static constexpr std::size_t most_listed = 10'000;
  std::vector<Item> listed;
  std::vector<std::vector<LaneHits>> lanes;  // by track and lane; no lanes where a track has no hit
  // Of a lane, or nullptr where it has no hit.
  const LaneHits* lane(int track, int lane) const;
};

using Matches = std::function<bool(std::string_view)>;
// Nothing when it was stopped.
std::optional<SearchResult> search(const Timeline& timeline, const Wanted& wanted,
                                   const std::stop_token& stop = {});
inline std::optional<SearchResult> search(const Timeline& timeline, const Matches& matches,
                                          const std::stop_token& stop = {}) {
  return search(timeline, Wanted{matches}, stop);
}

bool is_hit(const Timeline& timeline, const SearchResult& result, Item item);

// The nearest hit after (by = 1) or before (by = -1) `from`, in the order of time, going round at
// the end. `from` may be none: then from `time`. Nothing where there are no hits.
std::optional<Item> next_hit(const Timeline& timeline, const SearchResult& result, Item from,
                             std::int64_t time, int by);
// Its number among all hits in the order of time, from 1; 0 for what is no hit.
std::int64_t hit_number(const Timeline& timeline, const SearchResult& result, Item item);

}  // namespace rnnadvisor::gui::timeline
