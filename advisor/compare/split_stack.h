// Stacks of layers that a change has split into calls of one layer each, or joined: the commonest
// change that this program advises. The calls of one layer that do what one call of the stack did
// are taken as one unit, so that like is compared with like.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor::compare {

// Configurations of one profile that together stand for one of another: the configuration, and how
// many calls of it are made where the other makes one.
using CallSet = std::vector<std::pair<int, int>>;

// What became of a configuration. An empty set: it is not there.
struct ConfigurationPair {
  CallSet before, after;
  bool split() const { return calls(before) > 1 || calls(after) > 1; }
  static int calls(const CallSet& set);
};

// Configurations of `parts` (indices, those that are free) that together are the stack `whole` of
// `of`: layers of the same cell, width, direction, batch, length and type, one layer a call. Both
// must have been called. Empty: there are none.
CallSet parts_of_stack(const Profile& of, int whole, const Profile& profile,
                       const std::vector<int>& parts);

// The calls of one side as units: call u stands for all of units[u]; empty where a call belongs to
// the unit of an earlier one. `whole[u]`: false for what lacks calls, at the end of a recording or
// of a step. Indices are those of Profile::calls.
struct CallUnits {
  std::vector<std::vector<int>> calls;
  std::vector<char> whole;
};
// `size`: by configuration, how many calls make a unit; 1 for most. `group`: by configuration, what
// may be in one unit with it. `step`: by call, the step it is of; units end with a step.
CallUnits units_of(const Profile& profile, const std::vector<int>& size,
                   const std::vector<int>& group, const std::vector<int>& step);

}  // namespace rnnadvisor::compare
