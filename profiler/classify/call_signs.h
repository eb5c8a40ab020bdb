// What a program does around its recurrent calls, read off the copies and kernels before them and
// off the calls that follow. Each sign is set only where it is certain; unset means not known.
#pragma once

#include <optional>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

struct CallSigns {
  // Before nearly every forward call (80 %, and two at least) each weight matrix of the
  // configuration was copied on the device. PyTorch does that where the weights are not one flat
  // buffer (aten/src/ATen/native/cudnn/RNN.cpp, _copyParams).
  std::optional<bool> weights_copied;
  // Directly before nearly every forward call a strided copy kernel of PyTorch's wrote as many
  // elements as the input has: batch_first=True, or another transposition.
  std::optional<bool> input_reordered;
  // Whether a backward call of the configuration was recorded. False only where three forward
  // training calls or more had none, and the whole of their processes was recorded.
  std::optional<bool> backward_follows;
  // One call for each time step: eight forward calls and more of one time step followed each other
  // with no backward call between. False where calls have more steps. (Eight is our choice.)
  std::optional<bool> per_step_calls;
};

// One for each configuration of the profile. Only those read out of a program have signs.
std::vector<CallSigns> call_signs(const Profile& profile);

}  // namespace rnnadvisor
