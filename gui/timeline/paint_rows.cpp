// Tracks: densities, bars and their labels. Pixels of spans are written straight into the image, a
// line at a time; QPainter draws the texts.
#include <algorithm>
#include <cmath>

#include "gui/timeline/counter_unit.h"
#include "gui/timeline/idle.h"
#include "gui/timeline/scene.h"
#include "gui/timeline/ticks.h"

namespace rnnadvisor::gui::timeline {
namespace {

// The least width, in logical pixels, from which on a bar may bear a label.
constexpr int label_width = 34;
// Of 256: what is no hit while something is searched for.
constexpr unsigned quiet_share = 70;
// Height of the mark of a hit that shares its pixel with others, in logical pixels.
constexpr int hit_mark = 3;

bool is_quiet(const Scene& scene, const Track& track, const Lane& lane, const Bar& bar) {
  if (scene.hits == nullptr) return false;
  return scene.hits->color ? bar.color != *scene.hits->color
                           : !is_hit(*scene.timeline, *scene.hits, item_of(track, lane, bar.span));
}

unsigned share_of(const PixelColumn& column) {
  return static_cast<unsigned>(std::lround(opacity(column) * 256));
}

}  // namespace

void ScenePainter::fill(int x, int y, int width, int height, QRgb color) {
  const int left = std::max(x, 0), right = std::min(x + width, image_.width());
  const int top = std::max(y, clip_top_), bottom = std::min(y + height, clip_bottom_);
  if (left >= right) return;
  for (int line = top; line < bottom; ++line) {
    auto* pixels = reinterpret_cast<QRgb*>(image_.scanLine(line));
    std::fill(pixels + left, pixels + right, color);
  }
}

// The ground of the tracks with the lines of the ruler, one line of pixels for all of them.
void ScenePainter::ground(const Scene& scene) {
  const qreal ratio = scene.device_ratio;
  const int left = static_cast<int>(std::lround(scene.header_width * ratio));
  ground_.assign(static_cast<std::size_t>(std::max(0, image_.width() - left)),
                 scene.palette.ground);
  for (const auto& tick : ticks(scene.scale(), scene.zero(), tick_spacing)) {
    if (tick.label.empty()) continue;
    const auto x = std::llround(scene.x_of(tick.time) * ratio) - left;
    if (x >= 0 && x < static_cast<long long>(ground_.size()))
      ground_[static_cast<std::size_t>(x)] = scene.theme.grid.rgb();
  }
  for (int line = static_cast<int>(scene.top_height() * ratio); line < image_.height(); ++line) {
    auto* pixels = reinterpret_cast<QRgb*>(image_.scanLine(line));
    std::copy(ground_.begin(), ground_.end(), pixels + left);
  }
}

void ScenePainter::rows(const Scene& scene) {
  const qreal ratio = scene.device_ratio;
  const auto device = [&](int y) { return static_cast<int>(std::lround(y * ratio)); };
  clip_top_ = std::min(device(scene.rows_top()), image_.height());
  clip_bottom_ = image_.height();
  painter_.save();
  painter_.setClipRect(0, scene.rows_top(), scene.size.width(), scene.rows_height());
  for (std::size_t i = scene.layout.row_at(scene.scroll); i < scene.layout.rows.size(); ++i) {
    const Row& one = scene.layout.rows[i];
    const int top = scene.top_of(one, false);
    if (top >= scene.size.height()) break;
    row(scene, one, top);
  }
  painter_.restore();
  clip_top_ = 0;
  for (const auto& one : scene.layout.pinned) row(scene, one, scene.top_of(one, true));
  if (scene.layout.pinned_height > 0) {
    painter_.setPen(scene.theme.accent);
    painter_.drawLine(0, scene.rows_top() - 2, scene.size.width(), scene.rows_top() - 2);
  }
}

void ScenePainter::row(const Scene& scene, const Row& one, int top) {
  const auto& track = scene.timeline->tracks[static_cast<std::size_t>(one.track)];
  switch (traits_of(track.kind).shape) {
    case TrackTraits::Shape::heading:
      break;
    case TrackTraits::Shape::busy:
      busy(scene, track, top, one.lane_height);
      if (one.lanes > idle_lane)
        idle(scene, track, top + one.lane_height, one.height - one.lane_height);
      break;
    case TrackTraits::Shape::steps:
      memory(scene, track, top, one.height);
      break;
    case TrackTraits::Shape::samples:
      counter(scene, track, top, one.height);
      break;
    case TrackTraits::Shape::spans:
      for (int i = 0; i < one.lanes; ++i)
        lane(scene, one, track, i, top + i * one.lane_height, one.lane_height - 1);
  }
  header(scene, one, top);
}

void ScenePainter::lane(const Scene& scene, const Row& one, const Track& track, int index, int y,
                        int height) {
  const qreal ratio = scene.device_ratio;
  const int top = static_cast<int>(std::lround(y * ratio));
  const int bottom = static_cast<int>(std::lround((y + height) * ratio));
  if (bottom <= clip_top_ || top >= clip_bottom_) return;
  const Lane& of = track.lanes[static_cast<std::size_t>(index)];
  const int left = static_cast<int>(std::lround(scene.header_width * ratio));
  const int width = image_.width() - left;
  if (width <= 0) return;
  const LaneHits* hits = scene.hits != nullptr ? scene.hits->lane(one.track, index) : nullptr;
  draw_lane(of.spans, *of.pyramid, {scene.visible, static_cast<double>(width)}, picture_, hits);
  paint_lane(scene, track, of, hits, y, height);
  labels(scene, track, of, y, height);
}

// What is in `picture_`. While something is searched for, what it is not steps back.
void ScenePainter::paint_lane(const Scene& scene, const Track& track, const Lane& of,
                              const LaneHits* hits, int y, int height) {
  const qreal ratio = scene.device_ratio;
  const int top = static_cast<int>(std::lround(y * ratio));
  const int bottom = static_cast<int>(std::lround((y + height) * ratio));
  const int left = static_cast<int>(std::lround(scene.header_width * ratio));
  const SpanPalette& palette = scene.palette;
  line_ = ground_;  // with the lines of the ruler
  for (std::size_t x = 0; x < line_.size(); ++x) {
    const PixelColumn& column = picture_.columns[x];
    if (!column.any) continue;
    // Gaps have a colour, and no name to be searched for.
    const bool quiet = scene.hits != nullptr && !column.hit &&
                       !(column.color == idle_color && scene.hits->color == idle_color);
    line_[x] = blend(palette.ground, palette.fill[column.color],
                     quiet ? share_of(column) * quiet_share / 256 : share_of(column));
  }
  const int edge = std::max(1, static_cast<int>(ratio));
  for (const auto& bar : picture_.bars) {
    QRgb color = palette.fill[bar.color];
    if (is_quiet(scene, track, of, bar)) {
      color = blend(palette.ground, color, quiet_share);
    }
    std::fill(line_.begin() + bar.begin, line_.begin() + bar.end, color);
    // Spans that touch are told apart by a line.
    if (bar.end - bar.begin >= 4 * edge) {
      std::fill(line_.begin() + bar.begin, line_.begin() + bar.begin + edge,
                palette.edge[bar.color]);
    }
  }
  for (int line = std::max(top, clip_top_); line < std::min(bottom, clip_bottom_); ++line) {
    auto* pixels = reinterpret_cast<QRgb*>(image_.scanLine(line));
    std::copy(line_.begin(), line_.end(), pixels + left);
  }
  if (hits != nullptr) {
    const int mark = static_cast<int>(std::lround(hit_mark * ratio));
    for (std::size_t x = 0; x < line_.size(); ++x) {
      if (picture_.columns[x].hit)
        fill(left + static_cast<int>(x), bottom - mark, edge, mark, scene.theme.evidence.rgb());
    }
  }
}

void ScenePainter::labels(const Scene& scene, const Track& track, const Lane& of, int y,
                          int height) {
  if (height < 12) return;
  const qreal ratio = scene.device_ratio;
  for (const auto& bar : picture_.bars) {
    if (bar.end - bar.begin < label_width * ratio) continue;
    const Item item = item_of(track, of, bar.span);
    const QRectF box(scene.header_width + bar.begin / ratio, y, (bar.end - bar.begin) / ratio,
                     height);
    labels_.draw(painter_, *scene.timeline, item, track.kind == TrackKind::host_calls, box,
                 is_quiet(scene, track, of, bar) ? scene.theme.dim_text.rgb()
                                                 : scene.palette.text[bar.color]);
  }
}

// How much of the time a kernel runs, as a height, and what is left of it in the colour of idling.
void ScenePainter::busy(const Scene& scene, const Track& track, int y, int height) {
  const qreal ratio = scene.device_ratio;
  const int left = static_cast<int>(std::lround(scene.header_width * ratio));
  const int top = static_cast<int>(std::lround(y * ratio));
  const int tall = static_cast<int>(std::lround(height * ratio));
  const int width = image_.width() - left;
  if (width <= 0) return;
  const Lane& of = track.lanes.front();
  draw_lane(of.spans, *of.pyramid, {scene.visible, static_cast<double>(width)}, picture_);
  for (const auto& bar : picture_.bars) {
    for (int x = bar.begin; x < bar.end; ++x)
      picture_.columns[static_cast<std::size_t>(x)] = {1, 0, 0, true};
  }
  heights_.resize(static_cast<std::size_t>(width));
  for (std::size_t x = 0; x < heights_.size(); ++x) {
    const PixelColumn& column = picture_.columns[x];
    const double share = std::min(1.0, static_cast<double>(column.covered));
    heights_[x] = column.any ? std::max<std::int64_t>(1, std::llround(share * tall)) : 0;
  }
  const QRgb work = scene.palette.fill[busy_color], idle = scene.theme.idle.rgb();
  for (int line = std::max(top, clip_top_); line < std::min(top + tall, clip_bottom_); ++line) {
    auto* pixels = reinterpret_cast<QRgb*>(image_.scanLine(line)) + left;
    const std::int64_t needed = top + tall - line;
    for (std::size_t x = 0; x < heights_.size(); ++x)
      pixels[x] = heights_[x] >= needed ? work : idle;
  }
}

// The gaps of a device: bars with their lengths, and the idle share of pixels that hold several.
void ScenePainter::idle(const Scene& scene, const Track& track, int y, int height) {
  const qreal ratio = scene.device_ratio;
  const int left = static_cast<int>(std::lround(scene.header_width * ratio));
  const int width = image_.width() - left;
  if (width <= 0) return;
  draw_gaps(track.lanes.front().spans, {scene.visible, static_cast<double>(width)}, picture_);
  paint_lane(scene, track, track.lanes.front(), nullptr, y, height);
  if (height < 12) return;
  for (const auto& bar : picture_.bars) {
    if (bar.end - bar.begin < label_width * ratio) continue;
    labels_.draw(painter_, *scene.timeline, gap_before_span(*scene.timeline, track, bar.span),
                 false,
                 {scene.header_width + bar.begin / ratio, static_cast<qreal>(y),
                  (bar.end - bar.begin) / ratio, static_cast<qreal>(height)},
                 is_quiet(scene, track, track.lanes.front(), bar) ? scene.theme.dim_text.rgb()
                                                                  : scene.palette.text[bar.color]);
  }
}

// The ground, with the lines of the ruler.
void ScenePainter::clear_row(int left, int top, int tall) {
  for (int line = std::max(top, clip_top_); line < std::min(top + tall, clip_bottom_); ++line) {
    auto* pixels = reinterpret_cast<QRgb*>(image_.scanLine(line));
    std::copy(ground_.begin(), ground_.end(), pixels + left);
  }
}

// A column of an area, with a line on top.
void ScenePainter::column(int x, int bottom, int bar, QRgb area, QRgb line) {
  if (bar <= 0) return;
  fill(x, bottom - bar, 1, bar, area);
  fill(x, bottom - bar, 1, std::min(bar, 2), line);
}

void ScenePainter::memory(const Scene& scene, const Track& track, int y, int height) {
  const qreal ratio = scene.device_ratio;
  const int left = static_cast<int>(std::lround(scene.header_width * ratio));
  const int top = static_cast<int>(std::lround(y * ratio));
  const int tall = static_cast<int>(std::lround(height * ratio));
  const int width = image_.width() - left;
  if (width <= 0) return;
  clear_row(left, top, tall);
  track.area.draw({scene.visible, static_cast<double>(width)}, heights_);
  const double peak = static_cast<double>(std::max<std::int64_t>(1, track.area.peak()));
  const QRgb line = scene.palette.fill[memory_color];
  const QRgb area = blend(scene.palette.ground, line, 110);
  for (int x = 0; x < width; ++x) {
    const double share = static_cast<double>(heights_[static_cast<std::size_t>(x)]) / peak;
    column(left + x, top + tall, static_cast<int>(std::lround(share * (tall - 2))), area, line);
  }
}

void ScenePainter::counter(const Scene& scene, const Track& track, int y, int height) {
  const qreal ratio = scene.device_ratio;
  const int left = static_cast<int>(std::lround(scene.header_width * ratio));
  const int top = static_cast<int>(std::lround(y * ratio));
  const int tall = static_cast<int>(std::lround(height * ratio));
  const int width = image_.width() - left;
  if (width <= 0) return;
  clear_row(left, top, tall);
  track.samples.draw({scene.visible, static_cast<double>(width)}, values_);
  const auto unit = counter_unit(scene.timeline->profile->text(track.key.metric));
  const double most = counter_top(unit, track.samples.peak());
  const QRgb line = scene.palette.fill[counter_color];
  const QRgb area = blend(scene.palette.ground, line, 110);
  for (int x = 0; x < width; ++x) {
    const double value = values_[static_cast<std::size_t>(x)];
    if (std::isnan(value)) continue;
    // A zero that was measured is a line on the ground; where nothing was measured there is none.
    const double share = std::clamp(value / most, 0.0, 1.0);
    column(left + x, top + tall, std::max(1, static_cast<int>(std::lround(share * (tall - 2)))),
           area, line);
  }
}

}  // namespace rnnadvisor::gui::timeline
