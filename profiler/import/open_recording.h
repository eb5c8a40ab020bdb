// Any recording as a Profile: a .rnnprof file, or a file of another tool, told apart by what is in
// it and not by its name. docs/importing.md has what each kind of file knows.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "profiler/import/imported_profile.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::import_trace {

enum class RecordingKind {
  rnnprof,         // or nothing that is known: read_profile() says what it looks like
  torch_trace,     // Chrome trace events in JSON: torch.profiler's, or of a tool that is refused
  torch_folder,    // a folder with such traces of torch.profiler, one for each rank
  xla_profile,     // HOST.xplane.pb or HOST.trace.json that XLA wrote
  xla_folder,      // a folder that jax.profiler.start_trace() was given, with such files below it
  cudnn_log,       // CUDNN_LOGLEVEL_DBG
  nsight_systems,  // an SQLite database that nsys exported
  nsight_report    // a .nsys-rep, which has to be exported first
};
// Reads at most a few kilobytes. Files that cannot be read are `rnnprof`: read_profile() says why.
RecordingKind recording_kind(const std::string& path);

// Whether open_recording() would hand the path to an importer.
bool is_foreign_trace(const std::string& path);

// Opens any of them. `options.outline` is given the outline of a .rnnprof only. Errors: those of
// read_profile() and of the importers; invalid_argument for a trace that holds nothing to judge,
// with what to record instead.
Result<Profile> open_recording(const std::string& path, const ProfileReadOptions& options = {});

// The same of a foreign trace, for what its file does not tell.
Result<Profile> import_recording(const std::string& path, const ImportOptions& options);

}  // namespace rnnadvisor::import_trace
