#include "advisor/report/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "advisor/report/words.h"

namespace rnnadvisor::advisor::chart {
namespace {

constexpr double entry_gap = 18, sign_width = 12, step_width = 16;

// The first tick that is no power of ten whose label has no room: then only powers keep theirs.
// What is left out by chance reads as an error.
bool only_powers(const Canvas& canvas, const Axis& axis) {
  if (axis.scale.kind != ScaleKind::log10) return false;
  double end = -1e9;
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    if (axis.labels[i].empty()) continue;
    const double at = axis.scale(axis.ticks[i]), half = canvas.width_of(axis.labels[i]) / 2;
    if (at - half < end) return true;
    end = at + half + 8;
  }
  return false;
}

bool is_power(double value) {
  const double power = std::log10(value);
  return std::fabs(power - std::round(power)) < 1e-6;
}

// Draws the sign of an entry from x on around the height `middle`; the room it takes.
double sign(Scene& scene, const LegendEntry& entry, double x, double middle) {
  using Sign = LegendEntry::Sign;
  const Ink ink = entry.inks.empty() ? Ink{Ink::here} : entry.inks.front();
  const double center = x + sign_width / 2;
  const auto upright = [&](Ink of, double width, int dash) {
    auto& line = scene.add(Item::segments, of, {{center, middle - 7}, {center, middle + 7}});
    line.width = width;
    line.dash = dash;
  };
  const auto square = [&](Item::Shape shape) -> Item& {
    return scene.rect(shape, ink, x + 1, middle - 5, 10, 10);
  };
  switch (entry.sign) {
    case Sign::plain:
    case Sign::ramp:
      return 0;
    case Sign::swatch:
      square(Item::fill);
      // What is nearly the ground has an outline.
      if (ink.is == Ink::idle || ink.is == Ink::raised) square(Item::outline).ink = {Ink::dim};
      break;
    case Sign::mark:
    case Sign::ring:
      scene.add(entry.sign == Sign::mark ? Item::mark : Item::ring, ink, {{center, middle}})
          .series = entry.series;
      break;
    case Sign::dash:
      upright(ink, 2, dashed);
      break;
    case Sign::thick_line:
      upright({Ink::text}, 2.5, 0);
      break;
    case Sign::thin_line:
      upright({Ink::text}, 1.5, dashed);
      break;
    case Sign::frame:
    case Sign::dashed_frame: {
      auto& frame = square(Item::outline);
      frame.width = 2.5;
      frame.dash = entry.sign == Sign::dashed_frame ? dashed : 0;
      break;
    }
  }
  return sign_width + 5;
}

}  // namespace

const std::vector<double>& dash_of(int dash) {
  static const std::array<std::vector<double>, 6> lengths = {
      {{}, {4, 3}, {2, 3}, {9, 3}, {9, 3, 2, 3}, {5, 5}}};
  return lengths[static_cast<std::size_t>(dash) % lengths.size()];
}

int dash_of_series(std::size_t series) {
  static constexpr std::array<int, 6> order = {0, 3, 2, 4, 1, 5};
  return order[series % order.size()];
}

std::vector<Point> mark_outline(int series, Point at) {
  std::vector<Point> points;
  switch (series % 4) {
    case 0:
      for (int i = 0; i < 20; ++i)
        points.push_back({4.5 * std::cos(i * 0.314159), 4.5 * std::sin(i * 0.314159)});
      break;
    case 1:
      points = {{-4, -4}, {4, -4}, {4, 4}, {-4, 4}};
      break;
    case 2:
      points = {{0, -5.5}, {5, 3.5}, {-5, 3.5}};
      break;
    default:
      points = {{0, -5.5}, {5.5, 0}, {0, 5.5}, {-5.5, 0}};
  }
  for (auto& p : points) p = {p.x + at.x, p.y + at.y};
  return points;
}

std::vector<std::vector<Point>> outlines_of(const Item& item) {
  const auto& p = item.points;
  std::vector<std::vector<Point>> lines;
  switch (item.shape) {
    case Item::fill:
    case Item::outline:
      return {{p[0], {p[1].x, p[0].y}, p[1], {p[0].x, p[1].y}}};
    case Item::mark:
    case Item::ring:
      return {mark_outline(item.series, p[0])};
    case Item::segments:
      for (std::size_t i = 0; i + 1 < p.size(); i += 2) lines.push_back({p[i], p[i + 1]});
      return lines;
    default:
      return {p};
  }
}

bool is_closed(Item::Shape shape) { return shape != Item::line && shape != Item::segments; }

