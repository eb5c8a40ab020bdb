// Profiles of XLA, as jax.profiler and TensorFlow's profiler write them, as a profile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "profiler/import/imported_profile.h"

namespace rnnadvisor::import_trace {

// The files of one recording in a folder that jax.profiler was given, or in the one below it that
// has them (plugins/profile/DATE): *.xplane.pb, or *.trace.json where there is none; plain or
// compressed. Of several recordings the last.
std::vector<std::string> xla_profile_files(const std::string& folder);

// Whether these are the first bytes of a trace in JSON that XLA wrote.
bool is_xla_trace(std::string_view head);

// One profile of the files of one program, one for each host. A trace in JSON does not tell what
// RNN calls were given: the .xplane.pb that XLA writes beside it is read in its place. Errors:
// not_found, io, interrupted, damaged; invalid_argument for a profile without kernels of a GPU.
Result<Profile> import_xla_profiles(const std::vector<std::string>& paths,
                                    const ImportOptions& options);

}  // namespace rnnadvisor::import_trace
