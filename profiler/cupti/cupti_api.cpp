#include "profiler/cupti/cupti_api.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/cudnn/dynamic_library.h"

namespace rnnadvisor {
namespace {

Result<CuptiApi> load_once() {
  LibraryState state;
  auto library = DynamicLibrary::load(cupti_request(), state);
  if (!library) return fail(library.error());
  CuptiApi api;
  api.path = library->path();
  const char* missing = nullptr;
#define RNNADVISOR_RESOLVE(name)                                           \
  api.name = reinterpret_cast<decltype(api.name)>(library->symbol(#name)); \
  if (api.name == nullptr && missing == nullptr) missing = #name;
  RNNADVISOR_CUPTI_REQUIRED(RNNADVISOR_RESOLVE)
  if (missing != nullptr) {
    return fail(ErrorCode::unsupported, fmt::format("CUPTI at {} has no {}", api.path, missing),
                "use the CUPTI of CUDA 12 or later, and point RNNADVISOR_CUPTI to it");
  }
  RNNADVISOR_CUPTI_OPTIONAL(RNNADVISOR_RESOLVE)
#undef RNNADVISOR_RESOLVE
#define RNNADVISOR_RESOLVE(name) \
  api.name = reinterpret_cast<decltype(api.name)>(library->symbol(#name));
  RNNADVISOR_CUPTI_EXTRA(RNNADVISOR_RESOLVE)
#undef RNNADVISOR_RESOLVE
  api.has_range_profiler = missing == nullptr;
  api.cuptiGetVersion(&api.version);
  setenv("NVTX_INJECTION64_PATH", api.path.c_str(), 0);
  return api;
}

}  // namespace

Result<const CuptiApi*> CuptiApi::load() {
  static const Result<CuptiApi> loaded = load_once();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

Error cupti_error(const CuptiApi& api, CUptiResult status, const char* what) {
  const char* name = nullptr;
  api.cuptiGetResultString(status, &name);
  Error error;
  error.code = ErrorCode::cupti;
  error.message = fmt::format(
      "{} from {}", name != nullptr ? name : std::to_string(static_cast<int>(status)), what);
  if (status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
      status == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
    error.remedy =
        "ask the administrator to load the NVIDIA module with "
        "NVreg_RestrictProfilingToAdminUsers=0, or run as root; everything "
        "but hardware counters works without";
  } else if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    error.remedy = "another tool traces this process already: end it first, or run with --no-trace";
  }
  return error;
}

}  // namespace rnnadvisor
