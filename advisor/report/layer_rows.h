// One row for each layer of a recorded program: configurations that differ in batch size and
// sequence lengths alone are shown together.
#pragma once

#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

class ProfileIndex;

// Sets `shown_in` and `shapes` of each, and of those that stand for several shapes `name`,
// `summary`, `mean_step` and `share_of_step`. Of one layer the configuration with the worst
// standing stands for all, of several with the same the one whose calls took the most time. `all`:
// in profile order, with their standing.
void join_shapes(std::vector<ConfigurationReport>& all, const ProfileIndex& index);

}  // namespace rnnadvisor::advisor
