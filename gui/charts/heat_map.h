// A table of coloured cells with lines between them: values over two axes that need not be numbers.
#pragma once

#include <QStringList>

#include "gui/charts/chart.h"

namespace rnnadvisor::gui {

class HeatMap : public Chart {
 public:
  struct Cell {
    QString text;   // in the cell, where it has room
    QColor color;   // not valid: nothing is known, the ground of a field
    QColor corner;  // not valid: none
    QString hint;   // all of it
    QString link;
  };
  // Behind a cell: to its right, or with `vertical` below it.
  struct Line {
    int row = 0, column = 0;
    bool vertical = false;
    bool thick = true;  // otherwise thin and dashed
  };
  struct Entry {
    enum class Kind { ramp, swatch, frame, dashed_frame, thick_line, thin_line, plain };
    Kind kind = Kind::plain;
    std::vector<QColor> colors;  // of a ramp or a swatch
    QString text, end_text;      // a ramp has one before it and one behind
  };
  struct Place {
    int row = 0, column = 0;
  };

  QStringList rows, columns;  // names of the places on the axes, from the top and from the left
  QString row_title, column_title;
  std::vector<Cell> cells;  // row by row; as many as rows times columns
  std::vector<Line> lines;
  std::optional<Place> here;  // framed, its names stand out
  std::vector<Place> marked;  // framed with dashes
  std::vector<Entry> legend;
  QString summary;  // said before the cells in the description

  QSizeF least_size(const ChartStyle& style) const override;
  double height_for(double width, const ChartStyle& style) const override;
  std::vector<ChartHit> paint(QPainter& painter, const QRectF& area,
                              const ChartStyle& style) const override;
  QString description() const override;
  int grid_columns() const override { return static_cast<int>(columns.size()); }
  int first_hit() const override;

  // Of a cell in a chart of this width.
  QRectF cell_area(const QRectF& area, int row, int column, const ChartStyle& style) const;

 private:
  struct Geometry {
    double left = 0, top = 0, cell_width = 0, cell_height = 0, label = 0;
  };
  Geometry geometry(const QRectF& area, const ChartStyle& style) const;
  bool whole() const;
  void paint_names(QPainter& painter, const QRectF& area, const Geometry& g,
                   const ChartStyle& style) const;
  void paint_cell(QPainter& painter, const QRectF& box, const Cell& cell,
                  const std::optional<QFont>& font, const ChartStyle& style) const;
  // In which all texts fit into cells; none: they are left to the hints.
  std::optional<QFont> text_font(double room, const ChartStyle& style) const;
  void paint_lines(QPainter& painter, const Geometry& g, const ChartStyle& style) const;
  void paint_frame(QPainter& painter, const QRectF& box, bool dashed,
                   const ChartStyle& style) const;
  double paint_legend(QPainter* painter, const QRectF& area, const ChartStyle& style) const;
  void paint_sign(QPainter& painter, const QRectF& box, const Entry& entry,
                  const ChartStyle& style) const;
};

}  // namespace rnnadvisor::gui
