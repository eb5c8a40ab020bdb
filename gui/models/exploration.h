// Exploration: everything that can be said of a configuration on a device without running it, quick
// enough to follow a slider.
#pragma once

#include <vector>

#include "core/config/read_config.h"
#include "core/config/validate.h"
#include "core/model/cost.h"
#include "core/model/gemm.h"
#include "core/model/map.h"
#include "core/model/memory.h"
#include "core/model/time_prediction.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

struct ExploredPhase {
  Phase phase = Phase::forward_training;
  model::PhaseCost cost;
  model::Bound bound;
  std::vector<model::Gemm> gemms;
  std::optional<model::TimePrediction> predicted;  // absent: not known
};

// What a profile measured of a configuration.
struct Measured {
  std::string verdict;  // of its report
  QString profile;
  std::vector<std::pair<Phase, double>> ms;  // by phase, of one call
  double sum_ms = 0;
  bool traced = false;  // of some phase no time without tracing is known
};

struct Exploration {
  DocumentPointer document;  // a profile of this configuration, judged
  std::vector<Violation> violations;
  std::vector<ExploredPhase> phases;  // those of its mode
  double bound_ms = 0;                // sum over the phases
  // A change may make several calls of one. Then `document` is that of the first, and phases,
  // bound_ms, predicted and memory are sums over all of them.
  int calls = 1;
  // What each needs, summed: no less than what all need together, which may share a workspace.
  model::MemoryNeed memory;
  // Sum over the phases; absent where one is not known.
  std::optional<model::MapTime> predicted;
  std::optional<Measured> measured;  // by the profile that is open
  // The program around it leaves the choice to its framework, report().framework, which chooses
  // config().algo.
  bool framework_chooses = false;
  const advisor::ConfigurationReport& report() const {
    return document->report().configurations.front();
  }
  const RnnConfig& config() const { return report().configuration->config; }
  const DeviceSpec& device() const { return document->profile().devices.front(); }
};

// `predict` may be empty: no times. `more`: further calls that are made with that of `input`, in
// the same program.
Exploration explore(const ConfigInput& input, const DeviceSpec& device,
                    std::shared_ptr<const advisor::RuleSet> rules,
                    const model::PredictTime& predict = {},
                    const std::vector<RnnConfig>& more = {});

// Of the first configuration of the profile that is this one, on this device, with a time of every
// phase; nothing where there is none.
std::optional<Measured> measured_in(const Document& profile, const Exploration& exploration);

}  // namespace rnnadvisor::gui
