// RnnRunner: runs any configuration cuDNN accepts, on one GPU: descriptors, sizes, memory forecast,
// random data, timing, output checks, comparison with the float64 reference. One object per device
// and thread; not thread-safe. Needs a GPU and cuDNN; both absent are Errors of create().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/rnn_config.h"
#include "core/cudnn/run_options.h"
#include "core/cudnn/run_result.h"

namespace rnnadvisor {

class RnnRunner {
 public:
  // Takes the CUDA device `ordinal`, its primary context and a stream. Loads cuDNN.
  static Result<std::unique_ptr<RnnRunner>> create(int ordinal);
  ~RnnRunner();

  // Descriptors, sizes, the out-of-memory forecast, allocation, random inputs, and one checked
  // execution of every phase the mode asks for. Everything met goes into `report`. True: ready for
  // time() and launch(). False: this configuration ends here (refused, too large, failed, or sizes
  // only).
  bool prepare(const RnnConfig& config, const RunOptions& options, RunReport& report);

  // Phases of the prepared configuration that ran.
  const std::vector<Phase>& phases() const;

  // Times them; the report gets the timings or the failure.
  void time(const RunOptions& options, RunReport& report);

  // Enqueues one call of a phase, for a traced or counted pass. Backward phases need a
  // forward_training before them.
  Result<void> launch(Phase phase);
  Result<void> synchronize();

  // Compares outputs and gradients with the reference; does nothing but say so for sizes that would
  // take minutes on the CPU.
  void compare_with_reference(RunReport& report);

  // Frees the configuration's memory.
  void release();

  std::string cudnn_version() const;
  std::string cudnn_path() const;
  int ordinal() const;

 private:
  struct State;
  explicit RnnRunner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rnnadvisor
