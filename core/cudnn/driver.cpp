#include "core/cudnn/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>

namespace rnnadvisor {
namespace {

// CUdevice_attribute numbers of cuda.h; part of the driver's ABI.
enum Attribute : int {
  shared_memory_per_block_optin = 97,
  clock_rate_khz = 13,
  multiprocessor_count = 16,
  l2_cache_size = 38,
  compute_major = 75,
  compute_minor = 76,
  shared_memory_per_multiprocessor = 81,
  registers_per_multiprocessor = 82,
};

struct Driver {
  int (*init)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;
  int (*count)(int*) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
  int (*total_memory)(std::size_t*, int) = nullptr;
  int (*uuid)(unsigned char*, int) = nullptr;
  int (*error_name)(int, const char**) = nullptr;
};

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// "NVRM version: NVIDIA UNIX … Kernel Module  580.159.04  Release Build …"
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  }
  return {};
}

struct Nvml {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*by_uuid)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;        // type 1 SM, 2 memory
  int (*temperature)(void*, int, unsigned*) = nullptr;  // sensor 0: GPU
  int (*power)(void*, unsigned*) = nullptr;
  int (*memory)(void*, void*) = nullptr;                       // nvmlMemory_t: total, free, used
  int (*event_reasons)(void*, unsigned long long*) = nullptr;  // null: a driver without it
  bool ready = false;
};

const Nvml& nvml() {
  static const Nvml loaded = [] {
    Nvml api;
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return api;
    api.ready = resolve(library, "nvmlInit_v2", api.init) &&
                resolve(library, "nvmlSystemGetDriverVersion", api.driver_version) &&
                resolve(library, "nvmlDeviceGetHandleByUUID", api.by_uuid) &&
                resolve(library, "nvmlDeviceGetClockInfo", api.clock) &&
                resolve(library, "nvmlDeviceGetTemperature", api.temperature) &&
                resolve(library, "nvmlDeviceGetPowerUsage", api.power) &&
                resolve(library, "nvmlDeviceGetMemoryInfo", api.memory) && api.init() == 0;
    // Its name before driver 535.
    if (!resolve(library, "nvmlDeviceGetCurrentClocksEventReasons", api.event_reasons))
      resolve(library, "nvmlDeviceGetCurrentClocksThrottleReasons", api.event_reasons);
    return api;
  }();
  return loaded;
}

GpuState inspect_gpu(const Driver& driver, int ordinal) {
  GpuState gpu;
  gpu.ordinal = ordinal;
  gpu.spec.live = true;
  int device = 0;
  if (const int status = driver.get(&device, ordinal); status != 0) {
    gpu.usable = false;
    gpu.problem = fmt::format("the driver refuses GPU {} with error {}", ordinal, status);
    return gpu;
  }
  std::array<char, 256> name{};
  driver.name(name.data(), static_cast<int>(name.size()) - 1, device);
  gpu.spec.name = name.data();
  const auto attribute = [&](Attribute which) {
    int value = 0;
    return driver.attribute(&value, which, device) == 0 ? value : 0;
  };
  gpu.spec.compute_major = attribute(compute_major);
  gpu.spec.compute_minor = attribute(compute_minor);
  gpu.spec.sm_count = attribute(multiprocessor_count);
  gpu.spec.l2_bytes = attribute(l2_cache_size);
  gpu.spec.shared_memory_per_sm = attribute(shared_memory_per_multiprocessor);
  gpu.spec.shared_memory_per_block = attribute(shared_memory_per_block_optin);
  gpu.spec.registers_per_sm = attribute(registers_per_multiprocessor);
  gpu.spec.boost_clock_hz = attribute(clock_rate_khz) * 1e3;
  std::size_t total = 0;
  if (driver.total_memory(&total, device) == 0)
    gpu.spec.memory_bytes = static_cast<std::int64_t>(total);
  std::array<unsigned char, 16> uuid{};
  if (driver.uuid(uuid.data(), device) == 0) gpu.uuid = format_uuid(uuid.data());
  gpu.spec.uuid = gpu.uuid;
  gpu.spec = with_shipped_values(gpu.spec);

  void* handle = nullptr;
  std::array<unsigned long long, 3> memory{};
  if (nvml().ready && nvml().by_uuid(gpu.uuid.c_str(), &handle) == 0 &&
      nvml().memory(handle, memory.data()) == 0) {
    gpu.memory_free = static_cast<std::int64_t>(memory[1]);
  }
  return gpu;
}

}  // namespace

