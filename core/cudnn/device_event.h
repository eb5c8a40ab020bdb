// A CUDA event with an owner. Private to core/cudnn.
#pragma once

#include <cuda_runtime_api.h>

namespace rnnadvisor {

class DeviceEvent {
 public:
  DeviceEvent() { status_ = cudaEventCreate(&event_); }
  ~DeviceEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;
  cudaEvent_t get() const { return event_; }
  cudaError_t status() const { return status_; }

 private:
  cudaEvent_t event_ = nullptr;
  cudaError_t status_;
};

}  // namespace rnnadvisor
