// The CUDA driver, as far as the plugin asks it something. Taken from the library that the program
// loaded; nothing is loaded for our sake.
#pragma once

#include <cuda.h>

namespace rnnadvisor::plugin {

struct Driver {
  decltype(&::cuCtxGetCurrent) cuCtxGetCurrent;
  decltype(&::cuCtxGetDevice) cuCtxGetDevice;
  decltype(&::cuCtxGetStreamPriorityRange) cuCtxGetStreamPriorityRange;
  decltype(&::cuCtxGetId) cuCtxGetId;  // may be null: since CUDA 12
  CUresult (*cuCtxSynchronize)();      // may be null
  decltype(&::cuEventCreate) cuEventCreate;
  decltype(&::cuEventRecord) cuEventRecord;
  decltype(&::cuEventQuery) cuEventQuery;
  decltype(&::cuEventSynchronize) cuEventSynchronize;
  CUresult (*cuEventElapsedTime)(float*, CUevent, CUevent);
  decltype(&::cuStreamIsCapturing) cuStreamIsCapturing;
  decltype(&::cuThreadExchangeStreamCaptureMode) cuThreadExchangeStreamCaptureMode;
  CUresult (*cuStreamGetCaptureInfo)(CUstream, CUstreamCaptureStatus*, cuuint64_t*);
  CUresult (*cuStreamGetCtx)(CUstream, CUcontext*);  // may be null
  decltype(&::cuDriverGetVersion) cuDriverGetVersion;
  decltype(&::cuDeviceGet) cuDeviceGet;
  decltype(&::cuDeviceGetCount) cuDeviceGetCount;
  decltype(&::cuDeviceGetName) cuDeviceGetName;
  decltype(&::cuDeviceGetAttribute) cuDeviceGetAttribute;
  CUresult (*cuDeviceGetUuid)(CUuuid*, CUdevice);
  CUresult (*cuDeviceTotalMem)(size_t*, CUdevice);
};

// Null when the program has no driver loaded or an entry point is missing.
const Driver* driver();

// The ordinal of this thread's current device, -1 without; its first use describes it in the spool.
int current_device();
// The same for a device that a kernel ran on. From any thread.
void device_seen(int ordinal);
void devices_forget();  // for a new spool

// While it lives, our calls on this thread cannot disturb a stream capture of the program: in the
// default mode a query of an event would invalidate it.
class Relaxed {
 public:
  explicit Relaxed(const Driver& driver) : driver_(driver) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  ~Relaxed() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

 private:
  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace rnnadvisor::plugin
