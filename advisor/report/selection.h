// Which configurations deserve room when there are many.
#pragma once

#include <cstddef>
#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// At most `most` indices into Report::configurations, in profile order: those with the worst
// standing, then the largest gain, then the longest time.
std::vector<int> most_interesting(const Report& report, std::size_t most);

}  // namespace rnnadvisor::advisor
