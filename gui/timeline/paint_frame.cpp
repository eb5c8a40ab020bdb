// What stands around and above the tracks: overview, ruler, headers, outlines, arrows, measure.
#include <QCoreApplication>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>

#include "gui/models/link.h"
#include "gui/texts.h"
#include "gui/timeline/scene.h"
#include "gui/timeline/ticks.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr int fold_size = 8;
constexpr double arrow_spacing = 9;

QFont sized(QFont font, qreal factor, bool bold = false) {
  if (font.pixelSize() > 0) {
    font.setPixelSize(std::max(9, static_cast<int>(std::lround(font.pixelSize() * factor))));
  } else {
    font.setPointSizeF(font.pointSizeF() * factor);
  }
  if (bold) font.setWeight(QFont::DemiBold);
  return font;
}

}  // namespace

QFont small_font(const QFont& font) { return sized(font, 0.88); }

ScenePainter::ScenePainter(const QFont& font)
    : labels_(sized(font, 0.88)),
      font_(font),
      small_font_(small_font(font)),
      bold_font_(sized(font, 1.0, true)) {}

const QImage& ScenePainter::paint(const Scene& scene) {
  const QSize pixels(
      std::max(1, static_cast<int>(std::lround(scene.size.width() * scene.device_ratio))),
      std::max(1, static_cast<int>(std::lround(scene.size.height() * scene.device_ratio))));
  if (image_.size() != pixels) image_ = QImage(pixels, QImage::Format_RGB32);
  image_.setDevicePixelRatio(scene.device_ratio);
  image_.fill(scene.theme.window);
  if (scene.timeline == nullptr || scene.visible.length() <= 0) return image_;
  painter_.begin(&image_);
  painter_.setFont(labels_.font());
  ground(scene);
  rows(scene);
  overlays(scene);
  if (scene.with_overview) overview(scene);
  ruler(scene);
  crosshair(scene);
  marks(scene);
  painter_.end();
  return image_;
}

