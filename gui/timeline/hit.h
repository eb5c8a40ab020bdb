// What lies under the pointer, and what is next to it: binary searches in the columns.
#pragma once

#include <optional>

#include "gui/timeline/scale.h"
#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

// The span of a lane that holds `time`, else the longest of those that begin within `slack` of it
// (so that what is thinner than a pixel can be hit). Of more than a few hundred in reach, some.
std::optional<std::size_t> span_at(const Spans& spans, std::int64_t time, std::int64_t slack);

// The gap of a lane around `time`: between two spans, or before the first or after the last within
// `limits`. Nothing where a span is.
std::optional<TimeRange> gap_at(const Spans& spans, std::int64_t time, TimeRange limits);

// Of one lane, the item of a span.
Item item_of(const Track& track, const Lane& lane, std::size_t span);

struct Place {
  int track = -1, lane = -1;
  std::size_t span = 0;
};
// Where the timeline shows an item: on the device where it can, else on the host. Of a gap the span
// that ends it, with a lane below those of its track.
std::optional<Place> place_of(const Timeline& timeline, Item item);

// The item after (by = 1) or before (by = -1) this one on its track; the item itself at the ends.
Item neighbour(const Timeline& timeline, Item item, int by);
// The item of the nearest track above (by = -1) or below (by = 1) that is under way at the middle
// of `item`, or nearest to it.
Item beside(const Timeline& timeline, Item item, int by);

}  // namespace rnnadvisor::gui::timeline
