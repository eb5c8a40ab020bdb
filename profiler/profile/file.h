// The .rnnprof file: one SQLite database with a versioned schema, documented in docs/file-format.md, and views for people.
#pragma once

#include <string>

#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

inline constexpr int rnnprof_schema_version = 1;

// Writes to a temporary file beside `path` and renames it, so that an interrupted write leaves a previous file whole. An existing
// file is replaced only with `replace`.
Result<void> write_profile(const Profile& profile, const std::string& path, bool replace = false);

// Reads a profile. A newer schema, a damaged or truncated file, a file that is no profile, values out of range: each a clear
// error; never a crash.
Result<Profile> read_profile(const std::string& path);

// The same from bytes in memory (the samples that travel in the program).
Result<Profile> read_profile_bytes(std::string_view bytes, std::string_view name);

}  // namespace rnnadvisor
