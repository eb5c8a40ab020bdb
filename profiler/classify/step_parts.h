// What a GPU does in a step of a program: cuDNN's recurrent layers, recurrences without cuDNN,
// other kernels, copies.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/classify/native_cells.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

enum class StepPart {
  rnn_forward,   // kernels of cuDNN's RNN calls
  rnn_backward,  // data and weights
  native_cells,  // kernels of recurrences without cuDNN, from the first step of a run to the last
  other_kernels,
  transfers  // copies and memsets
};
inline constexpr std::size_t step_parts = 5;
std::string_view to_string(StepPart part);  // "RNN forward"

// Time by StepPart, in ns. Where several run at once the one that began first counts, so that the
// sum is the time in which at least one ran.
using PartTimes = std::array<double, step_parts>;

// TransferTable::kind, a CUpti_ActivityMemcpyKind.
inline constexpr int copy_to_device = 1, copy_to_host = 2;

// A kernel, copy or memset.
struct StepWork {
  std::int64_t start_ns = 0, end_ns = 0;
  StepPart part = StepPart::other_kernels;
  int call = -1;    // index into Profile::calls
  int copy = 0;     // of a copy its TransferTable::kind
  int kernel = -1;  // index into Profile::kernels; -1: a copy or memset
};

// What each RNN call has of the time of a GPU, ns: the work as PartTimes counts it, and the waits
// that are within it (waits_in_rnn()). Sums over all calls are those of the step's account.
struct CallTime {
  double work_ns = 0, wait_ns = 0;
};
class CallTimes {
 public:
  void add_work(const StepWork& work, double ns);
  void add_wait(const StepWork& after, double ns);
  CallTime of(std::span<const int> calls) const;  // their sum; indices into Profile::calls
  CallTime all() const;

 private:
  CallTime& at(int call);
  std::vector<CallTime> by_call_;
};

// What one process had a device do from `from_ns` on, by start. `recurrences`: those of the
// profile.
std::vector<StepWork> step_work(const Profile& profile, int process, int device,
                                std::int64_t from_ns,
                                std::span<const NativeRecurrence> recurrences);

// Looks at work that is in order of its start, from `from_ns` on: `on_wait(before, next, ns)` for
// each time in which nothing ran, before `next` began (`before`: what the device did last, null at
// the start), and `on_work(each, ns)` for the time that each adds to that in which something ran.
// Returns when the last one ended.
template <typename OnWait, typename OnWork>
std::int64_t walk_work(std::span<const StepWork> work, std::int64_t from_ns, OnWait on_wait,
                       OnWork on_work) {
  std::int64_t covered = from_ns;
  const StepWork* before = nullptr;
  for (const StepWork& each : work) {
    if (each.start_ns > covered) on_wait(before, each, each.start_ns - covered);
    if (each.end_ns > covered) {
      on_work(each, each.end_ns - std::max(each.start_ns, covered));
      before = &each;
    }
    covered = std::max({covered, each.start_ns, each.end_ns});
  }
  return covered;
}

// The device waits between them in the midst of a recurrent layer: for the next kernel of the same
// call, or of the same recurrence without cuDNN.
bool waits_in_rnn(const StepWork& before, const StepWork& after);

}  // namespace rnnadvisor
