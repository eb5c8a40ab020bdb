// Charts with two axes: lines, and the roofline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "advisor/report/charts.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::chart {

Scene Lines::scene(const Canvas& canvas) const {
  Scene scene;
  scene.width = canvas.width;
  scene.height = std::clamp(canvas.width * 0.46, 220.0, 380.0);
  std::vector<double> xs;
  double most = 0, least = std::numeric_limits<double>::max(), names = 0;
  for (const auto& s : series) {
    if (!s.values.empty()) names = std::max(names, canvas.width_of(s.name));
    for (const auto& p : s.values) {
      xs.push_back(p.x);
      most = std::max({most, p.y, p.high});
      least = std::min(least, p.y);
    }
  }
  if (xs.empty()) return scene;
  Frame f = {0, canvas.line * 1.8, 0, scene.height - 2 * canvas.line - 12};
  // Nothing on the edge of the plot.
  const Axis y = log_y ? log10_axis(least * 0.9, most * 1.1, f.bottom, f.top)
                       : linear_axis(most, 6, f.bottom, f.top);
  f.left = tick_width(canvas, y) + 10;
  f.right = std::max(f.left + 40, canvas.width - std::min(names + 26, canvas.width * 0.35));
  const bool log_x = doubles(xs);
  const Axis x = value_axis(log_x ? ScaleKind::log2 : ScaleKind::linear, xs, f.left + 14,
                            f.right - 10, canvas.width_of("00000"));
  scene.axes(canvas, f, x, y, x_label + (log_x ? " (logarithmic)" : ""),
             y_label + (log_y ? " (logarithmic)" : ""));
  std::vector<double> ends;
  for (const auto& s : series)
    if (!s.values.empty()) ends.push_back(y.scale(s.values.back().y));
  const auto places = spread(ends, canvas.line, f.top, f.bottom);
  std::size_t drawn = 0;
  for (const auto& s : series) {
    if (s.values.empty()) continue;
    std::vector<Point> path, intervals;
    for (const auto& p : s.values) {
      path.push_back({x.scale(p.x), y.scale(p.y)});
      if (!(p.high > p.low)) continue;
      intervals.push_back({x.scale(p.x), y.scale(p.low)});
      intervals.push_back({x.scale(p.x), y.scale(p.high)});
    }
    const Point last = path.back();
    auto& line = scene.add(Item::line, s.ink, path);
    line.width = 2;
    line.dash = dash_of_series(static_cast<std::size_t>(s.number));
    if (!intervals.empty()) scene.add(Item::segments, s.ink, std::move(intervals)).width = 1.5;
    for (std::size_t i = 0; i < path.size(); ++i) {
      auto& mark = scene.add(Item::mark, s.ink, {path[i]});
      mark.series = s.number;
      mark.hint = s.name + " · " + s.values[i].text;
      mark.link = s.values[i].link;
    }
    const double place = places[drawn++];
    if (last.x + 16 < f.right - 10 || std::fabs(place - last.y) > 4)
      scene.add(Item::segments, {Ink::axis}, {{last.x + 6, last.y}, {f.right + 2, place}}).dash =
          dotted;
    scene.write(f.right + 8, place + canvas.to_base(),
                canvas.fit(s.name, canvas.width - f.right - 8), {Ink::text});
  }
  std::vector<LegendEntry> missing;
  for (const auto& s : series)
    if (s.values.empty()) missing.push_back({LegendEntry::plain, {}, s.name + " (no values)"});
  scene.legend(canvas, missing);
  return scene;
}

std::string Lines::description() const {
  std::string text = y_label;
  for (const auto& s : series) {
    text += "\n" + s.name + ": ";
    for (std::size_t i = 0; i < s.values.size(); ++i)
      text += (i > 0 ? ", " : "") + s.values[i].text;
  }
  return text;
}

double Roofline::roof(double intensity) const {
  return std::min(peak_flops, intensity * bandwidth);
}

