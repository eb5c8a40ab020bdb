#include <algorithm>
#include <cmath>
#include <numeric>

#include "advisor/report/charts.h"

namespace rnnadvisor::advisor::chart {
namespace {

constexpr double least_cell = 24, most_cell = 64, name_gap = 8;

}  // namespace

struct HeatMap::Geometry {
  double left = 0, top = 0, cell_width = 0, cell_height = 0, label = 0;
  double x(int column) const { return left + column * cell_width; }
  double y(int row) const { return top + row * cell_height; }
};

bool HeatMap::whole() const {
  return !cells.empty() && cells.size() == rows.size() * columns.size();
}

int HeatMap::first() const {
  return here ? here->row * static_cast<int>(columns.size()) + here->column : 0;
}

double HeatMap::least_width(const Canvas&) const {
  return 120 + least_cell * static_cast<double>(columns.size());
}

HeatMap::Geometry HeatMap::geometry(const Canvas& canvas) const {
  Geometry g;
  for (const auto& name : rows) g.label = std::max(g.label, canvas.width_of(name, true));
  // Names that would leave the cells no room are cut; a hint says all.
  g.label = std::max(canvas.width_of(row_title), std::min(g.label, canvas.width * 0.34));
  g.left = g.label + name_gap;
  const auto count = static_cast<double>(std::max<std::size_t>(1, columns.size()));
  g.left = std::ceil(g.left);  // few digits in files, sharp edges on screens
  g.cell_width = std::floor(std::clamp((canvas.width - g.left - 2) / count, 4.0, most_cell));
  g.cell_height = canvas.line + 9;
  g.top = 2 * canvas.line + 8;
  return g;
}

Scene HeatMap::scene(const Canvas& canvas) const {
  Scene scene;
  scene.width = canvas.width;
  if (!whole()) return scene;
  scene.columns = static_cast<int>(columns.size());
  scene.first = first();
  const Geometry g = geometry(canvas);
  draw_names(scene, canvas, g);
  for (const auto& layer : layers) draw_layer(scene, canvas, g, layer);
  for (const bool thick : {false, true}) draw_lines(scene, g, thick);
  for (const auto& place : marked) draw_frame(scene, g, place, true);
  if (here) draw_frame(scene, g, *here, false);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const int row = static_cast<int>(i) / scene.columns,
              column = static_cast<int>(i) % scene.columns;
    auto& cell = scene.rect(Item::fill, {}, g.x(column), g.y(row), g.cell_width, g.cell_height);
    cell.hint = cells[i].hint;
    cell.link = cells[i].link;
  }
  scene.height = g.y(static_cast<int>(rows.size())) + 10;
  std::vector<LegendEntry> entries;
  for (const auto& layer : layers)
    for (auto entry : layer.legend) {
      entry.layer = layer.number;
      entries.push_back(std::move(entry));
    }
  scene.legend(canvas, entries);
  return scene;
}

void HeatMap::draw_names(Scene& scene, const Canvas& canvas, const Geometry& g) const {
  const double base = canvas.line / 2 + canvas.to_base(), second = base + canvas.line + 4;
  const auto name = [&](double x, double y, const std::string& text, bool own, Anchor anchor) {
    scene.write(x, y, text, {own ? Ink::text : Ink::dim}, anchor).bold = own;
  };
  const int count = static_cast<int>(columns.size());
  name((g.left + g.x(count)) / 2, base, column_title, false, Anchor::middle);
  name(g.label, second, row_title, false, Anchor::end);
  // Where not every name has room the own one has: from it to both sides.
  double widest = 0;
  for (const auto& text : columns) widest = std::max(widest, canvas.width_of(text, true));
  const int step = std::max(1, static_cast<int>(std::ceil((widest + 6) / g.cell_width)));
  const int own = here ? here->column : 0;
  for (int column = 0; column < count; ++column) {
    if ((column - own) % step != 0) continue;
    name(g.x(column) + g.cell_width / 2, second, columns[static_cast<std::size_t>(column)],
         here && column == here->column, Anchor::middle);
  }
  for (int row = 0; row < static_cast<int>(rows.size()); ++row)
    name(g.label, g.y(row) + g.cell_height / 2 + canvas.to_base(),
         canvas.fit(rows[static_cast<std::size_t>(row)], g.label), here && row == here->row,
         Anchor::end);
}

