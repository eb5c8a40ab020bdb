// The command's side of `rnnadvisor try --change`. Code of ours in the program asks in a folder
// what to change in each RNN layer, and says there what came of it
// (advisor/whatif/torch/rnnadvisor_torch/in_program.py has the files).
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/cli/judging.h"
#include "advisor/whatif/candidates.h"
#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::cli {

// What came of the change of a layer, or of several alike.
struct ChangedLayer {
  RnnConfig config;        // its call, as PyTorch's module has it
  std::string name;        // "LSTM 2x1000 half B32 T50"
  std::string site;        // "train.py:31"; empty: not known
  std::string change;      // "hidden size padded to a multiple of 128"; empty: none was found
  std::string transforms;  // the same as Experiment::transforms
  bool changed = false;    // it took part in the steps that were timed
  std::string reason;      // why not
  double error = -1;       // relative L2 of the tensor that moved furthest; below 0: not compared
  double limit = 0;        // that it may have
  std::string tensor;      // "dx"
  std::string file, code;  // the module to put in the layer's place; empty: a setting alone
  int layers = 1;
};

class ProgramChanges {
 public:
  struct Options {
    advisor::ProposeOptions propose;  // with `only`: that change
    DeviceSpec device;                // where the program's GPU is not one that ships
  };
  // Writes into `folder` what the program's Python loads, and answers its questions from a thread
  // until finish(). `python_path`: what PYTHONPATH is without us. Without cards to judge by: every
  // error of `judging` before.
  static Result<std::unique_ptr<ProgramChanges>> start(const Context& context,
                                                       const std::string& folder,
                                                       const std::string& python_path,
                                                       Judging judging, Options options);
  ~ProgramChanges();
  ProgramChanges(const ProgramChanges&) = delete;
  ProgramChanges& operator=(const ProgramChanges&) = delete;

  // NAME=VALUE for the program.
  const std::vector<std::string>& variables() const { return variables_; }
  // After the program's end. Layers that are alike are one.
  std::vector<ChangedLayer> finish();

 private:
  ProgramChanges(const Context& context, const std::string& folder, Judging judging,
                 Options options);
  void answer_all();
  std::string answer_to(const std::string& question) const;

  const Context& context_;
  const std::string questions_;  // a folder
  std::vector<std::string> variables_;
  const Judging judging_;
  const Options options_;
  std::jthread thread_;
};

// The change in words (--change); empty: what `advise` would try first. `numerics`: also with other
// rounding.
Result<ProgramChanges::Options> change_options(const Context& context, const std::string& change,
                                               bool numerics);

// The modules of changed layers, each once, below `folder`; how many. Files that exist and differ
// are an error unless `force`.
Result<int> write_changed_modules(const std::vector<ChangedLayer>& layers,
                                  const std::string& folder, bool force);

}  // namespace rnnadvisor::cli
