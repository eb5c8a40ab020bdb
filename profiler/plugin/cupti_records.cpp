#include "profiler/plugin/cupti_records.h"

#include "profiler/cupti/overhead_name.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

void write_kernel(const CUpti_ActivityKernel10& k, const Reading& reading) {
  if (k.start == 0 || k.end == 0) {  // CUPTI's word for a time that it could not get
    writer().count_loss(spool::Loss::kernels);
    return;
  }
  device_seen(static_cast<int>(k.deviceId));
  spool::Kernel out{};
  out.start_ns = static_cast<std::int64_t>(k.start);
  out.end_ns = static_cast<std::int64_t>(k.end);
  out.name = writer().intern(k.name);
  out.correlation = k.correlationId + reading.numbered_before;
  out.device = k.deviceId;
  out.stream = k.streamId;
  out.context = k.contextId;
  out.registers = k.registersPerThread;
  out.grid[0] = k.gridX;
  out.grid[1] = k.gridY;
  out.grid[2] = k.gridZ;
  out.block[0] = k.blockX;
  out.block[1] = k.blockY;
  out.block[2] = k.blockZ;
  out.shared_static = static_cast<std::uint32_t>(k.staticSharedMemory);
  out.shared_dynamic = static_cast<std::uint32_t>(k.dynamicSharedMemory);
  out.graph_node = k.graphNodeId;
  writer().add(out, spool::Loss::kernels);
}

void write_api(const CUpti_ActivityAPI& a, bool driver, const Reading& reading) {
  const char* name = nullptr;
  reading.name_of(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, a.cbid, &name);
  spool::Api out{};
  out.start_ns = static_cast<std::int64_t>(a.start);
  out.end_ns = static_cast<std::int64_t>(a.end);
  out.name = writer().intern(name);
  out.correlation = a.correlationId + reading.numbered_before;
  out.thread = reading.system_threads ? a.threadId : 0;
  out.driver = driver ? 1 : 0;
  out.result = static_cast<std::int32_t>(a.returnValue);
  writer().add(out, spool::Loss::api);
}

}  // namespace

void write_activity(const CUpti_Activity& record, const Reading& reading) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      // Fields are only ever appended to these records, so an older CUPTI fills the same ones.
      write_kernel(*reinterpret_cast<const CUpti_ActivityKernel10*>(&record), reading);
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& c = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(&record);
      writer().add(spool::Transfer{{},
                                   static_cast<std::int64_t>(c.start),
                                   static_cast<std::int64_t>(c.end),
                                   c.bytes,
                                   c.correlationId + reading.numbered_before,
                                   c.deviceId,
                                   c.streamId,
                                   c.contextId,
                                   c.copyKind,
                                   0,
                                   c.graphNodeId},
                   spool::Loss::transfers);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& s = *reinterpret_cast<const CUpti_ActivityMemset4*>(&record);
      writer().add(spool::Transfer{{},
                                   static_cast<std::int64_t>(s.start),
                                   static_cast<std::int64_t>(s.end),
                                   s.bytes,
                                   s.correlationId + reading.numbered_before,
                                   s.deviceId,
                                   s.streamId,
                                   s.contextId,
                                   0,
                                   0,
                                   s.graphNodeId},
                   spool::Loss::transfers);
      break;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      write_api(*reinterpret_cast<const CUpti_ActivityAPI*>(&record),
                record.kind == CUPTI_ACTIVITY_KIND_DRIVER, reading);
      break;
    case CUPTI_ACTIVITY_KIND_MEMORY2: {
      const auto& m = *reinterpret_cast<const CUpti_ActivityMemory4*>(&record);
      if (m.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE) {
        writer().add(
            spool::Memory{
                {},
                static_cast<std::int64_t>(m.timestamp),
                m.address,
                m.bytes,
                m.deviceId,
                m.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE ? 1u : 0u},
            spool::Loss::memory);
      }
      break;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& o = *reinterpret_cast<const CUpti_ActivityOverhead3*>(&record);
      writer().add(spool::Overhead{{},
                                   static_cast<std::int64_t>(o.start),
                                   static_cast<std::int64_t>(o.end),
                                   writer().intern(overhead_name(o.overheadKind)),
                                   0},
                   spool::Loss::other);
      break;
    }
    default:
      break;
  }
}

}  // namespace rnnadvisor::plugin
