// What check makes of a drawn configuration, and where it must agree with cuDNN's conditions, with
// one padding and with maps.
#pragma once

#include <string>
#include <string_view>

#include "advisor/cli/configurations.h"
#include "advisor/judge/judge.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/report.h"
#include "advisor/rules/rule.h"
#include "core/model/map.h"
#include "tests/advisor/properties/drawn_configurations.h"

namespace rnnadvisor::test {

std::string label(const Drawn& drawn);

// Of the test that runs.
int failures();

// What check makes of one draw.
struct Checked {
  explicit Checked(const Drawn& drawn, const advisor::JudgeOptions& options = {})
      : profile(cli::static_profile({drawn.input}, *drawn.device, "test")),
        judgement(advisor::judge(profile, advisor::builtin_rules(), options)),
        report(advisor::make_report(profile, judgement, advisor::builtin_rules())) {}

  const RnnConfig& call() const { return profile.configurations.front().config; }
  const advisor::ConfigurationReport& one() const { return report.configurations.front(); }
  const advisor::Finding* finding(std::string_view rule) const {
    for (const auto& each : judgement.findings)
      if (each.rule_id == rule) return &each;
    return nullptr;
  }

  Profile profile;
  advisor::Judgement judgement;
  advisor::Report report;
};

// Counts, so that a draw that never meets a case is seen.
struct Met {
  int refused = 0, stopped = 0, without_cudnn = 0, fine = 0, ignored = 0, mixed = 0, mapped = 0,
      fitted = 0, undecided = 0, accelerated = 0, fastest = 0, gains = 0, rows = 0, padded = 0,
      nearest = 0, too_large = 0;
};

void refusals_and_ticks(const Drawn& drawn, const Checked& checked, Met& met);
// One report names one size to pad to in each direction.
void padded_one_way(const Drawn& drawn, const Checked& checked, Met& met);
void map_agrees(const Drawn& drawn, const Checked& checked, const model::PredictTime& predict,
                const advisor::PredictedTimes* times, Met& met);

}  // namespace rnnadvisor::test
