// Everything that a picture of the timeline depends on, and the painting of it. The widget holds
// one; tests and benchmarks make their own.
#pragma once

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QRectF>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/marks.h"
#include "gui/theme.h"
#include "gui/timeline/density.h"
#include "gui/timeline/flows.h"
#include "gui/timeline/hit.h"
#include "gui/timeline/labels.h"
#include "gui/timeline/layout.h"
#include "gui/timeline/palette.h"
#include "gui/timeline/scale.h"
#include "gui/timeline/search.h"

namespace rnnadvisor::gui::timeline {

// Logical pixels.
inline constexpr int overview_height = 40;
inline constexpr int ruler_height = 24;
inline constexpr int mark_height = 17;  // of the flags of marks, below the ruler
inline constexpr double tick_spacing = 110;

struct Scene {
  std::shared_ptr<const Timeline> timeline;
  std::vector<TrackState> states;
  Layout layout;
  Theme theme;
  SpanPalette palette;
  QSize size;  // logical pixels
  qreal device_ratio = 1;
  int header_width = 220;
  int scroll = 0;  // pixels that the rows are moved up
  TimeRange visible;
  Item selection, hovered;
  std::vector<Item> highlighted;
  std::optional<TimeRange> measured;
  std::shared_ptr<const SearchResult> hits;
  int hovered_row = -1;    // track whose header the pointer is on
  int current_track = -1;  // that keys move
  int dragged_track = -1;  // that is being moved
  Arrangement arrangement;
  double height_factor = 1;  // of the rows
  std::vector<Mark> marks;   // by time
  int hovered_mark = -1;
  double pointer_x = -1;                // of the pointer; -1: it is not over the tracks
  bool with_overview = true;            // the whole recording above the ruler
  std::optional<std::int64_t> zero_ns;  // where the ruler counts from; nothing: from the beginning

  int spans_width() const { return std::max(1, size.width() - header_width); }
  Scale scale() const { return {visible, static_cast<double>(spans_width())}; }
  double x_of(std::int64_t time) const { return header_width + scale().x_of(time); }
  std::int64_t time_at(double x) const { return scale().time_at(x - header_width); }
  int overview() const { return with_overview ? overview_height : 0; }
  std::int64_t zero() const { return zero_ns.value_or(timeline->range.begin_ns); }
  // What stands above the rows; marks have a line where there are any.
  int top_height() const {
    return overview() + ruler_height + (marks.empty() ? 0 : mark_height + 2);
  }
  // Where the rows that scroll begin.
  int rows_top() const { return top_height() + layout.pinned_height; }
  int rows_height() const { return std::max(0, size.height() - rows_top()); }
  // The top of a row on the screen.
  int top_of(const Row& row, bool pinned) const {
    return pinned ? top_height() + row.y : rows_top() + row.y - scroll;
  }
  // The row at a height of the widget; pinned ones lie over the others.
  const Row* row_at(int y, int* top = nullptr) const;
  // The rectangle of an item where it is shown; nothing where its track is hidden. It may lie
  // outside the picture.
  std::optional<QRectF> rect_of(Item item) const;
  std::optional<QRectF> rect_of(const Place& place) const;
};

// Of the moment under the pointer: "4.030123456 s", and how far it is from the selection.
QString crosshair_text(const Scene& scene);

// "12 of 512 arrows drawn".
QString arrows_text(int drawn, std::int64_t all);

// What lies under a pixel.
struct Under {
  const Row* row = nullptr;
  int lane = -1;
  Item item;
  std::optional<TimeRange> gap;  // of a device before its first kernel or after its last
  std::int64_t time = 0;
  bool header = false, overview = false, ruler = false;
  int mark = -1;  // whose flag it is
};
// Where the flag of a mark stands.
struct MarkFlag {
  int mark = -1;  // index into Scene::marks
  QRectF box;
};
std::vector<MarkFlag> flags_of(const Scene& scene, const QFontMetricsF& metrics);
// `font`: that of the widget.
Under under(const Scene& scene, QPointF position, const QFont& font);

// Of labels, flags and additions.
QFont small_font(const QFont& font);

class ScenePainter {
 public:
  explicit ScenePainter(const QFont& font);
  // The whole picture, in the size of the scene. The image is used again while nothing changes its
  // size.
  const QImage& paint(const Scene& scene);
  void forget_labels() { labels_.clear(); }

 private:
  void ground(const Scene& scene);
  void rows(const Scene& scene);
  void row(const Scene& scene, const Row& row, int top);
  void lane(const Scene& scene, const Row& row, const Track& track, int lane, int y, int height);
  void paint_lane(const Scene& scene, const Track& track, const Lane& lane, const LaneHits* hits,
                  int y, int height);
  void labels(const Scene& scene, const Track& track, const Lane& lane, int y, int height);
  void busy(const Scene& scene, const Track& track, int y, int height);
  // After busy() of the same track.
  void idle(const Scene& scene, const Track& track, int y, int height);
  void memory(const Scene& scene, const Track& track, int y, int height);
  void counter(const Scene& scene, const Track& track, int y, int height);
  void clear_row(int left, int top, int tall);
  void column(int x, int bottom, int bar, QRgb area, QRgb line);
  void header(const Scene& scene, const Row& row, int top);
  void overlays(const Scene& scene);
  void outline(const Scene& scene, Item item, const QColor& color, qreal width);
  void arrows(const Scene& scene);
  // Of the selection; looked for once, for it may go through all kernels.
  void find_flows(const Scene& scene);
  void measured(const Scene& scene);
  void crosshair(const Scene& scene);
  void marks(const Scene& scene);
  void overview_hits(const Scene& scene, const QRect& box);
  void ruler(const Scene& scene);
  void overview(const Scene& scene);
  void fill(int x, int y, int width, int height, QRgb color);  // device pixels

  Labels labels_;
  std::shared_ptr<const Timeline> flows_timeline_;
  Item flows_item_;
  std::vector<Flow> flows_;
  std::int64_t flow_count_ = 0;
  QFont font_, small_font_, bold_font_;
  QImage image_;
  QPainter painter_;
  Picture picture_;
  std::vector<QRgb> line_, ground_;
  std::vector<std::int64_t> heights_;
  std::vector<double> values_;
  int clip_top_ = 0, clip_bottom_ = 0;  // device pixels that rows may paint
};

// "stream 7 (copies)": with the name that the program gave it, if any.
QString with_name(const QString& number, const std::string& name);
// "GPU 0", "stream 7", "thread 4711": what stands in the header of a track.
QString track_title(const Timeline& timeline, const Track& track);
// "Tensor cores active"; the name in CUPTI where we have no better one.
QString counter_title(const Timeline& timeline, const Track& track);
QString track_subtitle(const Timeline& timeline, const Track& track);
// Of a counter, where there is no room for the subtitle: whose it is, if there are several devices,
// and its unit, with the prefix that its peak has. Empty for other tracks.
QString brief_subtitle(const Timeline& timeline, const Track& track);

}  // namespace rnnadvisor::gui::timeline
