// Recurrent networks that a program runs without cuDNN: step by step, with the framework's own
// cells or with cells written by hand. They are known by their kernels alone.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

enum class NativeCell {
  framework_lstm,  // kernels of the framework's own cells: certain
  framework_gru,
  // A matrix product takes turns with tanh and sigmoid, over and over, in kernels of their own or
  // in one; or, in a loop that XLA compiled, with one fusion of unknown content: a likeness.
  handwritten
};
std::string_view to_string(NativeCell cell);

// One recurrence of a process on one device, over all the times it ran.
struct NativeRecurrence {
  int process = -1;  // index into Profile::processes
  int device = 0;
  NativeCell cell = NativeCell::handwritten;
  std::int64_t steps = 0;      // cells evaluated, forward and backward
  std::int64_t kernels = 0;    // launched from the first step of a run of steps to its last
  std::int64_t kernel_ns = 0;  // sum of their durations
  std::int64_t span_ns = 0;    // from the first of a run to its last, summed over the runs
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // start and end of each, ns
};

// Looks at the kernels that no cuDNN RNN call launched, stream by stream. At least 8 steps in a row
// of a framework's cell, 16 of one by hand, where between nearly all of them (80 %) stands a matrix
// product and, by hand, a sigmoid, in whatever letter case: fewer could be anything. Fusions of XLA
// do not tell what they compute: the same one 32 times, at most 12 kernels apart, one to three
// products between.
std::vector<NativeRecurrence> native_recurrences(const Profile& profile);

// Adds one configuration of Origin::kernels for each device with such a recurrence, so that there
// is something to judge. Does nothing where one is there already.
void add_native_recurrences(Profile& profile);

}  // namespace rnnadvisor
