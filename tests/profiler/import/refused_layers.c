// Makes cuDNN refuse recurrent layers, on a machine without a GPU: what its API log says of that.
//   cc -I $CUDA/include refused_layers.c -L $CUDA/lib -lcudnn -o refused
//   CUDNN_LOGLEVEL_DBG=3 CUDNN_LOGDEST_DBG=refused_layers.cudnn.log ./refused
#include <cudnn.h>
#include <stdio.h>

static void describe(cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell,
                     cudnnDataType_t data, cudnnDataType_t math, int hidden, int projection) {
  const cudnnStatus_t status = cudnnSetRNNDescriptor_v8(
      rnn, algo, cell, CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, data, math,
      CUDNN_DEFAULT_MATH, 128, hidden, projection, 1, NULL, CUDNN_RNN_PADDED_IO_ENABLED);
  printf("%s\n", cudnnGetErrorString(status));
}

int main(void) {
  cudnnRNNDescriptor_t rnn;
  cudnnRNNDataDescriptor_t x;
  cudnnCreateRNNDescriptor(&rnn);
  cudnnCreateRNNDataDescriptor(&x);
  // GRU has no projection; double data cannot be multiplied in single precision.
  describe(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_GRU, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, 256, 64);
  describe(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_DATA_DOUBLE, CUDNN_DATA_FLOAT, 256, 256);
  describe(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_DATA_HALF, CUDNN_DATA_FLOAT, 256, 256);
  const int lengths[2] = {20, 10};
  float fill = 0;
  printf("%s\n", cudnnGetErrorString(cudnnSetRNNDataDescriptor(
                     x, CUDNN_DATA_HALF, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 20, 2, 128,
                     lengths, &fill)));
  const int wrong[2] = {20, 30};
  printf("%s\n", cudnnGetErrorString(cudnnSetRNNDataDescriptor(
                     x, CUDNN_DATA_HALF, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 20, 2, 128,
                     wrong, &fill)));
  // No handle, because there is no GPU.
  printf("%s\n", cudnnGetErrorString(cudnnRNNForward(NULL, rnn, CUDNN_FWD_MODE_TRAINING, NULL, x,
                                                     NULL, x, NULL, NULL, NULL, NULL, NULL, NULL,
                                                     NULL, 0, NULL, 0, NULL, 0, NULL)));
  cudnnDestroyRNNDataDescriptor(x);
  cudnnDestroyRNNDescriptor(rnn);
  return 0;
}
