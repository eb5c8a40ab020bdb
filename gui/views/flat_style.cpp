#include "gui/views/flat_style.h"

#include <QPainter>
#include <QStyleOption>
#include <algorithm>

#include "gui/views/motion.h"

namespace rnnadvisor::gui {
namespace {

constexpr qreal radius = 6;
constexpr int field_height = 28;
constexpr int field_margin = 6;  // beside that of Fusion

void draw_field(QPainter* painter, const QStyleOption& option) {
  const bool focus = (option.state & QStyle::State_HasFocus) != 0;
  const bool hover =
      (option.state & QStyle::State_MouseOver) != 0 && (option.state & QStyle::State_Enabled) != 0;
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(
      QPen(option.palette.color(focus || hover ? QPalette::Link : QPalette::Mid), focus ? 1.6 : 1));
  painter->setBrush(option.palette.color(QPalette::Base));
  painter->drawRoundedRect(QRectF(option.rect).adjusted(0.8, 0.8, -0.8, -0.8), radius, radius);
}

// An arrow head of two lines, pointing down or up.
void draw_chevron(QPainter* painter, const QRect& box, bool down, const QColor& color) {
  const QPointF centre = QRectF(box).center();
  const qreal w = 3.5, h = down ? 1.9 : -1.9;
  painter->setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter->setBrush(Qt::NoBrush);
  painter->drawPolyline(
      QPolygonF({centre + QPointF(-w, -h), centre + QPointF(0, h), centre + QPointF(w, -h)}));
}

QColor arrow_color(const QStyleOption& option, bool enabled) {
  return option.palette.color(enabled ? QPalette::Normal : QPalette::Disabled,
                              QPalette::ButtonText);
}

}  // namespace

FlatStyle::FlatStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void FlatStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                   QPainter* painter, const QWidget* widget) const {
  const bool enabled = (option->state & State_Enabled) != 0;
  if (control == CC_ComboBox) {
    painter->save();
    draw_field(painter, *option);
    draw_chevron(painter, subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget), true,
                 arrow_color(*option, enabled));
    painter->restore();
    return;
  }
  if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
      control == CC_SpinBox && spin != nullptr) {
    painter->save();
    draw_field(painter, *option);
    if (spin->buttonSymbols != QAbstractSpinBox::NoButtons) {
      draw_chevron(
          painter, subControlRect(CC_SpinBox, option, SC_SpinBoxUp, widget), false,
          arrow_color(*option, enabled && (spin->stepEnabled & QAbstractSpinBox::StepUpEnabled)));
      draw_chevron(
          painter, subControlRect(CC_SpinBox, option, SC_SpinBoxDown, widget), true,
          arrow_color(*option, enabled && (spin->stepEnabled & QAbstractSpinBox::StepDownEnabled)));
    }
    painter->restore();
    return;
  }
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void FlatStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                              QPainter* painter, const QWidget* widget) const {
  if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
      element == PE_IndicatorHeaderArrow && header != nullptr) {
    if (header->sortIndicator == QStyleOptionHeader::None) return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    // Qt calls it down where what follows is larger.
    draw_chevron(painter, header->rect, header->sortIndicator == QStyleOptionHeader::SortUp,
                 arrow_color(*option, true));
    painter->restore();
    return;
  }
  if (element != PE_IndicatorCheckBox) {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    return;
  }
  const bool on = (option->state & State_On) != 0;
  const bool enabled = (option->state & State_Enabled) != 0;
  const auto group = enabled ? QPalette::Normal : QPalette::Disabled;
  QRectF box(option->rect);
  const qreal side = std::min({box.width(), box.height(), 16.0});
  box = QRectF(box.center() - QPointF(side / 2, side / 2), QSizeF(side, side));
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const bool focus = (option->state & State_HasFocus) != 0;
  // An empty box is all that there is to see: its frame must be seen where a border need not.
  painter->setPen(
      QPen(option->palette.color(group, on || focus ? QPalette::Link : QPalette::PlaceholderText),
           focus ? 1.6 : 1));
  painter->setBrush(on ? option->palette.color(group, QPalette::Link)
                       : option->palette.color(group, QPalette::Base));
  painter->drawRoundedRect(box.adjusted(0.8, 0.8, -0.8, -0.8), 3.5, 3.5);
  if (on) {
    painter->setPen(QPen(option->palette.color(group, QPalette::Base), 1.8, Qt::SolidLine,
                         Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](qreal x, qreal y) { return box.topLeft() + QPointF(x, y) * side; };
    painter->drawPolyline(QPolygonF({at(0.27, 0.52), at(0.44, 0.68), at(0.74, 0.34)}));
  }
  painter->restore();
}

// Texts begin where those of line edits do.
QRect FlatStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                SubControl part, const QWidget* widget) const {
  QRect rect = QProxyStyle::subControlRect(control, option, part, widget);
  const bool text = (control == CC_ComboBox && part == SC_ComboBoxEditField) ||
                    (control == CC_SpinBox && part == SC_SpinBoxEditField);
  if (!text) return rect;
  return option->direction == Qt::RightToLeft ? rect.adjusted(0, 0, -field_margin, 0)
                                              : rect.adjusted(field_margin, 0, 0, 0);
}

// Beside the text, in the room that the style sheet leaves around it: over its last letter nothing
// can be read.
QRect FlatStyle::subElementRect(SubElement element, const QStyleOption* option,
                                const QWidget* widget) const {
  if (element != SE_HeaderArrow) return QProxyStyle::subElementRect(element, option, widget);
  constexpr int arrow = 6;
  return visualRect(
      option->direction, option->rect,
      QRect(option->rect.right() - arrow, option->rect.top(), arrow, option->rect.height()));
}

QSize FlatStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                  const QWidget* widget) const {
  QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
  if (type == CT_ComboBox || type == CT_SpinBox)
    wanted = QSize(wanted.width() + field_margin,
                   std::max({wanted.height(), field_height, size.height() + 12}));
  return wanted;
}

int FlatStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* data) const {
  if (hint == SH_Widget_Animation_Duration && less_motion()) return 0;
  return QProxyStyle::styleHint(hint, option, widget, data);
}

}  // namespace rnnadvisor::gui
