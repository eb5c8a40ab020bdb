#include "profiler/launch/plugin_path.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace rnnadvisor::launch {

namespace fs = std::filesystem;

Result<std::string> find_plugin() {
  std::error_code error;
  if (const char* given = std::getenv("RNNADVISOR_PLUGIN"); given != nullptr && *given != '\0') {
    const fs::path path = fs::absolute(given, error);
    if (!error && fs::is_regular_file(path, error)) return path.lexically_normal().string();
    return fail(ErrorCode::not_found,
                fmt::format("RNNADVISOR_PLUGIN is set to '{}', which is no file", given),
                "set it to librnnadvisor_plugin.so, or unset it");
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path();
  for (const char* place : {RNNADVISOR_PLUGIN_FROM_PROGRAM, "../lib/librnnadvisor_plugin.so"}) {
    const fs::path path = (folder / place).lexically_normal();
    if (fs::is_regular_file(path, error)) return path.string();
  }
  return fail(ErrorCode::unsupported,
              "this rnnadvisor has no plugin to put into programs: it was built without CUDA, or "
              "librnnadvisor_plugin.so was not installed with it",
              "build where the CUDA toolkit and cuDNN headers are installed, or set "
              "RNNADVISOR_PLUGIN to the plugin of another build of this version");
}

}  // namespace rnnadvisor::launch