std::string Canvas::fit(std::string_view text, double room) const {
  const double whole = width_of(text);
  if (whole <= room) return std::string(text);
  auto columns = static_cast<std::size_t>(std::max(
      1.0, static_cast<double>(words::display_width(text)) * std::max(0.0, room) / whole + 2));
  std::string shown = words::shorten(text, columns);
  while (columns > 1 && width_of(shown) > room) shown = words::shorten(text, --columns);
  return shown;
}

Item& Scene::add(Item::Shape shape, Ink ink, std::vector<Point> points) {
  items.emplace_back();
  items.back().shape = shape;
  items.back().ink = ink;
  items.back().points = std::move(points);
  return items.back();
}

Item& Scene::rect(Item::Shape shape, Ink ink, double x, double y, double rect_width,
                  double rect_height) {
  return add(shape, ink, {{x, y}, {x + std::max(0.0, rect_width), y + std::max(0.0, rect_height)}});
}

Item& Scene::write(double x, double y, std::string text, Ink ink, Anchor anchor) {
  auto& item = add(Item::label, ink, {{x, y}});
  item.text = std::move(text);
  item.anchor = anchor;
  return item;
}

double tick_width(const Canvas& canvas, const Axis& axis) {
  double width_of_all = 0;
  for (const auto& label : axis.labels)
    width_of_all = std::max(width_of_all, canvas.width_of(label));
  return width_of_all;
}

void Scene::axes(const Canvas& canvas, const Frame& frame, const Axis& x, const Axis& y,
                 const std::string& x_title, const std::string& y_title) {
  for (std::size_t i = 0; i < y.ticks.size(); ++i) {
    const double at = std::round(y.scale(y.ticks[i])) + 0.5;
    add(Item::segments, {Ink::grid}, {{frame.left, at}, {frame.right, at}});
    if (!y.labels[i].empty())
      write(frame.left - 8, at + canvas.to_base(), y.labels[i], {Ink::dim}, Anchor::end);
  }
  const bool powers = only_powers(canvas, x);
  double free_from = -1e9;
  for (std::size_t i = 0; i < x.ticks.size(); ++i) {
    const double at = std::round(x.scale(x.ticks[i])) + 0.5;
    add(Item::segments, {Ink::axis}, {{at, frame.bottom}, {at, frame.bottom + 4}});
    if (x.labels[i].empty() || (powers && !is_power(x.ticks[i]))) continue;
    const double half = canvas.width_of(x.labels[i]) / 2;
    if (at - half < free_from || at + half > frame.right + 12) continue;
    free_from = at + half + 8;
    write(at, frame.bottom + canvas.line + 3, x.labels[i], {Ink::dim}, Anchor::middle);
  }
  add(Item::segments, {Ink::axis},
      {{frame.left, frame.bottom + 0.5}, {frame.right, frame.bottom + 0.5}});
  write(frame.right, frame.bottom + 2 * canvas.line + 4, x_title, {Ink::dim}, Anchor::end);
  if (!y_title.empty())
    write(frame.left - tick_width(canvas, y) - 8, frame.top - canvas.line * 0.7, y_title);
}

void Scene::legend(const Canvas& canvas, const std::vector<LegendEntry>& entries) {
  const double line = canvas.line + 4;
  struct Place {
    double x = 0, y = 0;
  };
  std::map<int, Place> places;  // by layer
  double bottom = height;
  for (const auto& entry : entries) {
    const bool ramp = entry.sign == LegendEntry::ramp;
    const double steps = ramp ? step_width * static_cast<double>(entry.inks.size()) + 16 : 0;
    const double text = canvas.width_of(entry.text);
    const double room = (ramp                               ? steps
                         : entry.sign == LegendEntry::plain ? 0
                                                            : sign_width + 5) +
                        text + canvas.width_of(entry.end_text) + entry_gap;
    auto& at = places.try_emplace(entry.layer, Place{0, height}).first->second;
    if (at.x > 0 && at.x + room > width + entry_gap) at = {0, at.y + line};
    const std::size_t begin = items.size();
    const double middle = at.y + line / 2, base = middle + canvas.to_base();
    const double after = at.x + sign(*this, entry, at.x, middle);
    write(after, base, canvas.fit(entry.text, width - after));
    if (ramp) {
      double x = after + text + 8;
      for (const auto& ink : entry.inks) {
        rect(Item::fill, ink, x, middle - 6, step_width, 12);
        x += step_width;
      }
      rect(Item::outline, {Ink::axis}, after + text + 8, middle - 6, x - after - text - 8, 12);
      write(x + 8, base, entry.end_text);
    }
    for (std::size_t i = begin; i < items.size(); ++i) items[i].layer = entry.layer;
    at.x += room;
    bottom = std::max(bottom, at.y + line);
  }
  height = bottom;
}

}  // namespace rnnadvisor::advisor::chart
