// What keeps the step of a recorded program from being captured as a CUDA graph and replayed.
#pragma once

#include <span>

#include "profiler/classify/native_cells.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// Of the steps on one device. Counts are medians over steps; they hold what happens between the
// first recurrent layer of a step and the end of its last one or of its optimizer's kernels,
// whichever is later: a graph of the step has to contain that. What lies between two steps can stay
// outside. Steps of a program without RNN calls are found by its recurrences without cuDNN and the
// optimizer's kernels between them.
struct CaptureObstacles {
  int steps = 0;  // whose kernels were looked at; 0: none could be told apart, and the counts are 0
  double reads = 0;                       // copies to the host that the program waits for
  double read_bytes = 0;                  // of all of them
  bool reads_only_before_update = false;  // all of them between backward pass and optimizer
  double sends = 0;                       // copies to the device that the program waits for
  double waits = 0;                       // other calls that wait for the GPU
  double reads_between_steps = 0;         // forbid nothing
  bool gradient_scaler = false;           // PyTorch's kernels for it were recorded
  int shapes = 1;             // kinds of steps that differ in the shapes of their RNN calls
  bool shapes_vary = false;   // too many to capture a graph for each: more than two that count
  bool lengths_vary = false;  // a call has sequences of several lengths
  bool one_direction_lengths_vary = false;  // so has one of a layer of one direction
  bool has_graphs = false;                  // the program captures or replays CUDA graphs already
  bool several_ranks = false;

  // A step cannot be captured as it is written, or one captured step cannot stand for the others.
  bool forbidden() const;
  // Neither that, nor a graph already, nor a step that waits for other processes.
  bool replayable() const { return !forbidden() && !has_graphs && !several_ranks; }
};

// Reads are known from copies alone. Where the recording has calls that wait (with the CUPTI
// of CUDA 13, or in mode full), only copies that are waited for count, and other waits are known.
// Where such calls were recorded only before the steps without tracing, the steps before those are
// looked at: on an H200 CUPTI 13 did not record them again after it had been taken out.
// `recurrences`: those of the profile.
CaptureObstacles capture_obstacles(const Profile& profile, int device,
                                   std::span<const NativeRecurrence> recurrences);

}  // namespace rnnadvisor
