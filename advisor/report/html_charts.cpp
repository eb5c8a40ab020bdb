// Charts as inline SVG. Colours come from classes in assets/report.css, so that both themes and
// print restyle them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advisor/report/chart.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::html {
namespace {

using chart::Axis;
using chart::coordinate;

// Collects SVG elements; coordinates are in user units of the viewBox.
class Svg {
 public:
  Svg(double width, double height, std::string_view id, std::string_view title,
      std::string_view description, bool scrolls = true) {
    const std::string frame =
        scrolls ? fmt::format(" tabindex=\"0\" role=\"group\" aria-labelledby=\"{}-t\"", id) : "";
    out_ = fmt::format(
        "<div class=\"chart\"{5}><svg viewBox=\"0 0 {0} {1}\"{6} role=\"img\" "
        "aria-labelledby=\"{2}-t {2}-d\"><title id=\"{2}-t\">{3}</title><desc "
        "id=\"{2}-d\">{4}</desc>",
        coordinate(width), coordinate(height), id, esc(title), esc(description), frame,
        scrolls ? "" : " preserveAspectRatio=\"none\"");
  }
  void line(double x1, double y1, double x2, double y2, std::string_view type) {
    out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>",
                        coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2), type);
  }
  void rect(double x, double y, double width, double height, std::string_view type) {
    out_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" class=\"{}\"/>", coordinate(x),
        coordinate(y), coordinate(std::max(0.0, width)), coordinate(std::max(0.0, height)), type);
  }
  void text(double x, double y, std::string_view what, std::string_view type,
            std::string_view anchor = "start") {
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\" text-anchor=\"{}\">{}</text>",
                        coordinate(x), coordinate(y), type, anchor, esc(what));
  }
  void rotated(double x, double y, std::string_view what, std::string_view type) {
    out_ += fmt::format(
        "<text transform=\"translate({} {}) rotate(-90)\" class=\"{}\" "
        "text-anchor=\"middle\">{}</text>",
        coordinate(x), coordinate(y), type, esc(what));
  }
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view type) {
    out_ += "<polyline points=\"";
    for (std::size_t i = 0; i < points.size(); ++i) {
      out_ += fmt::format("{}{},{}", i > 0 ? " " : "", coordinate(points[i].first),
                          coordinate(points[i].second));
    }
    out_ += fmt::format("\" class=\"{}\"/>", type);
  }
  // Shapes differ, so that series can be told apart without colour.
  void marker(std::size_t shape, double x, double y, std::string_view hover) {
    constexpr double r = 4.5;
    std::string path;
    switch (shape % 4) {
      case 0:
        path = fmt::format("M{0} {1}a{2} {2} 0 1 0 {3} 0a{2} {2} 0 1 0 -{3} 0z", coordinate(x - r),
                           coordinate(y), r, 2 * r);
        break;
      case 1:
        path = fmt::format("M{} {}h{}v{}h-{}z", coordinate(x - 4), coordinate(y - 4), 8, 8, 8);
        break;
      case 2:
        path = fmt::format("M{} {}l5 9h-10z", coordinate(x), coordinate(y - 5.5));
        break;
      default:
        path =
            fmt::format("M{} {}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", coordinate(x), coordinate(y - 5.5));
        break;
    }
    out_ += fmt::format("<path d=\"{}\" class=\"mark s{}\"><title>{}</title></path>", path,
                        shape % 6, esc(hover));
  }
  std::string take() { return out_ + "</svg></div>"; }

 private:
  std::string out_;
};

struct Frame {
  double left, top, right, bottom;  // edges of the plot area
};

void draw_axes(Svg& svg, const Frame& f, const Axis& x, const Axis& y, std::string_view x_title,
               std::string_view y_title) {
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

// Width that a text of the charts' 12-unit type takes, roughly: enough to decide on which side of a
// point it goes.
double text_width(std::string_view text) {
  return 6.4 * static_cast<double>(words::display_width(text));
}

}  // namespace

