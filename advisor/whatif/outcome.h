// From what the experimenter answers to a trial with a verdict.
#pragma once

#include "advisor/whatif/search.h"

namespace rnnadvisor::advisor {

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
