#include "profiler/plugin/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {
namespace {

constexpr int max_devices = 64;
std::atomic<bool> described[max_devices], versions_described;

bool load(void* library, Driver& d) {
  Symbols from(library);
  from.need("cuCtxGetCurrent", d.cuCtxGetCurrent)
      .need("cuCtxGetDevice", d.cuCtxGetDevice)
      .need("cuCtxGetStreamPriorityRange", d.cuCtxGetStreamPriorityRange)
      .need("cuEventCreate", d.cuEventCreate)
      .need("cuEventRecord", d.cuEventRecord)
      .need("cuEventQuery", d.cuEventQuery)
      .need("cuEventSynchronize", d.cuEventSynchronize)
      .need("cuEventElapsedTime", d.cuEventElapsedTime)
      .need("cuStreamIsCapturing", d.cuStreamIsCapturing)
      .need("cuThreadExchangeStreamCaptureMode", d.cuThreadExchangeStreamCaptureMode)
      .need("cuDeviceGet", d.cuDeviceGet)
      .need("cuDriverGetVersion", d.cuDriverGetVersion)
      .need("cuDeviceGetCount", d.cuDeviceGetCount)
      .need("cuDeviceGetName", d.cuDeviceGetName)
      .need("cuDeviceGetAttribute", d.cuDeviceGetAttribute)
      .need("cuDeviceTotalMem_v2", d.cuDeviceTotalMem);
  for (const char* name : {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"})
    if (from.find(name, d.cuDeviceGetUuid)) break;
  from.find("cuStreamGetCaptureInfo", d.cuStreamGetCaptureInfo);
  from.find("cuStreamGetCtx", d.cuStreamGetCtx);
  from.find("cuCtxGetId", d.cuCtxGetId);
  from.find("cuCtxSynchronize", d.cuCtxSynchronize);
  return from.complete() && d.cuDeviceGetUuid != nullptr;
}

void describe(const Driver& d, int ordinal) {
  CUdevice device = 0;
  if (d.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) return;
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    return d.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
  };
  spool::Device out{};
  out.ordinal = ordinal;
  out.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  out.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  out.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  out.sm_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  out.memory_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  out.bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  out.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  out.shared_per_sm = static_cast<std::uint32_t>(
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  out.shared_per_block =
      static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  out.registers_per_sm =
      static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
  out.threads_per_sm =
      static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
  std::size_t bytes = 0;
  if (d.cuDeviceTotalMem(&bytes, device) == CUDA_SUCCESS) out.memory_bytes = bytes;
  CUuuid uuid{};
  if (d.cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS)
    memcpy(out.uuid, uuid.bytes, sizeof out.uuid);
  if (d.cuDeviceGetName(out.name, sizeof out.name - 1, device) != CUDA_SUCCESS) out.name[0] = 0;
  writer().add(out, spool::Loss::other);
}

// The versions below the program, once.
void describe_versions(const Driver& d) {
  if (versions_described.exchange(true)) return;
  const Uncancelled guard;
  const auto write = [](const char* name, const char* value) {
    writer().add(spool::Environment{{}, writer().intern(name), writer().intern(value)},
                 spool::Loss::other);
  };
  char text[64];
  if (FILE* file = fopen("/sys/module/nvidia/version", "re"); file != nullptr) {
    if (fgets(text, sizeof text, file) != nullptr) {
      text[strcspn(text, "\n")] = 0;
      write("driver_version", text);
    }
    fclose(file);
  }
  int version = 0;
  if (d.cuDriverGetVersion(&version) == CUDA_SUCCESS) {
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    write("cuda_driver_version", text);
  }
}

}  // namespace

const Driver* driver() {
  static std::atomic<const Driver*> found{nullptr};
  if (const Driver* d = found.load(std::memory_order_acquire); d != nullptr) return d;
  // Where there is none, looking goes through the loader's folders each time.
  static std::atomic<unsigned> looked{0};
  const unsigned looks = looked.fetch_add(1, std::memory_order_relaxed);
  if (looks >= 64 && looks % 1024 != 0) return nullptr;
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  // Threads that come at once fill a table each, and the first counts: a lock would be held while
  // the loader's is taken.
  static Driver tables[8];
  static std::atomic<int> next{0};
  const int mine = next.fetch_add(1, std::memory_order_relaxed);
  if (mine >= 8 || !load(library, tables[mine])) return nullptr;
  const Driver* none = nullptr;
  return found.compare_exchange_strong(none, &tables[mine]) ? &tables[mine] : none;
}

void devices_forget() {
  for (auto& one : described) one.store(false);
  versions_described.store(false);
}

int current_device() {
  const Driver* d = driver();
  CUdevice device = -1;
  if (d == nullptr || d->cuCtxGetDevice(&device) != CUDA_SUCCESS) return -1;
  // In the driver's interface a device handle is its ordinal.
  device_seen(device);
  return device;
}

void device_seen(int ordinal) {
  if (ordinal < 0 || ordinal >= max_devices || described[ordinal].load(std::memory_order_relaxed))
    return;
  const Driver* d = driver();
  if (d == nullptr || described[ordinal].exchange(true)) return;
  describe_versions(*d);
  describe(*d, ordinal);
}

}  // namespace rnnadvisor::plugin
