// What a comparison may cost at most, for CI: "step > 1.05" fails where a step takes more than 1.05
// times as long as before, and noise does not explain it.
#pragma once

#include <string>
#include <string_view>

#include "advisor/compare/comparison.h"
#include "core/base/result.h"

namespace rnnadvisor::compare {

enum class Measure {
  step,     // the time of a step, after over before
  kernels,  // the time of a step in which kernels run, after over before: hardly any noise
  calls,    // the time of the RNN calls that are in both, after over before
  findings  // rules that fire after and did not before: how many
};
std::string_view to_string(Measure measure);

struct Limit {
  Measure measure = Measure::step;
  double most = 1;
};

// "MEASURE > NUMBER".
Result<Limit> parse_limit(std::string_view text);

struct LimitResult {
  enum class Verdict {
    kept,
    exceeded,
    noise,   // above the limit, and within the intervals of the medians
    unknown  // the profiles do not tell
  };
  Verdict verdict = Verdict::unknown;
  double value = 0;    // of the measure; 0 where unknown
  std::string reason;  // a sentence
};

LimitResult check(const Limit& limit, const Comparison& comparison);

}  // namespace rnnadvisor::compare
