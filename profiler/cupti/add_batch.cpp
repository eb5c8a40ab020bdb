#include "profiler/cupti/add_batch.h"

namespace rnnadvisor {

void add_batch(ProfileBuilder& builder, ActivityBatch batch, const std::vector<int>& calls,
               int device, int process) {
  const auto place = [&](auto& records) {
    for (auto& record : records) {
      if constexpr (requires { record.device; }) record.device = device;
      record.process = process;
    }
  };
  place(batch.kernels);
  place(batch.transfers);
  place(batch.api);
  place(batch.allocations);
  place(batch.nvtx);
  place(batch.overhead);
  for (const auto& [correlation, id] : batch.external) {
    if (id >= 1 && id <= calls.size()) builder.attribute(correlation, calls[id - 1], process);
  }
  for (const auto& record : batch.kernels) builder.add_kernel(record);
  for (const auto& record : batch.transfers) builder.add_transfer(record);
  for (const auto& record : batch.api) builder.add_api(record);
  for (const auto& record : batch.allocations) builder.add_allocation(record);
  for (const auto& record : batch.nvtx) builder.add_nvtx(record);
  for (const auto& record : batch.overhead) builder.add_overhead(record);
  if (batch.dropped > 0) {
    builder.add_note({NoteSeverity::warning, "records-dropped",
                      "CUPTI dropped activity records: kernel sums of this run are too small",
                      batch.dropped});
  }
  if (batch.untimed_kernels > 0) {
    builder.add_note({NoteSeverity::warning, "kernels-without-time",
                      "CUPTI could not collect when kernels ran: they are left out, so kernel sums "
                      "of this run are too small",
                      batch.untimed_kernels});
  }
  if (batch.untimed_others > 0) {
    builder.add_note({NoteSeverity::info, "records-without-time",
                      "CUPTI could not collect the time of records other than kernels: they are "
                      "left out",
                      batch.untimed_others});
  }
  if (batch.foreign_buffers > 0) {
    builder.add_note({NoteSeverity::warning, "tracing-conflict",
                      "CUPTI delivered buffers of another tool: records of both are mixed up",
                      batch.foreign_buffers});
  }
  if (batch.unknown > 0) {
    builder.add_note({NoteSeverity::info, "records-unknown",
                      "CUPTI delivered records of kinds that are not read", batch.unknown});
  }
}

}  // namespace rnnadvisor
