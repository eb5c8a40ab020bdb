// ActivitySource: where kernels, API calls, transfers and NVTX ranges come from. CUPTI stands
// behind it in a program, a hand-built list of records in tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor {

// Everything one recording yielded, unattributed.
struct ActivityBatch {
  std::vector<KernelRecord> kernels;
  std::vector<TransferRecord> transfers;
  std::vector<ApiRecord> api;
  std::vector<AllocationRecord> allocations;
  std::vector<NvtxRecord> nvtx;
  std::vector<OverheadRecord> overhead;
  std::map<std::int64_t, std::uint64_t>
      external;              // correlation id -> the id that was pushed around the call
  std::int64_t dropped = 0;  // records the tracer lost
  std::int64_t unknown = 0;  // records of a kind that is not read here
  // Records left out because the tracer could not collect when they were.
  std::int64_t untimed_kernels = 0, untimed_others = 0;
  // Buffers of another tool that were delivered to us: the records of both are mixed up.
  std::int64_t foreign_buffers = 0;
};

class ActivitySource {
 public:
  virtual ~ActivitySource() = default;
  // ErrorCode::cupti when the tracer refuses; conflict() then tells whether because of another
  // tool.
  virtual Result<void> start() = 0;
  // Stops, flushes and hands everything over. The device must be idle: what still runs has no end
  // yet and is left out.
  virtual Result<ActivityBatch> stop() = 0;
  // Every CUDA API call of this thread until pop() carries `id` in ActivityBatch::external.
  virtual void push(std::uint64_t id) = 0;
  virtual void pop() = 0;
  // The clock of all records, nanoseconds.
  virtual std::int64_t now_ns() = 0;
  // What records of the calling thread carry as their thread.
  virtual std::int64_t thread_id() = 0;
  // The name of the tool because of which the last start() failed, empty when it did not fail or
  // for another reason.
  virtual std::string conflict() const = 0;
};

}  // namespace rnnadvisor
