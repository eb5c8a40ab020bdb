// The RNN functions that cuDNN 8 has and cuDNN 9 has no more.
#include "profiler/plugin/cudnn8.h"
#include "tests/profiler/plugin/standin/cudnn_standin_parts.h"

struct cudnnFilterStruct {
  std::size_t bytes = 0;
};

struct cudnnAlgorithmStruct {
  cudnnRNNAlgo_t algo;
};
struct cudnnPersistentRNNPlan {
  int batch;
};

using namespace standin;

namespace {

using Tensor = cudnnTensorDescriptor_t;
using Data = cudnnRNNDataDescriptor_t;
using Filter = cudnnFilterStruct*;

// As cuDNN: the batches of an array of descriptors may only decrease.
cudnnStatus_t run_steps(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
                        const Tensor* x_desc) {
  for (int i = 1; i < steps; ++i)
    if (x_desc[i]->sizes[0] > x_desc[i - 1]->sizes[0])
      return refuse(CUDNN_STATUS_BAD_PARAM, "xDesc is not sorted");
  return run(handle, rnn);
}

// A search runs what it searches for with each of the three algorithms, and finds two.
cudnnStatus_t try_all(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
                      const Tensor* x_desc, int requested, int* returned) {
  if (requested < 1) return refuse(CUDNN_STATUS_BAD_PARAM, "requestedAlgoCount < 1");
  for (int trial = 0; trial < 3; ++trial)
    if (const auto status = run_steps(handle, rnn, steps, x_desc); status != CUDNN_STATUS_SUCCESS)
      return status;
  *returned = 2;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudnnAlgorithmStruct* standin_algorithm(int algo) {
  return new cudnnAlgorithmStruct{static_cast<cudnnRNNAlgo_t>(algo)};
}

cudnnStatus_t cudnnCreateFilterDescriptor(Filter* d) { return create(d); }
cudnnStatus_t cudnnSetFilterNdDescriptor(Filter d, cudnnDataType_t type, cudnnTensorFormat_t,
                                         int count, const int sizes[]) {
  d->bytes = type == CUDNN_DATA_HALF ? 2 : type == CUDNN_DATA_DOUBLE ? 8 : 4;
  for (int i = 0; i < count; ++i) d->bytes *= static_cast<std::size_t>(sizes[i]);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetFilterSizeInBytes(Filter d, size_t* bytes) {
  *bytes = d->bytes;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDescriptor_v6(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, int d,
                                       cudnnDropoutDescriptor_t e, cudnnRNNInputMode_t f,
                                       cudnnDirectionMode_t g, cudnnRNNMode_t h, cudnnRNNAlgo_t i,
                                       cudnnDataType_t j) {
  arrived(a, b, c, d, e, f, g, h, i, j);
  if (c < 1) return refuse(CUDNN_STATUS_BAD_PARAM, "hiddenSize <= 0");
  *b = {};
  b->hidden = c;
  b->layers = d;
  b->dropout = e;
  b->input_mode = f;
  b->direction = g;
  b->cell = h;
  b->algo = i;
  b->math = j;
  b->bias = CUDNN_RNN_DOUBLE_BIAS;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNDescriptor_v6(cudnnHandle_t, cudnnRNNDescriptor_t b, int* c, int* d,
                                       cudnnDropoutDescriptor_t* e, cudnnRNNInputMode_t* f,
                                       cudnnDirectionMode_t* g, cudnnRNNMode_t* h,
                                       cudnnRNNAlgo_t* i, cudnnDataType_t* j) {
  *c = b->hidden;
  *d = b->layers;
  *e = b->dropout;
  *f = b->input_mode;
  *g = b->direction;
  *h = b->cell;
  *i = b->algo;
  *j = b->math;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t a, cudnnMathType_t b) {
  arrived(a, b);
  if (b > CUDNN_FMA_MATH) return refuse(CUDNN_STATUS_BAD_PARAM, "mType is invalid");
  a->type = b;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNMatrixMathType(cudnnRNNDescriptor_t a, cudnnMathType_t* b) {
  *b = a->type;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNBiasMode(cudnnRNNDescriptor_t a, cudnnRNNBiasMode_t b) {
  arrived(a, b);
  a->bias = b;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNBiasMode(cudnnRNNDescriptor_t a, cudnnRNNBiasMode_t* b) {
  *b = a->bias;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNPaddingMode(cudnnRNNDescriptor_t a, unsigned b) {
  arrived(a, b);
  a->flags = b;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNPaddingMode(cudnnRNNDescriptor_t a, unsigned* b) {
  *b = a->flags;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNProjectionLayers(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, int d) {
  arrived(a, b, c, d);
  if (c > b->hidden) return refuse(CUDNN_STATUS_BAD_PARAM, "recProjSize > hiddenSize");
  b->projection = c;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNProjectionLayers(cudnnHandle_t, cudnnRNNDescriptor_t b, int* c, int* d) {
  *c = b->projection;
  *d = 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWorkspaceSize(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                       const Tensor* d, size_t* e) {
  arrived(a, b, c, d, e);
  if (c < 1) return refuse(CUDNN_STATUS_BAD_PARAM, "seqLength <= 0");
  *e = 4096;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTrainingReserveSize(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                             const Tensor* d, size_t* e) {
  arrived(a, b, c, d, e);
  if (c < 1) return refuse(CUDNN_STATUS_BAD_PARAM, "seqLength <= 0");
  *e = 8192;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForwardInference(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                       const Tensor* d, const void* e, Tensor f, const void* g,
                                       Tensor h, const void* i, Filter j, const void* k,
                                       const Tensor* l, void* m, Tensor n, void* o, Tensor p,
                                       void* q, void* r, size_t s) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  return run_steps(a, b, c, d);
}
cudnnStatus_t cudnnRNNForwardTraining(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                      const Tensor* d, const void* e, Tensor f, const void* g,
                                      Tensor h, const void* i, Filter j, const void* k,
                                      const Tensor* l, void* m, Tensor n, void* o, Tensor p,
                                      void* q, void* r, size_t s, void* t, size_t u) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  return run_steps(a, b, c, d);
}
cudnnStatus_t cudnnRNNBackwardData(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const Tensor* d,
                                   const void* e, const Tensor* f, const void* g, Tensor h,
                                   const void* i, Tensor j, const void* k, Filter l, const void* m,
                                   Tensor n, const void* o, Tensor p, const void* q,
                                   const Tensor* r, void* s, Tensor t, void* u, Tensor v, void* w,
                                   void* x, size_t y, void* z, size_t za) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, za);
  return run_steps(a, b, c, r);
}
cudnnStatus_t cudnnRNNBackwardWeights(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                      const Tensor* d, const void* e, Tensor f, const void* g,
                                      const Tensor* h, const void* i, const void* j, size_t k,
                                      Filter l, void* m, const void* n, size_t o) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  return run_steps(a, b, c, d);
}
cudnnStatus_t cudnnRNNForwardInferenceEx(cudnnHandle_t a, cudnnRNNDescriptor_t b, Data c,
                                         const void* d, Tensor e, const void* f, Tensor g,
                                         const void* h, Filter i, const void* j, Data k, void* l,
                                         Tensor m, void* n, Tensor o, void* p, Data q,
                                         const void* r, Data s, void* t, Data u, void* v, Data w,
                                         void* x, void* y, size_t z) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);
  return run(a, b);
}
cudnnStatus_t cudnnRNNForwardTrainingEx(cudnnHandle_t a, cudnnRNNDescriptor_t b, Data c,
                                        const void* d, Tensor e, const void* f, Tensor g,
                                        const void* h, Filter i, const void* j, Data k, void* l,
                                        Tensor m, void* n, Tensor o, void* p, Data q, const void* r,
                                        Data s, void* t, Data u, void* v, Data w, void* x, void* y,
                                        size_t z, void* za, size_t zb) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, za, zb);
  return run(a, b);
}
cudnnStatus_t cudnnRNNBackwardDataEx(cudnnHandle_t a, cudnnRNNDescriptor_t b, Data c, const void* d,
                                     Data e, const void* f, Data g, const void* h, Tensor i,
                                     const void* j, Tensor k, const void* l, Filter m,
                                     const void* n, Tensor o, const void* p, Tensor q,
                                     const void* r, Data s, void* t, Tensor u, void* v, Tensor w,
                                     void* x, Data y, void* z, void* za, size_t zb, void* zc,
                                     size_t zd) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, za, zb, zc,
          zd);
  return run(a, b);
}
cudnnStatus_t cudnnRNNBackwardWeightsEx(cudnnHandle_t a, cudnnRNNDescriptor_t b, Data c,
                                        const void* d, Tensor e, const void* f, Data g,
                                        const void* h, void* i, size_t j, Filter k, void* l,
                                        void* m, size_t n) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  return run(a, b);
}

cudnnStatus_t cudnnRNNSetClip(cudnnHandle_t a, cudnnRNNDescriptor_t b, cudnnRNNClipMode_t c,
                              cudnnNanPropagation_t d, double e, double f) {
  arrived(a, b, c, d, e, f);
  if (e > f) return refuse(CUDNN_STATUS_BAD_PARAM, "lclip > rclip");
  b->clip = c;
  b->nan = d;
  b->low = e;
  b->high = f;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNGetClip(cudnnHandle_t, cudnnRNNDescriptor_t b, cudnnRNNClipMode_t* c,
                              cudnnNanPropagation_t* d, double* e, double* f) {
  *c = b->clip;
  *d = b->nan;
  *e = b->low;
  *f = b->high;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNAlgorithmDescriptor(cudnnHandle_t a, cudnnRNNDescriptor_t b,
                                             cudnnAlgorithmStruct* c) {
  arrived(a, b, c);
  b->algo = c->algo;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreatePersistentRNNPlan(cudnnRNNDescriptor_t a, int b, cudnnDataType_t c,
                                           cudnnPersistentRNNPlan** d) {
  arrived(a, b, c, d);
  *d = new cudnnPersistentRNNPlan{b};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetPersistentRNNPlan(cudnnRNNDescriptor_t a, cudnnPersistentRNNPlan* b) {
  arrived(a, b);
  return b == nullptr ? refuse(CUDNN_STATUS_BAD_PARAM, "plan == NULL") : CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyPersistentRNNPlan(cudnnPersistentRNNPlan* a) {
  arrived(a);
  delete a;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnFindRNNForwardInferenceAlgorithmEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const Tensor* d, const void* e, Tensor f,
    const void* g, Tensor h, const void* i, Filter j, const void* k, const Tensor* l, void* m,
    Tensor n, void* o, Tensor p, void* q, float r, int s, int* t,
    cudnnAlgorithmPerformanceStruct** u, void* v, size_t w) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  return try_all(a, b, c, d, s, t);
}
cudnnStatus_t cudnnFindRNNForwardTrainingAlgorithmEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const Tensor* d, const void* e, Tensor f,
    const void* g, Tensor h, const void* i, Filter j, const void* k, const Tensor* l, void* m,
    Tensor n, void* o, Tensor p, void* q, float r, int s, int* t,
    cudnnAlgorithmPerformanceStruct** u, void* v, size_t w, void* x, size_t y) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y);
  return try_all(a, b, c, d, s, t);
}
cudnnStatus_t cudnnFindRNNBackwardDataAlgorithmEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const Tensor* d, const void* e, const Tensor* f,
    const void* g, Tensor h, const void* i, Tensor j, const void* k, Filter l, const void* m,
    Tensor n, const void* o, Tensor p, const void* q, const Tensor* r, void* s, Tensor t, void* u,
    Tensor v, void* w, float x, int y, int* z, cudnnAlgorithmPerformanceStruct** za, void* zb,
    size_t zc, void* zd, size_t ze) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, za, zb, zc,
          zd, ze);
  return try_all(a, b, c, r, y, z);
}
cudnnStatus_t cudnnFindRNNBackwardWeightsAlgorithmEx(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c,
                                                     const Tensor* d, const void* e, Tensor f,
                                                     const void* g, const Tensor* h, const void* i,
                                                     float j, int k, int* l,
                                                     cudnnAlgorithmPerformanceStruct** m,
                                                     const void* n, size_t o, Filter p, void* q,
                                                     const void* r, size_t s) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  return try_all(a, b, c, d, k, l);
}

}  // extern "C"
#pragma GCC visibility pop
