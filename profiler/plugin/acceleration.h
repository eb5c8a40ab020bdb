// Runs the program's RNN calls with the fastest algorithm whose results are right (RNNADVISOR_
// ACCELERATE). A call is of one kind with others that differ in nothing but the algorithm and, by
// less than half, the length of the sequences. For each kind:
//   1. each algorithm that cuDNN takes is compared on a real call (comparison.h);
//   2. calls alternate between the program's own and those whose results are right, and are timed;
//   3. the fastest is used from then on (choice.h);
//   4. its results are compared again now and then, and whole steps are timed with and without it
//      (steps.h): either can put an end to it.
// The backward pass must have the algorithm of its forward pass, and reserves are cloned, moved and
// used twice: so the size of reserve that cudnnGetRNNTempSpaceSizes reports names the algorithm. A
// reserve of any other size belongs to a call with the program's own.
// Threads: any. Errors of CUDA or cuDNN end in the program's own algorithm.
#pragma once

#include <cuda.h>

#include <optional>

#include "profiler/plugin/capture.h"
#include "profiler/plugin/cudnn_library.h"
#include "profiler/plugin/variant_descriptor.h"

namespace rnnadvisor::plugin {

// After cudnnGetRNNTempSpaceSizes succeeded for the program: raises what it answered to what every
// algorithm needs that the call may run with. Either pointer may be null.
void accelerate_sizes(CudnnLibrary& library, const Arguments& arguments, std::size_t* workspace,
                      std::size_t* reserve);

// What a call runs with: the program's own, or ours.
struct RunWith {
  cudnnRNNDescriptor_t rnn;
  std::size_t workspace_bytes;
  void* workspace;
};
RunWith as_asked(const Arguments& arguments);

// One execution call, from before it runs to after.
class AcceleratedCall {
 public:
  AcceleratedCall(CudnnLibrary& library, spool::Entry entry, const Arguments& arguments);
  AcceleratedCall(const AcceleratedCall&) = delete;
  AcceleratedCall& operator=(const AcceleratedCall&) = delete;

  RunWith runs_with() const;
  // It runs with another algorithm to find out how fast that is: this says nothing of
  // what the program does otherwise.
  bool is_trial() const { return trial_ && ours_; }
  void begin();  // right before
  // Right after. True: cuDNN refused our algorithm and did nothing; it is to be run again, now with
  // the program's own descriptor.
  bool again(cudnnStatus_t status);
  void end(cudnnStatus_t status);

 private:
  void choose_forward(const spool::Configuration& configuration);
  void choose_backward();
  bool substitute(int code);
  void borrow_workspace(std::size_t bytes);
  void compare(bool again);
  void see_step(bool training) const;
  void keep(spool::Kept why);
  void keep_undecided();

  CudnnLibrary& library_;
  const Arguments& arguments_;
  std::size_t phase_ = 0;
  int kind_ = -1;              // -1: none of ours
  std::uint32_t variant_ = 0;  // 0: the program's own
  bool capturing_ = false, suited_ = false, measured_ = false, trial_ = false;
  bool bound_ = false;  // by its reserve: it runs with this algorithm, or fails
  int timing_ = -1;
  std::uint64_t stands_for_ = 1;  // calls, where most pass unseen
  std::int32_t steps_ = 0;
  CUstream stream_ = nullptr;
  std::optional<VariantDescriptor> ours_;
  CUdeviceptr borrowed_ = 0;  // a workspace of ours, where the program's is too small
  std::size_t borrowed_bytes_ = 0;
};

void acceleration_finish();    // writes what was chosen; at the end of the process
void acceleration_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