void Roofline::draw_roof(Scene& scene, const Canvas& canvas, const Frame& f, const Axis& x,
                         const Axis& y) const {
  const double ridge = peak_flops / bandwidth, peak = peak_flops / 1e12;
  // The slanted roof starts where it enters the plot: at the left edge or at the bottom.
  const double enter = std::max(x.scale.low, y.scale.low * 1e12 / bandwidth);
  const Point corner = {x.scale(ridge), y.scale(peak)};
  scene
      .add(Item::line, {Ink::text},
           {{x.scale(enter), y.scale(enter * bandwidth / 1e12)}, corner, {f.right, corner.y}})
      .width = 2;
  scene.add(Item::segments, {Ink::axis}, {corner, {corner.x, f.bottom}}).dash = dashed;
  std::string pipe = peak_name;
  std::replace(pipe.begin(), pipe.end(), '_', ' ');
  scene.write(f.right, corner.y - 9, fmt::format("{} TFLOP/s {}", words::number(peak), pipe),
              {Ink::dim}, Anchor::end);
  const std::string name = fmt::format("ridge {} FLOP/B", words::number(ridge));
  const bool left = corner.x + 8 + canvas.width_of(name) > f.right;
  scene.write(corner.x + (left ? -6 : 6), f.bottom - 8, name, {Ink::dim},
              left ? Anchor::end : Anchor::start);
  const double middle = std::sqrt(enter * ridge);
  const Point half = {x.scale(middle), y.scale(middle * bandwidth / 1e12)};
  const std::string slope = fmt::format("{} TB/s", words::number(bandwidth / 1e12));
  // Above the slant, or where the ticks of y are there, below it.
  const bool above = half.x - 8 - canvas.width_of(slope) > f.left;
  scene.write(half.x + (above ? -8 : 8), half.y + (above ? -6 : canvas.line), slope, {Ink::dim},
              above ? Anchor::end : Anchor::start);
}

Scene Roofline::scene(const Canvas& canvas) const {
  Scene scene;
  scene.width = canvas.width;
  scene.height = std::clamp(canvas.width * 0.55, 200.0, 320.0);
  if (!(peak_flops > 0 && bandwidth > 0)) return scene;
  const double ridge = peak_flops / bandwidth;
  double low = ridge, high = ridge, least = peak_flops;
  for (const auto& mark : marks) {
    if (!(mark.intensity > 0)) continue;
    low = std::min(low, mark.intensity);
    high = std::max(high, mark.intensity);
    least = std::min(least, mark.flops > 0 ? mark.flops : roof(mark.intensity));
  }
  Frame f = {0, canvas.line * 1.8, canvas.width - 8, scene.height - 2 * canvas.line - 12};
  // So much of the slanted roof as says what it is, and everything below it that is marked.
  least = std::min(least / 2, std::max(roof(low / 3), least / 20));
  const Axis y = log10_axis(least / 1e12, peak_flops * 1.5 / 1e12, f.bottom, f.top);
  f.left = tick_width(canvas, y) + 12;
  const Axis x = log10_axis(low / 3, high * 3, f.left, f.right);
  scene.axes(canvas, f, x, y, "arithmetic intensity, FLOP per byte", "TFLOP/s");
  draw_roof(scene, canvas, f, x, y);
  // Names at the marks would lie on each other: phases of one call have nearly one intensity.
  std::vector<LegendEntry> names;
  bool rings = false;
  for (const auto& mark : marks) {
    if (!(mark.intensity > 0)) continue;
    const bool known = mark.flops > 0;
    rings = rings || !known;
    const double ceiling = roof(mark.intensity);
    const Point at = {x.scale(mark.intensity), y.scale((known ? mark.flops : ceiling) / 1e12)};
    scene.add(Item::segments, {Ink::grid}, {{at.x, y.scale(ceiling / 1e12)}, {at.x, f.bottom}})
        .dash = dashed;
    auto& item = scene.add(known ? Item::mark : Item::ring, mark.ink, {at});
    item.series = mark.series;
    item.hint = mark.name + " · " + mark.text;
    if (!mark.name.empty())
      names.push_back(
          {known ? LegendEntry::mark : LegendEntry::ring, {mark.ink}, mark.name, {}, mark.series});
  }
  if (rings) names.push_back({LegendEntry::plain, {}, "hollow: no time, at its ceiling"});
  scene.legend(canvas, names);
  return scene;
}

std::string Roofline::description() const {
  std::string text = bandwidth > 0 ? fmt::format("Ridge at {} FLOP per byte, peak {} TFLOP/s",
                                                 words::number(peak_flops / bandwidth),
                                                 words::number(peak_flops / 1e12))
                                   : std::string();
  for (const auto& mark : marks) text += (text.empty() ? "" : "\n") + mark.name + ": " + mark.text;
  return text;
}

}  // namespace rnnadvisor::advisor::chart
