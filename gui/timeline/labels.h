// Texts on spans: laid out once per name and width, because laying out text is what a frame would
// otherwise spend its time on.
#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <QStaticText>
#include <QStringList>
#include <unordered_map>

#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

class Labels {
 public:
  explicit Labels(const QFont& font);

  // The name of an item, cut to `width` with an ellipsis; nothing where not even some letters fit.
  // Of a call as many of its last parts as fit, for those tell it from its neighbours: the
  // implementation and the time, the time, or nothing.
  // `on_host`: of a call, with the time it took there.
  void draw(QPainter& painter, const Timeline& timeline, Item item, bool on_host, const QRectF& box,
            QRgb color);
  void clear();
  const QFont& font() const { return font_; }

 private:
  struct Text {
    QString whole;
    qreal width = 0;
    QStringList ends;  // of a call: what may stand for it, the longest first
    std::unordered_map<int, QStaticText> cut;  // by width in steps of some pixels
  };
  // Items of one name share a text.
  static std::uint64_t key_of(const Timeline& timeline, Item item, bool on_host);
  QString shown(const Text& text, qreal room) const;
  Text& text_of(const Timeline& timeline, Item item, bool on_host);

  QFont font_;
  QFontMetricsF metrics_;
  std::unordered_map<std::uint64_t, Text> texts_;
};

}  // namespace rnnadvisor::gui::timeline
