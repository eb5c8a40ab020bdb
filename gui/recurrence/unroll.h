// One RNN call taken apart into layer x direction x time step, from its kernels alone: their roles,
// their streams and their order. What the kernels do not show is reported as unknown, never
// guessed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor::gui::recurrence {

enum class Told {
  steps,       // rows are layers and directions, cells are time steps
  one_kernel,  // rows are layers and directions, each one kernel that does all steps
  order_only,  // rows are streams, cells are in the order in which they ran: see `why`
  nothing      // there is nothing to show: see `why`
};

enum class Why {
  told,            // no reason needed
  no_kernels,      // none were recorded for this call
  weights,         // backward weights: all steps at once
  no_description,  // the configuration of the call is not known
  counts_differ,   // pointwise kernels are no multiple of the time steps
  shared_streams,  // layers share streams, so that steps of one are not told from another's
  no_steps         // neither pointwise nor persistent kernels
};

struct Step {
  std::int64_t begin_ns = 0, end_ns = 0;  // from its first kernel to the end of its last
  std::int64_t gemm_ns = 0;               // matrix products
  std::int64_t pointwise_ns = 0;          // pointwise kernels and reductions
  int first_kernel = -1;                  // index into Profile::kernels
  int kernels = 0;

  // Time in which none of its kernels runs, although it has begun.
  std::int64_t inner_gap_ns() const { return end_ns - begin_ns - gemm_ns - pointwise_ns; }
};

struct UnrolledRow {
  int layer = -1, direction = -1;  // from 0; -1: not told
  int stream = -1;
  std::vector<Step> steps;  // in the order of execution
};

// Kernels of the call that belong to no step: products of whole layers, changes of layout.
struct OtherKernel {
  std::int64_t begin_ns = 0, end_ns = 0;
  KernelRole role = KernelRole::unknown;
  int kernel = -1;
};

struct Unrolled {
  Told told = Told::nothing;
  Why why = Why::no_kernels;
  int call = -1;
  Phase phase = Phase::forward_training;
  int layers = 0, directions = 0, time_steps = 0;  // of the configuration; 0: not known
  std::int64_t begin_ns = 0, end_ns = 0;           // of all its kernels
  std::vector<UnrolledRow> rows;                   // layer by layer from the first
  std::vector<OtherKernel> others;

  std::int64_t length_ns() const { return end_ns - begin_ns; }
  // The kernels say which row is which layer, but not which direction of it runs forward in time.
  bool directions_told() const { return directions == 1; }
};

// `kernels` are all kernels of the call, in the order of time.
Unrolled unroll(const Profile& profile, int call, std::span<const int> kernels);
Unrolled unroll(const Profile& profile, int call);

// From one step to the next, begin to begin, with the gap to the next step as part of it.
struct StepTimes {
  int steps = 0;
  std::int64_t median_ns = 0, shortest_ns = 0, longest_ns = 0;
  // Of the time of the row, from its first kernel to its last; sums to 1.
  double gemm_share = 0, pointwise_share = 0, gap_share = 0;
};
StepTimes step_times(const UnrolledRow& row);

// Of the time in which a step of any row is under way, the share in which steps of several rows
// are: 0 where layers wait for each other, near 1 where they run as a wavefront.
double side_by_side(const Unrolled& unrolled);

}  // namespace rnnadvisor::gui::recurrence
