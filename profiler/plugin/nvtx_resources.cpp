#define NVTX_NO_IMPL
#include "profiler/plugin/nvtx_resources.h"

#include <cuda.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <string.h>

#include "profiler/plugin/cupti.h"
#include "profiler/plugin/nvtx_names.h"
#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

// The functions that another tool had put in before us, by module and callback.
std::atomic<NvtxFunctionPointer> core2[NVTX_CBID_CORE2_SIZE];
std::atomic<NvtxFunctionPointer> driver[NVTX_CBID_CUDA_SIZE];
std::atomic<NvtxFunctionPointer> runtime[NVTX_CBID_CUDART_SIZE];

// A name stands in front of a row: what is longer is no name, and no end is looked for.
std::uint32_t name_of(const char* text) {
  constexpr std::size_t longest = 1024;
  return text == nullptr ? 0 : nvtx_text(text, strnlen(text, longest));
}
std::uint32_t name_of(const wchar_t* text) { return nvtx_text(text); }

// Like threads these are named once, outside the capture range, too.
void name_device(int ordinal, std::uint32_t name) {
  if (name == 0 || ordinal < 0 || !ready()) return;
  writer().add(spool::ResourceName{{}, spool::Resource::device, ordinal, 0, name},
               spool::Loss::nvtx);
}

// Known by the number that CUPTI gives it, which is what kernels have. A stream is there, so CUDA
// is initialised; where CUPTI does not record no number is shown anywhere.
void name_stream(CUstream stream, std::uint32_t name) {
  if (name == 0 || !ready()) return;
  const Scope scope;
  std::uint32_t number = 0;
  int device = -1;
  if (!cupti_stream(stream, number, device)) return;
  writer().add(spool::ResourceName{{}, spool::Resource::stream, device, number, name},
               spool::Loss::nvtx);
}

// In the driver's interface a device handle is its ordinal.
#define RNNADVISOR_NAMING(function, table, id, Resource, Text, name_it)                   \
  void NVTX_API function(Resource resource, const Text* name) {                           \
    RNNADVISOR_BEFORE(table, id, void(NVTX_API*)(Resource, const Text*), resource, name); \
    name_it(resource, name_of(name));                                                     \
  }
RNNADVISOR_NAMING(driver_device_a, driver, NVTX_CBID_CUDA_NameCuDeviceA, CUdevice, char,
                  name_device)
RNNADVISOR_NAMING(driver_device_w, driver, NVTX_CBID_CUDA_NameCuDeviceW, CUdevice, wchar_t,
                  name_device)
RNNADVISOR_NAMING(driver_stream_a, driver, NVTX_CBID_CUDA_NameCuStreamA, CUstream, char,
                  name_stream)
RNNADVISOR_NAMING(driver_stream_w, driver, NVTX_CBID_CUDA_NameCuStreamW, CUstream, wchar_t,
                  name_stream)
RNNADVISOR_NAMING(device_a, runtime, NVTX_CBID_CUDART_NameCudaDeviceA, int, char, name_device)
RNNADVISOR_NAMING(device_w, runtime, NVTX_CBID_CUDART_NameCudaDeviceW, int, wchar_t, name_device)
RNNADVISOR_NAMING(stream_a, runtime, NVTX_CBID_CUDART_NameCudaStreamA, CUstream, char, name_stream)
RNNADVISOR_NAMING(stream_w, runtime, NVTX_CBID_CUDART_NameCudaStreamW, CUstream, wchar_t,
                  name_stream)
#undef RNNADVISOR_NAMING

std::uint32_t message_of(const nvtxResourceAttributes_t& from) {
  switch (from.messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return name_of(from.message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return name_of(from.message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return nvtx_name_of(from.message.registered);
    default:
      return 0;
  }
}

// The name counts whatever the domain. What the program gets back is the tool's before us, or null,
// as without a tool: there is nothing that it could ask with it.
nvtxResourceHandle_t NVTX_API create_resource(nvtxDomainHandle_t domain,
                                              nvtxResourceAttributes_t* from) {
  const auto before = tool_before<nvtxDomainResourceCreate_impl_fntype>(
      core2, NVTX_CBID_CORE2_DomainResourceCreate);
  const nvtxResourceHandle_t theirs = before != nullptr ? before(domain, from) : nullptr;
  if (from == nullptr || from->size < sizeof *from) return theirs;
  const auto number = from->identifier.ullValue;
  switch (from->identifierType) {
    case NVTX_RESOURCE_TYPE_CUDA_DEVICE:
    case NVTX_RESOURCE_TYPE_CUDART_DEVICE:
      name_device(static_cast<int>(number), message_of(*from));
      break;
    case NVTX_RESOURCE_TYPE_CUDA_STREAM:
    case NVTX_RESOURCE_TYPE_CUDART_STREAM:
      name_stream(static_cast<CUstream>(const_cast<void*>(from->identifier.pValue)),
                  message_of(*from));
      break;
    case NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE:
      nvtx_name_thread(static_cast<std::uint32_t>(number), message_of(*from));
      break;
    default:
      break;
  }
  return theirs;
}

const Slot core2_slots[] = {RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainResourceCreate, create_resource)};
const Slot driver_slots[] = {RNNADVISOR_SLOT(NVTX_CBID_CUDA_NameCuDeviceA, driver_device_a),
                             RNNADVISOR_SLOT(NVTX_CBID_CUDA_NameCuDeviceW, driver_device_w),
                             RNNADVISOR_SLOT(NVTX_CBID_CUDA_NameCuStreamA, driver_stream_a),
                             RNNADVISOR_SLOT(NVTX_CBID_CUDA_NameCuStreamW, driver_stream_w)};
const Slot runtime_slots[] = {RNNADVISOR_SLOT(NVTX_CBID_CUDART_NameCudaDeviceA, device_a),
                              RNNADVISOR_SLOT(NVTX_CBID_CUDART_NameCudaDeviceW, device_w),
                              RNNADVISOR_SLOT(NVTX_CBID_CUDART_NameCudaStreamA, stream_a),
                              RNNADVISOR_SLOT(NVTX_CBID_CUDART_NameCudaStreamW, stream_w)};

}  // namespace

void install_resource_names(const Module& of_core2, const Module& of_driver,
                            const Module& of_runtime) {
  install(of_core2, core2_slots, core2);
  install(of_driver, driver_slots, driver);
  install(of_runtime, runtime_slots, runtime);
}

}  // namespace rnnadvisor::plugin