std::string timing_chart(const ConfigurationReport& each, const std::string& id) {
  std::vector<const PhaseRow*> rows;
  double most = 0;
  bool bounds = false;
  std::string description;
  for (const auto& phase : each.phases) {
    if (phase.timing == nullptr) continue;
    rows.push_back(&phase);
    most = std::max({most, phase.timing->ms.median, phase.timing->ms.high, phase.bound.bound_ms});
    bounds = bounds || phase.bound.bound_ms > 0;
    description += fmt::format("{} {}. ", words::phase(phase.phase),
                               format_milliseconds(phase.timing->ms.median));
  }
  if (rows.empty()) return {};
  constexpr double width = 560;
  constexpr double row_height = 40;
  const Frame f = {128, 8, width - 84, 8 + row_height * static_cast<double>(rows.size())};
  Svg svg(width, f.bottom + (bounds ? 68 : 46), id, "Time of each phase", description);
  const Axis x = chart::linear_axis(most, 5, f.left, f.right);
  for (std::size_t i = 0; i < x.ticks.size(); ++i) {
    svg.line(x.scale(x.ticks[i]), f.top, x.scale(x.ticks[i]), f.bottom, "grid");
    svg.text(x.scale(x.ticks[i]), f.bottom + 19, x.labels[i], "tick", "middle");
  }
  svg.line(f.left, f.top, f.left, f.bottom, "axis");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double middle = f.top + row_height * (static_cast<double>(i) + 0.5);
    const MedianInterval& ms = rows[i]->timing->ms;
    svg.text(f.left - 10, middle + 4, words::phase(rows[i]->phase), "label", "end");
    svg.rect(f.left, middle - 10, x.scale(ms.median) - f.left, 20, "bar");
    double end = x.scale(ms.median);
    if (!words::interval(ms).empty()) {
      svg.line(x.scale(ms.low) - 2, middle, x.scale(ms.high) + 2, middle, "halo");
      svg.line(x.scale(ms.low), middle, x.scale(ms.high), middle, "whisker");
      svg.line(x.scale(ms.low), middle - 5, x.scale(ms.low), middle + 5, "whisker");
      svg.line(x.scale(ms.high), middle - 5, x.scale(ms.high), middle + 5, "whisker");
      end = std::max(end, x.scale(ms.high));
    }
    if (const double bound = rows[i]->bound.bound_ms; bound > 0) {
      svg.line(x.scale(bound), middle - 15, x.scale(bound), middle + 15, "bound");
      end = std::max(end, x.scale(bound));
    }
    svg.text(end + 8, middle + 4, format_milliseconds(ms.median), "value");
  }
  svg.text((f.left + f.right) / 2, f.bottom + 38, "milliseconds (median, 95 % interval)", "label",
           "middle");
  if (bounds) {
    svg.line(f.left + 2, f.bottom + 52, f.left + 2, f.bottom + 66, "bound");
    svg.text(f.left + 10, f.bottom + 63,
             rows.front()->bound.estimate ? "lower bound (estimate)" : "lower bound", "tick");
  }
  return svg.take();
}

