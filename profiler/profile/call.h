// The cuDNN RNN calls of a profile, and what many calls share: their arguments and the place in the
// program that made them. -1 in an index is "none" or "not known".
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/config/rnn_config.h"

namespace rnnadvisor {

constexpr bool is_forward(Phase phase) {
  return phase == Phase::forward_training || phase == Phase::forward_inference;
}

// How a call came to be known, and so how far it can be believed.
enum class CallSource {
  run,     // rnnadvisor made it
  hook,    // a hook in the program saw it and its arguments
  kernels  // not seen itself: its kernels show that it was made
};
std::string_view to_string(CallSource source);

// What a CUDA graph had to do with it.
enum class GraphState {
  unknown,
  none,      // no capture was under way: its kernels ran when it was called
  captured,  // its stream was being captured: its kernels run at every launch of the graph
  replayed   // no call of cuDNN at all, but a launch of the graph that had captured one
};
std::string_view to_string(GraphState state);

// The device pointers that the RNN functions of cuDNN 8 and 9 take.
enum class CallPointer {
  x,
  y,
  hx,
  hy,
  cx,
  cy,
  dx,
  dy,
  dhx,
  dhy,
  dcx,
  dcy,
  weights,
  weight_gradients,
  workspace,
  reserve,
  seq_lengths
};
inline constexpr std::size_t call_pointer_count = 17;
std::string_view to_string(CallPointer pointer);

// What calls were given beyond their configuration. Calls that were given the same share it.
struct CallArguments {
  // By CallPointer, bytes: the largest power of two that divides the address; 0: a null pointer;
  // -1: not known, or the function has no such argument.
  std::array<std::int64_t, call_pointer_count> alignment = [] {
    std::array<std::int64_t, call_pointer_count> unknown{};
    unknown.fill(-1);
    return unknown;
  }();
  // Whether every tensor it was given was contiguous (packed, in cuDNN's words).
  std::optional<bool> contiguous;
  // Where they differ from call to call; empty: as the configuration says.
  std::vector<int> seq_lengths;

  auto operator<=>(const CallArguments&) const = default;
  // The least alignment of all pointers that are known and not null, or -1.
  std::int64_t least_alignment() const;
};

// A place in the program: the innermost frame outside its framework. `file` and `function` are
// indices into Profile::strings.
struct CallSite {
  int file = -1;
  int line = 0;  // from 1; 0: not known
  int function = -1;
  int inner = -1;  // index into Profile::call_sites: the innermost frame of all, in the framework

  auto operator<=>(const CallSite&) const = default;
};

// One cuDNN RNN API call.
struct RnnCall {
  int configuration = -1;  // index into Profile::configurations
  Phase phase = Phase::forward_training;
  int process = -1;  // index into Profile::processes; always valid in a finished profile
  std::int64_t thread = 0;
  int device = 0;
  int stream = -1;
  std::int64_t host_start_ns = 0;
  std::int64_t host_end_ns = 0;
  int status = 0;  // cudnnStatus_t
  std::int64_t workspace_bytes = -1;
  std::int64_t reserve_bytes = -1;
  int repetition = 0;  // of the same call in our own runs
  std::int64_t weights_bytes = -1;
  // Between two CUDA events on its stream, before and after it. The start is known only where the
  // first event could be placed on the profile's clock, and never without the duration.
  std::int64_t device_start_ns = -1;
  std::int64_t device_duration_ns = -1;
  CallSource source = CallSource::run;
  GraphState graph = GraphState::unknown;
  int reason = -1;     // index into Profile::strings: cuDNN's own words for a status that is not 0
  int arguments = -1;  // index into Profile::call_arguments
  int site = -1;       // index into Profile::call_sites
  // Index into Profile::strings: the NVTX ranges around it on its thread, the outermost first,
  // joined by '/'.
  int nvtx_path = -1;
  int forward = -1;  // of a backward call: index into Profile::calls of its forward pass
  // Nothing traced it: it has no kernels, and its times are those without tracing.
  bool untraced = false;
  // It begins a step of the program: a training step, a pass of inference, or a range that the user
  // named. False also where that is not known.
  bool begins_step = false;
  // How long that step took on the device, to the call that began the next; -1: it was traced, or
  // its time is not known.
  std::int64_t step_duration_ns = -1;
  // Free memory of the GPU after a call that failed, bytes; -1: it succeeded, or not known.
  std::int64_t memory_free_bytes = -1;

  bool operator==(const RnnCall&) const = default;
};

// A call that runs no layer but describes one, asks for its sizes or builds its kernels. Hooks keep
// those that failed, and cudnnBuildRNNDynamic always, for what it costs.
struct SetupCall {
  int configuration = -1;  // index into Profile::configurations
  int function = -1;       // index into Profile::strings: "cudnnBuildRNNDynamic"
  int process = -1;
  std::int64_t thread = 0;
  std::int64_t host_start_ns = 0;
  std::int64_t host_end_ns = 0;
  int status = 0;   // cudnnStatus_t
  int reason = -1;  // index into Profile::strings

  bool operator==(const SetupCall&) const = default;
};

}  // namespace rnnadvisor
