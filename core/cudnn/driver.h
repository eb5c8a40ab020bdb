// The CUDA driver and NVML, loaded at run time with prototypes of our own (their C ABI is stable),
// so that every build can say which GPUs there are, also one that was made on a machine without
// CUDA.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cudnn/gpu_clocks.h"
#include "core/cudnn/machine.h"
#include "core/device/device_spec.h"

namespace rnnadvisor {

struct DriverState {
  std::string driver_version;       // "580.159.04"
  std::string cuda_driver_version;  // "13.0": the newest CUDA the driver serves
  std::string problem;              // why there is none
  std::vector<GpuState> gpus;
};

// Why there is no driver at all, without starting one; empty where its library can be loaded.
std::string missing_driver();

// Asks the driver once; a process that forks before this must not call it in the child as well.
DriverState inspect_driver();

// From NVML, for the GPU with this UUID (as in GpuState::uuid); what NVML does not answer stays
// unknown, all of it where there is no NVML.
GpuClocks read_clocks(const std::string& uuid);

// A DeviceSpec of a live GPU: facts from the driver, datasheet and measured values from the shipped
// description of the same name where there is one.
DeviceSpec with_shipped_values(DeviceSpec live);

// The 16 bytes of a GPU's UUID as NVIDIA's tools write it: "GPU-8-4-4-4-12 hex digits".
std::string format_uuid(const unsigned char* bytes);

}  // namespace rnnadvisor
