// The RNN functions of cuDNN 8 that cuDNN 9 has no more. What they run is recorded as what it is, a
// forward or backward call, and marked.
#include "profiler/plugin/cudnn_dispatch.h"
#include "profiler/plugin/cudnn_record.h"

namespace rnnadvisor::plugin {
namespace {

using spool::Entry;
using spool::Pointer;
using Tensor = cudnnTensorDescriptor_t;
using Data = cudnnRNNDataDescriptor_t;
using Filter = cudnnFilterStruct*;

Arguments legacy(const char* function, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn) {
  Arguments a;
  a.legacy = true;
  a.function = function;
  a.handle = handle;
  a.rnn = rnn;
  return a;
}

// What forward and backward data have in common.
struct Buffers {
  Tensor hx_desc;
  const void* hx;
  Tensor cx_desc;
  const void* cx;
  Filter w_desc;
  const void* w;
  const void* y;
  const void *hy, *cy;  // of backward data: their gradients
  const void* workspace;
  std::size_t workspace_bytes;
  const void* reserve;
  std::size_t reserve_bytes;
};
void take(Arguments& a, const Buffers& b) {
  a.h = b.hx_desc;
  a.c = b.cx_desc;
  a.filter = b.w_desc;
  a.workspace_bytes = b.workspace_bytes;
  a.reserve_bytes = b.reserve_bytes;
  a.at(Pointer::y) = b.y;
  a.at(Pointer::hx) = b.hx;
  a.at(Pointer::hy) = b.hy;
  a.at(Pointer::cx) = b.cx;
  a.at(Pointer::cy) = b.cy;
  a.at(Pointer::weights) = b.w;
  a.at(Pointer::workspace) = b.workspace;
  a.at(Pointer::reserve) = b.reserve;
}

template <int Slot>
struct Hooks {
  static CudnnLibrary& library() { return *library_at(Slot); }

  static cudnnStatus_t cudnnRNNForwardInference(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                int steps, const Tensor* x_desc, const void* x,
                                                Tensor hx_desc, const void* hx, Tensor cx_desc,
                                                const void* cx, Filter w_desc, const void* w,
                                                const Tensor* y_desc, void* y, Tensor hy_desc,
                                                void* hy, Tensor cy_desc, void* cy, void* workspace,
                                                std::size_t workspace_bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnRNNForwardInference", handle, rnn);
    a.steps = x_desc;
    a.step_count = steps;
    a.at(Pointer::x) = x;
    take(a,
         {hx_desc, hx, cx_desc, cx, w_desc, w, y, hy, cy, workspace, workspace_bytes, nullptr, 0});
    return execute(l, Entry::forward, a, [&](const RunWith&) {
      return l.cudnnRNNForwardInference(handle, rnn, steps, x_desc, x, hx_desc, hx, cx_desc, cx,
                                        w_desc, w, y_desc, y, hy_desc, hy, cy_desc, cy, workspace,
                                        workspace_bytes);
    });
  }

  static cudnnStatus_t cudnnRNNForwardTraining(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                               int steps, const Tensor* x_desc, const void* x,
                                               Tensor hx_desc, const void* hx, Tensor cx_desc,
                                               const void* cx, Filter w_desc, const void* w,
                                               const Tensor* y_desc, void* y, Tensor hy_desc,
                                               void* hy, Tensor cy_desc, void* cy, void* workspace,
                                               std::size_t workspace_bytes, void* reserve,
                                               std::size_t reserve_bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnRNNForwardTraining", handle, rnn);
    a.training = true;
    a.steps = x_desc;
    a.step_count = steps;
    a.at(Pointer::x) = x;
    take(a, {hx_desc, hx, cx_desc, cx, w_desc, w, y, hy, cy, workspace, workspace_bytes, reserve,
             reserve_bytes});
    return execute(l, Entry::forward, a, [&](const RunWith&) {
      return l.cudnnRNNForwardTraining(handle, rnn, steps, x_desc, x, hx_desc, hx, cx_desc, cx,
                                       w_desc, w, y_desc, y, hy_desc, hy, cy_desc, cy, workspace,
                                       workspace_bytes, reserve, reserve_bytes);
    });
  }

