// The RNN functions that cuDNN 8 has and cuDNN 9 has no more, whose headers do not declare them.
// Signatures: cuDNN 8 API reference, "cudnn_adv_infer.so Library" and "cudnn_adv_train.so Library";
// held against cudnn_adv_infer.h and cudnn_adv_train.h of 8.1.1, the searches and plans against
// those of 8.9. Const of parameters passed by value is left out: it is none of the caller's
// business.
#pragma once

#include <cudnn.h>

// What a program calls, by name.
#define RNNADVISOR_LEGACY(X)        \
  X(cudnnRNNForwardInference)       \
  X(cudnnRNNForwardTraining)        \
  X(cudnnRNNForwardInferenceEx)     \
  X(cudnnRNNForwardTrainingEx)      \
  X(cudnnRNNBackwardData)           \
  X(cudnnRNNBackwardDataEx)         \
  X(cudnnRNNBackwardWeights)        \
  X(cudnnRNNBackwardWeightsEx)      \
  X(cudnnSetRNNDescriptor_v6)       \
  X(cudnnSetRNNMatrixMathType)      \
  X(cudnnSetRNNBiasMode)            \
  X(cudnnSetRNNPaddingMode)         \
  X(cudnnSetRNNProjectionLayers)    \
  X(cudnnGetRNNWorkspaceSize)       \
  X(cudnnGetRNNTrainingReserveSize) \
  X(cudnnRNNSetClip)                \
  X(cudnnSetRNNAlgorithmDescriptor) \
  X(cudnnCreatePersistentRNNPlan)   \
  X(cudnnSetPersistentRNNPlan)      \
  X(cudnnDestroyPersistentRNNPlan)

// Those that search for an algorithm.
#define RNNADVISOR_SEARCHES(X)               \
  X(cudnnFindRNNForwardInferenceAlgorithmEx) \
  X(cudnnFindRNNForwardTrainingAlgorithmEx)  \
  X(cudnnFindRNNBackwardDataAlgorithmEx)     \
  X(cudnnFindRNNBackwardWeightsAlgorithmEx)

