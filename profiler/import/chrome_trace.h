// Reading Chrome's trace events in JSON, one event after the other, so that memory does not grow
// with the file. The format: "Trace Event Format",
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU; what Kineto
// writes in it: libkineto/src/output_json.cpp of pytorch/kineto.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace rnnadvisor::import_trace {

// An argument of an operator, as torch.profiler's record_shapes notes it.
struct TraceArgument {
  std::vector<std::int64_t> dims;  // of a tensor
  std::int64_t tensors = 0;        // of a list of tensors: how many
};

// One event. Numbers that are not there, or are texts, are -1; what an importer has no use for is
// not kept.
struct TraceEvent {
  char phase = 0;  // 'X': complete, 'M': metadata
  std::string category, name;
  std::int64_t start_ns = -1, duration_ns = -1;  // on the clock of the file
  std::int64_t process = -1, thread = -1;

  // Of "args":
  std::int64_t external_id = -1, correlation = -1, sequence_number = -1;
  std::int64_t device = -1, stream = -1, bytes = -1, registers = -1, shared_memory = -1;
  std::array<std::int64_t, 3> grid{}, block{};
  std::string argument_name;        // "name", of metadata
  std::string module, details;      // of XLA: "hlo_module"; "kernel_details" and those of copies
  std::vector<std::string> inputs;  // "Concrete Inputs"
  std::vector<std::string> types;   // "Input type"
  std::vector<TraceArgument> arguments;  // "Input Dims"

  void clear();  // memory is kept
};

// How much of an event is of use.
enum class Wanted { no, without_args, all };

struct TraceDevice {
  std::int64_t id = -1;
  std::string name;
  std::int64_t memory_bytes = 0, compute_major = 0, compute_minor = 0, sm_count = 0;
  std::int64_t shared_per_block = 0, shared_per_sm = 0, registers_per_sm = 0;
};

// What stands beside the events.
struct TraceHeader {
  std::vector<TraceDevice> devices;
  std::int64_t base_ns = 0;  // to be added to the times of events
  std::int64_t rank = -1, world_size = -1;
  std::int64_t driver_version = -1, runtime_version = -1, cupti_version = -1;  // 13000
  bool record_shapes = false, with_stack = false;
  // "deviceProperties", or another key that no other tool's trace has.
  bool by_kineto = false;
};

struct TraceReading {
  // Gives the next bytes, 0 at the end.
  std::function<std::size_t(char* into, std::size_t bytes)> read;
  // The header as far as it was met. False ends the reading.
  std::function<bool(const TraceEvent&, const TraceHeader&)> event;
  // May be empty. Asked when phase, category or name of an event became known, which come first as
  // a rule; others of the three are then still empty. What is not wanted is passed over, and
  // `event` is not called for an event that is not.
  std::function<Wanted(const TraceEvent&)> wanted;
  std::size_t buffer_bytes = 1U << 18U;
};

struct TraceRead {
  TraceHeader header;
  std::int64_t events = 0;
  bool stopped = false;  // by `event`
  // Why the rest was not read: "it ends in the middle, at byte 4711"; empty: all was read.
  std::string cut_off;
};

// Never fails: what comes before a mistake is read. No JSON at all is a mistake at its first byte.
TraceRead read_chrome_trace(const TraceReading& reading);

}  // namespace rnnadvisor::import_trace
