#include "advisor/compare/history.h"

#include <algorithm>
#include <utility>

#include "advisor/compare/causes.h"
#include "advisor/compare/comparison_words.h"
#include "advisor/report/words.h"

namespace rnnadvisor::compare {

Recorded recorded(std::string name, const advisor::Report& report) {
  Recorded row;
  row.name = std::move(name);
  row.created = report.profile->environment.created;
  for (const auto& step : report.judgement->steps) {
    const auto interval = interval_of(step);
    if (step.untraced == 0 || interval.median <= row.step_ms.median) continue;
    row.step_ms = interval;
    row.host_ms = host_ms_of(step);
    row.idle = step.idle();
  }
  return row;
}

void tell_changes(std::vector<Recorded>& rows, std::span<const Environment> environments) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    rows[i].change = change_between(rows[i - 1].step_ms, rows[i].step_ms,
                                    std::max(rows[i - 1].host_ms, rows[i].host_ms));
    rows[i].environment = environment_changes(environments[i - 1], environments[i]);
  }
}

void widen_baseline(Comparison& comparison, std::span<const Recorded> rows,
                    const advisor::Report& before_report, const advisor::Report& after_report) {
  if (!comparison.step || !comparison.step->name.empty()) return;
  auto& before = comparison.step->before_ms;
  std::vector<double> medians;
  for (const auto& row : rows.first(rows.size() - 1)) {
    if (row.step_ms.count == 0) continue;
    medians.push_back(row.step_ms.median);
    before.low = std::min(before.low, row.step_ms.low);
    before.high = std::max(before.high, row.step_ms.high);
  }
  if (medians.size() < 2) return;
  before.median = median_interval(medians).median;
  comparison.step->host_ms = 0;
  comparison.step->change = change_between(before, comparison.step->after_ms);
  comparison.causes = causes_of(comparison, before_report, after_report);
}

advisor::document::Table table_of(std::span<const Recorded> rows) {
  namespace document = advisor::document;
  document::Table table;
  table.title = "Recordings, the oldest first";
  table.columns = {{.title = "Recording", .narrow = document::Narrow::clip, .head = true},
                   {.title = "recorded"},
                   {.title = "step", .number = true},
                   {.title = "GPU idle", .number = true},
                   {.title = "against the one before", .narrow = document::Narrow::keep},
                   {.title = "different around it", .narrow = document::Narrow::clip}};
  const Recorded* last = nullptr;
  for (const auto& row : rows) {
    std::string change;
    if (last != nullptr && row.step_ms.count > 0 && last->step_ms.count > 0)
      change = change_in_words(row.change, last->step_ms.median / row.step_ms.median);
    std::string environment;
    for (const auto& each : row.environment)
      environment += (environment.empty() ? "" : "; ") + advisor::words::clean(each);
    table.rows.push_back(
        {{{document::Text(advisor::words::clean(row.name), document::Tone::name)},
          {document::Text(advisor::words::clean(row.created))},
          {document::Text(time_in_words(row.step_ms))},
          {document::Text(row.step_ms.count > 0 ? advisor::words::percent(row.idle) : "–")},
          {document::Text(change)},
          {document::Text(environment)}}});
    last = &row;
  }
  return table;
}

}  // namespace rnnadvisor::compare
