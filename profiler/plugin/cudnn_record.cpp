#include "profiler/plugin/cudnn_record.h"

#include <atomic>

#include "profiler/plugin/call_site.h"
#include "profiler/plugin/capture_range.h"
#include "profiler/plugin/counters.h"
#include "profiler/plugin/cupti.h"
#include "profiler/plugin/device_memory.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/events.h"
#include "profiler/plugin/frameworks.h"
#include "profiler/plugin/program_steps.h"

namespace rnnadvisor::plugin {
namespace {

using spool::Entry;

std::atomic<std::uint64_t> next_call{0};

std::uint64_t new_id() { return next_call.fetch_add(1, std::memory_order_relaxed) + 1; }

void count(Entry entry) {
  writer().header().entries[static_cast<std::size_t>(entry)].fetch_add(1,
                                                                       std::memory_order_relaxed);
}

std::uint32_t reason_of(cudnnStatus_t status) {
  const char* text = reason();
  return status == CUDNN_STATUS_SUCCESS || *text == 0 ? 0 : writer().intern(text);
}

CUstream stream_of(const CudnnLibrary& library, cudnnHandle_t handle) {
  cudaStream_t stream = nullptr;
  if (library.cudnnGetStream != nullptr && handle != nullptr)
    library.cudnnGetStream(handle, &stream);
  return stream;
}

void note_capture(CUstream stream, spool::Call& call) {
  const Driver* d = driver();
  if (d == nullptr) return;
  CUstreamCaptureStatus status{};
  if (d->cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
      status == CU_STREAM_CAPTURE_STATUS_NONE)
    return;
  call.flags |= spool::call_captured_in_graph;
  cuuint64_t id = 0;
  if (d->cuStreamGetCaptureInfo != nullptr &&
      d->cuStreamGetCaptureInfo(stream, &status, &id) == CUDA_SUCCESS)
    call.capture_id = id;
}

}  // namespace

Execution begin_execution(CudnnLibrary& library, Entry entry, const Arguments& arguments,
                          bool wanted) {
  introduce(library);
  describe_frameworks();
  // An entry point of cuDNN 8 is counted as such, whatever it runs.
  count(arguments.legacy ? Entry::legacy : entry);
  writer().header().calls.fetch_add(1, std::memory_order_relaxed);
  Execution e{};
  e.id = new_id();
  e.inside = wanted && settings().record_calls && in_range();
  if (e.inside) expect_call();
  if (e.inside && settings().trace_counters) counters_see(current_device());
  e.stream = e.inside ? stream_of(library, arguments.handle) : nullptr;
  e.begins_step =
      e.inside &&
      program_step_begins(
          {e.id, e.stream, current_device(), entry == Entry::forward, arguments.training,
           reinterpret_cast<std::uintptr_t>(arguments.at(spool::Pointer::weights))});
  e.traced = e.inside && mode() != spool::Mode::calls && cupti_begin(e.id);
  e.timed = e.inside && !e.traced ? events_begin(e.stream) : -1;
  forget_reason();
  e.start_ns = now_ns();
  return e;
}

void end_execution(CudnnLibrary& library, Entry entry, const Arguments& arguments,
                   const Execution& e, cudnnStatus_t status) {
  spool::Call call{};
  call.start_ns = e.start_ns;
  call.end_ns = now_ns();
  if (!e.inside) return;
  const std::uint32_t configuration = configuration_of(library, arguments);
  const bool keep = admit_call(configuration, entry == Entry::forward);
  if (e.traced) cupti_end(e.stream);
  events_end(e.timed, keep ? e.id : 0);
  if (!keep) return;
  call.id = e.id;
  call.entry = entry;
  call.configuration = configuration;
  call.status = status;
  call.reason = reason_of(status);
  call.thread = thread_id();
  call.device = current_device();
  call.stream = reinterpret_cast<std::uintptr_t>(e.stream);
  call.handle = reinterpret_cast<std::uintptr_t>(arguments.handle);
  if (e.timed >= 0) call.flags |= spool::call_timed;
  if (e.begins_step) call.flags |= spool::call_begins_step;
  if (!e.traced && cupti_is_inactive()) call.flags |= spool::call_untraced;
  note_capture(e.stream, call);
  describe(library, arguments, call);
  call.call_site = call_site(configuration);
  if (status != CUDNN_STATUS_SUCCESS) call.free_bytes = free_memory();
  writer().add(call, spool::Loss::calls);
  if (e.timed >= 0) events_collect(false);
}

std::int64_t begin_setup(CudnnLibrary& library, Entry entry) {
  introduce(library);
  count(entry);
  forget_reason();
  return now_ns();
}

Search begin_search(CudnnLibrary& library, const Arguments& arguments) {
  Search s{};
  s.id = new_id();
  const bool inside = in_range();
  s.stream = inside ? stream_of(library, arguments.handle) : nullptr;
  s.traced = inside && mode() != spool::Mode::calls && cupti_begin(s.id);
  s.start_ns = begin_setup(library, Entry::legacy);
  return s;
}

void end_search(CudnnLibrary& library, const Arguments& arguments, const Search& search,
                cudnnStatus_t status) {
  if (search.traced) cupti_end(search.stream);
  keep_setup(library, Entry::legacy, arguments, nullptr, search.start_ns, status, search.id);
}

void keep_setup(CudnnLibrary& library, Entry entry, const Arguments& arguments,
                const spool::Configuration* asked, std::int64_t start_ns, cudnnStatus_t status,
                std::uint64_t id) {
  spool::Call call{};
  call.id = id != 0 ? id : new_id();
  call.start_ns = start_ns;
  call.end_ns = now_ns();
  call.entry = entry;
  call.status = status;
  call.reason = reason_of(status);
  if (asked != nullptr) {
    call.configuration = write_configuration(*asked);
  } else if (arguments.rnn != nullptr) {
    call.configuration = configuration_of(library, arguments);
  }
  call.thread = thread_id();
  call.device = current_device();
  describe(library, arguments, call);
  call.call_site = call_site(call.configuration);
  writer().add(call, spool::Loss::calls);
}

}  // namespace rnnadvisor::plugin
