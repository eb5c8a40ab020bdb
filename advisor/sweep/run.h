// Running a sweep so that nothing is done twice and nothing is lost: what a file already has is not
// run again, partial results are saved while it runs and when it is interrupted. Everything happens
// on the calling thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "advisor/sweep/plan.h"
#include "profiler/run/run_configurations.h"

namespace rnnadvisor::advisor {

// Which configurations of a plan are still to be run, by index, given what an earlier profile has.
// A configuration that completed, was refused, or cannot fit is not run again; one that crashed,
// failed or was interrupted is. Equal configurations are matched one to one.
struct Resumption {
  std::vector<int> to_run;  // indices into the plan
  std::vector<int> kept;    // indices into the earlier profile's configurations: their results stay
  int in_plan = 0;          // how many of `kept` belong to the plan
};
Resumption plan_resumption(const SweepPlan& plan, const Profile* earlier);

// The results in the order of the plan; configurations of other plans come after. Figures of the
// plan replace those of equal id.
Profile arrange(const SweepPlan& plan, const Profile& results);

struct SweepRun {
  SweepPlan plan;
  RunRequest request;  // without configurations
  const Profile* earlier = nullptr;
  std::string path;  // where partial and final results go
  double save_every_seconds = 30;
  std::function<void(int finished, int total, const Configuration&)> on_progress;
};

// Runs what is missing with `run`, saves, and returns everything. Saving is part of it: when this
// returns a profile, the file has it.
Result<Profile> run_sweep(const SweepRun& sweep, const RunConfigurations& run);

}  // namespace rnnadvisor::advisor
