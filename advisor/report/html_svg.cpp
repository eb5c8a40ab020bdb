#include "advisor/report/html_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/html_parts.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::html {

using chart::coordinate;

Svg::Svg(double width, double height, std::string_view id, std::string_view title,
         std::string_view description, bool scrolls) {
  const std::string frame =
      scrolls ? fmt::format(" tabindex=\"0\" role=\"group\" aria-labelledby=\"{}-t\"", id) : "";
  out_ = fmt::format(
      "<div class=\"chart\"{5}><svg viewBox=\"0 0 {0} {1}\"{6} role=\"img\" "
      "aria-labelledby=\"{2}-t {2}-d\"><title id=\"{2}-t\">{3}</title><desc "
      "id=\"{2}-d\">{4}</desc>",
      coordinate(width), coordinate(height), id, esc(title), esc(description), frame,
      scrolls ? "" : " preserveAspectRatio=\"none\"");
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

void Svg::rotated(double x, double y, std::string_view what, std::string_view type) {
  out_ += fmt::format(
      "<text transform=\"translate({} {}) rotate(-90)\" class=\"{}\" "
      "text-anchor=\"middle\">{}</text>",
      coordinate(x), coordinate(y), type, esc(what));
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, std::string_view type) {
  out_ += "<polyline points=\"";
  for (std::size_t i = 0; i < points.size(); ++i) {
    out_ += fmt::format("{}{},{}", i > 0 ? " " : "", coordinate(points[i].first),
                        coordinate(points[i].second));
  }
  out_ += fmt::format("\" class=\"{}\"/>", type);
}

std::string marker_path(std::size_t series, double x, double y) {
  constexpr double r = 4.5;
  switch (series % 4) {
    case 0:
      return fmt::format("M{0} {1}a{2} {2} 0 1 0 {3} 0a{2} {2} 0 1 0 -{3} 0z", coordinate(x - r),
                         coordinate(y), r, 2 * r);
    case 1:
      return fmt::format("M{} {}h{}v{}h-{}z", coordinate(x - 4), coordinate(y - 4), 8, 8, 8);
    case 2:
      return fmt::format("M{} {}l5 9h-10z", coordinate(x), coordinate(y - 5.5));
    default:
      return fmt::format("M{} {}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", coordinate(x), coordinate(y - 5.5));
  }
}

void Svg::marker(std::size_t series, double x, double y, std::string_view hover) {
  out_ += fmt::format("<path d=\"{}\" class=\"mark s{}\"><title>{}</title></path>",
                      marker_path(series, x, y), series % 6, esc(hover));
}

void Svg::mark(std::string_view type, std::size_t shape, double x, double y,
               std::string_view hover) {
  out_ += fmt::format("<path d=\"{}\" class=\"{}\"><title>{}</title></path>",
                      marker_path(shape, x, y), type, esc(hover));
}

void draw_axes(Svg& svg, const Frame& f, const chart::Axis& x, const chart::Axis& y,
               std::string_view x_title, std::string_view y_title) {
  for (std::size_t i = 0; i < y.ticks.size(); ++i) {
    const double at = y.scale(y.ticks[i]);
    svg.line(f.left, at, f.right, at, y.labels[i].empty() ? "grid faint" : "grid");
    if (!y.labels[i].empty()) svg.text(f.left - 8, at + 4, y.labels[i], "tick", "end");
  }
  for (std::size_t i = 0; i < x.ticks.size(); ++i) {
    const double at = x.scale(x.ticks[i]);
    svg.line(at, f.bottom, at, f.bottom + (x.labels[i].empty() ? 3 : 5), "axis");
    if (!x.labels[i].empty()) svg.text(at, f.bottom + 19, x.labels[i], "tick", "middle");
  }
  svg.line(f.left, f.bottom, f.right, f.bottom, "axis");
  svg.text((f.left + f.right) / 2, f.bottom + 38, x_title, "label", "middle");
  svg.rotated(14, (f.top + f.bottom) / 2, y_title, "label");
}

double text_width(std::string_view text) {
  return 6.4 * static_cast<double>(words::display_width(text));
}

}  // namespace rnnadvisor::advisor::html
