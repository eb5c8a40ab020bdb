// What explains that one recording of a program is slower or faster than another: what differs
// between them, and what of a step changed.
#pragma once

#include <string>
#include <vector>

#include "advisor/compare/compared.h"
#include "advisor/report/report.h"

namespace rnnadvisor::compare {

// Of what became of the calls (`comparison.matches`) and of the step of two reports that were
// compared; versions and machines stand in `comparison.environment`. What explains most of the
// step's change comes first, then what has no time of its own. Empty where nothing differs and no
// time changed by more than noise.
std::vector<Cause> causes_of(const Comparison& comparison, const advisor::Report& before,
                             const advisor::Report& after);

}  // namespace rnnadvisor::compare
