// The gain of a change that the profile itself measured: the calls that the change would make were
// timed in it too, all else equal. Private to advisor/judge.
#pragma once

#include <optional>
#include <span>

#include "advisor/facts/profile_index.h"
#include "advisor/rules/finding.h"

namespace rnnadvisor::advisor {

// Less is noise between two runs of one configuration.
constexpr double least_measured_gain = 1.02;

// What `changes` gained, or cost (a speedup below 1), in the phases that both have times of: those
// that the mode asks for, else those of the forward pass. The calls are those that the program's
// framework would make. Nothing where they were not timed, or where their results are wrong.
std::optional<Gain> measured_gain(const ProfileIndex& index, int configuration,
                                  std::span<const Transform> changes);

}  // namespace rnnadvisor::advisor
