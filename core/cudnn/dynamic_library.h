// Finding and loading the libraries that are not linked: cuDNN, CUPTI, NVRTC, the driver. Search
// order, documented in docs/libraries.md and shown by `rnnadvisor doctor`:
//   1. the environment variable (RNNADVISOR_CUDNN, RNNADVISOR_CUPTI, RNNADVISOR_NVRTC): a file, or
//   a folder that has it
//   2. the loader's path (LD_LIBRARY_PATH, ld.so.cache)
//   3. wheels of the active Python: nvidia/*/lib below site-packages of VIRTUAL_ENV, CONDA_PREFIX
//   or the python3 on PATH
//   4. the CUDA toolkit: CUDA_HOME, CUDA_PATH, /usr/local/cuda
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cudnn/machine.h"

namespace rnnadvisor {

struct LibraryRequest {
  std::string name;                     // for people: "cuDNN"
  std::string environment_variable;     // "RNNADVISOR_CUDNN"
  std::vector<std::string> file_names;  // by preference: {"libcudnn.so.9", "libcudnn.so.8"}
};

const LibraryRequest& cudnn_request();
const LibraryRequest& cupti_request();
const LibraryRequest& nvrtc_request();

// A loaded library; never unloaded, because CUDA libraries register exit handlers. Cheap to copy.
class DynamicLibrary {
 public:
  // Loads by the search order above. `state` tells what was found or where it was looked for, also
  // on failure.
  static Result<DynamicLibrary> load(const LibraryRequest& request, LibraryState& state);
  // The address of a symbol, or null.
  void* symbol(const char* name) const;
  const std::string& path() const { return path_; }

 private:
  void* handle_ = nullptr;
  std::string path_;
};

// The folders of step 3 and 4 that exist, in order.
std::vector<std::string> python_wheel_folders();
std::vector<std::string> cuda_toolkit_folders();

}  // namespace rnnadvisor
