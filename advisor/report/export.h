// A profile for other tools: the Chrome trace format, which Perfetto and chrome://tracing open, and
// CSV tables for spreadsheets and data frames. Text is written as it is made, so that ten million
// kernels need no memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// Takes the next piece of text; false ends the writing (a full disk, a closed pipe).
using TextSink = std::function<bool(std::string_view)>;

// Google, "Trace Event Format", JSON object form. One process per host process and one per GPU of
// each; tracks for RNN calls, NVTX, CUDA calls and every stream. `ts` and `dur` are microseconds
// with three decimals, so nothing of a nanosecond is lost; they count from otherData.origin_ns. A
// call slice carries its configuration as args, and an arrow leads from it to each of its kernels.
// Events of one track never overlap partly: what does not nest is put on a second track of the same
// name.
bool write_chrome_trace(const Profile& profile, const TextSink& sink);
std::string write_chrome_trace(const Profile& profile);

// One line per kernel, in order of their start; RFC 4180, first line names the columns, times in
// nanoseconds.
bool write_kernels_csv(const Profile& profile, const TextSink& sink);
std::string write_kernels_csv(const Profile& profile);

// One line per RNN call with the fields of its configuration, its kernels' count and time, and the
// implementation that ran.
bool write_calls_csv(const Profile& profile, const TextSink& sink);
std::string write_calls_csv(const Profile& profile);

}  // namespace rnnadvisor::advisor