extern "C" {

// cudnnFilterDescriptor_t, whose name is deprecated in cuDNN 9.
struct cudnnFilterStruct;
// cudnnAlgorithmDescriptor_t, cudnnAlgorithmPerformance_t and cudnnPersistentRNNPlan_t.
struct cudnnAlgorithmStruct;
struct cudnnAlgorithmPerformanceStruct;
struct cudnnPersistentRNNPlan;

// One tensor descriptor for each time step, all of three dimensions: {batch at that step, vector
// size, 1}; the batch may only decrease.
cudnnStatus_t cudnnRNNForwardInference(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
    const cudnnTensorDescriptor_t* x_desc, const void* x, cudnnTensorDescriptor_t hx_desc,
    const void* hx, cudnnTensorDescriptor_t cx_desc, const void* cx, cudnnFilterStruct* w_desc,
    const void* w, const cudnnTensorDescriptor_t* y_desc, void* y, cudnnTensorDescriptor_t hy_desc,
    void* hy, cudnnTensorDescriptor_t cy_desc, void* cy, void* workspace, size_t workspace_bytes);
cudnnStatus_t cudnnRNNForwardTraining(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
                                      const cudnnTensorDescriptor_t* x_desc, const void* x,
                                      cudnnTensorDescriptor_t hx_desc, const void* hx,
                                      cudnnTensorDescriptor_t cx_desc, const void* cx,
                                      cudnnFilterStruct* w_desc, const void* w,
                                      const cudnnTensorDescriptor_t* y_desc, void* y,
                                      cudnnTensorDescriptor_t hy_desc, void* hy,
                                      cudnnTensorDescriptor_t cy_desc, void* cy, void* workspace,
                                      size_t workspace_bytes, void* reserve, size_t reserve_bytes);
cudnnStatus_t cudnnRNNBackwardData(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
    const cudnnTensorDescriptor_t* y_desc, const void* y, const cudnnTensorDescriptor_t* dy_desc,
    const void* dy, cudnnTensorDescriptor_t dhy_desc, const void* dhy,
    cudnnTensorDescriptor_t dcy_desc, const void* dcy, cudnnFilterStruct* w_desc, const void* w,
    cudnnTensorDescriptor_t hx_desc, const void* hx, cudnnTensorDescriptor_t cx_desc,
    const void* cx, const cudnnTensorDescriptor_t* dx_desc, void* dx,
    cudnnTensorDescriptor_t dhx_desc, void* dhx, cudnnTensorDescriptor_t dcx_desc, void* dcx,
    void* workspace, size_t workspace_bytes, void* reserve, size_t reserve_bytes);
cudnnStatus_t cudnnRNNBackwardWeights(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
                                      const cudnnTensorDescriptor_t* x_desc, const void* x,
                                      cudnnTensorDescriptor_t hx_desc, const void* hx,
                                      const cudnnTensorDescriptor_t* y_desc, const void* y,
                                      const void* workspace, size_t workspace_bytes,
                                      cudnnFilterStruct* dw_desc, void* dw, const void* reserve,
                                      size_t reserve_bytes);

// With RNN data descriptors. Those of k, c, i and q (keys, attention, queries) are reserved.
cudnnStatus_t cudnnRNNForwardInferenceEx(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x_desc, const void* x,
    cudnnTensorDescriptor_t hx_desc, const void* hx, cudnnTensorDescriptor_t cx_desc,
    const void* cx, cudnnFilterStruct* w_desc, const void* w, cudnnRNNDataDescriptor_t y_desc,
    void* y, cudnnTensorDescriptor_t hy_desc, void* hy, cudnnTensorDescriptor_t cy_desc, void* cy,
    cudnnRNNDataDescriptor_t k_desc, const void* k, cudnnRNNDataDescriptor_t c_desc, void* c,
    cudnnRNNDataDescriptor_t i_desc, void* i, cudnnRNNDataDescriptor_t q_desc, void* q,
    void* workspace, size_t workspace_bytes);
cudnnStatus_t cudnnRNNForwardTrainingEx(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x_desc, const void* x,
    cudnnTensorDescriptor_t hx_desc, const void* hx, cudnnTensorDescriptor_t cx_desc,
    const void* cx, cudnnFilterStruct* w_desc, const void* w, cudnnRNNDataDescriptor_t y_desc,
    void* y, cudnnTensorDescriptor_t hy_desc, void* hy, cudnnTensorDescriptor_t cy_desc, void* cy,
    cudnnRNNDataDescriptor_t k_desc, const void* k, cudnnRNNDataDescriptor_t c_desc, void* c,
    cudnnRNNDataDescriptor_t i_desc, void* i, cudnnRNNDataDescriptor_t q_desc, void* q,
    void* workspace, size_t workspace_bytes, void* reserve, size_t reserve_bytes);
cudnnStatus_t cudnnRNNBackwardDataEx(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t y_desc, const void* y,
    cudnnRNNDataDescriptor_t dy_desc, const void* dy, cudnnRNNDataDescriptor_t dc_desc,
    const void* dc, cudnnTensorDescriptor_t dhy_desc, const void* dhy,
    cudnnTensorDescriptor_t dcy_desc, const void* dcy, cudnnFilterStruct* w_desc, const void* w,
    cudnnTensorDescriptor_t hx_desc, const void* hx, cudnnTensorDescriptor_t cx_desc,
    const void* cx, cudnnRNNDataDescriptor_t dx_desc, void* dx, cudnnTensorDescriptor_t dhx_desc,
    void* dhx, cudnnTensorDescriptor_t dcx_desc, void* dcx, cudnnRNNDataDescriptor_t dk_desc,
    void* dk, void* workspace, size_t workspace_bytes, void* reserve, size_t reserve_bytes);
cudnnStatus_t cudnnRNNBackwardWeightsEx(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                        cudnnRNNDataDescriptor_t x_desc, const void* x,
                                        cudnnTensorDescriptor_t hx_desc, const void* hx,
                                        cudnnRNNDataDescriptor_t y_desc, const void* y,
                                        void* workspace, size_t workspace_bytes,
                                        cudnnFilterStruct* dw_desc, void* dw, void* reserve,
                                        size_t reserve_bytes);

// Descriptors and sizes.
cudnnStatus_t cudnnSetRNNDescriptor_v6(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int hidden,
                                       int layers, cudnnDropoutDescriptor_t dropout,
                                       cudnnRNNInputMode_t input_mode,
                                       cudnnDirectionMode_t direction, cudnnRNNMode_t cell,
                                       cudnnRNNAlgo_t algo, cudnnDataType_t math);
cudnnStatus_t cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t rnn, cudnnMathType_t type);
cudnnStatus_t cudnnSetRNNBiasMode(cudnnRNNDescriptor_t rnn, cudnnRNNBiasMode_t bias);
cudnnStatus_t cudnnSetRNNPaddingMode(cudnnRNNDescriptor_t rnn, unsigned padding);
cudnnStatus_t cudnnSetRNNProjectionLayers(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                          int recurrent, int output);
cudnnStatus_t cudnnGetRNNWorkspaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
                                       const cudnnTensorDescriptor_t* x_desc, size_t* bytes);
cudnnStatus_t cudnnGetRNNTrainingReserveSize(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                             int steps, const cudnnTensorDescriptor_t* x_desc,
                                             size_t* bytes);
cudnnStatus_t cudnnRNNSetClip(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                              cudnnRNNClipMode_t clip, cudnnNanPropagation_t nan, double low,
                              double high);
