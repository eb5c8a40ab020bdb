#include "tests/profiler/plugin/standin/tool_standin.h"

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

struct nvtxDomainRegistration_st {
  int magic = 4711;
};
struct nvtxStringRegistration_st {
  int magic = 4712;
};

namespace {

int cuda_starts = 0, nvtx_starts = 0;
std::mutex mutex;
std::string calls;
nvtxDomainRegistration_st domain;
nvtxStringRegistration_st text;

bool behaves(const char* how) {
  const char* told = getenv("STANDIN_TOOL");
  return told != nullptr && strcmp(told, how) == 0;
}
void called(char letter) {
  const std::lock_guard lock(mutex);
  calls += letter;
}
void expect_ours(nvtxDomainHandle_t handle) {
  if (behaves("null") ? handle != nullptr : handle != nullptr && handle->magic != 4711) abort();
}

int NVTX_API push(const char*) {
  called('p');
  return 40;
}
int NVTX_API push_w(const wchar_t*) {
  called('q');
  return 44;
}
int NVTX_API push_ex(const nvtxEventAttributes_t*) {
  called('x');
  return 45;
}
int NVTX_API pop() {
  called('o');
  return 41;
}
int NVTX_API domain_push(nvtxDomainHandle_t d, const nvtxEventAttributes_t* attributes) {
  expect_ours(d);
  if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED &&
      attributes->message.registered != nullptr && attributes->message.registered->magic != 4712)
    abort();
  called('P');
  return 42;
}
int NVTX_API domain_pop(nvtxDomainHandle_t d) {
  expect_ours(d);
  called('O');
  return 43;
}
nvtxRangeId_t NVTX_API start(const char*) {
  called('s');
  return 9001;
}
nvtxRangeId_t NVTX_API start_w(const wchar_t*) {
  called('t');
  return 9001;
}
nvtxRangeId_t NVTX_API start_ex(const nvtxEventAttributes_t*) {
  called('y');
  return 9001;
}
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t d, const nvtxEventAttributes_t*) {
  expect_ours(d);
  called('S');
  return 9001;
}
void NVTX_API end(nvtxRangeId_t id) {
  if (id != 9001) abort();
  called('e');
}
void NVTX_API name_thread(std::uint32_t, const char*) { called('n'); }
void NVTX_API name_stream(nvtx_CUstream, const char*) { called('m'); }
nvtxResourceHandle_t NVTX_API make_resource(nvtxDomainHandle_t, nvtxResourceAttributes_t*) {
  called('M');
  return nullptr;
}
nvtxDomainHandle_t NVTX_API make_domain(const char*) {
  called('D');
  return behaves("null") ? nullptr : &domain;
}
nvtxDomainHandle_t NVTX_API make_domain_w(const wchar_t*) {
  called('E');
  return &domain;
}
nvtxStringHandle_t NVTX_API make_string_w(nvtxDomainHandle_t, const wchar_t*) {
  called('T');
  return &text;
}
nvtxStringHandle_t NVTX_API make_string(nvtxDomainHandle_t d, const char*) {
  expect_ours(d);
  called('R');
  return behaves("null") ? nullptr : &text;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int standin_tool_cuda_starts() { return cuda_starts; }
int standin_tool_nvtx_starts() { return nvtx_starts; }
const char* standin_tool_calls() { return calls.c_str(); }

int InitializeInjection() {
  ++cuda_starts;
  return 1;
}
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
  ++nvtx_starts;
  if (behaves("refuses")) return 0;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  const auto take = [&](int id, auto* function) {
    *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  };
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
  take(NVTX_CBID_CORE_RangePushA, &push);
  take(NVTX_CBID_CORE_RangePop, &pop);
  take(NVTX_CBID_CORE_RangeStartA, &start);
  take(NVTX_CBID_CORE_RangeEnd, &end);
  take(NVTX_CBID_CORE_NameOsThreadA, &name_thread);
  if (behaves("has more")) {
    take(NVTX_CBID_CORE_RangePushW, &push_w);
    take(NVTX_CBID_CORE_RangePushEx, &push_ex);
    take(NVTX_CBID_CORE_RangeStartW, &start_w);
    take(NVTX_CBID_CORE_RangeStartEx, &start_ex);
  }
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CUDA, &table, &size);
  take(NVTX_CBID_CUDA_NameCuStreamA, &name_stream);
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CUDART, &table, &size);
  take(NVTX_CBID_CUDART_NameCudaStreamA, &name_stream);
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size);
  take(NVTX_CBID_CORE2_DomainResourceCreate, &make_resource);
  take(NVTX_CBID_CORE2_DomainRangePushEx, &domain_push);
  take(NVTX_CBID_CORE2_DomainRangePop, &domain_pop);
  take(NVTX_CBID_CORE2_DomainCreateA, &make_domain);
  take(NVTX_CBID_CORE2_DomainRegisterStringA, &make_string);
  if (behaves("has more")) {
    take(NVTX_CBID_CORE2_DomainRangeStartEx, &domain_start);
    take(NVTX_CBID_CORE2_DomainCreateW, &make_domain_w);
    take(NVTX_CBID_CORE2_DomainRegisterStringW, &make_string_w);
  }
  return 1;
}

}  // extern "C"
#pragma GCC visibility pop