  static cudnnStatus_t cudnnRNNForwardInferenceEx(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, Data x_desc, const void* x, Tensor hx_desc,
      const void* hx, Tensor cx_desc, const void* cx, Filter w_desc, const void* w, Data y_desc,
      void* y, Tensor hy_desc, void* hy, Tensor cy_desc, void* cy, Data k_desc, const void* k,
      Data c_desc, void* c, Data i_desc, void* i, Data q_desc, void* q, void* workspace,
      std::size_t workspace_bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnRNNForwardInferenceEx", handle, rnn);
    a.x = x_desc;
    a.at(Pointer::x) = x;
    take(a,
         {hx_desc, hx, cx_desc, cx, w_desc, w, y, hy, cy, workspace, workspace_bytes, nullptr, 0});
    return execute(l, Entry::forward, a, [&](const RunWith&) {
      return l.cudnnRNNForwardInferenceEx(handle, rnn, x_desc, x, hx_desc, hx, cx_desc, cx, w_desc,
                                          w, y_desc, y, hy_desc, hy, cy_desc, cy, k_desc, k, c_desc,
                                          c, i_desc, i, q_desc, q, workspace, workspace_bytes);
    });
  }

  static cudnnStatus_t cudnnRNNForwardTrainingEx(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, Data x_desc, const void* x, Tensor hx_desc,
      const void* hx, Tensor cx_desc, const void* cx, Filter w_desc, const void* w, Data y_desc,
      void* y, Tensor hy_desc, void* hy, Tensor cy_desc, void* cy, Data k_desc, const void* k,
      Data c_desc, void* c, Data i_desc, void* i, Data q_desc, void* q, void* workspace,
      std::size_t workspace_bytes, void* reserve, std::size_t reserve_bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnRNNForwardTrainingEx", handle, rnn);
    a.training = true;
    a.x = x_desc;
    a.at(Pointer::x) = x;
    take(a, {hx_desc, hx, cx_desc, cx, w_desc, w, y, hy, cy, workspace, workspace_bytes, reserve,
             reserve_bytes});
    return execute(l, Entry::forward, a, [&](const RunWith&) {
      return l.cudnnRNNForwardTrainingEx(handle, rnn, x_desc, x, hx_desc, hx, cx_desc, cx, w_desc,
                                         w, y_desc, y, hy_desc, hy, cy_desc, cy, k_desc, k, c_desc,
                                         c, i_desc, i, q_desc, q, workspace, workspace_bytes,
                                         reserve, reserve_bytes);
    });
  }

  // The descriptors of dx are those of x.
  static cudnnStatus_t cudnnRNNBackwardData(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps, const Tensor* y_desc,
      const void* y, const Tensor* dy_desc, const void* dy, Tensor dhy_desc, const void* dhy,
      Tensor dcy_desc, const void* dcy, Filter w_desc, const void* w, Tensor hx_desc,
      const void* hx, Tensor cx_desc, const void* cx, const Tensor* dx_desc, void* dx,
      Tensor dhx_desc, void* dhx, Tensor dcx_desc, void* dcx, void* workspace,
      std::size_t workspace_bytes, void* reserve, std::size_t reserve_bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnRNNBackwardData", handle, rnn);
    a.training = true;
    a.steps = dx_desc;
    a.step_count = steps;
    a.at(Pointer::dx) = dx;
    a.at(Pointer::dy) = dy;
    take(a, {hx_desc, hx, cx_desc, cx, w_desc, w, y, dhy, dcy, workspace, workspace_bytes, reserve,
             reserve_bytes});
    return execute(l, Entry::backward_data, a, [&](const RunWith&) {
      return l.cudnnRNNBackwardData(handle, rnn, steps, y_desc, y, dy_desc, dy, dhy_desc, dhy,
                                    dcy_desc, dcy, w_desc, w, hx_desc, hx, cx_desc, cx, dx_desc, dx,
                                    dhx_desc, dhx, dcx_desc, dcx, workspace, workspace_bytes,
                                    reserve, reserve_bytes);
    });
  }

