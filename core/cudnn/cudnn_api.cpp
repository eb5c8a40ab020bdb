#include "core/cudnn/cudnn_api.h"

#include <fmt/format.h>

#include <array>

#include "core/cudnn/dynamic_library.h"

namespace rnnadvisor {
namespace {

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
  return api;
}

}  // namespace

Result<const CudnnApi*> CudnnApi::load() {
  static const Result<CudnnApi> loaded = load_once();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

std::string CudnnApi::last_reason() const {
  if (cudnnGetLastErrorString == nullptr) return {};
  std::array<char, 2048> buffer{};
  cudnnGetLastErrorString(buffer.data(), buffer.size() - 1);
  std::string text(buffer.data());
  // "Traceback contains 1 message(s)\n Error: CUDNN_STATUS_BAD_PARAM; Reason: <condition>": the
  // condition is what helps.
  std::string reasons;
  std::size_t position = 0;
  while ((position = text.find("Reason: ", position)) != std::string::npos) {
    position += 8;
    const std::size_t end = text.find('\n', position);
    const std::string reason =
        text.substr(position, end == std::string::npos ? end : end - position);
    if (!reason.empty() && reasons.find(reason) == std::string::npos)
      reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  return reasons.empty() ? text : reasons;
}

std::string status_name(const CudnnApi& api, cudnnStatus_t status) {
  const char* name = api.cudnnGetErrorString(status);
  return name != nullptr && *name != '\0'
             ? name
             : fmt::format("CUDNN_STATUS_{}", static_cast<int>(status));
}

}  // namespace rnnadvisor
