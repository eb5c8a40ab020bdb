#include "profiler/run/machine.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/cudnn/driver.h"
#include "profiler/run/run_configurations.h"

namespace rnnadvisor {

Result<std::vector<GpuState>> usable_gpus(const std::vector<int>& devices) {
  if (!worker_available()) {
    return fail(ErrorCode::unsupported,
                "this rnnadvisor was built without CUDA: it checks and reports, but runs nothing",
                "build it where the CUDA toolkit, cuDNN 9 and CUPTI are installed, or use "
                "'rnnadvisor check'");
  }
  if (devices.empty())
    return fail(ErrorCode::invalid_argument, "no GPU was named",
                "use --devices 0 or --devices all");
  const DriverState driver = inspect_driver();
  if (driver.gpus.empty()) {
    return fail(ErrorCode::not_found, "nothing can be run here: " + driver.problem,
                "run on a machine with an NVIDIA GPU, or use 'rnnadvisor check --device NAME', "
                "which needs none");
  }
  for (const int device : devices) {
    if (device < 0 || static_cast<std::size_t>(device) >= driver.gpus.size()) {
      return fail(
          ErrorCode::not_found,
          fmt::format("there is no GPU {}; this machine has {}", device, driver.gpus.size()),
          "'rnnadvisor doctor' lists them");
    }
  }
  return driver.gpus;
}

Result<std::string> worker_program(const std::string& given) {
  std::string program = given;
  if (program.empty()) {
    std::error_code error;
    program = std::filesystem::read_symlink("/proc/self/exe", error).string();
    if (error)
      return fail(ErrorCode::io, "the path of this program cannot be read from /proc/self/exe: " +
                                     error.message());
  }
  return program;
}

}  // namespace rnnadvisor
