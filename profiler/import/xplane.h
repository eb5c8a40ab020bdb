// Profiles of XLA in its own format (XSpace, HOST.xplane.pb), which jax.profiler and TensorFlow's
// profiler write. Field numbers: tsl/profiler/protobuf/xplane.proto of github.com/openxla/xla.
#pragma once

#include <string>

#include "core/base/file_bytes.h"
#include "core/device/device_spec.h"
#include "profiler/import/imported_profile.h"

namespace rnnadvisor::import_trace {

struct XplaneRead {
  std::int64_t gpu_records = 0;
  std::int64_t unknown_calls = 0;  // RNN calls without a configuration
  bool any_plane = false;
  bool whole = true;  // false: it ends in the middle, or is damaged
};

// Reads the bytes twice: what the events mean stands behind them. `host`: where the program ran,
// for a file that does not tell.
XplaneRead read_xplane(FileBytes& file, const std::string& host, ImportedProfile& profile);

// Whether these are the first bytes of such a file.
bool is_xplane(std::string_view head);

}  // namespace rnnadvisor::import_trace
