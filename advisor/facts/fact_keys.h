// Which keys of a configuration a fact follows from, for those who point to a place in its file.
#pragma once

#include <string>
#include <vector>

#include "advisor/facts/fact.h"

namespace rnnadvisor::advisor {

// "batch_size", "framework.mask"; the one to change first. Empty for facts of a device, of a
// machine or of what was recorded.
std::vector<std::string> keys_behind(const FactDefinition& fact, const Subject& subject,
                                     const ProfileIndex& index);

}  // namespace rnnadvisor::advisor
