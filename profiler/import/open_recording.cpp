#include "profiler/import/open_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "profiler/import/byte_source.h"
#include "profiler/import/cudnn_log.h"
#include "profiler/import/nsys.h"
#include "profiler/import/torch_trace.h"
#include "profiler/import/xla_profile.h"
#include "profiler/import/xplane.h"
#include "profiler/profile/sqlite.h"

namespace rnnadvisor::import_trace {
namespace {

constexpr std::string_view sqlite_magic("SQLite format 3\0", 16);
// First bytes of a report of Nsight Systems 2021 and later.
constexpr std::string_view nsight_report_magic = "NVIDIA Tegra Profiler Report";
constexpr std::size_t head_bytes = 4096;

bool is_nsight_database(const std::string& path) {
  const auto database = sqlite::open_read_only(path);
  if (!database) return false;
  sqlite::Rows rows(database->get(), "sqlite_schema",
                    "SELECT 1 FROM sqlite_schema WHERE type='table' AND (name GLOB "
                    "'CUPTI_ACTIVITY_KIND_*' OR name = 'TARGET_INFO_SYSTEM_ENV') LIMIT 1");
  return rows.next() && rows.ok();
}

// "I! CuDNN (v91900 56) function cudnnCreate() called:", after empty lines; earlier versions write
// it without the number after the version.
bool is_cudnn_log(std::string_view head) {
  const auto at = head.find("! CuDNN (v");
  return at != std::string_view::npos && head.find("function cudnn", at) != std::string_view::npos;
}

// JSON with trace events, and not a configuration or a report.
bool is_chrome_trace(std::string_view head) {
  if (!head.starts_with('{') && !head.starts_with('[')) return false;
  constexpr std::array<std::string_view, 4> keys = {R"("traceEvents")", R"("deviceProperties")",
                                                    R"("baseTimeNanoseconds")", R"("ph")"};
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
    return head.find(key) != std::string_view::npos;
  });
}

}  // namespace

RecordingKind recording_kind(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    if (!trace_files(path).empty()) return RecordingKind::torch_folder;
    return xla_profile_files(path).empty() ? RecordingKind::rnnprof : RecordingKind::xla_folder;
  }
  if (!std::filesystem::is_regular_file(path, error)) return RecordingKind::rnnprof;
  const std::string head = first_bytes(path, head_bytes);
  if (head.starts_with(sqlite_magic))
    return is_nsight_database(path) ? RecordingKind::nsight_systems : RecordingKind::rnnprof;
  if (head.find(nsight_report_magic) != std::string::npos) return RecordingKind::nsight_report;
  if (is_xplane(head)) return RecordingKind::xla_profile;
  const auto first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string::npos) return RecordingKind::rnnprof;
  if (is_cudnn_log(head)) return RecordingKind::cudnn_log;
  if (is_chrome_trace(std::string_view(head).substr(first)))
    return is_xla_trace(head) ? RecordingKind::xla_profile : RecordingKind::torch_trace;
  return RecordingKind::rnnprof;
}

bool is_foreign_trace(const std::string& path) {
  return recording_kind(path) != RecordingKind::rnnprof;
}

Result<Profile> import_recording(const std::string& path, const ImportOptions& options) {
  switch (recording_kind(path)) {
    case RecordingKind::torch_trace:
      return import_torch_traces({path}, options);
    case RecordingKind::torch_folder:
      return import_torch_traces(trace_files(path), options);
    case RecordingKind::xla_profile:
      return import_xla_profiles({path}, options);
    case RecordingKind::xla_folder:
      return import_xla_profiles(xla_profile_files(path), options);
    case RecordingKind::cudnn_log:
      return import_cudnn_log(path, options);
    case RecordingKind::nsight_systems:
      return import_nsys(path, options);
    case RecordingKind::nsight_report:
      return fail(
          ErrorCode::unsupported,
          fmt::format("'{}' is a report of Nsight Systems, whose format is not public", path),
          fmt::format("export it: nsys export --type sqlite {}", path));
    case RecordingKind::rnnprof:
      break;
  }
  return read_profile(path);
}

Result<Profile> open_recording(const std::string& path, const ProfileReadOptions& options) {
  if (!is_foreign_trace(path)) return read_profile(path, options);
  ImportOptions importing;
  importing.keep_going = options.keep_going;
  return import_recording(path, importing);
}

}  // namespace rnnadvisor::import_trace
