// A database that `nsys export --type sqlite` made of a report of Nsight Systems, as a profile.
// Tables and columns: https://docs.nvidia.com/nsight-systems/UserGuide/index.html, "SQLite Schema
// Reference"; identifiers of processes and threads: "Serialized Process and Thread Identifiers" of
// https://docs.nvidia.com/nsight-systems/AnalysisGuide/index.html.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "profiler/import/imported_profile.h"

namespace rnnadvisor::import_trace {

// Kernels, transfers, CUDA calls and NVTX ranges are the report's. With --trace=cudnn calls of RNN
// functions are its own, too, without what they were given; else they are inferred from the
// kernels. Tables and columns that an earlier or later release does not have are not known. Errors:
// not_found, io, damaged (no SQLite database), interrupted.
Result<Profile> import_nsys(const std::string& path, const ImportOptions& options);

// The same of the bytes of such a file, for tests and fuzzing.
Result<Profile> import_nsys_bytes(std::string_view bytes, const ImportOptions& options);

}  // namespace rnnadvisor::import_trace
