// Tries changes in PyTorch itself, in a child process with the user's interpreter
// (advisor/whatif/torch). A change that kills the process, hangs or is answered by something else
// than an answer costs itself; the others are tried again without it in a new one, as long as there
// is time.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "advisor/whatif/torch/torch_request.h"
#include "core/base/result.h"

namespace rnnadvisor::cli {

// Less time, in seconds, is not worth a process that imports PyTorch.
inline constexpr double least_torch_seconds = 2;

struct TorchRunOptions {
  std::string python = "python3";  // a path, or a name that is looked for on PATH
  // Without its first line so long the process is ended: loading PyTorch from a cold network disk.
  double start_seconds = 120;
  // A change may take three times its share of the time that is left and this much more; then the
  // process is ended. The script keeps to its budget by itself, but for a step that never ends.
  double grace_seconds = 30;
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler: ends it with what there is
  // A candidate is begun. From the calling thread.
  std::function<void(int candidate, int of)> on_progress;
};

struct TorchAnswer {
  advisor::TorchEnvironment environment;
  std::vector<advisor::TorchResult> results;  // one for each candidate of the request
  std::string refused;  // why this call cannot be one of PyTorch: there are no results then
  bool interrupted = false;
  double seconds = 0;
};

// An error when nothing can be tried with this interpreter: it cannot be started, has no PyTorch or
// one that is too old, sees no GPU, ends before it says anything. Else everything is a result.
Result<TorchAnswer> run_torch(const advisor::TorchRequest& request, const TorchRunOptions& options);

// The interpreter's PyTorch and the device, without trying anything: the same errors.
Result<advisor::TorchEnvironment> probe_torch(int device, const TorchRunOptions& options);

}  // namespace rnnadvisor::cli
