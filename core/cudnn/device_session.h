// One GPU of this process with a stream and a cuDNN handle on it. Private to core/cudnn.
#pragma once

#include <memory>

#include "core/cudnn/cudnn_api.h"

namespace rnnadvisor {

class DeviceSession {
 public:
  // Takes the CUDA device `ordinal`, its primary context and a stream that does not wait for the
  // default one. Loads cuDNN.
  static Result<std::unique_ptr<DeviceSession>> open(int ordinal);
  ~DeviceSession();
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;

  const CudnnApi& api() const { return *api_; }
  cudaStream_t stream() const { return stream_; }
  cudnnHandle_t handle() const { return handle_; }
  int ordinal() const { return ordinal_; }

 private:
  explicit DeviceSession(int ordinal) : ordinal_(ordinal) {}

  int ordinal_;
  const CudnnApi* api_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudnnHandle_t handle_ = nullptr;
};

}  // namespace rnnadvisor
