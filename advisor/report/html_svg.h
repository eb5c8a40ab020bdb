// Inline SVG for the charts of the HTML report. Colours come from classes in assets/report.css, so
// that both themes and print restyle them. Coordinates are in user units of the viewBox.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/report/chart.h"

namespace rnnadvisor::advisor::html {

class Svg {
 public:
  // `id` makes the ids of title and description unique. With `scrolls` the chart scrolls where the
  // page is too narrow, otherwise it is stretched.
  Svg(double width, double height, std::string_view id, std::string_view title,
      std::string_view description, bool scrolls = true);
  void line(double x1, double y1, double x2, double y2, std::string_view type);
  void rect(double x, double y, double width, double height, std::string_view type);
  void text(double x, double y, std::string_view what, std::string_view type,
            std::string_view anchor = "start");
  void rotated(double x, double y, std::string_view what, std::string_view type);
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view type);
  // Of a series of this number; `hover` is shown when the pointer rests on it.
  void marker(std::size_t series, double x, double y, std::string_view hover);
  // The shape of a series in the colours of a class.
  void mark(std::string_view type, std::size_t shape, double x, double y, std::string_view hover);
  // Markup that is escaped already.
  void raw(std::string_view markup) { out_ += markup; }
  std::string take() { return out_ + "</svg></div>"; }

 private:
  std::string out_;
};

// The shape that stands for a series, at (x, y): shapes differ, so that series can be told apart
// without colour.
std::string marker_path(std::size_t series, double x, double y);

struct Frame {
  double left, top, right, bottom;  // edges of the plot area
};

void draw_axes(Svg& svg, const Frame& frame, const chart::Axis& x, const chart::Axis& y,
               std::string_view x_title, std::string_view y_title);

// Width that a text of the charts' 12-unit type takes, roughly: enough to decide on which side of a
// point it goes.
double text_width(std::string_view text);

}  // namespace rnnadvisor::advisor::html
