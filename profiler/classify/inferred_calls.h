// Calls of cuDNN's RNN functions that were not seen: a program with cuDNN inside it, or that
// reached it by a way that has no hook. Their kernels are all that is known.
#pragma once

#include <cstdint>
#include <set>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

struct InferredCalls {
  std::int64_t kernels = 0;  // of cuDNN's recurrent layers, of no call
  std::int64_t calls = 0;    // made of them; others have names that do not tell their direction
};

// For the processes given, makes a call (CallSource::kernels) of every stretch of such kernels on a
// device that run in one direction, with the matrix products between them. Certain is that at least
// one call of that phase was made then, with this implementation; two calls with nothing between
// them count as one. The configurations (one for each device and implementation, Origin::kernels)
// describe nothing. A forward call counts as training where the process has backward kernels, too.
// Host times of such a call are the start of its first kernel, since when it was made is not known.
InferredCalls infer_calls(Profile& profile, const std::set<int>& processes);

// Gives calls that were seen, but not what they were given, such a configuration: their kernels
// show the implementation. Calls without kernels keep none.
void describe_calls_by_kernels(Profile& profile);

}  // namespace rnnadvisor