  static cudnnStatus_t cudnnRNNBackwardDataEx(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, Data y_desc, const void* y, Data dy_desc,
      const void* dy, Data dc_desc, const void* dc, Tensor dhy_desc, const void* dhy,
      Tensor dcy_desc, const void* dcy, Filter w_desc, const void* w, Tensor hx_desc,
      const void* hx, Tensor cx_desc, const void* cx, Data dx_desc, void* dx, Tensor dhx_desc,
      void* dhx, Tensor dcx_desc, void* dcx, Data dk_desc, void* dk, void* workspace,
      std::size_t workspace_bytes, void* reserve, std::size_t reserve_bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnRNNBackwardDataEx", handle, rnn);
    a.training = true;
    a.x = dx_desc;
    a.at(Pointer::dx) = dx;
    a.at(Pointer::dy) = dy;
    take(a, {hx_desc, hx, cx_desc, cx, w_desc, w, y, dhy, dcy, workspace, workspace_bytes, reserve,
             reserve_bytes});
    return execute(l, Entry::backward_data, a, [&](const RunWith&) {
      return l.cudnnRNNBackwardDataEx(handle, rnn, y_desc, y, dy_desc, dy, dc_desc, dc, dhy_desc,
                                      dhy, dcy_desc, dcy, w_desc, w, hx_desc, hx, cx_desc, cx,
                                      dx_desc, dx, dhx_desc, dhx, dcx_desc, dcx, dk_desc, dk,
                                      workspace, workspace_bytes, reserve, reserve_bytes);
    });
  }

  static cudnnStatus_t cudnnRNNBackwardWeights(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                               int steps, const Tensor* x_desc, const void* x,
                                               Tensor hx_desc, const void* hx, const Tensor* y_desc,
                                               const void* y, const void* workspace,
                                               std::size_t workspace_bytes, Filter dw_desc,
                                               void* dw, const void* reserve,
                                               std::size_t reserve_bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnRNNBackwardWeights", handle, rnn);
    a.training = true;
    a.steps = x_desc;
    a.step_count = steps;
    a.at(Pointer::x) = x;
    take(a, {hx_desc, hx, nullptr, nullptr, dw_desc, nullptr, y, nullptr, nullptr, workspace,
             workspace_bytes, reserve, reserve_bytes});
    a.at(Pointer::dw) = dw;
    return execute(l, Entry::backward_weights, a, [&](const RunWith&) {
      return l.cudnnRNNBackwardWeights(handle, rnn, steps, x_desc, x, hx_desc, hx, y_desc, y,
                                       workspace, workspace_bytes, dw_desc, dw, reserve,
                                       reserve_bytes);
    });
  }

  static cudnnStatus_t cudnnRNNBackwardWeightsEx(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                 Data x_desc, const void* x, Tensor hx_desc,
                                                 const void* hx, Data y_desc, const void* y,
                                                 void* workspace, std::size_t workspace_bytes,
                                                 Filter dw_desc, void* dw, void* reserve,
                                                 std::size_t reserve_bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnRNNBackwardWeightsEx", handle, rnn);
    a.training = true;
    a.x = x_desc;
    a.at(Pointer::x) = x;
    take(a, {hx_desc, hx, nullptr, nullptr, dw_desc, nullptr, y, nullptr, nullptr, workspace,
             workspace_bytes, reserve, reserve_bytes});
    a.at(Pointer::dw) = dw;
    return execute(l, Entry::backward_weights, a, [&](const RunWith&) {
      return l.cudnnRNNBackwardWeightsEx(handle, rnn, x_desc, x, hx_desc, hx, y_desc, y, workspace,
                                         workspace_bytes, dw_desc, dw, reserve, reserve_bytes);
    });
  }

  static cudnnStatus_t cudnnSetRNNDescriptor_v6(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                int hidden, int layers,
                                                cudnnDropoutDescriptor_t dropout,
                                                cudnnRNNInputMode_t input_mode,
                                                cudnnDirectionMode_t direction, cudnnRNNMode_t cell,
                                                cudnnRNNAlgo_t algo, cudnnDataType_t math) {
    auto& l = library();
    spool::Configuration asked{};
    asked.hidden_size = asked.projection_size = hidden;
    asked.layers = layers;
    asked.input_mode = input_mode;
    asked.direction = direction;
    asked.cell = cell;
    asked.algo = algo;
    asked.math_precision = asked.data_type = math;
    return describing(
        l, Entry::legacy, asked, spool::known_descriptor,
        [&] {
          return l.cudnnSetRNNDescriptor_v6(handle, rnn, hidden, layers, dropout, input_mode,
                                            direction, cell, algo, math);
        },
        "cudnnSetRNNDescriptor_v6");
  }

