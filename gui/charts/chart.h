// Charts: each is data that can measure and paint itself with any QPainter, so that the same chart
// is a widget, a picture and an SVG. ChartWidget shows one.
#pragma once

#include <QFont>
#include <QPainter>
#include <QString>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "gui/access.h"
#include "gui/theme.h"

namespace rnnadvisor::gui {

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

class Chart {
 public:
  virtual ~Chart() = default;
  virtual QSizeF least_size(const ChartStyle& style) const = 0;
  // Height that it wants at a width.
  virtual double height_for(double width, const ChartStyle& style) const = 0;
  virtual std::vector<ChartHit> paint(QPainter& painter, const QRectF& area,
                                      const ChartStyle& style) const = 0;
  // All of it in words.
  virtual QString description() const = 0;
  // Above 0: what stands where is a grid with so many columns, row by row; keys go up and down in
  // it. 0: a list.
  virtual int grid_columns() const { return 0; }
  // Where the keyboard begins.
  virtual int first_hit() const { return 0; }
};

// Rows of bars cut into segments, on one scale. Also for a single bar against a whole.
class StackedBars : public Chart {
 public:
  struct Segment {
    double value = 0;
    QColor color;
    QString name;  // in the legend; equal names are one entry
    QString text;  // of the value: "0.72 ms"
    QString link;
  };
  struct Row {
    QString label, note;  // left of the bar, and after its end
    std::vector<Segment> segments;
    QString link;
    double whole = 0;  // a scale of its own: the bar is a part of this
  };
  std::vector<Row> rows;
  QString last_entry;  // of the legend: what is no work
  double most = 0;     // end of the scale; 0: the longest row
  QString most_label;  // what the end of the scale stands for: "140 GiB"
  bool legend = true;

  QSizeF least_size(const ChartStyle& style) const override;
  double height_for(double width, const ChartStyle& style) const override;
  std::vector<ChartHit> paint(QPainter& painter, const QRectF& area,
                              const ChartStyle& style) const override;
  QString description() const override;
  // Of the labels with the gap behind them, in a chart of this width.
  double label_width(const ChartStyle& style, double width) const;

 private:
  std::vector<const Segment*> entries() const;
  double paint_legend(QPainter* painter, QRectF area, const ChartStyle& style) const;
};

// Lines over one axis; intervals of the values as bars.
class LineChart : public Chart {
 public:
  struct Point {
    double x = 0, y = 0, low = 0, high = 0;
    QString text, link;
  };
  struct Series {
    QString name;
    QColor color;
    std::vector<Point> points;  // by x
  };
  std::vector<Series> series;
  QString x_label, y_label;
  bool log_y = false;

  QSizeF least_size(const ChartStyle& style) const override;
  double height_for(double width, const ChartStyle& style) const override;
  std::vector<ChartHit> paint(QPainter& painter, const QRectF& area,
                              const ChartStyle& style) const override;
  QString description() const override;
};

// Arithmetic intensity against rate on logarithmic axes, below the ceilings of a device.
class Roofline : public Chart {
 public:
  struct Point {
    double intensity = 0;  // FLOP/B
    double flops = 0;      // FLOP/s; 0: not known, it stands on the roof as a ring
    QString name;          // in the legend, with the colour
    QColor color;
    QString text;
  };
  double peak_flops = 0, bandwidth = 0;  // FLOP/s, B/s
  QString peak_name;                     // "fp16_tensor"
  std::vector<Point> points;

  QSizeF least_size(const ChartStyle& style) const override;
  double height_for(double width, const ChartStyle& style) const override;
  std::vector<ChartHit> paint(QPainter& painter, const QRectF& area,
                              const ChartStyle& style) const override;
  QString description() const override;
  double roof(double intensity) const;

 private:
  // Below the axes, in as many lines as it takes; its height. Nothing is painted without a painter.
  double paint_legend(QPainter* painter, const QRectF& area, const ChartStyle& style) const;
};

class ChartWidget : public QWidget, public Described {
  Q_OBJECT
 public:
  explicit ChartWidget(QWidget* parent = nullptr);
  void set_chart(std::unique_ptr<Chart> chart);
  const Chart* chart() const { return chart_.get(); }
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
  ChartStyle style() const { return {theme_, font()}; }
  const ChartHit* hit_at(QPointF point) const;
  int next_hit(int key) const;  // -1: the key goes nowhere

  std::unique_ptr<Chart> chart_;
  Theme theme_;
  std::vector<ChartHit> hits_;
  int focused_ = -1;
};

}  // namespace rnnadvisor::gui
