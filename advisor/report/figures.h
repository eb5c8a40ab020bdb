// Looks up the values of the profile's figures.
#pragma once

#include <optional>
#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// Measures: "<phase>_ms", "training_ms" (the three training phases), "<phase>_tflops", "tflops" (of
// the step). A figure with an unknown key or measure, or without any value, is left out.
std::vector<FigureReport> look_up_figures(const Report& report);

// Indices of the series that a linear axis cannot separate because others dwarf them: those
// below the widest gap between the largest values of two series, if it is at least a factor of four
// and two or more series are below it. Otherwise empty. A series without values counts for nothing.
std::vector<std::size_t> dwarfed_series(const FigureReport& figure);

// A figure as a table: a row for each x, a value for each series, in their order; null where there
// is none.
struct FigureRow {
  double x = 0;
  std::vector<const FigurePoint*> points;
};
// By x. Nothing when a series has two values at one x, which a table of this form cannot show.
std::optional<std::vector<FigureRow>> figure_rows(const FigureReport& figure);
// The best value of a row: least of times, most of rates; null in a row without values.
const FigurePoint* best_of(const FigureReport& figure, const FigureRow& row);

}  // namespace rnnadvisor::advisor
