// What measured pairs say of the cards they were made for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/rules/rule.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// What a card claims that can be measured, by its `consequence`.
enum class Claim {
  faster,   // the change makes it faster: slower, path
  runs,     // it does not run as it is, and does after the change: error
  lighter,  // the change needs less memory: memory
  nearer    // the change brings the results nearer to the float64 reference: numerics
};
// Nothing for fallback and none: what those say shows in kernels, or nowhere.
std::optional<Claim> claim_of(const Rule& rule);
std::string_view to_string(Claim claim);

enum class Agreement {
  agrees,     // what the card says of this side is so
  refutes,    // it is not so
  undecided,  // the interval leaves it open
  not_run
};
std::string_view to_string(Agreement agreement);

// A gain below this is none: a card that promises one is refuted by an interval that ends below it.
// Chosen wider than what one and the same call showed against itself on an H200 (intervals between
// 0.991 and 1.012, the A/A lines of tests/gpu/results/h200/experiment_gpu_test.txt).
inline constexpr double no_gain = 1.03;

struct PairOutcome {
  int experiment = -1;  // index into Profile::experiments
  bool fires = true;    // false: the card is silent, and the same change was tried
  Agreement agreement = Agreement::not_run;
  double speedup = 0, low = 0, high = 0;  // of a claim of speed; else 0
  std::string message;                    // what was seen, for people
};

struct RuleAgreement {
  std::string rule;
  Claim claim = Claim::faster;
  // Where the card fires.
  int agree = 0, refute = 0, undecided = 0, not_run = 0;
  // Where it is silent: the change does not help either, or it would have.
  int silent = 0, missed = 0;
  // Of the pairs that fire and were timed: the median over pairs of their speedups, and its
  // interval of 95 %.
  double speedup = 0, low = 0, high = 0;
  int timed = 0;
  std::string scope;  // "training step"; several: "mixed"
  std::vector<PairOutcome> pairs;

  // More pairs refute it than agree, and at least three.
  bool refuted() const { return refute > agree && refute >= 3; }
};

// Every rule with experiments of its own in the profile, in the order of the rules. A pair fires
// where the rule does for the bare configuration: nothing that was measured counts. Pairs with a
// change that the card, as it is now, does not ask for are left out.
std::vector<RuleAgreement> agreement_of(const Profile& profile, const RuleSet& rules);

// "median 1.84x (1.31x to 3.02x) of 16 pairs, training step; 1 missed"
std::string effect_words(const RuleAgreement& agreement);

}  // namespace rnnadvisor::advisor