void ScenePainter::header(const Scene& scene, const Row& one, int top) {
  const auto index = static_cast<std::size_t>(one.track);
  const auto& track = scene.timeline->tracks[index];
  const TrackState state = index < scene.states.size() ? scene.states[index] : TrackState{};
  const auto& kind = traits_of(track.kind);
  const bool heading = kind.shape == TrackTraits::Shape::heading;
  const bool top_level = heading || track.parent < 0;
  const QRect box(0, top, scene.header_width, one.height);
  painter_.save();
  painter_.setClipRect(QRect(0, top, heading ? scene.size.width() : scene.header_width, one.height),
                       Qt::IntersectClip);
  const bool hovered = scene.hovered_row == one.track || scene.dragged_track == one.track;
  painter_.fillRect(box, hovered ? scene.theme.raised : scene.theme.window);
  if (heading) {
    painter_.fillRect(QRect(scene.header_width, top, scene.spans_width(), one.height),
                      scene.theme.window);
    painter_.setPen(scene.theme.border);
    painter_.drawLine(0, top + one.height - 1, scene.size.width(), top + one.height - 1);
  }
  int x = top_level ? 14 : 28;
  if (heading || kind.is_area() || track.lanes.size() > 1) {
    QPolygonF triangle;
    const qreal middle = top + std::min(one.height, 22) / 2.0, s = fold_size / 2.0;
    const qreal at = x - 2;
    if (state.folded) {
      triangle << QPointF(at - 2, middle - s) << QPointF(at - 2, middle + s)
               << QPointF(at + s - 1, middle);
    } else {
      triangle << QPointF(at - s, middle - 2) << QPointF(at + s, middle - 2)
               << QPointF(at, middle + s - 1);
    }
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(scene.theme.dim_text);
    painter_.drawPolygon(triangle);
    x += 9;
  }
  const QString title = track_title(*scene.timeline, track);
  QString more = track_subtitle(*scene.timeline, track);
  painter_.setFont(top_level ? bold_font_ : font_);
  const QFontMetrics metrics(painter_.font());
  const int right = scene.header_width - 10;
  const QRect text(x, top, right - x, std::min(one.height, std::max(22, heading ? one.height : 0)));
  if (one.height >= metrics.height() - 6) {
    const QFontMetrics small(small_font_);
    const bool two_lines = one.height >= metrics.height() + small.height();
    // A folded counter is at least told with its unit.
    const QString brief = brief_subtitle(*scene.timeline, track);
    if (!two_lines && !brief.isEmpty() &&
        metrics.horizontalAdvance(title) + small.horizontalAdvance(more) + 8 > text.width())
      more = brief;
    const int more_width = two_lines ? 0 : small.horizontalAdvance(more) + 8;
    // A long name gives way to a short addition; a long addition is left out only where it would.
    // Of one kind on one thread the name alone tells all.
    const bool thread = kind.of == TrackTraits::Of::thread;
    const bool both = !brief.isEmpty() || (more_width < text.width() * 0.55 && !thread) ||
                      metrics.horizontalAdvance(title) + more_width <= text.width();
    painter_.setPen(scene.theme.text);
    const QString cut = metrics.elidedText(
        title, Qt::ElideMiddle, text.width() - (both && !more.isEmpty() ? more_width : 0));
    // Beside the first of many lanes, in the middle of what is one.
    const int middle = (one.height - metrics.height() - small.height()) / 2;
    const int above = track.lanes.size() > 1 ? std::min(middle, 2) : middle;
    painter_.drawText(two_lines ? QRect(x, top + above, text.width(), metrics.height()) : text,
                      Qt::AlignLeft | Qt::AlignVCenter, cut);
    painter_.setFont(small_font_);
    painter_.setPen(scene.theme.dim_text);
    if (two_lines) {
      painter_.drawText(QRect(x, top + above + metrics.height(), right - x, small.height()),
                        Qt::AlignLeft | Qt::AlignVCenter,
                        small.elidedText(more, Qt::ElideRight, right - x));
    } else if (both) {
      painter_.drawText(text, Qt::AlignRight | Qt::AlignVCenter, more);
    }
  }
  if (scene.current_track == one.track || scene.dragged_track == one.track) {
    painter_.setPen(QPen(scene.theme.accent, scene.dragged_track == one.track ? 2 : 1));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(QRect(1, top, scene.header_width - 3, one.height - 1));
  }
  // One line beside all streams of the same calls.
  if (track.first_stream >= 0)
    painter_.fillRect(QRect(19, top, 2, one.height + Metrics{}.gap), scene.theme.dim_text);
  if (state.pinned) painter_.fillRect(QRect(0, top, 3, one.height), scene.theme.accent);
  painter_.setFont(labels_.font());
  painter_.restore();
}

void ScenePainter::ruler(const Scene& scene) {
  const QRect box(0, scene.overview(), scene.size.width(), ruler_height);
  painter_.fillRect(box, scene.theme.window);
  painter_.setFont(small_font_);
  const QFontMetrics metrics(small_font_);
  painter_.setPen(scene.theme.border);
  painter_.drawLine(0, box.bottom(), scene.size.width(), box.bottom());
  painter_.setPen(scene.theme.dim_text);
  painter_.drawText(QRect(14, box.top(), scene.header_width - 24, ruler_height),
                    Qt::AlignVCenter | Qt::AlignLeft,
                    QCoreApplication::translate("Timeline", "%1 visible")
                        .arg(to_qt(duration_text(scene.visible.length()))));
  painter_.save();
  painter_.setClipRect(QRect(scene.header_width, box.top(), scene.spans_width(), ruler_height));
  for (const auto& tick : ticks(scene.scale(), scene.zero(), tick_spacing)) {
    const int x = static_cast<int>(std::lround(scene.x_of(tick.time)));
    painter_.setPen(scene.theme.border);
    painter_.drawLine(x, box.bottom() - (tick.label.empty() ? 4 : 9), x, box.bottom());
    // A label that reaches outside would be read without its first or last digits.
    const QString label = to_qt(tick.label);
    if (label.isEmpty() || x < scene.header_width ||
        x + 4 + metrics.horizontalAdvance(label) > scene.size.width())
      continue;
    painter_.setPen(scene.theme.dim_text);
    painter_.drawText(QPointF(x + 4, box.top() + metrics.ascent() + 3), label);
  }
  painter_.restore();
}

