// What the program calls in place of cuDNN's RNN functions. One set of hooks per cuDNN library in
// the process, because a hook that was found by name must go on to the library it was found in.
#include "profiler/plugin/acceleration.h"
#include "profiler/plugin/cudnn_dispatch.h"
#include "profiler/plugin/cudnn_record.h"

namespace rnnadvisor::plugin {
namespace {

using spool::Entry;
using spool::Pointer;

template <int Slot>
struct Hooks {
  static CudnnLibrary& library() { return *library_at(Slot); }

  static cudnnStatus_t cudnnSetRNNDescriptor_v8(
      cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
      cudnnDirectionMode_t direction, cudnnRNNInputMode_t input_mode, cudnnDataType_t data,
      cudnnDataType_t math, cudnnMathType_t type, std::int32_t input, std::int32_t hidden,
      std::int32_t projection, std::int32_t layers, cudnnDropoutDescriptor_t dropout,
      std::uint32_t flags) {
    auto& l = library();
    const auto run = [&] {
      return l.cudnnSetRNNDescriptor_v8(rnn, algo, cell, bias, direction, input_mode, data, math,
                                        type, input, hidden, projection, layers, dropout, flags);
    };
    spool::Configuration asked{};
    asked.algo = algo;
    asked.cell = cell;
    asked.bias = bias;
    asked.direction = direction;
    asked.input_mode = input_mode;
    asked.data_type = data;
    asked.math_precision = math;
    asked.math_type = type;
    asked.input_size = input;
    asked.hidden_size = hidden;
    asked.projection_size = projection;
    asked.layers = layers;
    asked.aux_flags = flags;
    return describing(l, Entry::set_rnn_descriptor, asked, spool::known_descriptor, run);
  }

  static cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data,
                                                 cudnnDataType_t type, cudnnRNNDataLayout_t layout,
                                                 int steps, int batch, int size, const int* lengths,
                                                 void* fill) {
    auto& l = library();
    spool::Configuration asked{};
    asked.x_data_type = type;
    asked.layout = layout;
    asked.max_seq_length = steps;
    asked.batch = batch;
    asked.vector_size = size;
    return describing(l, Entry::set_rnn_data_descriptor, asked, spool::known_data, [&] {
      return l.cudnnSetRNNDataDescriptor(data, type, layout, steps, batch, size, lengths, fill);
    });
  }

