#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>

#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

// Line drawings on a field of 24 by 24.
void draw(QPainter& p, Symbol symbol) {
  switch (symbol) {
    case Symbol::start:
      p.drawPolyline(QPolygonF({{4, 11.5}, {12, 4.5}, {20, 11.5}}));
      p.drawPolyline(QPolygonF({{6.5, 10}, {6.5, 19.5}, {17.5, 19.5}, {17.5, 10}}));
      break;
    case Symbol::overview:
      p.drawRoundedRect(QRectF(4, 4, 7, 9), 1.5, 1.5);
      p.drawRoundedRect(QRectF(13.5, 4, 6.5, 5), 1.5, 1.5);
      p.drawRoundedRect(QRectF(4, 15.5, 7, 4.5), 1.5, 1.5);
      p.drawRoundedRect(QRectF(13.5, 11.5, 6.5, 8.5), 1.5, 1.5);
      break;
    case Symbol::timeline:
      p.drawRoundedRect(QRectF(3.5, 5, 9, 3.6), 1, 1);
      p.drawRoundedRect(QRectF(8, 10.4, 12.5, 3.6), 1, 1);
      p.drawRoundedRect(QRectF(5.5, 15.8, 7, 3.6), 1, 1);
      break;
    case Symbol::recurrence: {
      QPainterPath path;
      path.arcMoveTo(QRectF(5, 5, 14, 14), 60);
      path.arcTo(QRectF(5, 5, 14, 14), 60, 290);
      p.drawPath(path);
      p.drawPolyline(QPolygonF({{14.2, 2.8}, {16.3, 6.2}, {12.6, 7.6}}));
      break;
    }
    case Symbol::findings: {
      QPainterPath path;
      path.moveTo(9.2, 16.5);
      path.cubicTo(9.2, 14, 6.5, 13, 6.5, 9.5);
      path.cubicTo(6.5, 2, 17.5, 2, 17.5, 9.5);
      path.cubicTo(17.5, 13, 14.8, 14, 14.8, 16.5);
      path.closeSubpath();
      p.drawPath(path);
      p.drawLine(QPointF(9.6, 19.2), QPointF(14.4, 19.2));
      p.drawLine(QPointF(10.8, 21.4), QPointF(13.2, 21.4));
      break;
    }
    case Symbol::explorer:
      for (const auto& [y, x] :
           {std::pair(6.5, 9.0), std::pair(12.0, 15.5), std::pair(17.5, 7.5)}) {
        p.drawLine(QPointF(4, y), QPointF(x - 2.2, y));
        p.drawLine(QPointF(x + 2.2, y), QPointF(20, y));
        p.drawEllipse(QPointF(x, y), 2.2, 2.2);
      }
      break;
    case Symbol::compare:
      p.drawRoundedRect(QRectF(4.5, 9, 5.5, 11), 1, 1);
      p.drawRoundedRect(QRectF(14, 4, 5.5, 16), 1, 1);
      break;
    case Symbol::rules: {
      p.drawRoundedRect(QRectF(5.5, 3.5, 13, 17), 1.5, 1.5);
      for (const double y : {8.0, 12.0, 16.0}) p.drawLine(QPointF(8.8, y), QPointF(15.2, y));
      break;
    }
    case Symbol::open: {
      QPainterPath path;
      path.moveTo(3.5, 18.5);
      path.lineTo(3.5, 6);
      path.lineTo(9, 6);
      path.lineTo(11, 8.5);
      path.lineTo(20.5, 8.5);
      path.lineTo(20.5, 18.5);
      path.closeSubpath();
      p.drawPath(path);
      break;
    }
    case Symbol::run:
      p.drawPolygon(QPolygonF({{7.5, 4.5}, {18.5, 12}, {7.5, 19.5}}));
      break;
    case Symbol::save:
      p.drawLine(QPointF(12, 4), QPointF(12, 15));
      p.drawPolyline(QPolygonF({{7.5, 10.5}, {12, 15}, {16.5, 10.5}}));
      p.drawPolyline(QPolygonF({{4.5, 15.5}, {4.5, 19.5}, {19.5, 19.5}, {19.5, 15.5}}));
      break;
    case Symbol::search:
      p.drawEllipse(QPointF(10.5, 10.5), 5.8, 5.8);
      p.drawLine(QPointF(15, 15), QPointF(20, 20));
      break;
    case Symbol::theme: {
      p.drawEllipse(QPointF(12, 12), 7.5, 7.5);
      QPainterPath half;
      half.moveTo(12, 4.5);
      half.arcTo(QRectF(4.5, 4.5, 15, 15), 90, -180);
      half.closeSubpath();
      p.fillPath(half, p.pen().color());
      break;
    }
    case Symbol::copy:
      p.drawRoundedRect(QRectF(8.5, 8.5, 11, 11), 2, 2);
      p.drawPolyline(QPolygonF({{5, 15}, {5, 5}, {15, 5}}));
      break;
    case Symbol::back:
      p.drawPolyline(QPolygonF({{14.5, 5}, {8, 12}, {14.5, 19}}));
      break;
    case Symbol::forward:
      p.drawPolyline(QPolygonF({{9.5, 5}, {16, 12}, {9.5, 19}}));
      break;
    case Symbol::close:
      p.drawLine(QPointF(6.5, 6.5), QPointF(17.5, 17.5));
      p.drawLine(QPointF(17.5, 6.5), QPointF(6.5, 17.5));
      break;
  }
}

class Engine : public QIconEngine {
 public:
  Engine(Symbol symbol, const Theme& theme) : symbol_(symbol), theme_(theme) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(rect.topLeft());
    painter->scale(rect.width() / 24.0, rect.height() / 24.0);
    const QColor color = mode == QIcon::Disabled ? theme_.disabled_text
                         : state == QIcon::On    ? theme_.accent
                                                 : theme_.dim_text;
    painter->setPen(QPen(color, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    draw(*painter, symbol_);
    painter->restore();
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
  }
  QIconEngine* clone() const override { return new Engine(*this); }

 private:
  Symbol symbol_;
  Theme theme_;
};

}  // namespace

QIcon make_icon(Symbol symbol, const Theme& theme) { return QIcon(new Engine(symbol, theme)); }

}  // namespace rnnadvisor::gui
