// What a program that is linked to cuDNN 8 reaches in place of legacy functions.
#include "profiler/plugin/cudnn_dispatch.h"

using namespace rnnadvisor::plugin;

EXPORT cudnnStatus_t cudnnRNNForwardInference(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const cudnnTensorDescriptor_t* d, const void* e,
    cudnnTensorDescriptor_t f, const void* g, cudnnTensorDescriptor_t h, const void* i,
    cudnnFilterStruct* j, const void* k, const cudnnTensorDescriptor_t* l, void* m,
    cudnnTensorDescriptor_t n, void* o, cudnnTensorDescriptor_t p, void* q, void* r, size_t s) {
  RNNADVISOR_DISPATCH(cudnnRNNForwardInference, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q,
                      r, s);
}
EXPORT cudnnStatus_t cudnnRNNForwardTraining(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const cudnnTensorDescriptor_t* d, const void* e,
    cudnnTensorDescriptor_t f, const void* g, cudnnTensorDescriptor_t h, const void* i,
    cudnnFilterStruct* j, const void* k, const cudnnTensorDescriptor_t* l, void* m,
    cudnnTensorDescriptor_t n, void* o, cudnnTensorDescriptor_t p, void* q, void* r, size_t s,
    void* t, size_t u) {
  RNNADVISOR_DISPATCH(cudnnRNNForwardTraining, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r,
                      s, t, u);
}
EXPORT cudnnStatus_t cudnnRNNForwardInferenceEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, cudnnRNNDataDescriptor_t c, const void* d,
    cudnnTensorDescriptor_t e, const void* f, cudnnTensorDescriptor_t g, const void* h,
    cudnnFilterStruct* i, const void* j, cudnnRNNDataDescriptor_t k, void* l,
    cudnnTensorDescriptor_t m, void* n, cudnnTensorDescriptor_t o, void* p,
    cudnnRNNDataDescriptor_t q, const void* r, cudnnRNNDataDescriptor_t s, void* t,
    cudnnRNNDataDescriptor_t u, void* v, cudnnRNNDataDescriptor_t w, void* x, void* y, size_t z) {
  RNNADVISOR_DISPATCH(cudnnRNNForwardInferenceEx, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q,
                      r, s, t, u, v, w, x, y, z);
}
EXPORT cudnnStatus_t cudnnRNNForwardTrainingEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, cudnnRNNDataDescriptor_t c, const void* d,
    cudnnTensorDescriptor_t e, const void* f, cudnnTensorDescriptor_t g, const void* h,
    cudnnFilterStruct* i, const void* j, cudnnRNNDataDescriptor_t k, void* l,
    cudnnTensorDescriptor_t m, void* n, cudnnTensorDescriptor_t o, void* p,
    cudnnRNNDataDescriptor_t q, const void* r, cudnnRNNDataDescriptor_t s, void* t,
    cudnnRNNDataDescriptor_t u, void* v, cudnnRNNDataDescriptor_t w, void* x, void* y, size_t z,
    void* za, size_t zb) {
  RNNADVISOR_DISPATCH(cudnnRNNForwardTrainingEx, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q,
                      r, s, t, u, v, w, x, y, z, za, zb);
}
EXPORT cudnnStatus_t cudnnRNNBackwardData(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const cudnnTensorDescriptor_t* d, const void* e,
    const cudnnTensorDescriptor_t* f, const void* g, cudnnTensorDescriptor_t h, const void* i,
    cudnnTensorDescriptor_t j, const void* k, cudnnFilterStruct* l, const void* m,
    cudnnTensorDescriptor_t n, const void* o, cudnnTensorDescriptor_t p, const void* q,
    const cudnnTensorDescriptor_t* r, void* s, cudnnTensorDescriptor_t t, void* u,
    cudnnTensorDescriptor_t v, void* w, void* x, size_t y, void* z, size_t za) {
  RNNADVISOR_DISPATCH(cudnnRNNBackwardData, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s,
                      t, u, v, w, x, y, z, za);
}
EXPORT cudnnStatus_t cudnnRNNBackwardDataEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, cudnnRNNDataDescriptor_t c, const void* d,
    cudnnRNNDataDescriptor_t e, const void* f, cudnnRNNDataDescriptor_t g, const void* h,
    cudnnTensorDescriptor_t i, const void* j, cudnnTensorDescriptor_t k, const void* l,
    cudnnFilterStruct* m, const void* n, cudnnTensorDescriptor_t o, const void* p,
    cudnnTensorDescriptor_t q, const void* r, cudnnRNNDataDescriptor_t s, void* t,
    cudnnTensorDescriptor_t u, void* v, cudnnTensorDescriptor_t w, void* x,
    cudnnRNNDataDescriptor_t y, void* z, void* za, size_t zb, void* zc, size_t zd) {
  RNNADVISOR_DISPATCH(cudnnRNNBackwardDataEx, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r,
                      s, t, u, v, w, x, y, z, za, zb, zc, zd);
}
EXPORT cudnnStatus_t cudnnRNNBackwardWeights(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                             const cudnnTensorDescriptor_t* d, const void* e,
                                             cudnnTensorDescriptor_t f, const void* g,
                                             const cudnnTensorDescriptor_t* h, const void* i,
                                             const void* j, size_t k, cudnnFilterStruct* l, void* m,
                                             const void* n, size_t o) {
  RNNADVISOR_DISPATCH(cudnnRNNBackwardWeights, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
}
EXPORT cudnnStatus_t cudnnRNNBackwardWeightsEx(cudnnHandle_t a, cudnnRNNDescriptor_t b,
                                               cudnnRNNDataDescriptor_t c, const void* d,
                                               cudnnTensorDescriptor_t e, const void* f,
                                               cudnnRNNDataDescriptor_t g, const void* h, void* i,
                                               size_t j, cudnnFilterStruct* k, void* l, void* m,
                                               size_t n) {
  RNNADVISOR_DISPATCH(cudnnRNNBackwardWeightsEx, a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}

EXPORT cudnnStatus_t cudnnSetRNNDescriptor_v6(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, int d,
                                              cudnnDropoutDescriptor_t e, cudnnRNNInputMode_t f,
                                              cudnnDirectionMode_t g, cudnnRNNMode_t h,
                                              cudnnRNNAlgo_t i, cudnnDataType_t j) {
  RNNADVISOR_DISPATCH(cudnnSetRNNDescriptor_v6, a, b, c, d, e, f, g, h, i, j);
}
EXPORT cudnnStatus_t cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t a, cudnnMathType_t b) {
  RNNADVISOR_DISPATCH(cudnnSetRNNMatrixMathType, a, b);
}
EXPORT cudnnStatus_t cudnnSetRNNBiasMode(cudnnRNNDescriptor_t a, cudnnRNNBiasMode_t b) {
  RNNADVISOR_DISPATCH(cudnnSetRNNBiasMode, a, b);
}
EXPORT cudnnStatus_t cudnnSetRNNPaddingMode(cudnnRNNDescriptor_t a, unsigned b) {
  RNNADVISOR_DISPATCH(cudnnSetRNNPaddingMode, a, b);
}
EXPORT cudnnStatus_t cudnnSetRNNProjectionLayers(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                                 int d) {
  RNNADVISOR_DISPATCH(cudnnSetRNNProjectionLayers, a, b, c, d);
}
EXPORT cudnnStatus_t cudnnGetRNNWorkspaceSize(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                              const cudnnTensorDescriptor_t* d, size_t* e) {
  RNNADVISOR_DISPATCH(cudnnGetRNNWorkspaceSize, a, b, c, d, e);
}
EXPORT cudnnStatus_t cudnnGetRNNTrainingReserveSize(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                                    const cudnnTensorDescriptor_t* d, size_t* e) {
  RNNADVISOR_DISPATCH(cudnnGetRNNTrainingReserveSize, a, b, c, d, e);
}
EXPORT cudnnStatus_t cudnnRNNSetClip(cudnnHandle_t a, cudnnRNNDescriptor_t b, cudnnRNNClipMode_t c,
                                     cudnnNanPropagation_t d, double e, double f) {
  RNNADVISOR_DISPATCH(cudnnRNNSetClip, a, b, c, d, e, f);
}
EXPORT cudnnStatus_t cudnnSetRNNAlgorithmDescriptor(cudnnHandle_t a, cudnnRNNDescriptor_t b,
                                                    cudnnAlgorithmStruct* c) {
  RNNADVISOR_DISPATCH(cudnnSetRNNAlgorithmDescriptor, a, b, c);
}
EXPORT cudnnStatus_t cudnnCreatePersistentRNNPlan(cudnnRNNDescriptor_t a, int b, cudnnDataType_t c,
                                                  cudnnPersistentRNNPlan** d) {
  RNNADVISOR_DISPATCH(cudnnCreatePersistentRNNPlan, a, b, c, d);
}
EXPORT cudnnStatus_t cudnnSetPersistentRNNPlan(cudnnRNNDescriptor_t a, cudnnPersistentRNNPlan* b) {
  RNNADVISOR_DISPATCH(cudnnSetPersistentRNNPlan, a, b);
}
EXPORT cudnnStatus_t cudnnDestroyPersistentRNNPlan(cudnnPersistentRNNPlan* a) {
  RNNADVISOR_DISPATCH(cudnnDestroyPersistentRNNPlan, a);
}
