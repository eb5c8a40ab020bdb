// The variables by which a launcher tells the plugin in another process what to do. All are text;
// one that is not set leaves the plugin its default, one that it cannot read is ignored with a note
// in the spool. RNNADVISOR_SPOOL is the switch: without it the plugin does nothing.
#pragma once

#include <array>
#include <string_view>

namespace rnnadvisor::spool {

namespace variable {
inline constexpr char spool[] = "RNNADVISOR_SPOOL";      // folder that exists, absolute
inline constexpr char mode[] = "RNNADVISOR_MODE";        // a word of mode_words
inline constexpr char capture[] = "RNNADVISOR_CAPTURE";  // always, cuda-profiler-api or
                                                         // nvtx:NAME or nvtx:NAME@DOMAIN
inline constexpr char delay_ms[] = "RNNADVISOR_DELAY_MS";
inline constexpr char duration_ms[] = "RNNADVISOR_DURATION_MS";
inline constexpr char skip[] = "RNNADVISOR_SKIP";  // RNN calls left out, in each process
// Captured ranges, or without a range forward calls of the first configuration.
inline constexpr char iterations[] = "RNNADVISOR_ITERATIONS";
inline constexpr char max_bytes[] = "RNNADVISOR_MAX_BYTES";        // of each process's spool
inline constexpr char buffer_bytes[] = "RNNADVISOR_BUFFER_BYTES";  // of each of CUPTI's buffers
inline constexpr char call_sites[] = "RNNADVISOR_CALL_SITES";      // on, off
inline constexpr char exceptions[] = "RNNADVISOR_EXCEPTIONS";      // on, off: of Python
inline constexpr char cupti[] = "RNNADVISOR_CUPTI";                // file of the library
// What RNNADVISOR_CUPTI was before the launcher set it; for the launcher alone.
inline constexpr char cupti_before[] = "RNNADVISOR_CUPTI_BEFORE";
// exact: run calls with the fastest algorithm whose results are right; numerics: also with tensor
// cores in half precision for float32, where the program permits TF32; 0, or not set: as the
// program asks. Below it, what that may use.
inline constexpr char accelerate[] = "RNNADVISOR_ACCELERATE";
inline constexpr char accelerate_memory[] = "RNNADVISOR_ACCELERATE_MEMORY";  // bytes
inline constexpr char accelerate_budget_ms[] = "RNNADVISOR_ACCELERATE_BUDGET_MS";
// A file of plan.h: calls that it has a choice for begin with it. 1 in the second: all others keep
// the program's own.
inline constexpr char plan[] = "RNNADVISOR_ACCELERATE_PLAN";
inline constexpr char plan_only[] = "RNNADVISOR_ACCELERATE_PLAN_ONLY";
// Of `try`: the folder in which code of ours in the program asks what to change of its layers.
inline constexpr char changes[] = "RNNADVISOR_CHANGES";
// Of `try`: how many whole steps are timed, half of them with the program's own algorithms; the
// program keeps its own from then on. 1 in the second ends the program then.
inline constexpr char try_steps[] = "RNNADVISOR_TRY_STEPS";
inline constexpr char try_end[] = "RNNADVISOR_TRY_END";
inline constexpr char record[] = "RNNADVISOR_RECORD";  // calls; choices: only what accelerate did
inline constexpr char trace[] = "RNNADVISOR_TRACE";  // words of trace_words, joined by commas; none
// Of hardware counters: between two samples, and for how long; 0: to the end.
inline constexpr char counter_interval_us[] = "RNNADVISOR_COUNTER_INTERVAL_US";
inline constexpr char counter_duration_ms[] = "RNNADVISOR_COUNTER_DURATION_MS";
// 0: kernels are traced throughout, and no step is timed without CUPTI.
inline constexpr char untraced_steps[] = "RNNADVISOR_UNTRACED_STEPS";
// Libraries that another tool had asked for, to be initialised after ours.
inline constexpr char chain_cuda[] = "RNNADVISOR_CHAIN_CUDA_INJECTION";
inline constexpr char chain_nvtx[] = "RNNADVISOR_CHAIN_NVTX_INJECTION";
// Where the driver and NVTX look for a library to load.
inline constexpr char cuda_injection[] = "CUDA_INJECTION64_PATH";
inline constexpr char nvtx_injection[] = "NVTX_INJECTION64_PATH";
}  // namespace variable

// By Mode. `calls` leaves CUPTI alone.
inline constexpr std::array<std::string_view, 3> mode_words = {"calls", "kernels", "full"};

// What the modes kernels and full record beside calls, kernels and NVTX ranges. Without
// RNNADVISOR_TRACE: transfers in the mode kernels, everything but the calls of the driver's
// interface in the mode full (api are those of the runtime's).
inline constexpr std::array<std::string_view, 5> trace_words = {"transfers", "api", "driver",
                                                                "memory", "counters"};
inline constexpr std::string_view trace_nothing = "none";

}  // namespace rnnadvisor::spool
