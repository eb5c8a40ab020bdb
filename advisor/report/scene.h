// A chart as a scene: rectangles, lines, marks and texts with colours by meaning and with what a
// reader learns of each. Charts (charts.h) lay a scene out; the SVG writer (html_svg.h) and the
// window (gui/charts) draw it, so that both show the same axes and the same marks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/report/chart.h"
#include "core/config/rnn_config.h"
#include "core/model/eligibility.h"

namespace rnnadvisor::advisor::chart {

// A colour by what it means. Each renderer has its own colours, by theme.
struct Ink {
  enum Is {
    nothing,
    panel,    // the ground that charts stand on
    raised,   // a field on it
    grid,     // lines behind everything
    axis,     // lines that frame
    text,     // what is read, and lines as strong as it
    dim,      // what is read second
    error,    // more than there is
    bound,    // a limit
    here,     // the reader's own place
    idle,     // a GPU with nothing to do
    series,   // the n-th of several
    phase,    // n: Phase
    role,     // n: KernelRole
    kernels,  // n: model::Implementation
    time,     // n of `shades` steps, the least first
    speedup   // the same
  };
  Is is = nothing;
  int n = 0;
  bool faint = false;  // half way to the ground: what was before
  bool on = false;     // what can be read on this colour
  auto operator<=>(const Ink&) const = default;
};
inline constexpr int shades = 8;
inline constexpr int series_inks = 8;
inline Ink ink_of(Phase phase) { return {Ink::phase, static_cast<int>(phase)}; }
inline Ink ink_of(model::Implementation kernels) {
  return {Ink::kernels, static_cast<int>(kernels)};
}

struct Point {
  double x = 0, y = 0;
};

enum class Anchor { start, middle, end };

struct Item {
  enum Shape {
    fill,      // rectangle between two points
    outline,   // the same, its edge only
    area,      // what a line through all points encloses
    line,      // through all points
    segments,  // between each two points
    mark,      // the shape of a series at a point: shapes differ, so that colour is not needed
    ring,      // the same, hollow
    label      // text from a point on its base line
  };
  Shape shape = fill;
  Ink ink = {};
  std::vector<Point> points = {};
  double width = 1;   // of lines
  int dash = 0;       // 0: whole; of the others dash_of() has the lengths
  bool halo = false;  // on a wider line in the colour of the ground: it is seen on every fill
  int series = 0;     // of a mark
  std::string text = {};
  Anchor anchor = Anchor::start;
  bool bold = false, small = false;
  // Set: the pointer and the keyboard find this mark, and show the hint.
  std::string hint = {}, link = {};
  int layer = -1;  // of several that take turns; -1: of all
};

// Lengths of dashes and gaps, empty for 0.
const std::vector<double>& dash_of(int dash);
inline constexpr int dashed = 1, dotted = 2;
// Each of several lines has its own, so that they can be told apart without colour.
int dash_of_series(std::size_t series);
// The outline of the mark of a series around a point.
std::vector<Point> mark_outline(int series, Point at);
// The lines that draw an item, which is no label; closed where it is filled or a frame.
std::vector<std::vector<Point>> outlines_of(const Item& item);
bool is_closed(Item::Shape shape);

// What a scene is laid out for.
struct Canvas {
  double width = 0;
  double line = 15;  // height of a line of text
  // Width of a text.
  std::function<double(std::string_view text, bool bold)> measure = {};

  double width_of(std::string_view text, bool bold = false) const { return measure(text, bold); }
  // Cut where it is longer than `room`.
  std::string fit(std::string_view text, double room) const;
  // From the middle of a line to its base.
  double to_base() const { return line * 0.28; }
  static constexpr double small = 0.85;  // size of small text
};

struct Frame {
  double left = 0, top = 0, right = 0, bottom = 0;
};

struct LegendEntry {
  enum Sign { plain, swatch, mark, ring, dash, thick_line, thin_line, frame, dashed_frame, ramp };
  Sign sign = plain;
  std::vector<Ink> inks = {};            // one, of a ramp all
  std::string text = {}, end_text = {};  // a ramp has one before it and one behind
  int series = 0;                        // of a mark
  int layer = -1;
};

struct Scene {
  double width = 0, height = 0;
  std::vector<Item> items;
  // Above 0: what has hints is a grid of so many columns, row by row, and the keyboard begins at
  // `first`.
  int columns = 0, first = 0;

  Item& add(Item::Shape shape, Ink ink, std::vector<Point> points);
  Item& rect(Item::Shape shape, Ink ink, double x, double y, double width, double height);
  Item& write(double x, double y, std::string text, Ink ink = {Ink::dim},
              Anchor anchor = Anchor::start);
  // Grid, ticks and titles: that of y above its axis, that of x below at the right.
  void axes(const Canvas& canvas, const Frame& frame, const Axis& x, const Axis& y,
            const std::string& x_title, const std::string& y_title);
  // Below everything, in as many lines as it takes. Entries of layers take the same room.
  void legend(const Canvas& canvas, const std::vector<LegendEntry>& entries);
};
double tick_width(const Canvas& canvas, const Axis& axis);

}  // namespace rnnadvisor::advisor::chart
