// FlatStyle: Fusion with fields that look like those of the style sheet. Style sheets cannot draw
// the arrows of combo boxes and spin boxes in the colours of a theme.
#pragma once

#include <QProxyStyle>

namespace rnnadvisor::gui {

class FlatStyle : public QProxyStyle {
  Q_OBJECT
 public:
  FlatStyle();
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                       const QWidget* widget) const override;
  QRect subElementRect(SubElement element, const QStyleOption* option,
                       const QWidget* widget) const override;
  // No durations where less motion is asked for.
  int styleHint(StyleHint hint, const QStyleOption* option = nullptr,
                const QWidget* widget = nullptr, QStyleHintReturn* data = nullptr) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget) const override;
};

}  // namespace rnnadvisor::gui
