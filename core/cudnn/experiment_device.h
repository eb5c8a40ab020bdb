// A Program on a GPU: its memory, its cuDNN calls, its results. Private to core/cudnn.
//
// One stream, one thread. Nothing here is undone when a call fails: the object is then only good
// for its destructor.
#pragma once

#include <map>
#include <memory>

#include "core/cudnn/experiment_tensors.h"
#include "core/cudnn/experiment_timing.h"
#include "core/cudnn/problem.h"

namespace rnnadvisor::experiment {

class DeviceProgram {
 public:
  // `dropout`: the probability and seed of what the program does between its calls.
  DeviceProgram(const CudnnApi& api, cudnnHandle_t handle, cudaStream_t stream, Program program,
                const RnnConfig& dropout);
  ~DeviceProgram();
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  // Descriptors and sizes: what cuDNN thinks of every call. Allocates nothing but the small states
  // of dropout.
  Attempt<void> measure();
  // After measure(): what allocate() will take, and what it is made of for people.
  MemoryShare need() const;
  std::int64_t memory_bytes() const;  // weights, workspace and reserve space

  // Takes the memory. `workspace` is of need().workspace bytes at least and is used by many.
  Attempt<void> allocate(void* workspace);
  // The original's data and weights in this program's form, and zero wherever they do not reach.
  Attempt<void> upload(const RnnConfig& before, const Data& data);
  // Random numbers everywhere, for what has no data.
  Attempt<void> fill(std::uint64_t seed);

  // Records the calls of a scope; launch() of that scope then launches the graph.
  Attempt<void> capture(ExperimentScope scope);

  // Outside of what is timed: gradients to zero.
  Attempt<void> prepare(ExperimentScope scope);
  // Enqueues everything that a scope does.
  Attempt<void> launch(ExperimentScope scope);
  // Waits for the stream.
  Attempt<void> finish();

  // Runs a scope over poisoned outputs and reads them in the original's form; anything that was not
  // written or is not finite is a failure. Only that they are finite is looked at where the program
  // has no transfers; nothing where not `read`.
  Attempt<Outputs> check(ExperimentScope scope, const RnnConfig& before, bool read);

 private:
  // What dropout between two calls keeps for its way back.
  struct Mask {
    cudnnTensorDescriptor_t shape = nullptr;
    std::int64_t at = 0, bytes = 0;
  };
  Attempt<void> measure_call(const PlannedCall& call);
  Attempt<void> measure_between();
  Attempt<cudnnTensorDescriptor_t> flat(std::int64_t elements);
  void lay_out();
  void bind(std::size_t call, void* workspace);
  Attempt<void> run(const std::vector<Operation>& list, Phase phase);
  Attempt<void> run_all(ExperimentScope scope);
  Attempt<void> copy(const Copy& copy);
  Attempt<void> add(const Copy& copy);
  Attempt<void> drop(const Operation& operation, Phase phase);
  Attempt<void> checked(cudnnStatus_t status, const char* what) const;
  Attempt<void> read_values(ExperimentScope scope, const RnnConfig& before, Outputs& outputs);
  Attempt<void> all_finite_without_data(ExperimentScope scope);
  void* address(Place place) const;
  DeviceBuffer slot(std::size_t slot) const;
  DeviceBuffer weights(std::size_t space) const;
  DeviceBuffer gradients(std::size_t space) const;
  // The first call that has these weights.
  std::size_t owner(std::size_t space) const;

  const CudnnApi& api_;
  cudnnHandle_t handle_;
  cudaStream_t stream_;
  Program program_;
  RnnConfig dropout_;
  DataType type_;
  std::int64_t element_;                               // bytes
  std::vector<std::unique_ptr<RnnProblem>> problems_;  // by call
  std::vector<std::int64_t> weight_bytes_;             // by weight space
  // Where things are in memory_, in bytes.
  std::vector<std::int64_t> slot_at_, weights_at_, gradients_at_, reserve_at_;
  std::int64_t own_ = 0, workspace_ = 0, reserve_ = 0;
  DeviceBuffer memory_;
  std::vector<Mask> masks_;
  DeviceBuffer dropout_states_;
  cudnnDropoutDescriptor_t dropout_descriptor_ = nullptr;
  std::map<std::int64_t, cudnnTensorDescriptor_t> flats_;  // by elements
  std::map<ExperimentScope, cudaGraphExec_t> graphs_;
};

}  // namespace rnnadvisor::experiment
