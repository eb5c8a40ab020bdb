#include <algorithm>

#include "advisor/report/charts.h"

namespace rnnadvisor::advisor::chart {
namespace {

constexpr double strip_height = 64, sign_height = 9, note_gap = 8, widest_column = 28;

}  // namespace

Scene Columns::scene(const Canvas& canvas) const {
  Scene scene;
  scene.width = canvas.width;
  const double right = std::max(40.0, canvas.width - note_width(canvas));
  const double top = sign_height, bottom = top + strip_height;
  scene.height = bottom + 2;
  scene.columns = static_cast<int>(columns.size());
  if (columns.empty()) return scene;
  double most = middle;
  for (const auto& column : columns)
    if (!column.aside) most = std::max(most, column.value);
  const double step = std::min(widest_column, right / static_cast<double>(columns.size()));
  const double gap = step > 4 ? 1 : 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& column = columns[i];
    const double x = step * static_cast<double>(i);
    // Those aside may be far longer than all others, which would be flat beside them.
    const double share = most > 0 ? std::min(1.0, column.value / most) : 0;
    const double tall = std::max(1.0, share * strip_height);
    Ink ink = column.ink;
    ink.faint = column.aside;
    auto& bar = scene.rect(Item::fill, ink, x, bottom - tall, std::max(1.0, step - gap), tall);
    bar.hint = column.hint;
    bar.link = column.link;
    if (!column.marked) continue;
    // A shape, so that colour is not needed.
    const double centre = x + (step - gap) / 2, tip = bottom - tall - 2;
    scene.add(Item::area, {Ink::error},
              {{centre - 4, tip - 6}, {centre + 4, tip - 6}, {centre, tip}});
  }
  const double end = step * static_cast<double>(columns.size());
  scene.add(Item::segments, {Ink::axis}, {{0, bottom}, {end, bottom}});
  if (middle > 0 && most > 0) {
    const double y = bottom - std::min(1.0, middle / most) * strip_height;
    auto& line = scene.add(Item::segments, {Ink::text}, {{0, y}, {end, y}});
    line.dash = dashed;
    scene.write(end + note_gap, y + canvas.to_base(), middle_note);
  }
  return scene;
}

double Columns::note_width(const Canvas& canvas) const {
  return middle_note.empty() ? 0 : canvas.width_of(middle_note) + note_gap;
}

double Columns::least_width(const Canvas& canvas) const { return 120 + note_width(canvas); }

std::string Columns::description() const {
  std::string text = summary;
  for (const auto& column : columns)
    if (column.marked) text += (text.empty() ? "" : "\n") + column.hint;
  return text;
}

}  // namespace rnnadvisor::advisor::chart
