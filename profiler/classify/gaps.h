// When a GPU ran no kernel: each gap with what ran before and after it, what the host did meanwhile
// and the line that caused it; and gaps that are alike, which is what a waiting GPU waits for again
// and again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

struct GpuGap {
  int device = -1;
  std::int64_t begin_ns = 0, end_ns = 0;
  int before = -1, after = -1;  // kernels, into Profile::kernels
  std::int64_t length() const { return end_ns - begin_ns; }
};

// The gap of a device at a moment; nothing while a kernel runs, or before the first and after the
// last.
std::optional<GpuGap> gap_around(const Profile& profile, int device, std::int64_t time_ns);
// The gap that a kernel ends; nothing where its device worked until it began, or where another
// kernel of the device, earlier in the table, began at the same time.
std::optional<GpuGap> gap_before(const Profile& profile, int kernel);
// When the calls began that nothing traced, in order. Their kernels are not in the profile: what
// looks like a gap around one is time that was not recorded.
std::vector<std::int64_t> untraced_times(const Profile& profile);
bool any_within(const std::vector<std::int64_t>& times, std::int64_t begin_ns, std::int64_t end_ns);

// The longest that lies within a range of time and was recorded.
std::optional<GpuGap> longest_gap(const Profile& profile, int device, std::int64_t from_ns,
                                  std::int64_t until_ns);

struct GapCause {
  int api = -1;             // into Profile::api: the call that took most of the gap; -1: none was
                            // recorded, so that the program did something else
  std::int64_t api_ns = 0;  // of the gap
  int site = -1;            // into Profile::call_sites: the line whose call launched what follows
  int next_call = -1;       // into Profile::calls, where it did not: the next RNN call with a line
};
GapCause cause_of(const Profile& profile, const GpuGap& gap);

// What the process of the kernel after a gap did on the host meanwhile.
struct HostActivity {
  struct Calls {
    int name = -1;  // into Profile::strings
    std::int64_t ns = 0, count = 0;
  };
  std::vector<Calls> api;  // by name, most time of the gap first
  std::vector<int>
      ranges;  // into Profile::nvtx: those that were open at its middle, outermost first
};
HostActivity host_during(const Profile& profile, const GpuGap& gap);

// Gaps between the same two kernels.
struct GapPattern {
  int before_name = -1, after_name = -1;  // into Profile::strings
  std::int64_t count = 0, total_ns = 0, median_ns = 0;
  GpuGap longest;
};
// Those with the largest totals first, at most `most`, of gaps that were recorded. `from_ns`: of
// gaps that begin there or later.
std::vector<GapPattern> gap_patterns(const Profile& profile, int device, std::size_t most,
                                     std::int64_t from_ns = 0);

}  // namespace rnnadvisor
