// Geometry of charts: scales, ticks, labels that do not overlap. No SVG here; pixels are abstract
// units.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace rnnadvisor::advisor::chart {

enum class ScaleKind { linear, log2, log10 };

// Maps [low, high] to [from, to] (from > to for a y axis that grows upwards). Values outside are
// extrapolated on a linear scale and clamped to the nearest representable end on a logarithmic one
// when they are not positive.
struct Scale {
  ScaleKind kind = ScaleKind::linear;
  double low = 0, high = 1;
  double from = 0, to = 1;

  double operator()(double value) const;
};

struct Axis {
  Scale scale;
  std::vector<double> ticks;        // within [low, high], ascending
  std::vector<std::string> labels;  // of equal length; empty for a tick without a label
};

// 0 to a round number at or above `most`, with at most `count` steps of 1, 2 or 5 times a power of
// ten. `most` <= 0 or not finite: 0 to 1.
Axis linear_axis(double most, int count, double from, double to);

// From a tick (1, 2 or 5 times a power of ten) at or below `least` to one at or above `most`, at
// least a decade; both must be positive, otherwise 1 to 10. Labels on the powers of ten, and on 2
// and 5 too when there are at most three decades.
Axis log10_axis(double least, double most, double from, double to);

// From the least to the most of `values` with a tick at each distinct value; the labels that would
// be nearer than `room` to their neighbour are left out. For axes on which few known values stand:
// 8, 16, 32, … on a log2 scale.
Axis value_axis(ScaleKind kind, std::span<const double> values, double from, double to,
                double room);

// True when every distinct value is 1.3 to 2.9 times the one before and there are at least three:
// sizes that grow by doubling, with a value between here and there (64, 96, 128).
bool doubles(std::span<const double> values);

// "0.25", "1", "2000", "20 000" (narrow blank): no exponent from 0.001 to below 100 000, else
// "1e6".
std::string tick_label(double value);

// Moves labels apart: positions (in any order) become at least `gap` from each other, stay within
// [low, high] where they fit, and move as little as a pass from both sides allows. The result is in
// the order of the input.
std::vector<double> spread(std::span<const double> positions, double gap, double low, double high);

// A coordinate for SVG: at most two decimals, no exponent, "0" for what is not finite.
std::string coordinate(double value);

}  // namespace rnnadvisor::advisor::chart
