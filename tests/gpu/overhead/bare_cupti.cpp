// The floor of any trace of kernels: CUPTI's activity interface alone, buffers taken and thrown
// away. Loaded with CUDA_INJECTION64_PATH by measure.py, beside which our modes are measured.
#include <cupti.h>
#include <stdlib.h>

namespace {

constexpr size_t buffer_bytes = 4 << 20;

void CUPTIAPI requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, buffer_bytes));
  *size = buffer_bytes;
  *max_records = 0;
}

void CUPTIAPI completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t) { free(buffer); }

}  // namespace

extern "C" int InitializeInjection() {
  cuptiActivityRegisterCallbacks(&requested, &completed);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  return 1;
}
