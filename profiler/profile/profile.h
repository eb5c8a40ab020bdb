// Profile: the one thing everything becomes. A static check is a Profile without calls and kernels;
// a run, a sweep, a captured program and an imported trace have them. Built by ProfileBuilder,
// immutable afterwards; every judgement and view reads only this. Times are int64 nanoseconds of
// one clock (CUPTI's, which is CLOCK_REALTIME-based); durations of timed phases are milliseconds as
// double. -1 stands for "none" in every index and id column. Every column `device` is an index into
// Profile::devices, every column `process` one into Profile::processes; correlation ids are unique
// within a process only. The invariants of a finished profile are listed in check.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/statistics.h"
#include "core/config/fields/field_set.h"
#include "core/config/program_context.h"
#include "core/config/rnn_config.h"
#include "core/cudnn/run_result.h"
#include "core/device/device_spec.h"
#include "core/model/eligibility.h"
#include "core/model/memory.h"
#include "profiler/kernels/kernel_role.h"
#include "profiler/profile/call.h"
#include "profiler/profile/experiment.h"
#include "profiler/profile/process.h"

namespace rnnadvisor {

// How a configuration came into the profile.
// kernels: a recurrent network that was seen by its kernels only: cuDNN did not run it
// (profiler/classify/native_cells.h), or no hook saw its calls (inferred_calls.h there); what it is
// configured as is then not known.
enum class Origin { checked, run, captured, imported, kernels };

// One distinct configuration on one device, with everything known of it as a whole.
struct Configuration {
  RnnConfig config;
  ProgramContext program;
  // Of what was checked: as the user wrote it, where the framework around it makes another call of
  // it, and the keys of it that were given.
  std::optional<RnnConfig> written = {};
  fields::FieldSet given = {};
  Origin origin = Origin::checked;
  Outcome outcome = Outcome::not_run;
  std::string message;  // why not completed, for people
  int device = 0;       // index into Profile::devices; always valid in a finished profile
  std::vector<StageResult> stages;  // attempted stages in order
  // From cuDNN when asked (sizes_from_cudnn), else from the model.
  model::SpaceSizes sizes;
  bool sizes_from_cudnn = false;
  std::vector<PhaseTiming> timings;
  std::vector<PhaseCounters> counters;
  std::vector<CorrectnessResult> correctness;
  std::int64_t memory_free_before = -1;  // bytes
  std::int64_t memory_peak_used = -1;    // bytes of this configuration, measured
  std::int64_t memory_predicted = -1;    // bytes
  bool outputs_finite = true;  // every output was written and finite; meaningful when completed

  // Whether `config` and `sizes` mean anything.
  bool described() const { return origin != Origin::kernels; }
  // Whether it was recorded in a program.
  bool from_program() const {
    return origin == Origin::captured || origin == Origin::imported || origin == Origin::kernels;
  }
  const PhaseTiming* timing(Phase phase) const;
  const StageResult* stage(model::Stage stage) const;
};

std::string_view to_string(Origin origin);
std::string_view to_string(Outcome outcome);
std::optional<Outcome> parse_outcome(std::string_view text);

// Kernels as columns, sorted by start. All columns have the same length.
struct KernelTable {
  std::vector<std::int64_t> start_ns, end_ns;
  std::vector<int> name;  // index into Profile::strings: demangled name
  std::vector<int> call;  // index into Profile::calls, -1: not launched by an RNN call
  std::vector<int> device, stream, process;
  std::vector<std::int64_t> correlation;
  std::vector<std::array<int, 3>> grid, block;
  std::vector<int> registers;                               // per thread
  std::vector<std::int64_t> shared_static, shared_dynamic;  // bytes per block
  // What it belongs to: as its name says, or, for code that implementations share and for the
  // products of a standard call, the implementation of its call. none: not part of cuDNN's RNN
  // code, or not known.
  std::vector<model::Implementation> family;
  std::vector<KernelRole> role;
  std::size_t size() const { return start_ns.size(); }
};

enum class MemoryOperation { copy, set };
std::string_view to_string(MemoryOperation operation);
struct TransferTable {  // memcpy and memset, sorted by start
  std::vector<std::int64_t> start_ns, end_ns, bytes, correlation;
  std::vector<MemoryOperation> operation;
  std::vector<int> kind;  // CUpti_ActivityMemcpyKind for copies, 0 for sets
  std::vector<int> call, device, stream, process;
  std::size_t size() const { return start_ns.size(); }
};

struct ApiTable {  // CUDA runtime and driver calls, sorted by start
  std::vector<std::int64_t> start_ns, end_ns, correlation, thread;
  std::vector<int> name, call, process;  // name: index into strings
  std::vector<bool> driver;
  std::vector<int> result;
  std::size_t size() const { return start_ns.size(); }
};

struct AllocationTable {  // device memory events, sorted by time
  std::vector<std::int64_t> time_ns, bytes, address, correlation;
  std::vector<bool> release;
  std::vector<int> call, device, process;  // call: index into Profile::calls it happened in, or -1
  std::size_t size() const { return time_ns.size(); }
};

// The number that a program gave an NVTX range or mark. An unsigned one is used only beyond the
// largest signed one, so that equal numbers are equal payloads.
using NvtxPayload = std::variant<std::monostate, std::int64_t, std::uint64_t, double>;

struct NvtxTable {  // ranges and marks (end == start), sorted by start, the outer first
  std::vector<std::int64_t> start_ns, end_ns, thread;
  std::vector<int> name, domain;  // indices into strings
  std::vector<int> category;      // index into strings: its name, else its number; -1: none
  std::vector<int> color;         // ARGB or 0
  std::vector<NvtxPayload> payload;
  std::vector<int> depth;  // nesting on its thread, from 0
  std::vector<int> process;
  std::size_t size() const { return start_ns.size(); }
};

// What the tracer itself cost or lost, sorted by start.
struct OverheadTable {
  std::vector<std::int64_t> start_ns, end_ns;
  std::vector<int> kind;  // index into strings
  std::vector<int> process;
  std::size_t size() const { return start_ns.size(); }
};

// Hardware counters of a whole device over short intervals, sampled while programs ran as they
// would have run anyway; sorted by start, then metric. A value is an average over its interval, in
// the metric's own unit (percent for names that end in "pct").
struct CounterTable {
  std::vector<std::int64_t> start_ns, end_ns;
  std::vector<int> device, process;  // process: whose plugin took it
  std::vector<int> metric;           // index into strings: its name in CUPTI
  std::vector<double> value;
  std::size_t size() const { return start_ns.size(); }
};

// The name that a program gave to one of its threads (NVTX).
struct ThreadName {
  int process = -1;
  std::int64_t thread = 0;
  int name = -1;  // index into strings

