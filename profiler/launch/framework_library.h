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

// Keras, of which no library tells: `library` is one that it imports ("…/h5py/_errors….so"), and
// stands beside it where it is installed. `legacy`: the program asked TensorFlow for Keras 2 in its
// own package (TF_USE_LEGACY_KERAS). Nothing: it is not installed there, or not on this machine.
std::optional<FrameworkLibrary> keras_beside(std::string_view library, bool legacy);

}  // namespace rnnadvisor::launch
