// Inline SVG of the HTML report: charts, and what is drawn by hand. Colours come from classes in
// assets/report.css, so that both themes and print restyle them. Coordinates are in user units of
// the viewBox.
#pragma once

#include <string>
#include <string_view>

#include "advisor/report/charts.h"

namespace rnnadvisor::advisor::html {

class Svg {
 public:
  // `id` makes the ids of title and description unique. It scrolls where the page is too narrow.
  Svg(double width, double height, std::string_view id, std::string_view title,
      std::string_view description);
  void line(double x1, double y1, double x2, double y2, std::string_view type);
  void rect(double x, double y, double width, double height, std::string_view type);
  void text(double x, double y, std::string_view what, std::string_view type,
            std::string_view anchor = "start");
  // The shape of a series in the colours of a class; `hover` is shown when the pointer rests on it.
  void mark(std::string_view type, std::size_t shape, double x, double y, std::string_view hover);
  // Markup that is escaped already.
  void raw(std::string_view markup) { out_ += markup; }
  std::string take() { return out_ + "</svg></div>"; }

 private:
  std::string out_;
};

std::string path_of(const std::vector<std::vector<chart::Point>>& lines, bool closed);

using chart::Frame;

inline constexpr double chart_width = 560, figure_width = 760, map_width = 820, page_width = 900;
// Empty where it shows nothing.
std::string svg_of(const chart::Chart& chart, double width, std::string_view id,
                   std::string_view title);

}  // namespace rnnadvisor::advisor::html
