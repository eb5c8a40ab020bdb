// The .rnnprof file: one SQLite database with a versioned schema, documented in
// docs/file-format.md, and views for people.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

inline constexpr int rnnprof_schema_version = 9;
inline constexpr int rnnprof_application_id = 0x524e4e50;  // "RNNP", in the header of every file

// Writes the file as a whole or not at all (core/base/output_file.h), readable by its owner alone
// unless it takes the place of one with other permissions. An existing file is replaced only with
// `replace`; a symbolic link is followed. A profile that breaks an invariant of check.h, or that
// the reader would refuse, is ErrorCode::internal and nothing is written.
Result<void> write_profile(const Profile& profile, const std::string& path, bool replace = false);

// Reads a profile. A newer schema, a damaged or truncated file, a file that is no profile, values
// out of range: each a clear error; never a crash. What it returns satisfies check.h.
struct ProfileReadOptions {
  // Asked now and then, on the calling thread, with the share that is done. An answer of false ends
  // reading with ErrorCode::interrupted.
  std::function<bool(double)> keep_going;
  // Given, once and on the calling thread, a profile with everything but its records: calls,
  // configurations, processes and texts, and no kernels, transfers, API calls, allocations or NVTX
  // ranges. It comes long before all of a large file is read, and before all of it is checked.
  std::function<void(const Profile&)> outline;
};
// A large file is read and checked by two threads.
Result<Profile> read_profile(const std::string& path, const ProfileReadOptions& options = {});

// The same from bytes in memory (the samples that travel in the program). `name` stands in errors.
Result<Profile> read_profile_bytes(std::string_view bytes, std::string_view name);

// One finding as the file keeps it for people who ask with sqlite3. Plain words: the profiler does
// not know the advisor.
struct FindingRow {
  int configuration = -1;  // index into Profile::configurations
  std::string rule, severity, confidence, title, message, suggestion;
  std::optional<double> speedup;
  std::string speedup_basis;

  bool operator==(const FindingRow&) const = default;
};

// Replaces the findings stored in an existing file; the file stays whole if this is interrupted.
Result<void> write_findings(const std::string& path, std::span<const FindingRow> findings);
Result<std::vector<FindingRow>> read_findings(const std::string& path);

}  // namespace rnnadvisor