  bool operator==(const ThreadName&) const = default;
};

// The name that a program gave to one of its GPUs or to a stream on it (NVTX).
struct ResourceName {
  int process = -1;
  int device = -1;  // index into Profile::devices
  int stream = -1;  // as in KernelTable; -1: the GPU itself
  int name = -1;    // index into strings

  bool operator==(const ResourceName&) const = default;
};

enum class NoteSeverity { info, warning, error };
std::string_view to_string(NoteSeverity severity);
// The code of a note whose text, several lines, is the exception that ended a Python program.
inline constexpr const char* program_exception = "program-exception";
// Something the reader of a profile must know: records dropped, counters not permitted, clocks that
// changed.
struct Note {
  NoteSeverity severity = NoteSeverity::info;
  std::string code;  // "records-dropped", stable
  std::string text;
  std::int64_t count = 0;
};

struct ClockSample {
  std::string when;  // "start", "end"
  int device = 0;
  int sm_mhz = 0, memory_mhz = 0, temperature_c = 0, power_mw = 0;
};

struct Environment {
  std::string rnnadvisor_version;
  std::string command_line;
  std::string host;  // host name
  std::string operating_system;
  std::string cpu;
  std::string created;                                    // ISO 8601, UTC
  std::string driver_version;                             // "580.159.04"
  std::string cuda_driver_version, cuda_runtime_version;  // "13.0"
  std::string cudnn_version;                              // "9.19.0"
  std::string cupti_version;
  std::string cudnn_path, cupti_path;
  std::string framework, framework_version;
  bool tracing = false;   // kernels were recorded
  bool counters = false;  // hardware counters were permitted and read
  std::vector<ClockSample> clocks;
};

// A figure of the guide that this profile reproduces: how to plot it and what the document says of
// it.
struct Figure {
  std::string id;  // "guide-figure-10a"
  std::string title;
  std::string x_key;       // configuration field on the x axis
  std::string series_key;  // configuration field that separates the lines
  std::string measure;     // "training_ms", "forward_training_ms", "tflops", …
  std::string statement;   // what the document says, in our own words
  std::string source;
  std::vector<std::string> configuration_ids;  // which configurations belong to it; empty: all
};

struct Profile {
  Environment environment;
  std::vector<DeviceSpec> devices;
  std::vector<Configuration> configurations;
  std::vector<Process> processes;
  std::vector<RnnCall> calls;
  std::vector<CallArguments> call_arguments;
  std::vector<CallSite> call_sites;
  std::vector<SetupCall> setup_calls;
  KernelTable kernels;
  TransferTable transfers;
  ApiTable api;
  AllocationTable allocations;
  NvtxTable nvtx;
  OverheadTable overhead;
  CounterTable counters;
  std::vector<ThreadName> thread_names;
  std::vector<ResourceName> resource_names;
  std::vector<Note> notes;
  std::vector<Figure> figures;
  std::vector<Experiment> experiments;
  std::vector<std::string> strings;

  const std::string& text(int string_index) const;

  // The names that the program gave; empty: none. Any numbers may be asked for. Look through all of
  // the names: for what is written once for a thread or a stream.
  const std::string& thread_name(int process, std::int64_t thread) const;
  const std::string& stream_name(int process, int device, int stream) const;
  const std::string& device_name(int process, int device) const;  // process -1: the first's
};

}  // namespace rnnadvisor
