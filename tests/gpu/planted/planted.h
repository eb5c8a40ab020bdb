// Planted faults: what the advisor says first, held against what brute force finds.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "advisor/change/compose.h"
#include "advisor/facts/predicted_change.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/experimenter.h"
#include "core/config/read_config.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::planted {

// The first suggestion that a machine can apply, of the findings in the order in which the advisor
// gives them, of a configuration that is judged alone and without a measurement. Remarks are no
// suggestions, and neither is another model, or with `keeps_data` another data type. Nothing when
// there is none.
std::optional<advisor::Candidate> first_suggestion(const ConfigInput& input,
                                                   const DeviceSpec& device,
                                                   const Environment& environment,
                                                   const advisor::PredictFor& predict_for,
                                                   bool keeps_data = false);

// Every combination of algorithm, math type, padding of batch, units and inputs, and splitting that
// cuDNN can be expected to take and that computes the same function, in the same precision or with
// the coarser math of the same type. Not guided by the model.
std::vector<advisor::Candidate> brute_force(const ConfigInput& input, const DeviceSpec& device,
                                            const Environment& environment);

// Measures one case after the other while `go_on` (asked before each with its number; may be empty)
// says so; `predict_for` is what the advisor predicts times with. Experiments with a rule are first
// suggestions, those without are of the search.
struct Measured {
  Profile profile;
  std::optional<Error> error;
};
Measured measure(std::span<const ConfigInput> suite, const DeviceSpec& device,
                 const Environment& environment, const advisor::Experimenter& experimenter,
                 const advisor::PredictFor& predict_for,
                 const std::function<bool(std::size_t)>& go_on);

// A gain that is worth a suggestion; below it there is nothing to mend.
inline constexpr double worth = 1.10;
// A first suggestion is right when it reaches this share of what the best one does.
inline constexpr double nearly_best = 0.90;

enum class Answer { right, wrong, missed, silent };  // silent: nothing to mend and nothing said
struct CaseScore {
  std::string id;
  Answer answer = Answer::silent;
  bool faulty =
      false;  // the best change is worth it, or the original does not run and another does
  std::string rule, suggestion;                          // the first; empty: none
  double suggested = 0;                                  // its speedup; 0: no time was taken
  std::string best;                                      // the best change
  double best_speedup = 0, best_low = 0, best_high = 0;  // 0: the original does not run
  bool helps = false;  // the first suggestion was confirmed, be it the best or not
};
struct Score {
  std::vector<CaseScore> cases;
  int right = 0, wrong = 0, missed = 0, silent = 0, helpful = 0;
  double precision() const;  // right of those where something was said
  double recall() const;     // right of those that are faulty
};
// `again`: the first suggestion is that of today's rules, and its time is that of the same calls
// among what was tried then; without one it counts as wrong.
Score score(const Profile& profile, bool again = false,
            const advisor::PredictFor& predict_for = {});

std::string to_json(const Score& score, const Profile& profile);
std::string to_markdown(const Score& score, const Profile& profile);

}  // namespace rnnadvisor::planted
