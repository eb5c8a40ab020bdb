// Traces of torch.profiler (Kineto) as a profile.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "profiler/import/imported_profile.h"

namespace rnnadvisor::import_trace {

// The traces of a folder in the order of their names, not those of its folders: *.pt.trace.json and
// .json.gz, as TensorBoard's handler writes them, or where it has none every *.json and *.json.gz
// that torch.profiler wrote.
std::vector<std::string> trace_files(const std::string& folder);

// One profile of the traces of one program, a file for each process. Errors: not_found, io,
// interrupted; invalid_argument for Chrome traces of other tools.
Result<Profile> import_torch_traces(const std::vector<std::string>& paths,
                                    const ImportOptions& options);

}  // namespace rnnadvisor::import_trace