std::string roofline_chart(const ConfigurationReport& each, const std::string& id) {
  if (each.peak_flops <= 0 || each.peak_bandwidth <= 0) return {};
  const double ridge = each.peak_flops / each.peak_bandwidth;
  double least_x = ridge;
  double most_x = ridge;
  double least_y = each.peak_flops / 1e12;
  std::vector<const PhaseRow*> points;
  std::string description =
      fmt::format("Ridge point at {} FLOP per byte, peak {} TFLOP/s. ", words::number(ridge),
                  words::number(each.peak_flops / 1e12));
  for (const auto& phase : each.phases) {
    if (phase.cost.intensity <= 0) continue;
    least_x = std::min(least_x, phase.cost.intensity);
    most_x = std::max(most_x, phase.cost.intensity);
    if (phase.tflops <= 0) continue;
    points.push_back(&phase);
    least_y = std::min(least_y, phase.tflops);
    description += fmt::format("{}: {} TFLOP/s at {} FLOP per byte. ", words::phase(phase.phase),
                               words::number(phase.tflops), words::number(phase.cost.intensity));
  }
  constexpr double width = 560;
  constexpr double height = 340;
  const Frame f = {58, 16, width - 18, height - 50};
  const Axis x = chart::log10_axis(least_x / 3, most_x * 3, f.left, f.right);
  const double left_roof = x.scale.low * each.peak_bandwidth / 1e12;
  const Axis y = chart::log10_axis(std::min(least_y / 2, std::max(left_roof, least_y / 20)),
                                   each.peak_flops / 1e12 * 1.5, f.bottom, f.top);
  Svg svg(width, height, id, fmt::format("Roofline, {} arithmetic", each.pipe), description);
  draw_axes(svg, f, x, y, "arithmetic intensity, FLOP per byte", "TFLOP/s");
  const double roof = y.scale(each.peak_flops / 1e12);
  // The slanted roof starts where it enters the plot: at the left edge or at the bottom.
  const double enter = std::max(x.scale.low, y.scale.low * 1e12 / each.peak_bandwidth);
  svg.polyline({{x.scale(enter), y.scale(enter * each.peak_bandwidth / 1e12)},
                {x.scale(ridge), roof},
                {f.right, roof}},
               "roof");
  svg.line(x.scale(ridge), roof, x.scale(ridge), f.bottom, "ridge");
  svg.text(f.right, roof - 8,
           fmt::format("{} TFLOP/s ({})", words::number(each.peak_flops / 1e12), each.pipe), "tick",
           "end");
  const std::string ridge_label = fmt::format("ridge {} FLOP/B", words::number(ridge));
  const bool ridge_left = x.scale(ridge) + 8 + text_width(ridge_label) > f.right;
  svg.text(x.scale(ridge) + (ridge_left ? -6 : 6), f.bottom - 8, ridge_label, "tick",
           ridge_left ? "end" : "start");
  const std::string slope = fmt::format("{} TB/s", words::number(each.peak_bandwidth / 1e12));
  const double middle = std::sqrt(enter * ridge);
  svg.text(x.scale(middle) - 8, y.scale(middle * each.peak_bandwidth / 1e12) - 6, slope, "tick",
           "end");

  std::vector<double> wanted;
  for (const PhaseRow* phase : points) wanted.push_back(y.scale(phase->tflops) + 4);
  const auto placed = chart::spread(wanted, 15, f.top + 10, f.bottom - 22);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double px = x.scale(points[i]->cost.intensity);
    const auto shape = static_cast<std::size_t>(points[i]->phase);
    const std::string label =
        fmt::format("{} {}", words::phase(points[i]->phase), words::number(points[i]->tflops));
    const bool left = px + 12 + text_width(label) > f.right;
    if (std::fabs(placed[i] - wanted[i]) > 4) {
      svg.line(px, y.scale(points[i]->tflops), px + (left ? -10 : 10), placed[i] - 4, "leader");
    }
    svg.marker(
        shape, px, y.scale(points[i]->tflops),
        fmt::format("{}: {} TFLOP/s at {} FLOP per byte", words::phase(points[i]->phase),
                    words::number(points[i]->tflops), words::number(points[i]->cost.intensity)));
    svg.text(px + (left ? -12 : 12), placed[i], label, "value", left ? "end" : "start");
  }
  if (points.empty()) {
    for (const auto& phase : each.phases) {
      if (phase.cost.intensity <= 0) continue;
      svg.line(x.scale(phase.cost.intensity), f.top, x.scale(phase.cost.intensity), f.bottom,
               "leader");
    }
    svg.text(f.left + 10, f.top + 14, "not timed: dashed lines are the phases' intensities",
             "tick");
  }
  return svg.take();
}