// The whole recording: what of it is seen, and how busy the devices are.
void ScenePainter::overview(const Scene& scene) {
  const Theme& theme = scene.theme;
  painter_.fillRect(QRect(0, 0, scene.size.width(), overview_height), theme.window);
  painter_.setFont(small_font_);
  painter_.setPen(theme.dim_text);
  const QString all = QCoreApplication::translate("Timeline", "All %1")
                          .arg(to_qt(duration_text(scene.timeline->range.length())));
  painter_.drawText(QRect(14, 0, scene.header_width - 18, overview_height),
                    Qt::AlignVCenter | Qt::AlignLeft, all);
  const QRect box(scene.header_width, 5, scene.spans_width(), overview_height - 10);
  painter_.fillRect(box, theme.panel);
  Scene whole;
  whole.timeline = scene.timeline;
  whole.palette = scene.palette;
  whole.theme = theme;
  whole.theme.idle = theme.panel;
  whole.visible = scene.timeline->range;
  whole.size = scene.size;
  whole.header_width = scene.header_width;
  whole.device_ratio = scene.device_ratio;
  clip_top_ = 0;
  clip_bottom_ = image_.height();
  // Calls and up to three devices; more than that would be too thin to say anything.
  std::vector<const Track*> shown;
  for (const auto& track : scene.timeline->tracks) {
    if (track.kind == TrackKind::busy && shown.size() < 3) shown.push_back(&track);
  }
  const int count = static_cast<int>(shown.size());
  for (int i = 0; i < count; ++i) {
    const int top = box.top() + box.height() * i / count;
    busy(whole, *shown[static_cast<std::size_t>(i)], top,
         box.top() + box.height() * (i + 1) / count - top);
  }
  overview_hits(scene, box);
  const Scale scale{scene.timeline->range, static_cast<double>(scene.spans_width())};
  const double left = scene.header_width + scale.x_of(scene.visible.begin_ns);
  const double right = std::max(left + 3, scene.header_width + scale.x_of(scene.visible.end_ns));
  QColor veil = theme.window;
  veil.setAlphaF(0.72F);
  painter_.fillRect(QRectF(box.left(), box.top(), left - box.left(), box.height()), veil);
  painter_.fillRect(QRectF(right, box.top(), box.right() + 1 - right, box.height()), veil);
  painter_.setPen(QPen(theme.accent, 1));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawRect(
      QRectF(left + 0.5, box.top() - 0.5, std::max(2.0, right - left - 1), box.height()));
}

// Where in the whole recording there are hits: along its lower edge.
void ScenePainter::overview_hits(const Scene& scene, const QRect& box) {
  if (scene.hits == nullptr) return;
  const qreal ratio = scene.device_ratio;
  const int left = static_cast<int>(std::lround(scene.header_width * ratio));
  const int width = image_.width() - left;
  if (width <= 0) return;
  const Scale whole{scene.timeline->range, static_cast<double>(width)};
  const int tall = static_cast<int>(std::lround(4 * ratio));
  const int top = static_cast<int>(std::lround((box.bottom() + 1) * ratio)) - tall;
  for (std::size_t t = 0; t < scene.timeline->tracks.size(); ++t) {
    const auto& track = scene.timeline->tracks[t];
    for (std::size_t l = 0; l < track.lanes.size(); ++l) {
      const auto* hits = scene.hits->lane(static_cast<int>(t), static_cast<int>(l));
      if (hits == nullptr) continue;
      const Lane& lane = track.lanes[l];
      draw_lane(lane.spans, *lane.pyramid, whole, picture_, hits);
      for (int x = 0; x < width; ++x) {
        if (picture_.columns[static_cast<std::size_t>(x)].hit)
          fill(left + x, top, std::max(1, static_cast<int>(ratio)), tall,
               scene.theme.evidence.rgb());
      }
      for (const auto& bar : picture_.bars) {
        if (hits->any(0, bar.span))
          fill(left + bar.begin, top, bar.end - bar.begin, tall, scene.theme.evidence.rgb());
      }
    }
  }
}

