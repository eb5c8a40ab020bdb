// The member functions of Report, which need what judges a finding. make_report.cpp fills it.
#include <algorithm>
#include <optional>
#include <utility>

#include "advisor/report/report.h"
#include "advisor/report/verdict.h"

namespace rnnadvisor::advisor {

const PhaseRow* ConfigurationReport::phase(Phase wanted) const {
  const auto found =
      std::find_if(phases.begin(), phases.end(), [&](const auto& p) { return p.phase == wanted; });
  return found == phases.end() ? nullptr : &*found;
}

namespace {

// Time and work of the phases that make a step; nothing unless each was timed.
std::optional<std::pair<double, double>> step(const ConfigurationReport& report) {
  double ms = 0;
  double flops = 0;
  const bool inference = report.configuration->config.mode == Mode::inference;
  for (const Phase phase : all_phases) {
    if ((phase == Phase::forward_inference) != inference) continue;
    const PhaseRow* row = report.phase(phase);
    if (row == nullptr || row->timing == nullptr) return std::nullopt;
    ms += row->timing->ms.median;
    flops += static_cast<double>(row->cost.flops);
  }
  return std::pair(ms, flops);
}

}  // namespace

bool ConfigurationReport::summary_in_name() const {
  return name.find(summary) != std::string::npos;
}

double ConfigurationReport::step_ms() const {
  const auto sum = step(*this);
  return sum ? sum->first : -1;
}

double ConfigurationReport::step_tflops() const {
  const auto sum = step(*this);
  return sum ? sum->second / (sum->first * 1e-3) / 1e12 : -1;
}

double ConfigurationReport::best_gain() const {
  double best = 1;
  for (const Finding* finding : findings)
    if (promises_speed(*finding)) best = std::max(best, finding->gain->speedup);
  return best;
}

double ConfigurationReport::model_gain() const {
  double best = 1;
  for (const Finding* finding : findings) {
    if (finding->gain && finding->gain->another_model && !is_remark(*finding))
      best = std::max(best, finding->gain->speedup);
  }
  return best;
}

Severity FindingGroup::severity() const {
  Severity worst = Severity::info;
  for (const Finding* finding : findings) worst = std::max(worst, finding->severity);
  return worst;
}

std::vector<FindingGroup> Report::remarks_not_refuted() const {
  std::vector<FindingGroup> open;
  std::ranges::copy_if(remarks, std::back_inserter(open), [](const FindingGroup& group) {
    return !refuted(group.first()) || group.first().trial;
  });
  return open;
}

Report::Place Report::place_of(const Finding& finding) const {
  const bool remark = is_remark(finding);
  const auto& groups = remark ? remarks : actions;
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const FindingGroup& group) {
    return group.first().rule_id == finding.rule_id;
  });
  if (found == groups.end()) return {remark, 0};
  return {remark, static_cast<std::size_t>(found - groups.begin()) + 1};
}

std::size_t Report::own_configurations() const {
  return static_cast<std::size_t>(std::count_if(configurations.begin(), configurations.end(),
                                                [](const auto& c) { return !c.tried; }));
}

std::size_t Report::shown() const {
  return static_cast<std::size_t>(std::count_if(configurations.begin(), configurations.end(),
                                                [](const auto& c) { return c.listed(); }));
}

const ConfigurationReport& Report::row_of(int configuration) const {
  const auto& own = configurations[static_cast<std::size_t>(configuration)];
  return own.shown_in < 0 ? own : configurations[static_cast<std::size_t>(own.shown_in)];
}

const ConfigurationReport* Report::only() const {
  if (shown() != 1) return nullptr;
  return &*std::find_if(configurations.begin(), configurations.end(),
                        [](const auto& c) { return c.listed(); });
}

int Report::standing_count(Standing standing) const {
  return static_cast<int>(
      std::count_if(configurations.begin(), configurations.end(),
                    [&](const auto& c) { return c.listed() && c.standing == standing; }));
}

bool Report::fails(Severity severity) const {
  return end || std::any_of(findings.begin(), findings.end(), [&](const Finding* finding) {
           return finding->severity >= severity && !finding->in_baseline;
         });
}

Standing Report::worst() const {
  Standing worst = end ? Standing::error : Standing::unjudged;
  for (const auto& each : configurations) {
    if (each.listed()) worst = std::max(worst, each.standing);
  }
  for (const Finding* finding : findings)
    if (finding->of_program && !is_remark(*finding)) worst = std::max(worst, standing_of(*finding));
  return worst;
}

std::string_view to_string(Standing value) {
  switch (value) {
    case Standing::unjudged:
      return "unjudged";
    case Standing::refused:
      return "refused";
    case Standing::fine:
      return "fine";
    case Standing::opportunity:
      return "opportunity";
    case Standing::warning:
      return "warning";
    case Standing::error:
      return "error";
  }
  return "?";
}

}  // namespace rnnadvisor::advisor