cudnnStatus_t cudnnSetRNNAlgorithmDescriptor(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                             cudnnAlgorithmStruct* algorithm);
// Compiles kernels for one batch size, as cudnnBuildRNNDynamic() does since.
cudnnStatus_t cudnnCreatePersistentRNNPlan(cudnnRNNDescriptor_t rnn, int batch,
                                           cudnnDataType_t type, cudnnPersistentRNNPlan** plan);
cudnnStatus_t cudnnSetPersistentRNNPlan(cudnnRNNDescriptor_t rnn, cudnnPersistentRNNPlan* plan);
cudnnStatus_t cudnnDestroyPersistentRNNPlan(cudnnPersistentRNNPlan* plan);

// Searches: each runs what it is named after with one algorithm after the other and measures it.
cudnnStatus_t cudnnFindRNNForwardInferenceAlgorithmEx(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
    const cudnnTensorDescriptor_t* x_desc, const void* x, cudnnTensorDescriptor_t hx_desc,
    const void* hx, cudnnTensorDescriptor_t cx_desc, const void* cx, cudnnFilterStruct* w_desc,
    const void* w, const cudnnTensorDescriptor_t* y_desc, void* y, cudnnTensorDescriptor_t hy_desc,
    void* hy, cudnnTensorDescriptor_t cy_desc, void* cy, float intensity, int requested,
    int* returned, cudnnAlgorithmPerformanceStruct** results, void* workspace,
    size_t workspace_bytes);
cudnnStatus_t cudnnFindRNNForwardTrainingAlgorithmEx(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
    const cudnnTensorDescriptor_t* x_desc, const void* x, cudnnTensorDescriptor_t hx_desc,
    const void* hx, cudnnTensorDescriptor_t cx_desc, const void* cx, cudnnFilterStruct* w_desc,
    const void* w, const cudnnTensorDescriptor_t* y_desc, void* y, cudnnTensorDescriptor_t hy_desc,
    void* hy, cudnnTensorDescriptor_t cy_desc, void* cy, float intensity, int requested,
    int* returned, cudnnAlgorithmPerformanceStruct** results, void* workspace,
    size_t workspace_bytes, void* reserve, size_t reserve_bytes);
cudnnStatus_t cudnnFindRNNBackwardDataAlgorithmEx(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
    const cudnnTensorDescriptor_t* y_desc, const void* y, const cudnnTensorDescriptor_t* dy_desc,
    const void* dy, cudnnTensorDescriptor_t dhy_desc, const void* dhy,
    cudnnTensorDescriptor_t dcy_desc, const void* dcy, cudnnFilterStruct* w_desc, const void* w,
    cudnnTensorDescriptor_t hx_desc, const void* hx, cudnnTensorDescriptor_t cx_desc,
    const void* cx, const cudnnTensorDescriptor_t* dx_desc, void* dx,
    cudnnTensorDescriptor_t dhx_desc, void* dhx, cudnnTensorDescriptor_t dcx_desc, void* dcx,
    float intensity, int requested, int* returned, cudnnAlgorithmPerformanceStruct** results,
    void* workspace, size_t workspace_bytes, void* reserve, size_t reserve_bytes);
cudnnStatus_t cudnnFindRNNBackwardWeightsAlgorithmEx(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int steps,
    const cudnnTensorDescriptor_t* x_desc, const void* x, cudnnTensorDescriptor_t hx_desc,
    const void* hx, const cudnnTensorDescriptor_t* y_desc, const void* y, float intensity,
    int requested, int* returned, cudnnAlgorithmPerformanceStruct** results, const void* workspace,
    size_t workspace_bytes, cudnnFilterStruct* dw_desc, void* dw, const void* reserve,
    size_t reserve_bytes);

// What we ask a descriptor that was filled by cudnnSetRNNDescriptor_v6().
cudnnStatus_t cudnnGetRNNDescriptor_v6(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int* hidden,
                                       int* layers, cudnnDropoutDescriptor_t* dropout,
                                       cudnnRNNInputMode_t* input_mode,
                                       cudnnDirectionMode_t* direction, cudnnRNNMode_t* cell,
                                       cudnnRNNAlgo_t* algo, cudnnDataType_t* math);
cudnnStatus_t cudnnGetRNNMatrixMathType(cudnnRNNDescriptor_t rnn, cudnnMathType_t* type);
cudnnStatus_t cudnnGetRNNBiasMode(cudnnRNNDescriptor_t rnn, cudnnRNNBiasMode_t* bias);
cudnnStatus_t cudnnGetRNNPaddingMode(cudnnRNNDescriptor_t rnn, unsigned* padding);
cudnnStatus_t cudnnGetRNNProjectionLayers(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                          int* recurrent, int* output);
cudnnStatus_t cudnnRNNGetClip(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                              cudnnRNNClipMode_t* clip, cudnnNanPropagation_t* nan, double* low,
                              double* high);

}  // extern "C"
