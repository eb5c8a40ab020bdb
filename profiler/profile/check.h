// The invariants of a finished profile, in one place: the writer refuses to store a profile that
// breaks one (a defect of ours), the reader refuses a file that does (a damaged file). Everybody
// downstream may rely on them:
//   - all columns of a table have the same length, tables are sorted by start (allocations by time)
//   - every index names an existing entry, or is -1 where that is allowed: RnnCall::configuration,
//     ::device, ::reason, ::arguments, ::site, ::nvtx_path and ::forward, SetupCall::configuration
//     and ::reason, CallSite::inner, the columns call and device, Experiment::configuration and
//     ::changed, ClockSample::device, string ids. A process, the file of a call site, the function
//     of a setup call, Configuration::device and KernelTable::name always exist. A call site
//     stands behind the one it names as inner
//   - enumerators are in range; doubles are finite, but for values that may honestly not be
//     (relative errors, counters, NVTX payloads)
//   - times lie between 0 and 2^62 and no interval ends before it begins; the durations of a table
//     add up without overflow, and so do the bytes of its transfers and allocations
//   - a process has an exit status exactly when it exited and a signal exactly when one ended it;
//     an alignment is -1, 0 or a power of two; an unsigned NVTX payload is beyond every signed one
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

inline constexpr std::int64_t latest_time_ns = std::int64_t{1} << 62;

// Nothing, or the first broken invariant as "kernels row 17: call is 99, expected -1 to 12".
Result<void> check_profile(const Profile& profile, ErrorCode code);

}  // namespace rnnadvisor
