#include "gui/timeline/labels.h"

#include <cmath>

#include "gui/models/link.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr int step = 8;            // pixels between the widths that are cached
constexpr qreal margin = 4;        // on both sides
constexpr qreal least_width = 26;  // a letter or two and the ellipsis
constexpr std::size_t most_texts = 20'000;

// Of "GPU idle, 12.3 µs" the time alone.
QString name_after_comma(const QString& text) {
  return text.mid(text.indexOf(QLatin1String(", ")) + 2);
}

// Without its time on the device, a call is labelled with that on the host.
CallSpan host_span(CallSpan span) {
  span.begin_ns = span.end_ns = -1;
  return span;
}

}  // namespace

Labels::Labels(const QFont& font) : font_(font), metrics_(font) {}

void Labels::clear() { texts_.clear(); }

std::uint64_t Labels::key_of(const Timeline& timeline, Item item, bool on_host) {
  const Profile& p = *timeline.profile;
  const auto i = static_cast<std::size_t>(item.index);
  int name = item.index;  // calls have labels of their own
  if (item.kind == ItemKind::kernel) name = p.kernels.name[i];
  if (item.kind == ItemKind::api) name = p.api.name[i];
  if (item.kind == ItemKind::nvtx) name = p.nvtx.name[i];
  if (item.kind == ItemKind::transfer)
    name = p.transfers.operation[i] == MemoryOperation::set ? -1 : p.transfers.kind[i];
  return static_cast<std::uint64_t>(item.kind) << 33 | std::uint64_t{on_host} << 32 |
         static_cast<std::uint32_t>(name);
}

Labels::Text& Labels::text_of(const Timeline& timeline, Item item, bool on_host) {
  if (texts_.size() > most_texts) texts_.clear();
  const auto [at, is_new] = texts_.try_emplace(key_of(timeline, item, on_host));
  if (is_new) {
    const std::string name =
        on_host ? call_label(*timeline.profile, item.index,
                             host_span(timeline.calls[static_cast<std::size_t>(item.index)]))
                : item_name(timeline, item);
    at->second.whole = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    if (item.kind == ItemKind::gap) at->second.ends << name_after_comma(at->second.whole);
    if (item.kind == ItemKind::call) {
      at->second.whole = with_times_sign(at->second.whole);
      const QStringList parts = at->second.whole.split(QStringLiteral(", "));
      for (qsizetype i = 1; i < parts.size(); ++i)
        at->second.ends << parts.mid(i).join(QStringLiteral(", "));
    }
    at->second.width = metrics_.horizontalAdvance(at->second.whole);
  }
  return at->second;
}

QString Labels::shown(const Text& text, qreal room) const {
  if (text.width <= room) return text.whole;
  if (text.ends.isEmpty()) return metrics_.elidedText(text.whole, Qt::ElideRight, room);
  for (const auto& end : text.ends) {
    if (metrics_.horizontalAdvance(end) <= room) return end;
  }
  return {};
}

void Labels::draw(QPainter& painter, const Timeline& timeline, Item item, bool on_host,
                  const QRectF& box, QRgb color) {
  const qreal room = box.width() - 2 * margin;
  if (room < least_width - 2 * margin || box.height() < metrics_.height() - 4) return;
  Text& text = text_of(timeline, item, on_host);
  const bool fits = text.width <= room;
  const int bucket = fits ? -1 : static_cast<int>(room) / step;
  const auto [at, is_new] = text.cut.try_emplace(bucket);
  if (is_new) {
    at->second = QStaticText(shown(text, fits ? room : bucket * step));
    at->second.setTextFormat(Qt::PlainText);
    at->second.setPerformanceHint(QStaticText::AggressiveCaching);
    at->second.prepare({}, font_);
  }
  painter.setPen(QColor::fromRgb(color));
  painter.drawStaticText(
      QPointF(box.x() + margin, std::round(box.y() + (box.height() - metrics_.height()) / 2)),
      at->second);
}

}  // namespace rnnadvisor::gui::timeline
