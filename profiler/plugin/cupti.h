// CUPTI's activity records into the spool.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace rnnadvisor::plugin {

// At the first CUDA call of the process. Does nothing in the mode that does without CUPTI.
void cupti_start();
// Kernels of a range only: off outside it. Cheap when nothing changes.
void cupti_pause();
void cupti_resume();
// Around a cuDNN call: what it launches is its own. False: CUPTI is not recording.
bool cupti_begin(std::uint64_t call);
// The range of its launches goes to the spool, also of a call that is not recorded, so that its
// kernels are given to no other call.
void cupti_end(CUstream stream);
// The number that CUPTI has for a stream, and the ordinal of its device. False: CUPTI does not
// record, or knows no such stream.
bool cupti_stream(CUstream stream, std::uint32_t& number, int& device);
// Takes CUPTI out of the process until cupti_reattach(), so that launches cost what they cost
// without it; what it holds goes to the spool first. `later`: calls of other threads are traced at
// this moment, or the device cannot be waited for. `never`: this CUPTI cannot, the program has made
// CUDA graphs, which CUPTI does not find again, or it has several contexts: kernels that still run
// in another one would be lost.
enum class Detached { yes, later, never };
Detached cupti_detach();
void cupti_reattach();
bool cupti_is_detached();
// Whether CUPTI traces nothing in this process now: it is detached, or this recording does without.
bool cupti_is_inactive();
// Everything that is finished goes to the spool.
void cupti_flush();
// Another tool in the process begins to use CUPTI: we hand everything back and record no more
// kernels, since one subscriber is all that CUPTI has room for.
void cupti_step_back(const char* who);
void cupti_in_child();  // after fork()

// Whether kernels are recorded at this moment.
bool cupti_is_recording();

}  // namespace rnnadvisor::plugin
