#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/change/compose.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::advisor {

// Changes of a configuration that could help, and the cuDNN calls that they make of it.
struct Candidate {
  std::vector<Transform> transforms;  // in the order in which they are applied
  Meaning meaning = Meaning::exact;   // the worst of its parts
  ExperimentVariant variant;
  std::string rule;         // whose suggestion it is; empty: found by searching
  double expected = 0;      // speedup that is hoped for; 0: nothing says
  std::string expected_by;  // where that is from, "estimate: lower bounds of the model"
  std::optional<model::TimePrediction> time;  // predicted, of its calls; none with a CUDA graph
  std::string note;                           // "PyTorch then picks persist_static", may be empty
};

// Which candidates are wanted.
struct ProposeOptions {
  bool padded = true, numerics = true;  // changes of this meaning are allowed
  bool model = false;                   // another model needs the user's consent
  std::string rule;                     // only what this rule suggests; empty: everything
  // Only this change, whatever is expected of it: with `rule` where that rule fires. Empty:
  // everything.
  std::vector<Transform> only;
  std::size_t most = 24;  // candidates that are kept, the most promising
  // Times on the device, where it was calibrated; empty: the lower bounds have to do.
  model::PredictTime predict = {};
  // Of the configuration itself, where `predict` was asked already.
  std::optional<model::TimePrediction> now = {};
};

}  // namespace rnnadvisor::advisor
