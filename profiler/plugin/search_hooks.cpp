// cuDNN 8's searches for an algorithm, hooks and exports. Such a call runs the layer again and
// again; nothing of it is a call of the program's. It is kept as one that describes, for what it
// costs, and its kernels are marked.
#include "profiler/plugin/cudnn_dispatch.h"
#include "profiler/plugin/cudnn_record.h"

namespace rnnadvisor::plugin {
namespace {

using Tensor = cudnnTensorDescriptor_t;
using Filter = cudnnFilterStruct*;
using Results = cudnnAlgorithmPerformanceStruct**;

// `x_desc`: those of x, or of dx. No reserve space where there is no training.
Arguments search_of(const char* function, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
                    const Tensor* x_desc, bool training, Filter filter, std::size_t workspace_bytes,
                    std::size_t reserve_bytes) {
  Arguments a;
  a.legacy = true;
  a.search = true;
  a.function = function;
  a.handle = handle;
  a.rnn = rnn;
  a.steps = x_desc;
  a.step_count = steps;
  a.training = training;
  a.filter = filter;
  a.workspace_bytes = workspace_bytes;
  a.reserve_bytes = reserve_bytes;
  return a;
}

template <int Slot>
struct Hooks {
  static CudnnLibrary& library() { return *library_at(Slot); }

  static cudnnStatus_t cudnnFindRNNForwardInferenceAlgorithmEx(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps, const Tensor* x_desc,
      const void* x, Tensor hx_desc, const void* hx, Tensor cx_desc, const void* cx, Filter w_desc,
      const void* w, const Tensor* y_desc, void* y, Tensor hy_desc, void* hy, Tensor cy_desc,
      void* cy, float intensity, int requested, int* returned, Results results, void* workspace,
      std::size_t workspace_bytes) {
    auto& l = library();
    return search(l,
                  search_of("cudnnFindRNNForwardInferenceAlgorithmEx", handle, rnn, steps, x_desc,
                            false, w_desc, workspace_bytes, 0),
                  [&] {
                    return l.cudnnFindRNNForwardInferenceAlgorithmEx(
                        handle, rnn, steps, x_desc, x, hx_desc, hx, cx_desc, cx, w_desc, w, y_desc,
                        y, hy_desc, hy, cy_desc, cy, intensity, requested, returned, results,
                        workspace, workspace_bytes);
                  });
  }

  static cudnnStatus_t cudnnFindRNNForwardTrainingAlgorithmEx(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps, const Tensor* x_desc,
      const void* x, Tensor hx_desc, const void* hx, Tensor cx_desc, const void* cx, Filter w_desc,
      const void* w, const Tensor* y_desc, void* y, Tensor hy_desc, void* hy, Tensor cy_desc,
      void* cy, float intensity, int requested, int* returned, Results results, void* workspace,
      std::size_t workspace_bytes, void* reserve, std::size_t reserve_bytes) {
    auto& l = library();
    return search(l,
                  search_of("cudnnFindRNNForwardTrainingAlgorithmEx", handle, rnn, steps, x_desc,
                            true, w_desc, workspace_bytes, reserve_bytes),
                  [&] {
                    return l.cudnnFindRNNForwardTrainingAlgorithmEx(
                        handle, rnn, steps, x_desc, x, hx_desc, hx, cx_desc, cx, w_desc, w, y_desc,
                        y, hy_desc, hy, cy_desc, cy, intensity, requested, returned, results,
                        workspace, workspace_bytes, reserve, reserve_bytes);
                  });
  }

  static cudnnStatus_t cudnnFindRNNBackwardDataAlgorithmEx(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps, const Tensor* y_desc,
      const void* y, const Tensor* dy_desc, const void* dy, Tensor dhy_desc, const void* dhy,
      Tensor dcy_desc, const void* dcy, Filter w_desc, const void* w, Tensor hx_desc,
      const void* hx, Tensor cx_desc, const void* cx, const Tensor* dx_desc, void* dx,
      Tensor dhx_desc, void* dhx, Tensor dcx_desc, void* dcx, float intensity, int requested,
      int* returned, Results results, void* workspace, std::size_t workspace_bytes, void* reserve,
      std::size_t reserve_bytes) {
    auto& l = library();
    return search(l,
                  search_of("cudnnFindRNNBackwardDataAlgorithmEx", handle, rnn, steps, dx_desc,
                            true, w_desc, workspace_bytes, reserve_bytes),
                  [&] {
                    return l.cudnnFindRNNBackwardDataAlgorithmEx(
                        handle, rnn, steps, y_desc, y, dy_desc, dy, dhy_desc, dhy, dcy_desc, dcy,
                        w_desc, w, hx_desc, hx, cx_desc, cx, dx_desc, dx, dhx_desc, dhx, dcx_desc,
                        dcx, intensity, requested, returned, results, workspace, workspace_bytes,
                        reserve, reserve_bytes);
                  });
  }

