// The ActivitySource of a real GPU. One per process at a time: CUPTI has one set of buffer
// callbacks.
#pragma once

#include <memory>

#include "profiler/cupti/activity_source.h"

namespace rnnadvisor {

struct CuptiOptions {
  std::size_t buffer_bytes = std::size_t{8} << 20U;  // each; CUPTI's guide suggests 1 to 10 MB
  std::size_t limit_bytes =
      std::size_t{1024} << 20U;  // all buffers together; beyond it records are dropped and counted
};

// An error when CUPTI cannot be loaded or another source is alive.
Result<std::unique_ptr<ActivitySource>> make_cupti_source(const CuptiOptions& options = {});

}  // namespace rnnadvisor
