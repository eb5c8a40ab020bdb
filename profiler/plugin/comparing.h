// Compares the results of each candidate of a kind with those of the program's own algorithm, on
// its calls as they come (comparison.h). One comparison at a time in the process. None of these
// with the lock of call_kinds.h held.
#pragma once

#include <cuda.h>

#include "profiler/plugin/capture.h"
#include "profiler/plugin/cudnn_library.h"

namespace rnnadvisor::plugin {

// After a forward call with the program's own algorithm, of a kind whose choice has not fallen.
void compare_forward(CudnnLibrary& library, const Arguments& arguments,
                     const spool::Configuration& c, int kind, CUstream stream);
// After its backward calls; `phase` 1: of the data, 2: of the weights. A call of another length
// than the compared forward call leaves everything as it is; a kind may have several lengths.
void compare_backward(const Arguments& arguments, const spool::Configuration& c, int kind,
                      std::size_t phase, CUstream stream);
// After a forward call of a kind whose choice has fallen on another algorithm: compares its results
// again. Where they differ the choice is withdrawn.
void check_forward(CudnnLibrary& library, const Arguments& arguments, const spool::Configuration& c,
                   int kind, CUstream stream);
// Takes the result of a comparison that the device has finished. True: it ended a check.
bool poll_comparison();

void comparing_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
