// cuDNN's own API log as a profile: every call of an RNN function with its configuration, and why
// the calls were refused that were. docs/importing.md says how to record one and what it lacks.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "profiler/import/imported_profile.h"

namespace rnnadvisor::import_trace {

// A log, plain or compressed with gzip, of any number of processes. A line is written before its
// call runs: calls have the time they began at, an empty interval, and no kernels. Errors:
// not_found, io, interrupted.
Result<Profile> import_cudnn_log(const std::string& path, const ImportOptions& options);

// The same of the text of a log, for tests and fuzzing.
Profile import_cudnn_log_text(std::string_view text, const ImportOptions& options);

}  // namespace rnnadvisor::import_trace
