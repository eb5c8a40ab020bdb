// What one step of a recorded program takes: with tracing, which slows launches, and without.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/classify/gpu_busy.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// The calls that begin steps, in their order: of the process, and of training or inference, that
// has most steps timed without tracing, or where none were timed most steps. Indices into
// Profile::calls. Where the recording marks no beginnings, those of training follow from the order
// of passes.
std::vector<int> step_beginnings(const Profile& profile, int device);

// Medians over steps on one device of one process, in ns.
struct ProgramSteps {
  int process = -1;  // index into Profile::processes
  bool trains = false;
  int untraced = 0;  // steps that were timed without tracing
  double untraced_ns = 0, untraced_low_ns = 0, untraced_high_ns = 0;  // 95 % interval of the median
  int traced = 0;        // steps whose kernels were recorded
  double traced_ns = 0;  // from the first kernel of a step's first call to that of the next step's
  double busy_ns = 0;    // of it at least one kernel, copy or memset ran, on any stream
  PartTimes part_ns{};   // of it, by what ran
  double rnn_wait_share = 0;  // of the time in which it waited for launches: waits_in_rnn()
  double launches = 0;        // kernels, copies and memsets of a step
  // Sums over the traced steps: the time in which the device worked, and in which it waited in
  // recurrent layers; and what each call has of both.
  double all_busy_ns = 0, all_rnn_wait_ns = 0;
  CallTimes of_calls;
  // While it was traced: what the device waited for that was no launch (single waits above 1 ms:
  // for the next batch, for other work of the host), and what copies between host and device took.
  double host_wait_ns = 0, host_copies_ns = 0;
  // Of the latter, copies to the device; and all of these, also while kernels ran: ns and bytes.
  double input_copies_ns = 0, input_ns = 0, input_bytes = 0;
  // In an untraced step, ns: launches alone are slower while they are traced, but no part is longer
  // than the whole.
  double host_wait() const;
  double rnn_wait() const;  // in the midst of recurrent layers
  // Share of the untraced step in which the device worked, 0 … 1.
  double busy_share() const;
};

// How long the steps were whose kernels were recorded, from the first kernel of a step to that of
// the next: with tracing, which makes them longer. Nothing where none is known. The first step of
// training and the last one are not; a schedule of torch.profiler often records no more than three.
struct TracedSteps {
  int count = 0;
  double ns = 0;  // median
};
std::optional<TracedSteps> traced_steps(const Profile& profile, int device);

// Nothing where fewer than three steps were timed without tracing, or fewer than three recorded
// with their kernels. Looked at is the process with most of them on the device; of a program that
// also evaluates, its training steps.
// `recurrences`: those of the profile, for `part_ns`.
std::optional<ProgramSteps> program_steps(const Profile& profile, int device,
                                          std::span<const NativeRecurrence> recurrences = {});

// How many times as fast a step is expected to be as a CUDA graph: its time without tracing over
// that of its kernels and of what lies between the nodes of a graph. Whether the step can be
// captured is not asked here.
struct GraphEstimate {
  double speedup = 1, low = 1, high = 1;
  // Of the shortest step, if nothing overlaps more than in the program and the host's other work
  // comes on top: where this is small, a graph is not worth a change of the code.
  double without_overlap = 1;
  // Nine in ten recorded programs reached `least` to `most` times such an estimate: the interval.
  double least = 1, most = 1;
  bool waits = false;  // waits for other work of the host are in it
};
struct GraphedStep {
  // Of the work, 0 … 1: recurrences of several layers or directions that run side by side, kernel
  // by kernel. A graph overlaps more of them than the program does, and the interval reaches
  // higher.
  double concurrent = 0;
  // Something keeps the step from being captured (CaptureObstacles): the interval reaches lower.
  bool forbidden = false;
};
// Where no step was timed without tracing, `steps` is null: the time of what was traced is divided
// by what tracing costs, and the interval is wider.
GraphEstimate graph_estimate(const GpuBusy& busy, const ProgramSteps* steps,
                             const GraphedStep& step = {});

}  // namespace rnnadvisor
