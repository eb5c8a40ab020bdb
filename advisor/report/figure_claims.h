// Whether what a document claims of a figure holds for the values of this profile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

struct ClaimVerdict {
  bool holds = false;
  std::string text;  // the numbers that decide: "1.44 at 128, 294 at 4096 TFLOP/s"
};

// Of figures whose id is known here (those of samples/sweeps/guide-figure-*.toml), judged against
// `all` figures of the report where a claim compares several; nothing for others, and where too few
// values were measured.
std::optional<ClaimVerdict> judge_claim(const FigureReport& figure,
                                        const std::vector<FigureReport>& all);
// "Holds here: …", "Does not hold here: …"; empty where there is no verdict.
std::string claim_words(const FigureReport& figure, const std::vector<FigureReport>& all);

}  // namespace rnnadvisor::advisor
