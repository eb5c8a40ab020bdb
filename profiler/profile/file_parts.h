// What writing and reading of .rnnprof files share. Private to this directory.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "profiler/profile/sqlite.h"

namespace rnnadvisor {

// The schema as SQL.
std::string_view profile_schema_sql();

// Makes a temporary file beside `path`, lets `fill` write it, flushes it to the disk and renames it
// to `path`. On failure, and when `fill` fails, the temporary file is removed and `path` is as it
// was.
Result<void> replace_file(const std::string& path, bool replace,
                          const std::function<Result<void>(const std::string& temporary)>& fill);

// Opens a file as a profile database: looks at its first bytes and its length, application id,
// version and integrity. Errors begin with the file's name.
Result<sqlite::Database> open_profile(const std::string& path);
// The same of bytes that outlive it; errors do not name them.
Result<sqlite::Database> open_profile_bytes(std::string_view bytes);

// The same error with the file's name in front.
Error about_file(Error error, std::string_view name);

}  // namespace rnnadvisor
