#include "core/cudnn/cudnn_api.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/cudnn/dynamic_library.h"

namespace rnnadvisor {
namespace {

// The conditions cuDNN logged since they were last taken, in this thread.
std::string& logged_reason() {
  thread_local std::string reason;
  return reason;
}

// A message is a run of NUL-terminated lines that ends with an empty one; "… Reason: <condition>"
// is what helps.
void remember_reason(cudnnSeverity_t /*severity*/, void* /*user*/, const cudnnDebug_t* /*debug*/,
                     const char* message) {
  for (const char* line = message; line != nullptr && *line != '\0';
       line += std::strlen(line) + 1) {
    const char* found = std::strstr(line, "Reason: ");
    if (found == nullptr) continue;
    std::string& reason = logged_reason();
    if (reason.size() > 2000 || reason.find(found + 8) != std::string::npos) continue;
    if (!reason.empty()) reason += "; ";
    reason += found + 8;
  }
}

Result<CudnnApi> load_once() {
  LibraryState state;
  auto library = DynamicLibrary::load(cudnn_request(), state);
  if (!library) return fail(library.error());
  CudnnApi api;
  api.path = library->path();
  const char* missing = nullptr;
#define RNNADVISOR_RESOLVE(name)                                           \
  api.name = reinterpret_cast<decltype(api.name)>(library->symbol(#name)); \
  if (api.name == nullptr && missing == nullptr) missing = #name;
  RNNADVISOR_CUDNN_REQUIRED(RNNADVISOR_RESOLVE)
#undef RNNADVISOR_RESOLVE
#define RNNADVISOR_RESOLVE(name) \
  api.name = reinterpret_cast<decltype(api.name)>(library->symbol(#name));
  RNNADVISOR_CUDNN_OPTIONAL(RNNADVISOR_RESOLVE)
#undef RNNADVISOR_RESOLVE
  api.clip_v8 = reinterpret_cast<decltype(api.clip_v8)>(library->symbol("cudnnRNNSetClip_v8"));
  if (missing != nullptr) {
    return fail(ErrorCode::unsupported, fmt::format("cuDNN at {} has no {}", api.path, missing),
                "use cuDNN 9 (or 8.9.7), and point RNNADVISOR_CUDNN to it");
  }
  api.version = api.cudnnGetVersion();
  if (api.cudnnSetCallback != nullptr) {
    api.cudnnSetCallback(CUDNN_SEV_ERROR_EN | CUDNN_SEV_WARNING_EN, nullptr, remember_reason);
  }
  return api;
}

}  // namespace

Result<const CudnnApi*> CudnnApi::load() {
  static const Result<CudnnApi> loaded = load_once();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

std::string CudnnApi::take_reason() const {
  std::string reason = std::exchange(logged_reason(), {});
  if (reason.empty() && cudnnGetLastErrorString != nullptr) {
    std::array<char, 2048> buffer{};
    cudnnGetLastErrorString(buffer.data(), buffer.size() - 1);
    reason = buffer.data();
  }
  return reason;
}

std::string status_name(const CudnnApi& api, cudnnStatus_t status) {
  const char* name = api.cudnnGetErrorString(status);
  const bool named =
      name != nullptr && *name != '\0' && std::string_view(name) != "CUDNN_UNKNOWN_STATUS";
  return named ? name : fmt::format("CUDNN_STATUS_{}", static_cast<int>(status));
}

}  // namespace rnnadvisor
