// Looks up the values of the profile's figures.
#pragma once

#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// Measures: "<phase>_ms", "training_ms" (the three training phases), "<phase>_tflops", "tflops" (of
// the step). A figure with an unknown key or measure, or without any value, is left out.
std::vector<FigureReport> look_up_figures(const Report& report);

}  // namespace rnnadvisor::advisor
