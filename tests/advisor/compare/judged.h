#pragma once

#include <utility>

#include "advisor/judge/judge.h"
#include "advisor/report/report.h"

namespace rnnadvisor::compare {

// A profile with its judgement.
struct Judged {
  explicit Judged(Profile of)
      : profile(std::move(of)),
        judgement(advisor::judge(profile, advisor::builtin_rules())),
        report(advisor::make_report(profile, judgement, advisor::builtin_rules())) {}
  Judged(const Judged&) = delete;
  Judged& operator=(const Judged&) = delete;

  Profile profile;
  advisor::Judgement judgement;
  advisor::Report report;
};

}  // namespace rnnadvisor::compare