void HeatMap::draw_layer(Scene& scene, const Canvas& canvas, const Geometry& g,
                         const Layer& layer) const {
  const std::size_t begin = scene.items.size();
  const int count = static_cast<int>(columns.size());
  const auto x = [&](std::size_t i) { return g.x(static_cast<int>(i) % count); };
  const auto y = [&](std::size_t i) { return g.y(static_cast<int>(i) / count); };
  // Cells of one colour after each other: a writer may put them into one path.
  std::vector<std::size_t> order(layer.faces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return layer.faces[a].ink < layer.faces[b].ink;
  });
  const auto ink_of_cell = [&](std::size_t i) {
    return layer.faces[i].ink.is == Ink::nothing ? Ink{Ink::raised} : layer.faces[i].ink;
  };
  for (const std::size_t i : order)
    scene.rect(Item::fill, ink_of_cell(i), x(i) + 0.5, y(i) + 0.5, g.cell_width - 1,
               g.cell_height - 1);
  // One size for all cells, so that no number looks as if it meant more than another.
  double widest = 0;
  for (const auto& face : layer.faces) widest = std::max(widest, canvas.width_of(face.text));
  const double room = g.cell_width - 4;
  const bool small = widest > room;
  for (const std::size_t i : order) {
    const auto& face = layer.faces[i];
    if (face.corner.is != Ink::nothing) {
      const double side = std::min(9.0, g.cell_width / 2);
      const Point corner = {x(i) + g.cell_width - 1, y(i) + 1};
      scene.add(Item::area, face.corner,
                {corner, {corner.x, corner.y + side}, {corner.x - side, corner.y}});
    }
    if (widest * (small ? Canvas::small : 1) > room) continue;
    Ink ink = ink_of_cell(i);
    ink.on = true;
    scene
        .write(x(i) + g.cell_width / 2, y(i) + g.cell_height / 2 + canvas.to_base(), face.text, ink,
               Anchor::middle)
        .small = small;
  }
  for (std::size_t i = begin; i < scene.items.size(); ++i) scene.items[i].layer = layer.number;
}

void HeatMap::draw_lines(Scene& scene, const Geometry& g, bool thick) const {
  std::vector<Point> points;
  for (const auto& line : lines) {
    if (line.thick != thick) continue;
    const double x = g.x(line.column), y = g.y(line.row);
    points.push_back(line.vertical ? Point{x, y + g.cell_height} : Point{x + g.cell_width, y});
    points.push_back({x + g.cell_width, y + g.cell_height});
  }
  if (points.empty()) return;
  auto& item = scene.add(Item::segments, {Ink::text}, std::move(points));
  item.width = thick ? 2.5 : 1.5;
  item.dash = thick ? 0 : dashed;
  item.halo = true;
}

void HeatMap::draw_frame(Scene& scene, const Geometry& g, Place place, bool is_dashed) const {
  // Nearly on the edge of the cell, so that its text stays free, and in a colour of its own: lines
  // lie there too.
  auto& frame = scene.rect(Item::outline, {Ink::here}, g.x(place.column) + 0.5,
                           g.y(place.row) + 0.5, g.cell_width - 1, g.cell_height - 1);
  frame.width = 3;
  frame.halo = true;
  frame.dash = is_dashed ? dashed : 0;
}

std::string HeatMap::description() const {
  // Every cell is read out when it is reached by the arrow keys; here is what the map says.
  std::string text = column_title + ", " + row_title;
  if (!summary.empty()) text += ". " + summary;
  if (whole()) text += "\n" + cells[static_cast<std::size_t>(first())].hint;
  return text;
}

}  // namespace rnnadvisor::advisor::chart
