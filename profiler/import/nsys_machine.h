// What a database of Nsight Systems says of the machine: its clock, its GPUs, its processes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiler/import/imported_profile.h"
#include "profiler/profile/sqlite.h"

namespace rnnadvisor::import_trace {

class NsysMachine {
 public:
  NsysMachine(sqlite3* database, ImportedProfile& into);

  // Of the profile's clock, which is UTC where the report tells when it began. 0: not a time.
  std::int64_t time(std::int64_t ns) const;
  bool has_clock() const { return has_clock_; }

  // The index in the profile of the process of a globalPid or globalTid.
  int process_of(std::int64_t global_id);
  static std::int64_t thread_of(std::int64_t global_id) { return global_id & 0xffffff; }
  // The index in the profile of what that process calls CUDA device `id`.
  int device_of(std::int64_t global_id, int id);

 private:
  struct Gpu {
    std::int64_t id = -1, cuda = -1;
    DeviceSpec spec;
  };
  struct VisibleGpu {
    std::int64_t gpu = -1, multiprocessors = 0;
  };
  static std::int64_t pid_of(std::int64_t global_id) { return (global_id >> 24) & 0xffffff; }
  void read_clock(sqlite3* database);
  void read_environment(sqlite3* database);
  void read_gpus(sqlite3* database);
  void read_processes(sqlite3* database);
  const Gpu* find_gpu(std::int64_t pid, int id) const;

  ImportedProfile& into_;
  std::int64_t begin_ns_ = 0;
  bool has_clock_ = false;
  std::vector<Gpu> gpus_;
  std::map<std::pair<std::int64_t, std::int64_t>, VisibleGpu> visible_;  // by pid and CUDA's number
  std::map<std::int64_t, std::string> names_;                            // of processes
  std::map<std::int64_t, int> processes_;
  std::map<std::pair<std::int64_t, int>, int> devices_;
};

}  // namespace rnnadvisor::import_trace
