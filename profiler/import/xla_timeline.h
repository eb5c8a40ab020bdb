// The events of one profile of XLA as records of a profile, from either of its files: xplane.cpp
// and xla_trace.cpp hand them over one by one, finish() makes the RNN calls once all are there.
// Names of stats and lines: xla/backends/profiler/gpu/cupti_collector.cc and
// xla/tsl/profiler/utils/xplane_schema.cc of github.com/openxla/xla.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/import/imported_profile.h"
#include "profiler/import/xla_module.h"

namespace rnnadvisor::import_trace {

struct XlaEvent {
  std::string_view name;
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t correlation = -1;  // -1: none
  std::int64_t scope = 0;         // scope_range_id: one execution of an operation; 0: none
  // Of a GPU:
  int device = -1;  // index in the profile
  std::int64_t stream = -1;
  std::string_view kernel, copy, set;  // kernel_details, memcpy_details, Memset_details
  std::string_view module, op;         // hlo_module, hlo_op
  std::uint64_t program = 0;           // program_id
  // Of the host:
  std::int64_t thread = 0;
  std::int64_t step = -1;  // step_num of a jax.profiler.StepTraceAnnotation
};

class XlaTimeline {
 public:
  // `host`: where it ran, as far as it is known.
  XlaTimeline(ImportedProfile& profile, std::string host)
      : profile_(profile), host_(std::move(host)) {}

  // Before the events: what was compiled, and with which release of JAX, if that is known.
  void know(std::vector<XlaRnnCall> calls, std::string jax_version);
  void set_pid(std::int64_t pid) { pid_ = pid; }
  // Before its events. The index in the profile.
  int add_device(std::int64_t number, DeviceSpec known);
  void take_gpu(const XlaEvent& event);
  void take_host(const XlaEvent& event);
  void finish();

  std::int64_t gpu_records() const { return gpu_records_; }
  // RNN calls with a descriptor that is not there, or cannot be read.
  std::int64_t unknown_calls() const { return unknown_calls_; }

 private:
  struct Launch {
    std::int64_t thread = 0, start_ns = 0, end_ns = 0;
  };
  // What an RNN operation ran on a GPU.
  struct Part {
    int known = -1, device = -1;
    std::int64_t correlation = 0;
    std::int64_t execution = 0;  // equal: of one execution of the operation
    bool kernel = false;
    // What cuDNN's kernels do with the layout, and those of backward weights.
    enum class Mark : std::uint8_t { none, output, input, weights } mark = Mark::none;
    bool unequal = false;  // cuDNN's kernel for sequences of unequal lengths
    Launch launch;         // where the file has none: when it ran
  };
  struct Range {
    std::int64_t start_ns = 0, end_ns = 0;
  };
  using Parts = std::vector<Part>;

  int process();
  int known_of(const XlaEvent& event) const;
  void take_part(const XlaEvent& event, int device);
  // The execution of its operation on the host that was under way; null: not in the file.
  const Range* around(const Part& part) const;
  void sort_parts();
  void add_execution(Parts::const_iterator first, Parts::const_iterator last);
  int add_call(const Part& part, Phase phase, Range host, int forward);
  void mark_steps();

  ImportedProfile& profile_;
  std::string host_, jax_version_;
  std::int64_t pid_ = -1;
  int process_ = -1;
  bool jax_ = false;
  std::int64_t gpu_records_ = 0, unknown_calls_ = 0, unknown_lengths_ = 0, other_events_ = 0;
  std::map<std::int64_t, int> devices_;  // by number

  std::vector<XlaRnnCall> known_;
  std::vector<int> layer_of_;  // of each of known_: equal for calls of equal configuration
  std::map<std::string, std::vector<int>, std::less<>> known_by_name_;  // of the operation
  Parts parts_;
  std::unordered_map<std::int64_t, Launch> launches_;  // by correlation
  // When the host executed RNN operations, by thread and name.
  std::map<std::pair<std::int64_t, std::string>, std::vector<Range>> executed_;
  // Forward calls without a backward call, by layer and GPU: the last one is the next's.
  std::map<std::pair<int, int>, std::vector<int>> open_;
  std::vector<std::pair<std::int64_t, int>> forwards_;  // start and index
  std::vector<Range> steps_;
};

}  // namespace rnnadvisor::import_trace
