// Work that a program gives the GPU in small pieces, from a loop of its own.
#pragma once

#include <string>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

// Kernels outside of recurrent layers that ran 1,000 times or more in a step, on average over the
// recording. The number is our choice.
struct RepeatedKernels {
  std::string most;          // demangled name of the one that ran most often; empty: there is none
  double most_launches = 0;  // of it, in a step
  double share = 0;          // of all launches of kernels of the process, 0 … 1
  // Of the time in which the device waited for a launch, the part before these kernels and before
  // the copies that follow them, 0 … 1.
  double share_of_waits = 0;
};

// Of one process on one device. Nothing where fewer than two steps are known to have begun
// (step_beginnings()).
RepeatedKernels repeated_kernels(const Profile& profile, int process, int device);

}  // namespace rnnadvisor