std::string format_uuid(const unsigned char* bytes) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

DeviceSpec with_shipped_values(DeviceSpec live) {
  const auto shipped = find_device(live.name);
  if (!shipped) {
    live.id = live.name;
    live.source =
        "read from the GPU; no shipped description has this name, so there are no datasheet rates";
    return live;
  }
  DeviceSpec spec = *shipped;
  spec.live = true;
  spec.uuid = live.uuid;
  spec.name = live.name;
  // The driver knows this very GPU (a MIG slice has fewer multiprocessors than its datasheet).
  spec.compute_major = live.compute_major;
  spec.compute_minor = live.compute_minor;
  if (live.sm_count > 0) spec.sm_count = live.sm_count;
  if (live.memory_bytes > 0) spec.memory_bytes = live.memory_bytes;
  if (live.l2_bytes > 0) spec.l2_bytes = live.l2_bytes;
  if (live.shared_memory_per_sm > 0) spec.shared_memory_per_sm = live.shared_memory_per_sm;
  if (live.shared_memory_per_block > 0) spec.shared_memory_per_block = live.shared_memory_per_block;
  if (live.registers_per_sm > 0) spec.registers_per_sm = live.registers_per_sm;
  if (live.boost_clock_hz > 0) spec.boost_clock_hz = live.boost_clock_hz;
  return spec;
}

std::string missing_driver() {
  return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr
             ? std::string()
             : "no NVIDIA driver: libcuda.so.1 cannot be loaded";
}

DriverState inspect_driver() {
  DriverState state;
  state.driver_version = kernel_module_version();
  if (nvml().ready) {
    std::array<char, 96> version{};
    if (nvml().driver_version(version.data(), static_cast<unsigned>(version.size()) - 1) == 0)
      state.driver_version = version.data();
  }
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    state.problem = missing_driver();
    return state;
  }
  Driver driver;
  if (!resolve(library, "cuInit", driver.init) ||
      !resolve(library, "cuDriverGetVersion", driver.version) ||
      !resolve(library, "cuDeviceGetCount", driver.count) ||
      !resolve(library, "cuDeviceGet", driver.get) ||
      !resolve(library, "cuDeviceGetName", driver.name) ||
      !resolve(library, "cuDeviceGetAttribute", driver.attribute) ||
      !resolve(library, "cuDeviceTotalMem_v2", driver.total_memory) ||
      !resolve(library, "cuDeviceGetUuid", driver.uuid) ||
      !resolve(library, "cuGetErrorName", driver.error_name)) {
    state.problem = "libcuda.so.1 lacks functions every driver has; it is damaged or not NVIDIA's";
    return state;
  }
  if (const int status = driver.init(0); status != 0) {
    const char* name = nullptr;
    driver.error_name(status, &name);
    state.problem = fmt::format("the NVIDIA driver does not start: cuInit returned {} ({})",
                                name != nullptr ? name : "?", status);
    return state;
  }
  int version = 0;
  if (driver.version(&version) == 0)
    state.cuda_driver_version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  int count = 0;
  driver.count(&count);
  for (int ordinal = 0; ordinal < count; ++ordinal)
    state.gpus.push_back(inspect_gpu(driver, ordinal));
  if (count == 0) state.problem = "the driver sees no GPU (is CUDA_VISIBLE_DEVICES set?)";
  return state;
}

GpuClocks read_clocks(const std::string& uuid) {
  GpuClocks clocks;
  void* handle = nullptr;
  if (!nvml().ready || nvml().by_uuid(uuid.c_str(), &handle) != 0) return clocks;
  unsigned value = 0;
  if (nvml().clock(handle, 1, &value) == 0) clocks.sm_mhz = static_cast<int>(value);
  if (nvml().clock(handle, 2, &value) == 0) clocks.memory_mhz = static_cast<int>(value);
  if (nvml().temperature(handle, 0, &value) == 0) clocks.temperature_c = static_cast<int>(value);
  if (nvml().power(handle, &value) == 0) clocks.power_mw = static_cast<int>(value);
  unsigned long long reasons = 0;
  if (nvml().event_reasons != nullptr && nvml().event_reasons(handle, &reasons) == 0)
    clocks.event_reasons = static_cast<std::int64_t>(reasons & 0x7fffffffffffffffULL);
  return clocks;
}

}  // namespace rnnadvisor
