// What this machine can do: GPUs, driver, libraries and where they were found, permissions. Behind
// `rnnadvisor doctor` and the environment of every profile. In a build without CUDA, GPUs are still
// listed through the driver when there is one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/device_spec.h"

namespace rnnadvisor {

// One library that is loaded at run time.
struct LibraryState {
  std::string name;  // "cuDNN"
  bool found = false;
  std::string path;              // resolved file
  std::string version;           // "9.19.0"; of CUPTI the CUDA release it belongs to, "13.0"
  std::int64_t api_version = 0;  // CUPTI's own number, 130001; 0 for libraries without one
  std::string found_by;  // "environment variable RNNADVISOR_CUDNN", "loader path", "Python wheel",
                         // "CUDA toolkit"
  std::vector<std::string> searched;  // where it was looked for, in order
  std::string problem;                // why it cannot be used, when it cannot
};

struct GpuState {
  int ordinal = 0;
  DeviceSpec spec;
  std::string uuid;
  std::int64_t memory_free = 0;
  bool usable = true;
  std::string problem;
};

enum class Permission { yes, no, unknown };

struct MachineReport {
  bool built_with_cuda = false;
  std::string driver_version;        // "580.159.04"; empty: no driver
  std::string cuda_driver_version;   // "13.0"
  std::string cuda_runtime_version;  // linked statically; empty in a build without CUDA
  std::string driver_problem;        // why there is no driver or GPU
  std::vector<GpuState> gpus;
  std::vector<LibraryState> libraries;       // cuDNN, CUPTI, NVRTC
  Permission tracing = Permission::unknown;  // CUPTI activity records
  std::string tracing_reason;
  Permission counters = Permission::unknown;  // hardware counters
  std::string counters_reason;
  std::string operating_system, cpu, host;
};

// The CUDA release that an API version of CUPTI belongs to, by cupti_version.h of CUDA 13.0: "13.0"
// for 130001, "12.9" for 28. Empty for a number that is not listed there.
std::string cupti_release(std::int64_t api_version);

// A version as cudnnGetVersion() and the headers count it: "9.19.0" for 91900, "8.9.7" for 8907.
// Empty for 0.
std::string cudnn_release(std::uint64_t version);

// Looks, loads, asks. Takes up to a few seconds the first time (a CUDA context is created to learn
// of permissions).
MachineReport inspect_machine();

// The same without loading any library but the driver: host, GPUs, versions.
MachineReport inspect_host();

// The host alone, without a library: operating system, CPU, name.
MachineReport inspect_system();

}  // namespace rnnadvisor
