// What a lane looks like at a scale: bars for spans that are wide enough to be seen one by one, and
// for everything between them the share of each pixel that is covered. No span is left out: one
// that is narrower than a pixel is seen as the density it adds.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/timeline/lane_hits.h"
#include "gui/timeline/pyramid.h"
#include "gui/timeline/scale.h"

namespace rnnadvisor::gui::timeline {

// From that many pixels on, a span is a bar of its own.
inline constexpr double bar_pixels = 2;

struct Bar {
  int begin = 0, end = 0;  // whole pixels, begin < end
  std::uint32_t span = 0;  // of the lane
  ColorId color = 0;
};

struct PixelColumn {
  float covered = 0;  // share of the pixel's time, above 1 where spans overlap
  float weight = 0;   // of `color`, by majority vote
  ColorId color = 0;
  bool any = false;  // something lies here, be it without duration
  bool hit = false;  // and some of it is a hit
};

struct Picture {
  std::vector<PixelColumn> columns;  // one per pixel; also below the ends of bars
  std::vector<Bar> bars;             // by begin
  std::int64_t visited = 0;          // spans and nodes looked at: what the frame cost
};

// Draws into `picture`, whose memory is used again. The number of pixels is the width of the scale,
// rounded up.
// `hits` marks the columns in which a hit lies, to within a pixel; it may be nullptr.
void draw_lane(const Spans& spans, const Pyramid& pyramid, const Scale& scale, Picture& picture,
               const LaneHits* hits = nullptr);

// How strongly a column is painted: 0 where nothing is, and visible from the first span on.
double opacity(const PixelColumn& column);

}  // namespace rnnadvisor::gui::timeline
