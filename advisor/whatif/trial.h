// A candidate that was tried: from what the experimenter answers to a verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advisor/whatif/candidate.h"
#include "core/cudnn/experiment_data.h"
#include "profiler/profile/experiment.h"

namespace rnnadvisor::advisor {

// One candidate and what became of it.
struct Trial {
  int configuration = -1;  // index into Profile::configurations
  Candidate candidate;
  Outcome outcome = Outcome::not_run;
  ExperimentVerdict verdict = ExperimentVerdict::not_run;
  std::string message;  // why it was not run, or what must be known of it
  std::vector<ExperimentTiming> timings;
  std::vector<TensorShift> shifts;
  std::int64_t memory_before = -1, memory_after = -1;  // bytes
  double seconds = 0;                                  // its share of the time
  GpuClocks clocks_before, clocks_after;               // of the rounds that count
  bool full = false;                                   // measured with the full protocol
  bool moved = false;  // its results are not those that its meaning promises
};

// `request` and `result` are of one configuration, `variant` says which of its variants this trial
// is. The verdict follows verdict_of(); results that moved further than the meaning allows are
// never confirmed, whatever the time; where the original does not run and the variant does, that is
// what was asked for; where it does not run, `message` says why.
void take_result(Trial& trial, const RnnConfig& before, const ExperimentResult& result,
                 std::size_t variant);

// Per sequence where the change is another batch size: the same samples, the speedup and its
// interval times the ratio of the sizes.
void per_sequence(std::vector<ExperimentTiming>& timings, int before, int after);

// "out of memory: …", for people.
std::string describe(Outcome outcome, const std::string& message);

}  // namespace rnnadvisor::advisor
