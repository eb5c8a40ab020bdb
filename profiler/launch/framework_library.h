// Which framework a file of a process belongs to, and its version as the package manager noted it
// beside the package.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config/program_context.h"

namespace rnnadvisor::launch {

struct FrameworkLibrary {
  Framework name = Framework::pytorch;
  std::string version;  // empty: not noted there, or the folder is not on this machine
};

// `path` is a library ("…/torch/lib/libtorch_cuda.so") or a source file
// ("…/torch/nn/modules/rnn.py"). Looks into the folder that has the package for its *.dist-info or
// *.egg-info. Nothing: no framework that rnnadvisor knows.
std::optional<FrameworkLibrary> framework_of(std::string_view path);

}  // namespace rnnadvisor::launch
