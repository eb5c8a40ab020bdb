// What every hook of a cuDNN function does around it.
#pragma once

#include <cuda.h>

#include "profiler/plugin/acceleration.h"
#include "profiler/plugin/capture.h"
#include "profiler/plugin/cudnn_library.h"
#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {

// A call that runs something. Everything is read after the call has returned, so that its kernels
// are on their way while we look.
struct Execution {
  std::uint64_t id;
  CUstream stream;
  bool inside, traced;  // the capture range; CUPTI
  bool begins_step;
  int timed;  // of events.h, -1: not
  std::int64_t start_ns;
};
// `wanted`: it is recorded where calls are.
Execution begin_execution(CudnnLibrary& library, spool::Entry entry, const Arguments& arguments,
                          bool wanted);
void end_execution(CudnnLibrary& library, spool::Entry entry, const Arguments& arguments,
                   const Execution& execution, cudnnStatus_t status);

// `run` calls cuDNN with the descriptor and the workspace that it is given.
template <typename Run>
cudnnStatus_t execute(CudnnLibrary& library, spool::Entry entry, const Arguments& arguments,
                      Run run) {
  const Scope scope;
  const RunWith own = as_asked(arguments);
  if (!scope.outermost() || !ready()) return run(own);
  AcceleratedCall call(library, entry, arguments);
  const Execution execution = begin_execution(library, entry, arguments, !call.is_trial());
  call.begin();
  cudnnStatus_t status = run(call.runs_with());
  if (call.again(status)) status = run(own);
  call.end(status);
  // It is recorded as it ran.
  Arguments ran = arguments;
  ran.rnn = call.runs_with().rnn;
  end_execution(library, entry, ran, execution, status);
  return status;
}

// A call that only describes: counted, and kept when it is refused.
std::int64_t begin_setup(CudnnLibrary& library, spool::Entry entry);
// `asked`: what a descriptor should have become, written from the arguments since a refused value
// is in no descriptor; null: the descriptors of the arguments are read back. `id`: the call's,
// where it has one already.
void keep_setup(CudnnLibrary& library, spool::Entry entry, const Arguments& arguments,
                const spool::Configuration* asked, std::int64_t start_ns, cudnnStatus_t status,
                std::uint64_t id = 0);

template <typename Run>
cudnnStatus_t setup(CudnnLibrary& library, spool::Entry entry, const Arguments& arguments,
                    bool always, Run run) {
  const Scope scope;
  if (!scope.outermost() || !ready()) return run();
  const std::int64_t start = begin_setup(library, entry);
  const cudnnStatus_t status = run();
  if (status != CUDNN_STATUS_SUCCESS || always)
    keep_setup(library, entry, arguments, nullptr, start, status);
  return status;
}

// A call whose launches belong to no call of the program: it is marked as such, and always
// kept.
struct Search {
  std::uint64_t id;
  CUstream stream;
  bool traced;
  std::int64_t start_ns;
};
Search begin_search(CudnnLibrary& library, const Arguments& arguments);
void end_search(CudnnLibrary& library, const Arguments& arguments, const Search& search,
                cudnnStatus_t status);

template <typename Run>
cudnnStatus_t search(CudnnLibrary& library, const Arguments& arguments, Run run) {
  const Scope scope;
  if (!scope.outermost() || !ready()) return run();
  const Search begun = begin_search(library, arguments);
  const cudnnStatus_t status = run();
  end_search(library, arguments, begun, status);
  return status;
}

// A call that fills a descriptor; `known` says which part of the configuration.
template <typename Run>
cudnnStatus_t describing(CudnnLibrary& library, spool::Entry entry, spool::Configuration asked,
                         std::uint32_t known, Run run, const char* function = nullptr) {
  const Scope scope;
  if (!scope.outermost() || !ready()) return run();
  const std::int64_t start = begin_setup(library, entry);
  const cudnnStatus_t status = run();
  if (status == CUDNN_STATUS_SUCCESS) return status;
  asked.known = known;
  Arguments none;
  none.function = function;
  keep_setup(library, entry, none, &asked, start, status);
  return status;
}

}  // namespace rnnadvisor::plugin
