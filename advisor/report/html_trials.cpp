// "Tried and measured": what was tried for a configuration, with its intervals as a plot.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advisor/facts/experiments.h"
#include "advisor/report/chart.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/trial_samples.h"
#include "advisor/report/trials.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::html {
namespace {

constexpr std::size_t most_plotted = 16;

std::string_view class_of(ExperimentVerdict verdict) {
  switch (verdict) {
    case ExperimentVerdict::confirmed:
      return "fine";
    case ExperimentVerdict::refuted:
      return "error";
    case ExperimentVerdict::inconclusive:
      return "warning";
    case ExperimentVerdict::not_run:
      return "unjudged";
  }
  return "unjudged";
}

// A shape for each verdict, so that colour is never the only sign.
std::size_t shape(ExperimentVerdict verdict) {
  return verdict == ExperimentVerdict::confirmed ? 0
         : verdict == ExperimentVerdict::refuted ? 3
                                                 : 1;
}

std::string plot(const ConfigurationReport& each, const std::string& id) {
  std::vector<const TrialRow*> rows;
  double least = 1, most = 1;
  std::string description;
  for (const auto& row : each.trials) {
    const auto* t = row.step;
    if (t == nullptr || !(t->speedup > 0) || !(t->speedup_low > 0) || rows.size() >= most_plotted)
      continue;
    rows.push_back(&row);
    least = std::min({least, t->speedup_low, t->control_low > 0 ? t->control_low : 1.0});
    most = std::max({most, t->speedup_high, t->control_high});
    description +=
        fmt::format("{}: {}, {}. ", row.change, words::verdict(row.verdict), words::speedup(t));
  }
  if (rows.empty()) return {};
  constexpr double width = 760, row_height = 26;
  const Frame f = {300, 6, width - 150, 6 + row_height * static_cast<double>(rows.size())};
  Svg svg(width, f.bottom + 44, id, "Speedup of each change", description);
  // A ratio and its inverse are equally far from 1.
  chart::Scale x;
  x.kind = chart::ScaleKind::log2;
  x.low = least / 1.08;
  x.high = most * 1.08;
  x.from = f.left;
  x.to = f.right;
  double last = -1e9;
  for (const double tick : {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0,
                            3.0, 5.0, 10.0, 20.0, 50.0}) {
    if (tick < x.low || tick > x.high) continue;
    const double at = x(tick);
    svg.line(at, f.top, at, f.bottom, tick == 1.0 ? "unity" : "grid");
    // 1 is what everything is read against: its neighbours give way.
    const bool room = at - last >= 34 && (tick == 1.0 || std::fabs(at - x(1.0)) >= 34);
    if (!room) continue;
    svg.text(at, f.bottom + 18, chart::tick_label(tick) + "×", "tick", "middle");
    last = at;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = *rows[i];
    const auto& t = *row.step;
    const double middle = f.top + row_height * (static_cast<double>(i) + 0.5);
    const auto verdict = row.verdict;
    if (t.control_low > 0 && t.control_high >= t.control_low) {
      svg.rect(x(t.control_low), middle - 9, std::max(1.5, x(t.control_high) - x(t.control_low)),
               18, "control");
    }
    svg.text(f.left - 10, middle + 4, words::shorten(row.change, 44), "label", "end");
    const auto type = fmt::format("trial {}", class_of(verdict));
    svg.line(x(t.speedup_low), middle, x(t.speedup_high), middle, type);
    svg.line(x(t.speedup_low), middle - 4, x(t.speedup_low), middle + 4, type);
    svg.line(x(t.speedup_high), middle - 4, x(t.speedup_high), middle + 4, type);
    svg.mark(fmt::format("trial-mark {}", class_of(verdict)), shape(verdict), x(t.speedup), middle,
             fmt::format("{}: {}", row.change, words::speedup(&t)));
    svg.text(f.right + 12, middle + 4, row.wrong.empty() ? words::speedup(&t) : "other results",
             "value-small");
  }
  svg.text((f.left + f.right) / 2, f.bottom + 38,
           "speedup with its 95 % interval; grey: the original against itself", "label", "middle");
  return svg.take();
}

}  // namespace

std::string trials_plot(const ConfigurationReport& each) {
  const auto drawn = plot(each, fmt::format("c{}-trials", each.index));
  return drawn.empty() ? drawn : "<figure>" + drawn + "</figure>";
}

}  // namespace rnnadvisor::advisor::html
