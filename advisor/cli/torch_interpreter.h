// Which Python runs the program that a profile was recorded from.
#pragma once

#include <string>

#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

// `given` where it is not empty. Else the interpreter of the virtual environment whose PyTorch made
// the recorded calls (their innermost frames name its files: a process shows only the interpreter
// that the environment was made from), else the recorded program where that is a Python; both only
// if they are there. Else "python3", to be looked for on PATH.
std::string torch_interpreter(const std::string& given, const Profile& profile);

}  // namespace rnnadvisor::cli
