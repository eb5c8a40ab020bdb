// Charts as inline SVG. Colours come from classes in assets/report.css, so that both themes and
// print restyle them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advisor/report/chart.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::html {
namespace {

using chart::Axis;

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
             rows.front()->bound.estimate ? "bound (estimate)" : "bound at measured ceilings",
             "tick");
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
    // Beside every mark at this height, not only its own.
    double leftmost = px;
    double rightmost = px;
    for (const PhaseRow* other : points) {
      if (std::fabs(y.scale(other->tflops) + 4 - placed[i]) > 16) continue;
      leftmost = std::min(leftmost, x.scale(other->cost.intensity));
      rightmost = std::max(rightmost, x.scale(other->cost.intensity));
    }
    const bool left = rightmost + 12 + text_width(label) > f.right;
    const double beside = left ? leftmost - 12 : rightmost + 12;
    if (std::fabs(placed[i] - wanted[i]) > 4 || std::fabs(beside - px) > 13) {
      svg.line(px, y.scale(points[i]->tflops), beside + (left ? 2 : -2), placed[i] - 4, "leader");
    }
    svg.marker(
        shape, px, y.scale(points[i]->tflops),
        fmt::format("{}: {} TFLOP/s at {} FLOP per byte", words::phase(points[i]->phase),
                    words::number(points[i]->tflops), words::number(points[i]->cost.intensity)));
    svg.text(beside, placed[i], label, "value", left ? "end" : "start");
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

}  // namespace rnnadvisor::advisor::html
