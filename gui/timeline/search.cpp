#include "gui/timeline/search.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "gui/timeline/idle.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr std::array<ItemKind, 5> searched = {ItemKind::nvtx, ItemKind::call, ItemKind::api,
                                              ItemKind::kernel, ItemKind::transfer};

// Hits of one time are in the order of their kinds and rows.
using Order = std::tuple<std::int64_t, int, int>;

// Calls in the order of time; the tables are sorted as they are.
struct CallOrder {
  explicit CallOrder(const Timeline& timeline) {
    for (std::size_t i = 0; i < timeline.calls.size(); ++i)
      rows.push_back({item_range(timeline, {ItemKind::call, static_cast<int>(i)}).begin_ns,
                      static_cast<int>(i)});
    std::sort(rows.begin(), rows.end());
  }
  std::vector<std::pair<std::int64_t, int>> rows;
};

class Walker {
 public:
  Walker(const Timeline& timeline, const SearchResult& result)
      : timeline_(timeline), result_(result), calls_(timeline) {}

  // The first hit of a kind after (or the last before) `from`.
  std::optional<Order> step(ItemKind kind, const Order& from, int by) const {
    const std::int64_t count = size(kind);
    std::int64_t i = lower(kind, from);
    if (by > 0) {
      if (i < count && order(kind, i) == from) ++i;
      while (i < count && !hit(kind, i)) ++i;
      if (i == count) return std::nullopt;
    } else {
      do --i;
      while (i >= 0 && !hit(kind, i));
      if (i < 0) return std::nullopt;
    }
    return order(kind, i);
  }

  std::int64_t hits_before(ItemKind kind, const Order& until) const {
    const std::int64_t last = lower(kind, until);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < last; ++i) count += hit(kind, i) ? 1 : 0;
    return count;
  }
  std::int64_t size(ItemKind kind) const {
    const Profile& p = *timeline_.profile;
    switch (kind) {
      case ItemKind::nvtx:
        return static_cast<std::int64_t>(p.nvtx.size());
      case ItemKind::call:
        return static_cast<std::int64_t>(p.calls.size());
      case ItemKind::api:
        return static_cast<std::int64_t>(p.api.size());
      case ItemKind::kernel:
        return static_cast<std::int64_t>(p.kernels.size());
      default:
        return static_cast<std::int64_t>(p.transfers.size());
    }
  }
  Order order(ItemKind kind, std::int64_t i) const {
    return {start(kind, i), static_cast<int>(kind), row(kind, i)};
  }
  bool hit(ItemKind kind, std::int64_t i) const {
    return is_hit(timeline_, result_, {kind, row(kind, i)});
  }

 private:
  int row(ItemKind kind, std::int64_t i) const {
    return kind == ItemKind::call ? calls_.rows[static_cast<std::size_t>(i)].second
                                  : static_cast<int>(i);
  }
  std::int64_t start(ItemKind kind, std::int64_t position) const {
    const Profile& p = *timeline_.profile;
    const auto i = static_cast<std::size_t>(position);
    switch (kind) {
      case ItemKind::nvtx:
        return p.nvtx.start_ns[i];
      case ItemKind::call:
        return calls_.rows[i].first;
      case ItemKind::api:
        return p.api.start_ns[i];
      case ItemKind::kernel:
        return p.kernels.start_ns[i];
      default:
        return p.transfers.start_ns[i];
    }
  }
  std::int64_t lower(ItemKind kind, const Order& from) const {
    std::int64_t low = 0, high = size(kind);
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (order(kind, middle) < from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const Timeline& timeline_;
  const SearchResult& result_;
  CallOrder calls_;
};

std::int64_t gaps_of(const Timeline& timeline) {
  std::int64_t count = 0;
  for (const auto& track : timeline.tracks) {
    if (track.kind != TrackKind::busy) continue;
    const Spans& spans = track.lanes.front().spans;
    for (std::size_t i = 1; i < spans.count; ++i)
      count += spans.start_of(i) > spans.end_of(i - 1) ? 1 : 0;
  }
  return count;
}

// Of a result that knows what is a hit: how many there are, and where.
std::optional<SearchResult> find_hits(const Timeline& timeline, SearchResult result,
                                      const Wanted& wanted, const std::stop_token& stop) {
  const Walker walker(timeline, result);
  std::vector<Order> first;
  for (const ItemKind kind : searched) {
    if (!wanted.of(kind)) continue;
    const std::int64_t count = walker.size(kind);
    std::size_t of_kind = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if ((i & 0xfffff) == 0 && stop.stop_requested()) return std::nullopt;
      if (!walker.hit(kind, i)) continue;
      ++result.hits;
      if (of_kind++ < SearchResult::most_listed) first.push_back(walker.order(kind, i));
    }
  }
  std::sort(first.begin(), first.end());
  if (first.size() > SearchResult::most_listed) first.resize(SearchResult::most_listed);
  for (const auto& [time, kind, row] : first)
    result.listed.push_back({static_cast<ItemKind>(kind), row});
  if (result.color == idle_color) result.hits = gaps_of(timeline);
  result.lanes.resize(timeline.tracks.size());
  for (std::size_t t = 0; t < timeline.tracks.size() && result.hits > 0; ++t) {
    const auto& track = timeline.tracks[t];
    const auto& kind = traits_of(track.kind);
    if (kind.shape != TrackTraits::Shape::spans) continue;
    for (const auto& lane : track.lanes) {
      result.lanes[t].emplace_back(
          lane.spans, *lane.pyramid,
          [&](std::uint32_t row) {
            return is_hit(timeline, result, {kind.items, static_cast<int>(row)});
          },
          stop);
      if (stop.stop_requested()) return std::nullopt;
    }
  }
  return result;
}

