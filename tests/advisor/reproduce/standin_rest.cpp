// What the stand-ins of tests/core/cudnn leave out and a written program calls before it runs.
#include <cudnn.h>

#include <cstring>

#undef cudaGetDeviceProperties  // CUDA 12 names it with a suffix

extern "C" {
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "stand-in");
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
cudnnStatus_t cudnnSetCallback(unsigned, void*, cudnnCallback_t) { return CUDNN_STATUS_SUCCESS; }
#if CUDNN_MAJOR >= 9
void cudnnGetLastErrorString(char* text, std::size_t) { std::strcpy(text, "the reason"); }
#endif
cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t, cudnnRNNAlgo_t*, cudnnRNNMode_t*,
                                       cudnnRNNBiasMode_t*, cudnnDirectionMode_t*,
                                       cudnnRNNInputMode_t*, cudnnDataType_t*, cudnnDataType_t*,
                                       cudnnMathType_t*, int32_t*, int32_t*, int32_t*, int32_t*,
                                       cudnnDropoutDescriptor_t*, uint32_t*) {
  return CUDNN_STATUS_NOT_SUPPORTED;
}
cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t, cudnnDataType_t*,
                                        cudnnRNNDataLayout_t*, int*, int*, int*, int, int*, void*) {
  return CUDNN_STATUS_NOT_SUPPORTED;
}
}