  static cudnnStatus_t cudnnFindRNNBackwardWeightsAlgorithmEx(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps, const Tensor* x_desc,
      const void* x, Tensor hx_desc, const void* hx, const Tensor* y_desc, const void* y,
      float intensity, int requested, int* returned, Results results, const void* workspace,
      std::size_t workspace_bytes, Filter dw_desc, void* dw, const void* reserve,
      std::size_t reserve_bytes) {
    auto& l = library();
    return search(l,
                  search_of("cudnnFindRNNBackwardWeightsAlgorithmEx", handle, rnn, steps, x_desc,
                            true, dw_desc, workspace_bytes, reserve_bytes),
                  [&] {
                    return l.cudnnFindRNNBackwardWeightsAlgorithmEx(
                        handle, rnn, steps, x_desc, x, hx_desc, hx, y_desc, y, intensity, requested,
                        returned, results, workspace, workspace_bytes, dw_desc, dw, reserve,
                        reserve_bytes);
                  });
  }
};

const HookRow rows[] = {RNNADVISOR_SEARCHES(RNNADVISOR_HOOK_ROW)};

}  // namespace

HookRows search_hooks() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

EXPORT cudnnStatus_t cudnnFindRNNForwardInferenceAlgorithmEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const cudnnTensorDescriptor_t* d, const void* e,
    cudnnTensorDescriptor_t f, const void* g, cudnnTensorDescriptor_t h, const void* i,
    cudnnFilterStruct* j, const void* k, const cudnnTensorDescriptor_t* l, void* m,
    cudnnTensorDescriptor_t n, void* o, cudnnTensorDescriptor_t p, void* q, float r, int s, int* t,
    cudnnAlgorithmPerformanceStruct** u, void* v, size_t w) {
  RNNADVISOR_DISPATCH(cudnnFindRNNForwardInferenceAlgorithmEx, a, b, c, d, e, f, g, h, i, j, k, l,
                      m, n, o, p, q, r, s, t, u, v, w);
}
EXPORT cudnnStatus_t cudnnFindRNNForwardTrainingAlgorithmEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const cudnnTensorDescriptor_t* d, const void* e,
    cudnnTensorDescriptor_t f, const void* g, cudnnTensorDescriptor_t h, const void* i,
    cudnnFilterStruct* j, const void* k, const cudnnTensorDescriptor_t* l, void* m,
    cudnnTensorDescriptor_t n, void* o, cudnnTensorDescriptor_t p, void* q, float r, int s, int* t,
    cudnnAlgorithmPerformanceStruct** u, void* v, size_t w, void* x, size_t y) {
  RNNADVISOR_DISPATCH(cudnnFindRNNForwardTrainingAlgorithmEx, a, b, c, d, e, f, g, h, i, j, k, l, m,
                      n, o, p, q, r, s, t, u, v, w, x, y);
}
EXPORT cudnnStatus_t cudnnFindRNNBackwardDataAlgorithmEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const cudnnTensorDescriptor_t* d, const void* e,
    const cudnnTensorDescriptor_t* f, const void* g, cudnnTensorDescriptor_t h, const void* i,
    cudnnTensorDescriptor_t j, const void* k, cudnnFilterStruct* l, const void* m,
    cudnnTensorDescriptor_t n, const void* o, cudnnTensorDescriptor_t p, const void* q,
    const cudnnTensorDescriptor_t* r, void* s, cudnnTensorDescriptor_t t, void* u,
    cudnnTensorDescriptor_t v, void* w, float x, int y, int* z,
    cudnnAlgorithmPerformanceStruct** za, void* zb, size_t zc, void* zd, size_t ze) {
  RNNADVISOR_DISPATCH(cudnnFindRNNBackwardDataAlgorithmEx, a, b, c, d, e, f, g, h, i, j, k, l, m, n,
                      o, p, q, r, s, t, u, v, w, x, y, z, za, zb, zc, zd, ze);
}
EXPORT cudnnStatus_t cudnnFindRNNBackwardWeightsAlgorithmEx(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, int c, const cudnnTensorDescriptor_t* d, const void* e,
    cudnnTensorDescriptor_t f, const void* g, const cudnnTensorDescriptor_t* h, const void* i,
    float j, int k, int* l, cudnnAlgorithmPerformanceStruct** m, const void* n, size_t o,
    cudnnFilterStruct* p, void* q, const void* r, size_t s) {
  RNNADVISOR_DISPATCH(cudnnFindRNNBackwardWeightsAlgorithmEx, a, b, c, d, e, f, g, h, i, j, k, l, m,
                      n, o, p, q, r, s);
}
