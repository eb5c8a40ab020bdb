#include "core/config/constraints/constraint.h"

namespace rnnadvisor::constraints {

Citation guide_7() {
  return {.source = "NVIDIA, cuDNN Developer Guide",
          .section = "2.8.3, 2.13 and 3.39",
          .version = "7.x",
          .url = "https://docs.nvidia.com/deeplearning/sdk/cudnn-developer-guide",
          .quote = {},
          .tag = 'S'};
}

Citation reference_8() {
  return {.source = "CUDA.jl, lib/cudnn/src/rnn.jl, after the cuDNN 8 API reference",
          .section = "cudnnRNNForward",
          .version = "f9045bdf1213ff8ecfd418a74d655737c96ec0b1",
          .url =
              "https://github.com/JuliaGPU/CUDA.jl/blob/f9045bdf1213ff8ecfd418a74d655737c96ec0b1/"
              "lib/cudnn/src/rnn.jl",
          .quote = {},
          .tag = 'S'};
}

Citation header_9() {
  return {.source = "cuDNN headers, cudnn_adv_v9.h",
          .section = {},
          .version = "9.19.0.56",
          .url = {},
          .quote = {},
          .tag = 'S'};
}

Citation pytorch_rnn() {
  return {.source = "PyTorch, aten/src/ATen/native/cudnn/RNN.cpp",
          .section = "use_rnn_persist_small_h",
          .version = "00fc08aa616fbdec70496aebee034ac90b083ff4",
          .url =
              "https://github.com/pytorch/pytorch/blob/00fc08aa616fbdec70496aebee034ac90b083ff4/"
              "aten/src/ATen/native/"
              "cudnn/RNN.cpp",
          .quote = {},
          .tag = 'C'};
}

Citation observed(std::string_view function) {
  return {.source = "cuDNN, called without a GPU",
          .section = std::string(function),
          .version = "9.19.0.56",
          .url = {},
          .quote = {},
          .tag = 'O'};
}

}  // namespace rnnadvisor::constraints