  static cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                 cudnnForwardMode_t mode,
                                                 cudnnRNNDataDescriptor_t x, std::size_t* workspace,
                                                 std::size_t* reserve) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    a.x = x;
    a.training = mode == CUDNN_FWD_MODE_TRAINING;
    return setup(l, Entry::get_temp_space_sizes, a, false, [&] {
      const auto status = l.cudnnGetRNNTempSpaceSizes(handle, rnn, mode, x, workspace, reserve);
      if (status == CUDNN_STATUS_SUCCESS) accelerate_sizes(l, a, workspace, reserve);
      return status;
    });
  }

  static cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                            int batch) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    return setup(l, Entry::build_dynamic, a, true,
                 [&] { return l.cudnnBuildRNNDynamic(handle, rnn, batch); });
  }

  static cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t rnn, cudnnRNNClipMode_t clip,
                                          cudnnNanPropagation_t nan, double low, double high) {
    auto& l = library();
    Arguments a;
    a.rnn = rnn;
    return setup(l, Entry::set_clip, a, false,
                 [&] { return l.cudnnRNNSetClip_v8(rnn, clip, nan, low, high); });
  }

  static cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t rnn, cudnnRNNClipMode_t clip,
                                          double low, double high) {
    auto& l = library();
    Arguments a;
    a.rnn = rnn;
    return setup(l, Entry::set_clip, a, false,
                 [&] { return l.cudnnRNNSetClip_v9(rnn, clip, low, high); });
  }

  static cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                       cudnnForwardMode_t mode, const std::int32_t* lengths,
                                       cudnnRNNDataDescriptor_t x_desc, const void* x,
                                       cudnnRNNDataDescriptor_t y_desc, void* y,
                                       cudnnTensorDescriptor_t h_desc, const void* hx, void* hy,
                                       cudnnTensorDescriptor_t c_desc, const void* cx, void* cy,
                                       std::size_t weight_bytes, const void* weights,
                                       std::size_t workspace_bytes, void* workspace,
                                       std::size_t reserve_bytes, void* reserve) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    a.x = x_desc;
    a.y = y_desc;
    a.h = h_desc;
    a.c = c_desc;
    a.training = mode == CUDNN_FWD_MODE_TRAINING;
    a.lengths = lengths;
    a.weight_bytes = weight_bytes;
    a.workspace_bytes = workspace_bytes;
    a.reserve_bytes = reserve_bytes;
    a.at(Pointer::x) = x;
    a.at(Pointer::y) = y;
    a.at(Pointer::hx) = hx;
    a.at(Pointer::hy) = hy;
    a.at(Pointer::cx) = cx;
    a.at(Pointer::cy) = cy;
    a.at(Pointer::weights) = weights;
    a.at(Pointer::workspace) = workspace;
    a.at(Pointer::reserve) = reserve;
    return execute(l, Entry::forward, a, [&](const RunWith& with) {
      return l.cudnnRNNForward(handle, with.rnn, mode, lengths, x_desc, x, y_desc, y, h_desc, hx,
                               hy, c_desc, cx, cy, weight_bytes, weights, with.workspace_bytes,
                               with.workspace, reserve_bytes, reserve);
    });
  }

  static cudnnStatus_t cudnnRNNBackwardData_v8(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const std::int32_t* lengths,
      cudnnRNNDataDescriptor_t y_desc, const void* y, const void* dy,
      cudnnRNNDataDescriptor_t x_desc, void* dx, cudnnTensorDescriptor_t h_desc, const void* hx,
      const void* dhy, void* dhx, cudnnTensorDescriptor_t c_desc, const void* cx, const void* dcy,
      void* dcx, std::size_t weight_bytes, const void* weights, std::size_t workspace_bytes,
      void* workspace, std::size_t reserve_bytes, void* reserve) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    a.x = x_desc;
    a.y = y_desc;
    a.h = h_desc;
    a.c = c_desc;
    a.training = true;
    a.lengths = lengths;
    a.weight_bytes = weight_bytes;
    a.workspace_bytes = workspace_bytes;
    a.reserve_bytes = reserve_bytes;
    a.at(Pointer::y) = y;
    a.at(Pointer::dy) = dy;
    a.at(Pointer::dx) = dx;
    a.at(Pointer::hx) = hx;
    a.at(Pointer::hy) = dhy;
    a.at(Pointer::cx) = cx;
    a.at(Pointer::cy) = dcy;
    a.at(Pointer::weights) = weights;
    a.at(Pointer::workspace) = workspace;
    a.at(Pointer::reserve) = reserve;
    return execute(l, Entry::backward_data, a, [&](const RunWith& with) {
      return l.cudnnRNNBackwardData_v8(handle, with.rnn, lengths, y_desc, y, dy, x_desc, dx, h_desc,
                                       hx, dhy, dhx, c_desc, cx, dcy, dcx, weight_bytes, weights,
                                       with.workspace_bytes, with.workspace, reserve_bytes,
                                       reserve);
    });
  }

  static cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                  cudnnWgradMode_t add, const std::int32_t* lengths,
                                                  cudnnRNNDataDescriptor_t x_desc, const void* x,
                                                  cudnnTensorDescriptor_t h_desc, const void* hx,
                                                  cudnnRNNDataDescriptor_t y_desc, const void* y,
                                                  std::size_t weight_bytes, void* dw,
                                                  std::size_t workspace_bytes, void* workspace,
                                                  std::size_t reserve_bytes, void* reserve) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    a.x = x_desc;
    a.y = y_desc;
    a.h = h_desc;
    a.training = true;
    a.lengths = lengths;
    a.wgrad_set = add == CUDNN_WGRAD_MODE_SET;
    a.weight_bytes = weight_bytes;
    a.workspace_bytes = workspace_bytes;
    a.reserve_bytes = reserve_bytes;
    a.at(Pointer::x) = x;
    a.at(Pointer::y) = y;
    a.at(Pointer::hx) = hx;
    a.at(Pointer::dw) = dw;
    a.at(Pointer::workspace) = workspace;
    a.at(Pointer::reserve) = reserve;
    return execute(l, Entry::backward_weights, a, [&](const RunWith& with) {
      return l.cudnnRNNBackwardWeights_v8(handle, with.rnn, add, lengths, x_desc, x, h_desc, hx,
                                          y_desc, y, weight_bytes, dw, with.workspace_bytes,
                                          with.workspace, reserve_bytes, reserve);
    });
  }
};

