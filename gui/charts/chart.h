// Charts of the report (advisor/report/charts.h) in the window: their scenes painted by any
// QPainter, and a widget that shows one and can be asked with pointer and keyboard.
#pragma once

#include <QFont>
#include <QPainter>
#include <QString>
#include <QWidget>
#include <array>
#include <memory>
#include <vector>

#include "advisor/report/charts.h"
#include "gui/access.h"
#include "gui/theme.h"

namespace rnnadvisor::gui {

namespace chart = advisor::chart;

// What stands where: for hints, clicks and people who do not see the picture.
struct ChartHit {
  QRectF area;
  QString text;  // "persistent: 0.72 ms, 56 %"
  QString link;  // as to_string(Link), may be empty
};

struct ChartStyle {
  Theme theme;
  QFont font;
};

QColor color_of(const chart::Ink& ink, const Theme& theme);
// From the least to the most. Lightness alone tells them apart, so that they can be read by people
// with any kind of colour blindness; most is what stands out most from the ground of the theme.
std::array<QColor, chart::shades> map_shades(advisor::MapLayer layer, const Theme& theme);

chart::Canvas canvas_of(double width, const QFont& font);
std::vector<ChartHit> paint(QPainter& painter, const chart::Scene& scene, const ChartStyle& style);

class ChartWidget : public QWidget, public Described {
  Q_OBJECT
 public:
  explicit ChartWidget(QWidget* parent = nullptr);
  void set_chart(std::unique_ptr<advisor::chart::Chart> chart);
  const advisor::chart::Chart* chart() const { return chart_.get(); }
  void set_theme(const Theme& theme);
  const std::vector<ChartHit>& hits() const { return hits_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QAccessible::Role described_role() const override { return QAccessible::Chart; }
  QString described_content() const override;
  QString described_selection() const override;

 signals:
  void link_activated(const QString& link);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QString description() const;
  int least_width() const;
  const ChartHit* hit_at(QPointF point) const;
  int next_hit(int key) const;  // -1: the key goes nowhere
  int first_hit() const;

  std::unique_ptr<advisor::chart::Chart> chart_;
  Theme theme_;
  std::vector<ChartHit> hits_;
  int columns_ = 0, first_ = 0;  // of the scene
  int focused_ = -1;
};

}  // namespace rnnadvisor::gui
