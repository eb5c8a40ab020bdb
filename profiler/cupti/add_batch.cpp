#include <fmt/format.h>

#include "profiler/cupti/traced_run.h"

namespace rnnadvisor {

void add_batch(ProfileBuilder& builder, ActivityBatch batch, const std::vector<int>& calls,
               int device) {
  for (auto& record : batch.kernels) record.device = device;
  for (auto& record : batch.transfers) record.device = device;
  for (auto& record : batch.allocations) record.device = device;
  for (const auto& [correlation, id] : batch.external) {
    if (id >= 1 && id <= calls.size()) builder.attribute(correlation, calls[id - 1]);
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
  if (batch.unknown > 0) {
    builder.add_note({NoteSeverity::info, "records-unknown",
                      "CUPTI delivered records of kinds that are not read", batch.unknown});
  }
}

}  // namespace rnnadvisor
