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

// A whole comparison: headline, what differs around the program, parts of the step, RNN calls and
// findings. `rows`: of calls, the largest changes; the rest is counted.
advisor::document::Blocks document_of(const Comparison& comparison, const advisor::Report& before,
                                      const advisor::Report& after, std::size_t rows);

}  // namespace rnnadvisor::compare
