#include "advisor/report/html_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/html_parts.h"

namespace rnnadvisor::advisor::html {

using chart::coordinate;

Svg::Svg(double width, double height, std::string_view id, std::string_view title,
         std::string_view description) {
  out_ = fmt::format(
      "<div class=\"chart\" tabindex=\"0\" role=\"group\" aria-labelledby=\"{2}-t\"><svg "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-labelledby=\"{2}-t {2}-d\"><title "
      "id=\"{2}-t\">{3}</title><desc id=\"{2}-d\">{4}</desc>",
      coordinate(width), coordinate(height), id, esc(title), esc(description));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view type) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>",
                      coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2), type);
}

void Svg::rect(double x, double y, double width, double height, std::string_view type) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" class=\"{}\"/>",
                      coordinate(x), coordinate(y), coordinate(std::max(0.0, width)),
                      coordinate(std::max(0.0, height)), type);
}

void Svg::text(double x, double y, std::string_view what, std::string_view type,
               std::string_view anchor) {
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\" text-anchor=\"{}\">{}</text>",
                      coordinate(x), coordinate(y), type, anchor, esc(what));
}

void Svg::mark(std::string_view type, std::size_t shape, double x, double y,
               std::string_view hover) {
  out_ += fmt::format("<path d=\"{}\" class=\"{}\"><title>{}</title></path>",
                      path_of({chart::mark_outline(static_cast<int>(shape), {x, y})}, true), type,
                      esc(hover));
}

std::string path_of(const std::vector<std::vector<chart::Point>>& lines, bool closed) {
  std::string path;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      path +=
          fmt::format("{}{} {}", i == 0 ? "M" : "L", coordinate(line[i].x), coordinate(line[i].y));
    if (closed) path += "z";
  }
  return path;
}

}  // namespace rnnadvisor::advisor::html
