// What the numbers of an experiment say. Closed forms, no clock, no machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/change/change.h"
#include "core/cudnn/experiment_data.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

class ProfileIndex;

// confirmed: the whole interval of the speedup lies above 1 and above what the same comparison of
// the original with itself gave; refuted: below 1 and below that. Everything else, and numbers that
// are none, is inconclusive. A drift that moves the control moves the bar with it: a control of
// 1.02 to 1.05 lets 1.03 to 1.10 prove nothing.
ExperimentVerdict verdict_of(const ExperimentTiming& timing);

// The timing that decides: the training step of a configuration that trains, else the inference;
// where that was not taken, forward training, then any. Null without timings.
const ExperimentTiming* deciding_timing(const std::vector<ExperimentTiming>& timings, Mode mode);

// How far a tensor may move, as a relative norm, for what a change claims to be. Each side may be
// off the true result by what core/cudnn/tolerance.h allows it, so two right ones differ by the
// sum at most; an exact or padded change keeps the precision of the original. Infinite where
// another function is computed and there is nothing to compare.
double shift_tolerance(Meaning meaning, const RnnConfig& before, const RnnConfig& after,
                       std::string_view tensor);

// Nothing, or why the results of a trial are not those of the original: "dw moved by 0.31, …".
// A tensor that is further from the original than allowed is accepted where both were compared with
// the float64 reference and the changed one is within its own tolerance: then it was the original
// that was off. Not-a-number is always too far; a shift below 0 was not compared.
std::optional<std::string> moved_too_far(const std::vector<TensorShift>& shifts, Meaning meaning,
                                         const RnnConfig& before, const RnnConfig& after);

// moved_too_far() of an experiment that a profile holds; nothing also where its meaning is no word
// that is known.
std::optional<std::string> moved_too_far(const Profile& profile, const Experiment& experiment);

// Of what came of trying, the best first: confirmed, inconclusive, refuted, not run.
int rank(ExperimentVerdict verdict);

// "forward inference", "forward training", "training step", "program step": as gains name their
// scope.
std::string_view scope_words(ExperimentScope scope);

// The time of a whole step of the program, with the changes of all its layers at once; null where
// none was taken.
const ExperimentTiming* whole_step_timing(const Experiment& experiment);
// The time that decides: that of a whole step, else the one for the mode of the configuration; null
// without one.
const ExperimentTiming* deciding_timing(const Profile& profile, const Experiment& experiment);

// "the GPU began to throttle while this was measured: power cap": what kept its clocks down was not
// the same when the samples began and when they had been taken. Empty where it was, or where it is
// not known.
std::string throttle_change(const Experiment& experiment);

// How far results moved and by which: the tensor with the largest shift, null where none was
// compared.
const TensorShift* largest_shift(const std::vector<TensorShift>& shifts);

// How close to the program an experiment was made: 0 bare calls, 1 inside the framework, 2 in the
// program itself while it ran.
int closeness(const Experiment& experiment);
// Whether another experiment tried the same change of the same configuration on the same device
// closer to the program, inside the framework or in the program itself: what that showed counts, as
// it has the cost of launching in it. One that could not be run there decides nothing.
bool tried_in_framework(const Profile& profile, const Experiment& experiment);
// The same of two experiments: `other` was made closer to the program than `bare`.
bool in_framework_instead(const Experiment& other, const Experiment& bare);

// The fastest confirmed change of this meaning that a search found for a configuration, on the kind
// of GPU that the configuration has: an index into Profile::experiments. Nothing where a change
// that a rule suggested, or one whose meaning goes less far, was measured as fast, or where none
// has a time.
std::optional<int> found_by_search(const ProfileIndex& index, int configuration,
                                   std::string_view meaning);

// Of each device whether it counts as one of the profile's. Those that a recorded program called
// do. Of others one of each kind does: several may be the same one in several runs, which were
// merged.
std::vector<bool> devices_at_once(const Profile& profile);

// Configurations that an experiment added: named as changed and not one of the user's. Everything
// else in a profile is the user's.
std::vector<bool> tried_configurations(const Profile& profile);

}  // namespace rnnadvisor::advisor
