#pragma once

#include <vector>

#include "profiler/cupti/activity_source.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor {

// Turns a batch into records of the builder: kernels and API calls of an external id belong to the
// call that has it. Exposed for tests with hand-built batches. calls[id - 1] is the index of the
// call that was pushed with `id`. CUPTI numbers devices by CUDA ordinal, a profile by its own list:
// all records get `device`, the index there of the one GPU that was traced, and `process`, the one
// that was. What was lost or mixed up becomes notes.
void add_batch(ProfileBuilder& builder, ActivityBatch batch, const std::vector<int>& calls,
               int device = 0, int process = -1);

}  // namespace rnnadvisor
