#include "profiler/cupti/records.h"

#include <utility>

#include "profiler/cupti/overhead_name.h"

namespace rnnadvisor {
namespace {

std::int64_t to_ns(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

void RecordReader::read(std::uint8_t* buffer, std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (valid_bytes > 0 &&
         api_.cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
    read_one(record);
}

void RecordReader::read_one(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      // Fields are only ever appended to this record, so an older CUPTI fills the same ones.
      return read_kernel(*reinterpret_cast<const CUpti_ActivityKernel10*>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      TransferRecord out;
      out.start_ns = to_ns(copy.start);
      out.end_ns = to_ns(copy.end);
      out.bytes = static_cast<std::int64_t>(copy.bytes);
      out.correlation = copy.correlationId;
      out.kind = copy.copyKind;
      out.device = static_cast<int>(copy.deviceId);
      out.stream = static_cast<int>(copy.streamId);
      return read_transfer(out);
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& set = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      TransferRecord out;
      out.operation = MemoryOperation::set;
      out.start_ns = to_ns(set.start);
      out.end_ns = to_ns(set.end);
      out.bytes = static_cast<std::int64_t>(set.bytes);
      out.correlation = set.correlationId;
      out.device = static_cast<int>(set.deviceId);
      out.stream = static_cast<int>(set.streamId);
      return read_transfer(out);
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return read_api(*reinterpret_cast<const CUpti_ActivityAPI*>(record),
                      record->kind == CUPTI_ACTIVITY_KIND_DRIVER);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return read_memory(*reinterpret_cast<const CUpti_ActivityMemory4*>(record));
    case CUPTI_ACTIVITY_KIND_MARKER:
      return markers_.read(*reinterpret_cast<const CUpti_ActivityMarker2*>(record));
    case CUPTI_ACTIVITY_KIND_MARKER_DATA:
      return markers_.read(*reinterpret_cast<const CUpti_ActivityMarkerData2*>(record));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& external = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
      if (external.externalKind == own_correlation_kind)
        batch_.external[external.correlationId] = external.externalId;
      return;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return read_overhead(*reinterpret_cast<const CUpti_ActivityOverhead3*>(record));
    default:
      ++batch_.unknown;
  }
}

// CUPTI tells the time of what it could not time as 0: so a kernel that still ran when the buffers
// were flushed by force (seen on CUPTI 13.0.1; its record does not come again). It must not stand
// at 1970 with no duration.
void RecordReader::read_kernel(const CUpti_ActivityKernel10& kernel) {
  if (kernel.start == CUPTI_TIMESTAMP_UNKNOWN || kernel.end == CUPTI_TIMESTAMP_UNKNOWN) {
    ++batch_.untimed_kernels;
    return;
  }
  KernelRecord out;
  out.start_ns = to_ns(kernel.start);
  out.end_ns = to_ns(kernel.end);
  out.correlation = kernel.correlationId;
  out.name = kernel.name != nullptr ? kernel.name : "";
  out.device = static_cast<int>(kernel.deviceId);
  out.stream = static_cast<int>(kernel.streamId);
  out.grid = {kernel.gridX, kernel.gridY, kernel.gridZ};
  out.block = {kernel.blockX, kernel.blockY, kernel.blockZ};
  out.registers = kernel.registersPerThread;
  out.shared_static = kernel.staticSharedMemory;
  out.shared_dynamic = kernel.dynamicSharedMemory;
  batch_.kernels.push_back(std::move(out));
}

void RecordReader::read_transfer(TransferRecord record) {
  if (record.start_ns == CUPTI_TIMESTAMP_UNKNOWN || record.end_ns == CUPTI_TIMESTAMP_UNKNOWN) {
    ++batch_.untimed_others;
    return;
  }
  batch_.transfers.push_back(record);
}

void RecordReader::read_api(const CUpti_ActivityAPI& call, bool driver) {
  if (call.start == CUPTI_TIMESTAMP_UNKNOWN || call.end == CUPTI_TIMESTAMP_UNKNOWN) {
    ++batch_.untimed_others;
    return;
  }
  const char* name = nullptr;
  api_.cuptiGetCallbackName(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API,
                            call.cbid, &name);
  ApiRecord out;
  out.start_ns = to_ns(call.start);
  out.end_ns = to_ns(call.end);
  out.correlation = call.correlationId;
  out.thread = call.threadId;
  out.name = name != nullptr ? name : "unknown CUDA call " + std::to_string(call.cbid);
  out.driver = driver;
  out.result = static_cast<int>(call.returnValue);
  batch_.api.push_back(std::move(out));
}

void RecordReader::read_memory(const CUpti_ActivityMemory4& memory) {
  if (memory.memoryKind != CUPTI_ACTIVITY_MEMORY_KIND_DEVICE) return;
  if (memory.timestamp == CUPTI_TIMESTAMP_UNKNOWN) {
    ++batch_.untimed_others;
    return;
  }
  AllocationRecord out;
  out.time_ns = to_ns(memory.timestamp);
  out.bytes = static_cast<std::int64_t>(memory.bytes);
  out.address = static_cast<std::int64_t>(memory.address);
  out.release = memory.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  out.device = static_cast<int>(memory.deviceId);
  out.correlation = memory.correlationId;
  batch_.allocations.push_back(out);
}

void RecordReader::read_overhead(const CUpti_ActivityOverhead3& overhead) {
  if (overhead.start == CUPTI_TIMESTAMP_UNKNOWN || overhead.end == CUPTI_TIMESTAMP_UNKNOWN) {
    ++batch_.untimed_others;
    return;
  }
  OverheadRecord out;
  out.start_ns = to_ns(overhead.start);
  out.end_ns = to_ns(overhead.end);
  out.kind = overhead_name(overhead.overheadKind);
  batch_.overhead.push_back(std::move(out));
}

ActivityBatch RecordReader::take(std::int64_t now_ns) {
  batch_.nvtx = markers_.take(now_ns);
  batch_.untimed_others += markers_.take_untimed();
  return std::exchange(batch_, {});
}

}  // namespace rnnadvisor
