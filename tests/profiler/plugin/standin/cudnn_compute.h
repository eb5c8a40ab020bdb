// With STANDIN_COMPUTES set, execution functions of the stand-in compute on host memory what a
// device would: float results that depend on every input, a little on the algorithm as rounding
// does, and a reserve that remembers which algorithm wrote it. What no caller may do ends the
// program with 72 and a line: memory too small or unaligned, another algorithm's reserve.
#pragma once

#include "tests/profiler/plugin/standin/cudnn_standin_parts.h"

namespace standin {

bool computes();
// Whether the algorithm takes a layer at all, as the size query says.
cudnnStatus_t accepts(cudnnRNNDescriptor_t rnn);
std::size_t workspace_of(cudnnRNNDescriptor_t rnn);
std::size_t reserve_of(cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x);
std::size_t weight_bytes_of(cudnnRNNDescriptor_t rnn);
// Milliseconds that a call takes on the stand-in's clock; STANDIN_MS="standard=3,persist_static=1".
double milliseconds_of(cudnnRNNDescriptor_t rnn);
// And that pass after it, before the next call is prepared: STANDIN_AFTER_MS.
double milliseconds_after(cudnnRNNDescriptor_t rnn);

struct Forward {
  cudnnRNNDescriptor_t rnn;
  bool training;
  cudnnRNNDataDescriptor_t x_desc;
  const void* x;
  cudnnRNNDataDescriptor_t y_desc;
  void* y;
  const void *hx, *cx;
  void *hy, *cy;
  std::size_t weight_bytes;
  const void* weights;
  std::size_t workspace_bytes;
  void* workspace;
  std::size_t reserve_bytes;
  void* reserve;
};
cudnnStatus_t compute(const Forward& call);
struct BackwardData {
  cudnnRNNDescriptor_t rnn;
  cudnnRNNDataDescriptor_t y_desc;
  const void *y, *dy;
  cudnnRNNDataDescriptor_t x_desc;
  void* dx;
  void *dhx, *dcx;
  const void* weights;
  std::size_t weight_bytes, workspace_bytes;
  void* workspace;
  std::size_t reserve_bytes;
  void* reserve;
};
cudnnStatus_t compute(const BackwardData& call);
struct BackwardWeights {
  cudnnRNNDescriptor_t rnn;
  cudnnRNNDataDescriptor_t x_desc;
  const void* x;
  std::size_t weight_bytes;
  void* dw;
  std::size_t workspace_bytes;
  void* workspace;
  std::size_t reserve_bytes;
  void* reserve;
};
cudnnStatus_t compute(const BackwardWeights& call);

}  // namespace standin