std::string memory_bar(const ConfigurationReport& each, const std::string& id) {
  const auto& m = each.memory;
  if (m.total <= 0) return {};
  struct Part {
    std::string_view name;
    std::int64_t bytes;
  };
  const std::vector<Part> parts = {{"weights", m.weights + m.weight_gradients},
                                   {"x, y and gradients", m.x + m.y + m.dx + m.dy},
                                   {"states", m.states + m.dropout_states},
                                   {"workspace", m.workspace},
                                   {"reserve", m.reserve}};
  const std::int64_t device = each.has_device ? each.device->memory_bytes : 0;
  // Both bars are stretched to the width of the page: nothing in them but rectangles.
  constexpr double width = 1000;
  std::string description;
  std::string legend;
  std::vector<std::pair<std::size_t, double>> shares;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].bytes <= 0) continue;
    const std::string bytes = format_bytes(static_cast<double>(parts[i].bytes));
    description += fmt::format("{} {}. ", parts[i].name, bytes);
    legend += fmt::format("<li><span class=\"key m{}\" aria-hidden=\"true\"></span>{} {}</li>", i,
                          parts[i].name, bytes);
    shares.emplace_back(i, static_cast<double>(parts[i].bytes) / static_cast<double>(m.total));
  }
  std::string out;
  if (device > 0) {
    const double share = static_cast<double>(m.total) / static_cast<double>(device);
    Svg svg(width, 10, id + "-d", "Share of the device's memory", words::percent(share), false);
    svg.rect(0, 0, width, 10, share > 1 ? "over" : "memory-device");
    svg.rect(0, 0, share > 1 ? width / share : std::max(2.0, width * share), 10, "memory-need");
    out += "<div class=\"bar10\">" + svg.take() + "</div>";
    legend +=
        share > 1
            ? fmt::format(
                  "<li><span class=\"key over\" aria-hidden=\"true\"></span>over by {}</li>",
                  format_bytes(static_cast<double>(m.total - device)))
            : fmt::format(
                  "<li><span class=\"key memory-device\" aria-hidden=\"true\"></span>left {}</li>",
                  format_bytes(static_cast<double>(device - m.total)));
  }
  Svg svg(width, 24, id, "What the memory is needed for", description, false);
  double at = 0;
  for (const auto& [part, share] : shares) {
    svg.rect(at, 0, width * share, 24, fmt::format("m{}", part));
    at += width * share;
  }
  return out + svg.take() + "<ul class=\"legend\">" + legend + "</ul>";
}

std::string figure_chart(const FigureReport& figure, const std::string& id) {
  std::vector<double> xs;
  double least = 0;
  double most = 0;
  for (const auto& series : figure.series) {
    for (const auto& p : series.points) {
      xs.push_back(p.x);
      most = std::max({most, p.y, p.high});
      least = least == 0 ? p.y : std::min(least, p.y);
    }
  }
  if (xs.empty()) return {};
  constexpr double width = 760;
  constexpr double height = 400;
  double label_room = 60;
  for (const auto& series : figure.series)
    label_room = std::max(label_room, 26 + text_width(words::shorten(series.name, 24)));
  const Frame f = {62, 14, width - label_room, height - 50};
  const bool log_x = chart::doubles(xs);
  const bool log_y = least > 0 && most / least > 20;
  const Axis x = chart::value_axis(log_x ? chart::ScaleKind::log2 : chart::ScaleKind::linear, xs,
                                   f.left + 14, f.right - 10, 34);
  const Axis y = log_y ? chart::log10_axis(least, most, f.bottom, f.top)
                       : chart::linear_axis(most, 6, f.bottom, f.top);
  Svg svg(width, height, id, figure.figure->title,
          fmt::format("{} over {}; the values are in the table below.", figure.y_label,
                      figure.x_label));
  draw_axes(svg, f, x, y, figure.x_label + (log_x ? " (logarithmic)" : ""),
            figure.y_label + (log_y ? " (logarithmic)" : ""));
  std::vector<double> wanted;
  for (const auto& series : figure.series)
    wanted.push_back(series.points.empty() ? f.bottom : y.scale(series.points.back().y) + 4);
  const auto placed = chart::spread(wanted, 17, f.top + 8, f.bottom);
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const auto& series = figure.series[i];
    if (series.points.empty()) continue;
    std::vector<std::pair<double, double>> line;
    for (const auto& p : series.points) line.emplace_back(x.scale(p.x), y.scale(p.y));
    svg.polyline(line, fmt::format("series s{}", i % 6));
    for (const auto& p : series.points) {
      if (p.high > p.low)
        svg.line(x.scale(p.x), y.scale(p.low), x.scale(p.x), y.scale(p.high),
                 fmt::format("interval s{}", i % 6));
      svg.marker(i, x.scale(p.x), y.scale(p.y),
                 fmt::format("{}, {} {}: {} ({})", series.name, figure.x_label,
                             chart::tick_label(p.x), words::number(p.y), figure.y_label));
    }
    const auto& last = line.back();
    if (last.first + 16 < f.right - 10 || std::fabs(placed[i] - wanted[i]) > 4)
      svg.line(last.first + 6, last.second, f.right + 2, placed[i] - 4, "leader");
    svg.text(f.right + 8, placed[i], words::shorten(series.name, 24),
             fmt::format("direct s{}", i % 6));
  }
  return svg.take();
}

}  // namespace rnnadvisor::advisor::html
