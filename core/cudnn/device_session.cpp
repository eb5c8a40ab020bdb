#include "core/cudnn/device_session.h"

#include <fmt/format.h>

#include "core/cudnn/cuda_error.h"

namespace rnnadvisor {

DeviceSession::~DeviceSession() {
  if (handle_ != nullptr) api_->cudnnDestroy(handle_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Result<std::unique_ptr<DeviceSession>> DeviceSession::open(int ordinal) {
  std::unique_ptr<DeviceSession> session(new DeviceSession(ordinal));
  RNNADVISOR_TRY(RNNADVISOR_CUDA(cudaSetDevice(ordinal)));
  RNNADVISOR_TRY(
      RNNADVISOR_CUDA(cudaStreamCreateWithFlags(&session->stream_, cudaStreamNonBlocking)));
  const auto api = CudnnApi::load();
  if (!api) return fail(api.error());
  session->api_ = *api;
  if (const auto status = session->api_->cudnnCreate(&session->handle_);
      status != CUDNN_STATUS_SUCCESS) {
    return fail(ErrorCode::cudnn,
                fmt::format("cudnnCreate returned {}: {}", status_name(*session->api_, status),
                            session->api_->take_reason()),
                "check that cuDNN at " + session->api_->path +
                    " fits the driver and has its sub-libraries beside it");
  }
  if (const auto status = session->api_->cudnnSetStream(session->handle_, session->stream_);
      status != CUDNN_STATUS_SUCCESS) {
    return fail(ErrorCode::cudnn,
                fmt::format("cudnnSetStream returned {}", status_name(*session->api_, status)));
  }
  return session;
}

}  // namespace rnnadvisor
