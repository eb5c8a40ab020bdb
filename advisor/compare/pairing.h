// Which configurations of two profiles are the same layer.
#pragma once

#include <vector>

#include "advisor/compare/split_stack.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::compare {

// By id and parameters, by parameters, by id, by cell, units, layers and directions; then stacks
// with the calls of one layer that they were split into; then by the line that calls them. Every
// configuration of both is in one pair.
std::vector<ConfigurationPair> pair_configurations(const Profile& before, const Profile& after);

}  // namespace rnnadvisor::compare
