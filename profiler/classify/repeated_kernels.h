// Work that a program gives the GPU in small pieces, from a loop of its own.
#pragma once

#include <string>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

// Kernels outside of recurrent layers that ran 1,000 times or more in a step, on average over the
// recording. The number is our choice; of 40 public programs recorded on an H200 three launch most
// of their kernels so.
struct RepeatedKernels {
  std::string most;          // demangled name of the one that ran most often; empty: there is none
  double most_launches = 0;  // of it, in a step
  double kernels = 0;        // different ones
  double share = 0;          // of all launches of kernels of the process, 0 … 1
};

// Of one process on one device. Nothing where fewer than two steps are known to have begun
// (step_beginnings()).
RepeatedKernels repeated_kernels(const Profile& profile, int process, int device);

}  // namespace rnnadvisor