  static cudnnStatus_t cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t rnn, cudnnMathType_t type) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnSetRNNMatrixMathType", nullptr, rnn), false,
                 [&] { return l.cudnnSetRNNMatrixMathType(rnn, type); });
  }
  static cudnnStatus_t cudnnSetRNNBiasMode(cudnnRNNDescriptor_t rnn, cudnnRNNBiasMode_t bias) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnSetRNNBiasMode", nullptr, rnn), false,
                 [&] { return l.cudnnSetRNNBiasMode(rnn, bias); });
  }
  static cudnnStatus_t cudnnSetRNNPaddingMode(cudnnRNNDescriptor_t rnn, unsigned padding) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnSetRNNPaddingMode", nullptr, rnn), false,
                 [&] { return l.cudnnSetRNNPaddingMode(rnn, padding); });
  }
  static cudnnStatus_t cudnnSetRNNProjectionLayers(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                   int recurrent, int output) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnSetRNNProjectionLayers", handle, rnn), false,
                 [&] { return l.cudnnSetRNNProjectionLayers(handle, rnn, recurrent, output); });
  }
  static cudnnStatus_t cudnnGetRNNWorkspaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                int steps, const Tensor* x_desc,
                                                std::size_t* bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnGetRNNWorkspaceSize", handle, rnn);
    a.steps = x_desc;
    a.step_count = steps;
    return setup(l, Entry::legacy, a, false,
                 [&] { return l.cudnnGetRNNWorkspaceSize(handle, rnn, steps, x_desc, bytes); });
  }
  static cudnnStatus_t cudnnGetRNNTrainingReserveSize(cudnnHandle_t handle,
                                                      cudnnRNNDescriptor_t rnn, int steps,
                                                      const Tensor* x_desc, std::size_t* bytes) {
    auto& l = library();
    Arguments a = legacy("cudnnGetRNNTrainingReserveSize", handle, rnn);
    a.training = true;
    a.steps = x_desc;
    a.step_count = steps;
    return setup(l, Entry::legacy, a, false, [&] {
      return l.cudnnGetRNNTrainingReserveSize(handle, rnn, steps, x_desc, bytes);
    });
  }
  static cudnnStatus_t cudnnRNNSetClip(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                       cudnnRNNClipMode_t clip, cudnnNanPropagation_t nan,
                                       double low, double high) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnRNNSetClip", handle, rnn), false,
                 [&] { return l.cudnnRNNSetClip(handle, rnn, clip, nan, low, high); });
  }
  static cudnnStatus_t cudnnSetRNNAlgorithmDescriptor(cudnnHandle_t handle,
                                                      cudnnRNNDescriptor_t rnn,
                                                      cudnnAlgorithmStruct* algorithm) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnSetRNNAlgorithmDescriptor", handle, rnn), false,
                 [&] { return l.cudnnSetRNNAlgorithmDescriptor(handle, rnn, algorithm); });
  }
  // Always kept, for what it costs.
  static cudnnStatus_t cudnnCreatePersistentRNNPlan(cudnnRNNDescriptor_t rnn, int batch,
                                                    cudnnDataType_t type,
                                                    cudnnPersistentRNNPlan** plan) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnCreatePersistentRNNPlan", nullptr, rnn), true,
                 [&] { return l.cudnnCreatePersistentRNNPlan(rnn, batch, type, plan); });
  }
  static cudnnStatus_t cudnnSetPersistentRNNPlan(cudnnRNNDescriptor_t rnn,
                                                 cudnnPersistentRNNPlan* plan) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnSetPersistentRNNPlan", nullptr, rnn), false,
                 [&] { return l.cudnnSetPersistentRNNPlan(rnn, plan); });
  }
  static cudnnStatus_t cudnnDestroyPersistentRNNPlan(cudnnPersistentRNNPlan* plan) {
    auto& l = library();
    return setup(l, Entry::legacy, legacy("cudnnDestroyPersistentRNNPlan", nullptr, nullptr), false,
                 [&] { return l.cudnnDestroyPersistentRNNPlan(plan); });
  }
};

const HookRow rows[] = {RNNADVISOR_LEGACY(RNNADVISOR_HOOK_ROW)};

}  // namespace

HookRows legacy_hooks() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace rnnadvisor::plugin