// The gap after (by = 1) or before an item or a moment, on any device.
std::optional<Item> next_gap(const Timeline& timeline, Item from, std::int64_t time, int by) {
  if (from.kind == ItemKind::gap) return neighbour(timeline, from, by);
  if (!from.empty()) time = item_range(timeline, from).begin_ns;
  for (const auto& track : timeline.tracks) {
    if (track.kind != TrackKind::busy) continue;
    if (const auto span = nearest_gap_span(track.lanes.front().spans, time))
      return gap_before_span(timeline, track, *span);
  }
  return std::nullopt;
}

}  // namespace

std::optional<SearchResult> search(const Timeline& timeline, const Wanted& wanted,
                                   const std::stop_token& stop) {
  const Profile& p = *timeline.profile;
  const auto& matches = wanted.matches;
  SearchResult result;
  result.kind = wanted.kind;
  result.role = wanted.role;
  result.color = wanted.color;
  if (wanted.color) return find_hits(timeline, std::move(result), wanted, stop);
  result.names.reserve(p.strings.size());
  for (const auto& text : p.strings) {
    if (stop.stop_requested()) return std::nullopt;
    result.names.push_back(matches(text) ? 1 : 0);
  }
  for (std::size_t i = 0; i < p.calls.size(); ++i) {
    if (stop.stop_requested()) return std::nullopt;
    result.calls.push_back(matches(item_name(timeline, {ItemKind::call, static_cast<int>(i)})) ? 1
                                                                                               : 0);
  }
  result.transfers.assign(transfer_numbers, 2);  // 2: not asked yet
  for (std::size_t i = 0; i < p.transfers.size(); ++i) {
    auto& answer = result.transfers[transfer_number(p.transfers, i)];
    if (answer == 2) answer = matches(transfer_name(p.transfers, static_cast<int>(i))) ? 1 : 0;
  }
  return find_hits(timeline, std::move(result), wanted, stop);
}

const LaneHits* SearchResult::lane(int track, int lane) const {
  const auto t = static_cast<std::size_t>(track), l = static_cast<std::size_t>(lane);
  if (t >= lanes.size() || l >= lanes[t].size() || lanes[t][l].empty()) return nullptr;
  return &lanes[t][l];
}

bool is_hit(const Timeline& timeline, const SearchResult& result, Item item) {
  if (result.kind != ItemKind::none && item.kind != result.kind) return false;
  const Profile& p = *timeline.profile;
  const auto i = static_cast<std::size_t>(item.index);
  if (result.color) return color_of(timeline, item) == *result.color;
  const auto named = [&](int name) {
    return name >= 0 && result.names[static_cast<std::size_t>(name)] == 1;
  };
  switch (item.kind) {
    case ItemKind::nvtx:
      return named(p.nvtx.name[i]);
    case ItemKind::call:
      return result.calls[i] == 1;
    case ItemKind::api:
      return named(p.api.name[i]);
    case ItemKind::kernel:
      return named(p.kernels.name[i]) && (!result.role || p.kernels.role[i] == *result.role);
    case ItemKind::transfer:
      return result.transfers[transfer_number(p.transfers, i)] == 1;
    default:
      return false;
  }
}

std::optional<Item> next_hit(const Timeline& timeline, const SearchResult& result, Item from,
                             std::int64_t time, int by) {
  if (result.hits == 0) return std::nullopt;
  if (result.color == idle_color) return next_gap(timeline, from, time, by);
  const Walker walker(timeline, result);
  Order at{time, by > 0 ? -1 : 100, -1};
  if (!from.empty())
    at = {item_range(timeline, from).begin_ns, static_cast<int>(from.kind), from.index};
  const auto nearest = [&](const Order& start) {
    std::optional<Order> best;
    for (const ItemKind kind : searched) {
      const auto found = walker.step(kind, start, by);
      if (found && (!best || (by > 0 ? *found < *best : *best < *found))) best = found;
    }
    return best;
  };
  auto found = nearest(at);
  if (!found) {
    const auto& range = timeline.range;
    found = nearest(by > 0 ? Order{range.begin_ns - 1, -1, -1} : Order{range.end_ns + 1, 100, -1});
  }
  if (!found) return std::nullopt;
  return Item{static_cast<ItemKind>(std::get<1>(*found)), std::get<2>(*found)};
}

std::int64_t hit_number(const Timeline& timeline, const SearchResult& result, Item item) {
  if (item.empty() || !is_hit(timeline, result, item)) return 0;
  const Walker walker(timeline, result);
  const Order at{item_range(timeline, item).begin_ns, static_cast<int>(item.kind), item.index};
  std::int64_t number = 1;
  for (const ItemKind kind : searched) number += walker.hits_before(kind, at);
  return number;
}

}  // namespace rnnadvisor::gui::timeline
