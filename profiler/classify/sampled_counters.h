// Hardware counters that were sampled over whole devices, told apart by what ran at the time.
#pragma once

#include "profiler/profile/profile.h"

namespace rnnadvisor {

// Gives each configuration, as Configuration::counters, the mean of every sampled metric over the
// samples that lie within one of its calls: from the start of the call's first kernel to the end of
// its last one, on the same device, with no kernel of anything else under way. Weighted by the
// length of the samples. Calls shorter than the sampling interval have none, and a phase without a
// sample gets no value. Configurations that have counters already keep them.
void add_sampled_counters(Profile& profile);

}  // namespace rnnadvisor
