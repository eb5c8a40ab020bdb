// How busy a recorded program kept a GPU between its kernels, over whatever the program does: RNN
// calls and everything else. What a CUDA graph of the whole step could gain is read off it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "profiler/classify/step_parts.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// A longer wait of the GPU is for no launch, which takes microseconds under tracing, too: it is for
// the next batch or other work of the host. Of 25 programs recorded on an H200 that load no data
// (planted-programs-steps.tar.xz) two had one in a step, of 1.3 and 1.5 ms.
inline constexpr std::int64_t longest_launch_ns = 1'000'000;

// Of one process on one device, from the start of the first kernel to the end of the last kernel or
// transfer of the part that was looked at. ns on the clock of the profile.
struct GpuBusy {
  int process = -1;              // index into Profile::processes
  std::int64_t from_ns = 0;      // where the part begins that was looked at
  std::int64_t kernels = 0;      // in the part that was looked at
  std::int64_t launches = 0;     // kernels, copies and memsets
  std::int64_t busy_ns = 0;      // at least one kernel, copy or memset ran, on any stream
  PartTimes part_ns{};           // of it, by what ran
  std::int64_t rnn_wait_ns = 0;  // shorter waits, in the midst of recurrent layers (waits_in_rnn())
  CallTimes of_calls;            // of both
  std::int64_t host_wait_ns = 0;  // single waits above 2 longest_launch_ns
  std::int64_t span_ns = 0;       // busy or waiting; pauses are in neither
  std::int64_t pause_ns = 0;
  // 0 … 1, and above 0.
  double share() const { return static_cast<double>(busy_ns) / static_cast<double>(span_ns); }
};

// Looked at is the second half of the kernels of the process that launched most of them on the
// device: the first half holds what happens once (libraries and kernels are loaded, algorithms are
// chosen, memory is taken from the device). A pause of more than 10 ms between two pieces of work
// is left out, as is one in which calls were not traced: the program then waited for a file, a
// person, its end. Pauses that come back in at least every second step are part of it, as for the
// next batch, but for those that are four times as long as the median one. These numbers are our
// choice. Tracing makes each launch slower, so that without it the GPU is busier than this. Nothing
// where fewer than 100 kernels are left to look at, where kernels were not traced or where records
// were lost. `recurrences`: those of the profile, for `part_ns`.
std::optional<GpuBusy> gpu_busy(const Profile& profile, int device,
                                std::span<const NativeRecurrence> recurrences = {});

}  // namespace rnnadvisor
