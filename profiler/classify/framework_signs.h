// What a framework does around its cuDNN calls, read off the kernels between them.
#pragma once

#include "profiler/profile/profile.h"

namespace rnnadvisor {

// PyTorch's autocast converts every weight that is not half yet right before each call: four
// tensors and more for a layer. Sets ProgramContext::autocast of recorded PyTorch configurations in
// half where so many kernels that convert float to half run right before most of its forward calls
// after the first of its process; leaves it unknown otherwise. An optimizer that copies its float
// weights into half ones runs elsewhere in the step. The names are those of PyTorch 2.11 on an H200
// (samples/recorded/programs); other releases may call them otherwise, and then it stays unknown.
void infer_autocast(Profile& profile);

// For a recording that does not tell whether TF32 is allowed (a trace of torch.profiler):
// ProgramContext::allow_tf32 and the math type of PyTorch's configurations in float, from the
// kernels of their calls. Where those do not tell, both stay as they are: PyTorch's default.
void infer_tf32(Profile& profile);

}  // namespace rnnadvisor
