// NVTX ranges in the domain "rnnadvisor" around our own runs, so that any tool that looks at them
// can tell our phases apart.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>

namespace rnnadvisor {

// A push/pop range for the life of the object, on the thread that made it.
class NvtxScope {
 public:
  explicit NvtxScope(const std::string& name, unsigned argb = 0) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    if (argb != 0) {
      attributes.colorType = NVTX_COLOR_ARGB;
      attributes.color = argb;
    }
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name.c_str();
    nvtxDomainRangePushEx(domain(), &attributes);
  }
  ~NvtxScope() { nvtxDomainRangePop(domain()); }
  NvtxScope(const NvtxScope&) = delete;
  NvtxScope& operator=(const NvtxScope&) = delete;

 private:
  static nvtxDomainHandle_t domain() {
    static const nvtxDomainHandle_t handle = nvtxDomainCreateA("rnnadvisor");
    return handle;
  }
};

}  // namespace rnnadvisor
