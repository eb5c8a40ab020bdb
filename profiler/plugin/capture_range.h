// When the program is recorded: the capture range, the delay and duration, skipped calls and
// iterations that the user asked for.
#pragma once

#include <cstdint>

namespace rnnadvisor::plugin {

// Whether calls and NVTX ranges of this moment are inside the range that the user asked for.
bool in_range();
bool begin_range();  // cudaProfilerStart, or the NVTX range was entered; true: it was not open
void end_range();
std::uint64_t ranges_begun();
// Whether a name and a domain, as strings of the spool, are those of Capture::nvtx.
bool is_captured_range(std::uint32_t name, std::uint32_t domain);
// Before an RNN call: its kernels are recorded from here on, if the time for that has come.
void expect_call();
// One more RNN call: applies delay, duration, skip and iterations. True: record it.
bool admit_call(std::uint32_t configuration, bool forward);

void capture_range_forget();  // in the child of a fork: nothing was in a range yet
void name_capture_range();    // once the spool is open, which has the range's name then

}  // namespace rnnadvisor::plugin
