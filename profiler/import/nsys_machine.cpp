#include "profiler/import/nsys_machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/import/nsys_tables.h"

namespace rnnadvisor::import_trace {
namespace {

constexpr std::int64_t process_mask = ~std::int64_t{0xffffff};
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

}  // namespace

NsysMachine::NsysMachine(sqlite3* database, ImportedProfile& into) : into_(into) {
  read_clock(database);
  read_environment(database);
  read_gpus(database);
  read_processes(database);
}

// Times count from the beginning of the capture, but for `nsys export --ts-normalize=true`.
void NsysMachine::read_clock(sqlite3* database) {
  for (const auto* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    NsysTable settings(database, table, {"name", "value"});
    while (settings.next())
      has_clock_ |= settings.text(0) == "EXPORT_PARAM_TIME_NORMALIZE" && settings.text(1) == "true";
  }
  if (has_clock_) return;
  NsysTable start(database, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"});
  if (!start.next()) return;
  begin_ns_ = start.integer(0, 0, 1, latest_time_ns / 2);
  has_clock_ = begin_ns_ > 0;
}

std::int64_t NsysMachine::time(std::int64_t ns) const {
  if (ns < -latest_time_ns / 2 || ns > latest_time_ns / 2) return 0;
  return begin_ns_ + ns;
}

void NsysMachine::read_environment(sqlite3* database) {
  Environment& e = into_.environment();
  NsysTable values(database, "TARGET_INFO_SYSTEM_ENV", {"name", "value"});
  while (values.next()) {
    const std::string name = values.text(0);
    std::string* known = name == "Hostname"         ? &e.host
                         : name == "OsDescription"  ? &e.operating_system
                         : name == "CpuDescription" ? &e.cpu
                                                    : nullptr;
    if (known != nullptr && known->empty()) *known = values.text(1, 200);
    if (name == "CudaDriverVersion" && e.cuda_driver_version.empty()) {
      const std::string text = values.text(1);  // "12000"
      const bool digits = text.size() >= 4 && text.size() <= 6 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
      if (digits)
        e.cuda_driver_version =
            fmt::format("{}.{}", std::stoi(text) / 1000, std::stoi(text) % 1000 / 10);
    }
  }
}

void NsysMachine::read_gpus(sqlite3* database) {
  NsysTable table(database, "TARGET_INFO_GPU",
                  {"id", "cuDevice", "name", "uuid", "computeMajor", "computeMinor", "smCount",
                   "clockRate", "totalMemory", "l2CacheSize", "maxShmemPerSm",
                   "maxShmemPerBlockOptin", "maxRegistersPerSm"});
  while (table.next()) {
    Gpu gpu;
    gpu.id = table.integer(0, -1);
    gpu.cuda = table.integer(1, -1);
    gpu.spec.name = table.text(2, 200);
    if (const std::string uuid = table.text(3, 64); !uuid.empty())
      gpu.spec.uuid = (uuid.starts_with("GPU-") || uuid.starts_with("MIG-") ? "" : "GPU-") + uuid;
    gpu.spec.compute_major = table.small(4);
    gpu.spec.compute_minor = table.small(5);
    gpu.spec.sm_count = table.small(6);
    gpu.spec.boost_clock_hz = static_cast<double>(table.integer(7, 0, 0, std::int64_t{1} << 40));
    gpu.spec.memory_bytes = table.integer(8, 0, 0, most_bytes);
    gpu.spec.l2_bytes = table.integer(9, 0, 0, most_bytes);
    gpu.spec.shared_memory_per_sm = table.integer(10, 0, 0, most_bytes);
    gpu.spec.shared_memory_per_block = table.integer(11, 0, 0, most_bytes);
    gpu.spec.registers_per_sm = table.integer(12, 0, 0, most_bytes);
    gpus_.push_back(std::move(gpu));
  }
  if (gpus_.empty()) {
    // Until early 2021: the members of CUpti_ActivityDevice2, clocks in kHz.
    NsysTable old(database, "TARGET_INFO_CUDA_GPU",
                  {"deviceId", "name", "computeCapabilityMajor", "computeCapabilityMinor",
                   "numMultiprocessors", "coreClockRate", "globalMemorySize", "l2CacheSize"});
    while (old.next()) {
      Gpu gpu;
      gpu.id = gpu.cuda = old.integer(0, -1);
      gpu.spec.name = old.text(1, 200);
      gpu.spec.compute_major = old.small(2);
      gpu.spec.compute_minor = old.small(3);
      gpu.spec.sm_count = old.small(4);
      gpu.spec.boost_clock_hz =
          1e3 * static_cast<double>(old.integer(5, 0, 0, std::int64_t{1} << 30));
      gpu.spec.memory_bytes = old.integer(6, 0, 0, most_bytes);
      gpu.spec.l2_bytes = old.integer(7, 0, 0, most_bytes);
      gpus_.push_back(std::move(gpu));
    }
  }
  NsysTable visible(database, "TARGET_INFO_CUDA_DEVICE",
                    {"pid", "cudaId", "gpuId", "numMultiprocessors"});
  while (visible.next())
    visible_[{visible.integer(0, -1), visible.integer(1, -1)}] = {visible.integer(2, -1),
                                                                  visible.small(3)};
}

void NsysMachine::read_processes(sqlite3* database) {
  // All processes of the machine: only those with records become part of the profile.
  NsysTable table(database, "PROCESSES", {"globalPid", "name"});
  while (table.next()) names_.emplace(table.integer(0), table.text(1, 1000));
}

// CUDA_VISIBLE_DEVICES renumbers GPUs in each process.
const NsysMachine::Gpu* NsysMachine::find_gpu(std::int64_t pid, int id) const {
  const auto find = [&](auto matches) {
    const auto found = std::find_if(gpus_.begin(), gpus_.end(), matches);
    return found == gpus_.end() ? nullptr : &*found;
  };
  if (const auto seen = visible_.find({pid, id}); seen != visible_.end())
    return find([&](const Gpu& gpu) { return gpu.id == seen->second.gpu; });
  const auto* found = find([&](const Gpu& gpu) { return gpu.cuda == id; });
  return found != nullptr ? found : find([&](const Gpu& gpu) { return gpu.id == id; });
}

int NsysMachine::device_of(std::int64_t global_id, int id) {
  const std::int64_t pid = pid_of(global_id);
  const auto [entry, fresh] = devices_.try_emplace({pid, id}, -1);
  if (!fresh) return entry->second;
  const Gpu* gpu = find_gpu(pid, id);
  DeviceSpec spec = gpu == nullptr ? DeviceSpec() : gpu->spec;
  if (spec.name.empty()) spec.name = "unknown device";
  if (const auto seen = visible_.find({pid, id});
      seen != visible_.end() && seen->second.multiprocessors > 0)
    spec.sm_count = static_cast<int>(seen->second.multiprocessors);  // of a part of a GPU
  const std::string key =
      gpu == nullptr ? fmt::format("cuda {}", id) : fmt::format("gpu {}", gpu->id);
  return entry->second = into_.add_device(key, std::move(spec));
}

int NsysMachine::process_of(std::int64_t global_id) {
  const std::int64_t key = global_id & process_mask;
  const auto [entry, fresh] = processes_.try_emplace(key, -1);
  if (!fresh) return entry->second;
  Process process;
  if (const std::int64_t pid = pid_of(key); pid > 0) process.pid = pid;
  process.host = into_.environment().host;
  if (const auto name = names_.find(key); name != names_.end()) process.executable = name->second;
  return entry->second = into_.add_process(std::move(process));
}

}  // namespace rnnadvisor::import_trace
