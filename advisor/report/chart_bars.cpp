#include <algorithm>

#include "advisor/report/charts.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::chart {
namespace {

constexpr double bar_gap = 12, row_gap = 10, least_row = 22, least_bar = 120, bar_height = 18;

double sum(const Bars::Row& row) {
  double total = 0;
  for (const auto& segment : row.segments) total += segment.value;
  return total;
}

std::string joined(std::initializer_list<std::string_view> parts, std::string_view between) {
  std::string text;
  for (const auto part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

// An interval of the value at the end of a bar.
void whisker(Scene& scene, double low, double high, double middle) {
  auto& line = scene.add(Item::segments, {Ink::text},
                         {{low, middle},
                          {high, middle},
                          {low, middle - 5},
                          {low, middle + 5},
                          {high, middle - 5},
                          {high, middle + 5}});
  line.width = 1.5;
  line.halo = true;
}

}  // namespace

std::vector<LegendEntry> Bars::entries() const {
  std::vector<LegendEntry> found;
  if (legend) {
    for (const auto& row : rows)
      for (const auto& segment : row.segments) {
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const auto& e) { return e.text == segment.name; });
        if (!known && !segment.name.empty() && segment.value > 0)
          found.push_back({LegendEntry::swatch, {segment.ink}, segment.name});
      }
    std::stable_partition(found.begin(), found.end(),
                          [&](const auto& entry) { return entry.text != last_entry; });
  }
  if (!bound_entry.empty()) found.push_back({LegendEntry::dash, {{Ink::bound}}, bound_entry});
  return found;
}

double Bars::note_width(const Canvas& canvas) const {
  double most = 0;
  for (const auto& row : rows) most = std::max(most, canvas.width_of(row.note));
  return most;
}

double Bars::label_width(const Canvas& canvas) const {
  double most = 0;
  for (const auto& row : rows) most = std::max(most, canvas.width_of(row.label));
  // Labels are cut only where bars would else be shorter than can be read.
  const double room =
      std::max(canvas.width * 0.45, canvas.width - least_bar - note_width(canvas) - 2 * bar_gap);
  return most > 0 ? std::min(most, room) + bar_gap : 0;
}

double Bars::least_width(const Canvas& canvas) const {
  Canvas wide = canvas;
  wide.width = 600;
  return label_width(wide) + least_bar;
}

Scene Bars::scene(const Canvas& canvas) const {
  Scene scene;
  scene.width = canvas.width;
  const double labels = label_width(canvas), notes = note_width(canvas);
  const double row_height = std::max(least_row, canvas.line + 2);
  const double left = labels, right = left + std::max(20.0, canvas.width - labels -
                                                                (notes > 0 ? notes + bar_gap : 0));
  double most = 0;
  for (const auto& row : rows)
    if (row.whole <= 0) most = std::max({most, sum(row), row.high, row.bound});
  const double step = row_height + row_gap;
  const double bottom = 1 + step * static_cast<double>(rows.size()) - row_gap;
  scene.height = bottom + 2;
  if (!axis.empty()) {
    const Axis x = linear_axis(most, 5, left, right);
    most = x.scale.high;
    for (const double tick : x.ticks)
      scene.add(Item::segments, {Ink::grid}, {{x.scale(tick), 0}, {x.scale(tick), bottom}});
    scene.axes(canvas, {left, 0, right, bottom}, x, {}, axis, {});
    scene.height = bottom + 2 * canvas.line + 10;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const double middle = 1 + step * static_cast<double>(i) + row_height / 2;
    const double top = middle - bar_height / 2, base = middle + canvas.to_base();
    const double scale = row.whole > 0 ? row.whole : most;
    const auto at = [&](double value) {
      return std::min(right, left + (scale > 0 ? value / scale : 0) * (right - left));
    };
    scene.write(0, base, canvas.fit(row.label, labels - bar_gap), {Ink::text});
    if (row.whole > 0) scene.rect(Item::fill, {Ink::raised}, left, top, right - left, bar_height);
    double x = left;
    for (const auto& segment : row.segments) {
      if (segment.value <= 0 || scale <= 0) continue;
      // A segment that is there is seen, however short.
      const double width = std::max(1.5, segment.value / scale * (right - left));
      const double shown = std::min(width, right - x);
      auto& bar = scene.rect(Item::fill, segment.ink, x, top, shown, bar_height);
      bar.hint = joined({row.label, joined({segment.name, segment.text}, ": ")}, " · ");
      bar.link = segment.link.empty() ? row.link : segment.link;
      if (x > left) scene.add(Item::segments, {Ink::panel}, {{x, top}, {x, top + bar_height}});
      if (!segment.text.empty() && canvas.width_of(segment.text) + 10 < shown) {
        Ink ink = segment.ink;
        ink.on = true;
        ink.faint = false;
        scene.write(x + shown / 2, base, segment.text, ink, Anchor::middle);
      }
      x = std::min(right, x + width);
    }
    double end = row.whole > 0 ? right : x;
    if (row.high > row.low && row.low > 0) {
      whisker(scene, at(row.low), at(row.high), middle);
      end = std::max(end, at(row.high));
    }
    if (row.bound > 0) {
      auto& line = scene.add(Item::segments, {Ink::bound},
                             {{at(row.bound), top - 2}, {at(row.bound), top + bar_height + 2}});
      line.width = 2;
      line.dash = dashed;
      end = std::max(end, at(row.bound));
    }
    scene.write(end + bar_gap, base, row.note);
  }
  if (const auto all = entries(); !all.empty()) {
    scene.height += 6;
    scene.legend(canvas, all);
  }
  return scene;
}

std::string Bars::description() const {
  std::string text;
  for (const auto& row : rows) {
    std::string parts;
    for (const auto& segment : row.segments)
      if (segment.value > 0)
        parts += (parts.empty() ? "" : ", ") + joined({segment.name, segment.text}, " ");
    text += (text.empty() ? "" : "\n") + joined({joined({row.label, parts}, ": "), row.note}, "; ");
  }
  return text;
}

}  // namespace rnnadvisor::advisor::chart
