// The kinds of charts: each is data that lays itself out as a scene of any width and says in words
// what it shows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advisor/report/map_view.h"
#include "advisor/report/report.h"
#include "advisor/report/scene.h"

namespace rnnadvisor::advisor::chart {

class Chart {
 public:
  virtual ~Chart() = default;
  virtual Scene scene(const Canvas& canvas) const = 0;
  // All of it in words.
  virtual std::string description() const = 0;
  // Below it nothing can be read.
  virtual double least_width(const Canvas& canvas) const = 0;
};

// Rows of bars cut into segments, on one scale. Also for a single bar against a whole.
class Bars : public Chart {
 public:
  struct Segment {
    double value = 0;
    Ink ink = {};
    std::string name = {};  // in the legend; equal names are one entry
    std::string text = {};  // of the value: "0.72 ms"
    std::string link = {};
  };
  struct Row {
    std::string label = {}, note = {};  // left of the bar, and after its end
    std::vector<Segment> segments = {};
    std::string link = {};
    double whole = 0;          // a scale of its own: the bar is a part of this
    double low = 0, high = 0;  // interval of the value; equal: none
    double bound = 0;          // what it cannot go below; 0: not known
  };
  std::vector<Row> rows;
  std::string last_entry;   // of the legend: what is no work
  std::string axis;         // title of an axis below; empty: none
  std::string bound_entry;  // of the legend: what the bounds are
  bool legend = true;

  Scene scene(const Canvas& canvas) const override;
  std::string description() const override;
  double least_width(const Canvas& canvas) const override;
  // Of the labels with the gap behind them.
  double label_width(const Canvas& canvas) const;

 private:
  std::vector<LegendEntry> entries() const;
  double note_width(const Canvas& canvas) const;
};

// A strip of narrow columns that stand beside each other in the order of time, on one scale.
class Columns : public Chart {
 public:
  struct Column {
    double value = 0;
    Ink ink = {};
    bool marked = false;  // a sign above it
    bool aside = false;   // pale, and the scale is not made for it: it may be cut
    std::string hint = {}, link = {};
  };
  std::vector<Column> columns;
  double middle = 0;        // a line across; 0: none
  std::string middle_note;  // behind it
  std::string summary;      // said before the marked ones in the description

  Scene scene(const Canvas& canvas) const override;
  std::string description() const override;
  double least_width(const Canvas& canvas) const override;

 private:
  double note_width(const Canvas& canvas) const;
};

// Lines over one axis; intervals of the values as bars.
class Lines : public Chart {
 public:
  struct Value {
    double x = 0, y = 0, low = 0, high = 0;
    std::string text = {}, link = {};
  };
  struct Series {
    std::string name = {};
    Ink ink = {};
    int number = 0;                  // its mark and dashes
    std::vector<Value> values = {};  // by x
  };
  std::vector<Series> series;
  std::string x_label, y_label;
  bool log_y = false;

  Scene scene(const Canvas& canvas) const override;
  std::string description() const override;
  double least_width(const Canvas&) const override { return 320; }
};

// Arithmetic intensity against rate on logarithmic axes, below the ceilings of a device.
class Roofline : public Chart {
 public:
  struct Mark {
    double intensity = 0;   // FLOP/B
    double flops = 0;       // FLOP/s; 0: not known, it stands on the roof as a ring
    std::string name = {};  // in the legend, with the colour
    Ink ink = {};
    int series = 0;
    std::string text = {};
  };
  double peak_flops = 0, bandwidth = 0;  // FLOP/s, B/s
  std::string peak_name;                 // "fp16_tensor"
  std::vector<Mark> marks;

  Scene scene(const Canvas& canvas) const override;
  std::string description() const override;
  double least_width(const Canvas&) const override { return 280; }
  double roof(double intensity) const;

 private:
  void draw_roof(Scene& scene, const Canvas& canvas, const Frame& f, const Axis& x,
                 const Axis& y) const;
};

// A table of coloured cells with lines between them: values over two axes that need not be numbers.
// Several layers of one table take turns.
class HeatMap : public Chart {
 public:
  struct Face {
    std::string text = {};  // in the cell, where it has room
    Ink ink = {};           // nothing: not known, the ground of a field
    Ink corner = {};        // nothing: none
  };
  struct Layer {
    int number = 0;
    std::vector<Face> faces = {};  // of the cells
    std::vector<LegendEntry> legend = {};
  };
  struct Cell {
    std::string hint = {}, link = {};  // all of it
  };
  // Behind a cell: to its right, or with `vertical` below it.
  struct Line {
    int row = 0, column = 0;
    bool vertical = false;
    bool thick = true;  // otherwise thin and dashed
  };
  struct Place {
    int row = 0, column = 0;
  };

  std::vector<std::string> rows, columns;  // places on the axes, from the top and from the left
  std::string row_title, column_title;
  std::vector<Cell> cells;  // row by row; as many as rows times columns
  std::vector<Layer> layers;
  std::vector<Line> lines;
  std::optional<Place> here;  // framed, its names stand out
  std::vector<Place> marked;  // framed with dashes
  std::string summary;        // said before the cells in the description

  Scene scene(const Canvas& canvas) const override;
  std::string description() const override;
  double least_width(const Canvas&) const override;
  bool whole() const;
  int first() const;  // the own cell, else the first

 private:
  struct Geometry;
  Geometry geometry(const Canvas& canvas) const;
  void draw_names(Scene& scene, const Canvas& canvas, const Geometry& g) const;
  void draw_layer(Scene& scene, const Canvas& canvas, const Geometry& g, const Layer& layer) const;
  void draw_lines(Scene& scene, const Geometry& g, bool thick) const;
  void draw_frame(Scene& scene, const Geometry& g, Place place, bool dashed) const;
};

// What is shown of a report. Null where there is nothing to draw.
std::unique_ptr<Bars> steps(const Report& report);  // a step of the program, on each device
std::unique_ptr<Bars> phase_times(const ConfigurationReport& each);
std::unique_ptr<Roofline> roofline(const ConfigurationReport& each);
// The ceilings alone.
std::unique_ptr<Roofline> roofline_of(const ConfigurationReport& each);
// Of the device, where it is known, and by what needs it.
std::unique_ptr<Bars> memory(const ConfigurationReport& each);

struct MemoryPart {
  std::string name;
  std::int64_t bytes = 0;
};
std::vector<MemoryPart> memory_parts(const model::MemoryNeed& need);
// A bar of its parts.
Bars::Row memory_row(const model::MemoryNeed& need, std::string label);

// A figure as one chart, or where some series dwarf the others as two with captions: all on a
// logarithmic axis, and without those that dwarf.
struct FigureChart {
  std::string caption;
  Lines lines;
};
std::vector<FigureChart> figure_charts(const FigureReport& figure);

// A map with the wanted layers. The link of a cell is "cell/<row>/<column>".
HeatMap map_chart(const model::ConfigurationMap& map, const std::vector<MapLayer>& layers);

}  // namespace rnnadvisor::advisor::chart
