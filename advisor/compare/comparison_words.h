// What a comparison says, in words: for the window and the reports alike.
#pragma once

#include <string>

#include "advisor/compare/comparison.h"
#include "advisor/report/document.h"

namespace rnnadvisor::compare {

// "A step is 1.31× slower": the whole first, as single calls may have become others, or cheaper at
// the cost of the rest.
std::string headline_of(const Comparison& comparison);
// What that rests on: the step's times with their intervals, and what became of the RNN calls.
// Empty where no step is in both.
std::string step_line_of(const Comparison& comparison);

// "2.10 ms (2.05 to 2.20)", "–" without one; "1.31× slower", "within noise". `ratio`: before over
// after, 0: not known.
std::string time_in_words(const MedianInterval& time);
std::string change_in_words(Change change, double ratio);

// "predicted 2.84× (1.90 to 4.10), measured 4.43×"; with an interval of what was measured where it
// is wanted.
std::string prediction_in_words(const Prediction& prediction, bool measured_interval = false);
// What it is of: "a step of the program", "training step of the layer"; and with what: "the
// persist_static algorithm", or that another change was made.
std::string predicted_for(const Prediction& prediction);

// A whole comparison: headline, what differs around the program, what was predicted of
// the changes, parts of the step, RNN calls and findings. `rows`: of calls, the largest changes;
// the rest is counted.
advisor::document::Blocks document_of(const Comparison& comparison, const advisor::Report& before,
                                      const advisor::Report& after, std::size_t rows);

}  // namespace rnnadvisor::compare