void ScenePainter::outline(const Scene& scene, Item item, const QColor& color, qreal width) {
  const auto rect = scene.rect_of(item);
  if (!rect) return;
  QRectF box = rect->intersected(
      QRectF(scene.header_width - 8, 0, scene.spans_width() + 16, scene.size.height()));
  if (box.isEmpty()) return;
  if (box.width() < 3) box = QRectF(box.center().x() - 1.5, box.y(), 3, box.height());
  painter_.setPen(QPen(color, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter_.setBrush(Qt::NoBrush);
  const qreal in = width / 2;
  painter_.drawRect(box.adjusted(-in, -in + 0.5, in, in - 0.5));
}

void ScenePainter::overlays(const Scene& scene) {
  painter_.save();
  painter_.setClipRect(QRect(scene.header_width, scene.top_height(), scene.spans_width(),
                             scene.size.height() - scene.top_height()));
  for (const Item& item : scene.highlighted) outline(scene, item, scene.theme.evidence, 1.5);
  if (scene.hovered != scene.selection) outline(scene, scene.hovered, scene.theme.dim_text, 1);
  arrows(scene);
  outline(scene, scene.selection, scene.theme.text, 2);
  painter_.restore();
  measured(scene);
  painter_.setPen(scene.theme.border);
  painter_.drawLine(scene.header_width - 1, scene.top_height(), scene.header_width - 1,
                    scene.size.height());
}

void ScenePainter::find_flows(const Scene& scene) {
  if (flows_timeline_ == scene.timeline && flows_item_ == scene.selection) return;
  flows_timeline_ = scene.timeline;
  flows_item_ = scene.selection;
  flows_ = flows_of(*scene.timeline, scene.selection);
  flow_count_ = flow_count(*scene.timeline, scene.selection);
}

QString arrows_text(int drawn, std::int64_t all) {
  return Texts::tr("%L1 of %L2 arrows drawn").arg(drawn).arg(all);
}

void ScenePainter::arrows(const Scene& scene) {
  if (scene.selection.empty()) return;
  find_flows(scene);
  const auto& flows = flows_;
  int drawn = 0;
  bool thinned = static_cast<std::int64_t>(flows.size()) < flow_count_;
  painter_.setRenderHint(QPainter::Antialiasing);
  QColor color = scene.theme.accent;
  color.setAlphaF(flows.size() > 8 ? 0.45F : 0.9F);
  std::map<qreal, qreal> last;  // by the row's top: where the last arrow ended
  for (const auto& flow : flows) {
    auto from = scene.rect_of(flow.from);
    // Of a call the arrows begin where it was made.
    if (flow.from.kind == ItemKind::call) {
      for (std::size_t t = 0; t < scene.timeline->tracks.size(); ++t) {
        const auto& track = scene.timeline->tracks[t];
        if (track.kind != TrackKind::host_calls) continue;
        for (std::size_t l = 0; l < track.lanes.size(); ++l) {
          const Spans& spans = track.lanes[l].spans;
          const auto row = static_cast<std::size_t>(flow.from.index);
          const auto at = spans.first_from(scene.timeline->host_begin[row]);
          if (at < spans.count && spans.row(at) == row)
            from = scene.rect_of(Place{static_cast<int>(t), static_cast<int>(l), at});
        }
      }
    }
    const auto to = scene.rect_of(flow.to);
    if (!from || !to) continue;
    // Where kernels lie closer than arrows can be told apart, one stands for its neighbours.
    const auto before = last.find(to->y());
    if (before != last.end() && std::abs(to->x() - before->second) < arrow_spacing) {
      thinned = true;
      continue;
    }
    last[to->y()] = to->x();
    const bool down = from->center().y() < to->center().y();
    // Partners outside the picture are pointed at from its edge.
    const auto inside = [&](double x) {
      return std::clamp<double>(x, scene.header_width - 6, scene.size.width() + 6);
    };
    const QPointF a(inside(from->x() + std::min(2.0, from->width())),
                    down ? from->bottom() : from->top());
    const QPointF b(inside(to->x()), down ? to->top() : to->bottom());
    if ((a.x() <= scene.header_width && b.x() <= scene.header_width) ||
        (a.x() >= scene.size.width() && b.x() >= scene.size.width())) {
      continue;
    }
    QPainterPath path(a);
    const qreal bend = (b.y() - a.y()) * 0.5;
    path.cubicTo(a + QPointF(0, bend), b - QPointF(0, bend), b);
    painter_.setPen(QPen(color, 1.2));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawPath(path);
    const qreal tip = down ? -6 : 6;
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(color);
    painter_.drawPolygon(QPolygonF({b, b + QPointF(-3.5, tip), b + QPointF(3.5, tip)}));
    ++drawn;
  }
  painter_.setRenderHint(QPainter::Antialiasing, false);
  if (!thinned || drawn == 0) return;
  const QString text = arrows_text(drawn, flow_count_);
  const QFontMetrics metrics(small_font_);
  const QRect label(scene.header_width + 8, scene.size.height() - metrics.height() - 12,
                    metrics.horizontalAdvance(text) + 12, metrics.height() + 4);
  painter_.fillRect(label, scene.theme.raised);
  painter_.setFont(small_font_);
  painter_.setPen(scene.theme.text);
  painter_.drawText(label, Qt::AlignCenter, text);
}

void ScenePainter::measured(const Scene& scene) {
  if (!scene.measured) return;
  const double left = std::max<double>(scene.header_width, scene.x_of(scene.measured->begin_ns));
  const double right = std::min<double>(scene.size.width(), scene.x_of(scene.measured->end_ns));
  if (right < left) return;
  QColor veil = scene.theme.accent;
  veil.setAlphaF(0.13F);
  const QRectF box(left, scene.top_height(), std::max(1.0, right - left),
                   scene.size.height() - scene.top_height());
  painter_.fillRect(box, veil);
  painter_.setPen(scene.theme.accent);
  painter_.drawLine(QLineF(box.left(), box.top(), box.left(), box.bottom()));
  painter_.drawLine(QLineF(box.right(), box.top(), box.right(), box.bottom()));
  const QString text = to_qt(duration_text(scene.measured->length()));
  painter_.setFont(small_font_);
  const QFontMetrics metrics(small_font_);
  QRectF label(0, 0, metrics.horizontalAdvance(text) + 14, metrics.height() + 4);
  label.moveCenter(QPointF(box.center().x(), scene.rows_top() + label.height() / 2 + 3));
  label.moveLeft(std::clamp<double>(label.left(), scene.header_width + 2,
                                    scene.size.width() - label.width() - 2));
  painter_.setRenderHint(QPainter::Antialiasing);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(scene.theme.accent);
  painter_.drawRoundedRect(label, 3, 3);
  painter_.setRenderHint(QPainter::Antialiasing, false);
  painter_.setPen(scene.theme.text_on_accent);
  painter_.drawText(label, Qt::AlignCenter, text);
}

QString crosshair_text(const Scene& scene) {
  const auto time = scene.time_at(scene.pointer_x);
  QString text = exact_text(time - scene.zero());
  if (scene.selection.empty() || !place_of(*scene.timeline, scene.selection)) return text;
  const TimeRange of = item_range(*scene.timeline, scene.selection);
  return text + (time < of.begin_ns
                     ? Texts::tr(", %1 before the selection").arg(exact_text(of.begin_ns - time))
                 : time > of.end_ns
                     ? Texts::tr(", %1 after the selection").arg(exact_text(time - of.end_ns))
                     : Texts::tr(", %1 into the selection").arg(exact_text(time - of.begin_ns)));
}

// A line through all tracks where the pointer is, and its time over the ruler.
void ScenePainter::crosshair(const Scene& scene) {
  const double x = scene.pointer_x;
  if (x < scene.header_width || x >= scene.size.width()) return;
  painter_.setPen(QPen(scene.theme.dim_text, 1, Qt::DotLine));
  painter_.drawLine(QLineF(x, scene.top_height(), x, scene.size.height()));
  painter_.setFont(small_font_);
  const QString text = crosshair_text(scene);
  QRectF label(0, scene.overview() + 1, QFontMetrics(small_font_).horizontalAdvance(text) + 12,
               ruler_height - 2);
  label.moveLeft(
      std::clamp(x - label.width() / 2, scene.header_width + 1.0,
                 std::max(scene.header_width + 1.0, scene.size.width() - label.width() - 1)));
  painter_.fillRect(label, scene.theme.raised);
  painter_.setPen(scene.theme.text);
  painter_.drawText(label, Qt::AlignCenter, text);
}

}  // namespace rnnadvisor::gui::timeline