const HookRow rows[] = {RNNADVISOR_HOOKED(RNNADVISOR_HOOK_ROW)};

}  // namespace

HookRows rnn_hooks() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

EXPORT cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t a, cudnnRNNAlgo_t b,
                                              cudnnRNNMode_t c, cudnnRNNBiasMode_t d,
                                              cudnnDirectionMode_t e, cudnnRNNInputMode_t f,
                                              cudnnDataType_t g, cudnnDataType_t h,
                                              cudnnMathType_t i, int32_t j, int32_t k, int32_t l,
                                              int32_t m, cudnnDropoutDescriptor_t n, uint32_t o) {
  RNNADVISOR_DISPATCH(cudnnSetRNNDescriptor_v8, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
}
EXPORT cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t a, cudnnDataType_t b,
                                               cudnnRNNDataLayout_t c, int d, int e, int f,
                                               const int g[], void* h) {
  RNNADVISOR_DISPATCH(cudnnSetRNNDataDescriptor, a, b, c, d, e, f, g, h);
}
EXPORT cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t a, cudnnRNNDescriptor_t b,
                                               cudnnForwardMode_t c, cudnnRNNDataDescriptor_t d,
                                               size_t* e, size_t* f) {
  RNNADVISOR_DISPATCH(cudnnGetRNNTempSpaceSizes, a, b, c, d, e, f);
}
EXPORT cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c) {
  RNNADVISOR_DISPATCH(cudnnBuildRNNDynamic, a, b, c);
}
EXPORT cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t a, cudnnRNNClipMode_t b,
                                        cudnnNanPropagation_t c, double d, double e) {
  RNNADVISOR_DISPATCH(cudnnRNNSetClip_v8, a, b, c, d, e);
}
EXPORT cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t a, cudnnRNNClipMode_t b, double c,
                                        double d) {
  RNNADVISOR_DISPATCH(cudnnRNNSetClip_v9, a, b, c, d);
}
EXPORT cudnnStatus_t cudnnRNNForward(cudnnHandle_t a, cudnnRNNDescriptor_t b, cudnnForwardMode_t c,
                                     const int32_t d[], cudnnRNNDataDescriptor_t e, const void* f,
                                     cudnnRNNDataDescriptor_t g, void* h, cudnnTensorDescriptor_t i,
                                     const void* j, void* k, cudnnTensorDescriptor_t l,
                                     const void* m, void* n, size_t o, const void* p, size_t q,
                                     void* r, size_t s, void* t) {
  RNNADVISOR_DISPATCH(cudnnRNNForward, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
}
EXPORT cudnnStatus_t cudnnRNNBackwardData_v8(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, const int32_t c[], cudnnRNNDataDescriptor_t d,
    const void* e, const void* f, cudnnRNNDataDescriptor_t g, void* h, cudnnTensorDescriptor_t i,
    const void* j, const void* k, void* l, cudnnTensorDescriptor_t m, const void* n, const void* o,
    void* p, size_t q, const void* r, size_t s, void* t, size_t u, void* v) {
  RNNADVISOR_DISPATCH(cudnnRNNBackwardData_v8, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r,
                      s, t, u, v);
}
EXPORT cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t a, cudnnRNNDescriptor_t b,
                                                cudnnWgradMode_t c, const int32_t d[],
                                                cudnnRNNDataDescriptor_t e, const void* f,
                                                cudnnTensorDescriptor_t g, const void* h,
                                                cudnnRNNDataDescriptor_t i, const void* j, size_t k,
                                                void* l, size_t m, void* n, size_t o, void* p) {
  RNNADVISOR_DISPATCH(cudnnRNNBackwardWeights_v8, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}
