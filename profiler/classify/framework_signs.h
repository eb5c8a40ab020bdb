// What a framework does around its cuDNN calls, read off the kernels between them.
#pragma once

#include "profiler/profile/profile.h"

namespace rnnadvisor {

// PyTorch's autocast converts every weight that is not half yet at each call: four tensors and more
// for a layer, where a program without it converts one or two tensors in a step. Sets
// ProgramContext::autocast of recorded PyTorch configurations in half where the kernels that
// convert float to half are at least as many as the weight tensors of all its forward calls; leaves
// it unknown otherwise. The names are those of PyTorch 2.11 on an H200 (samples/recorded/programs);
// other releases may call them otherwise, and then it stays unknown.
void infer_autocast(Profile& profile);

}  // namespace rnnadvisor
