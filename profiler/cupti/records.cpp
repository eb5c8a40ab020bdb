#include "profiler/cupti/records.h"

namespace rnnadvisor {
namespace {

std::int64_t to_ns(std::uint64_t value) { return static_cast<std::int64_t>(value); }

const char* overhead_name(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "driver compiler";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "CUPTI buffer flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "CUPTI instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "CUPTI resources";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return "module loading";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return "lazy function loading";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return "command buffer full";
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
      return "activity buffer request";
    default:
      return "other";
  }
}

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
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      // Fields are only ever appended to this record, so an older CUPTI fills the same ones.
      const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(record);
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
      break;
    }
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
      batch_.transfers.push_back(out);
      break;
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
      batch_.transfers.push_back(out);
      break;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto& call = *reinterpret_cast<const CUpti_ActivityAPI*>(record);
      const bool driver = record->kind == CUPTI_ACTIVITY_KIND_DRIVER;
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
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMORY2: {
      const auto& memory = *reinterpret_cast<const CUpti_ActivityMemory4*>(record);
      AllocationRecord out;
      out.time_ns = to_ns(memory.timestamp);
      out.bytes = static_cast<std::int64_t>(memory.bytes);
      out.address = static_cast<std::int64_t>(memory.address);
      out.release = memory.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
      out.device = static_cast<int>(memory.deviceId);
      if (memory.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE) batch_.allocations.push_back(out);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MARKER:
      read_marker(*reinterpret_cast<const CUpti_ActivityMarker2*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& external = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
      batch_.external[external.correlationId] = external.externalId;
      break;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& overhead = *reinterpret_cast<const CUpti_ActivityOverhead3*>(record);
      OverheadRecord out;
      out.start_ns = to_ns(overhead.start);
      out.end_ns = to_ns(overhead.end);
      out.kind = overhead_name(overhead.overheadKind);
      batch_.overhead.push_back(std::move(out));
      break;
    }
    default:
      ++batch_.unknown;
      break;
  }
}

void RecordReader::read_marker(const CUpti_ActivityMarker2& marker) {
  const std::int64_t time = to_ns(marker.timestamp);
  if ((marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0) {
    const auto found = open_.find(marker.id);
    if (found == open_.end()) return;  // began before the recording
    found->second.end_ns = time;
    batch_.nvtx.push_back(std::move(found->second));
    open_.erase(found);
    return;
  }
  NvtxRecord record;
  record.start_ns = record.end_ns = time;
  record.name = marker.name != nullptr ? marker.name : "";
  record.domain = marker.domain != nullptr ? marker.domain : "";
  record.thread =
      marker.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? marker.objectId.pt.threadId : 0;
  if ((marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0) {
    open_[marker.id] = std::move(record);
  } else if ((marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS) != 0) {
    batch_.nvtx.push_back(std::move(record));
  }
}

ActivityBatch RecordReader::take(std::int64_t now_ns) {
  for (auto& [id, record] : open_) {
    record.end_ns = now_ns;
    batch_.nvtx.push_back(std::move(record));
  }
  open_.clear();
  ActivityBatch batch = std::move(batch_);
  batch_ = {};
  return batch;
}

}  // namespace rnnadvisor
