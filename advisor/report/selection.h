// Which configurations deserve room when there are many.
#pragma once

#include <cstddef>
#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// At most `most` indices into Report::configurations, in profile order, of the user's own: those
// with the worst standing, then the largest gain, then the longest time; of several that tell the
// same story (standing, outcome, algorithm, first finding) one comes before the second of any
// other.
std::vector<int> most_interesting(const Report& report, std::size_t most);

}  // namespace rnnadvisor::advisor
