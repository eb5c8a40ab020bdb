#include "advisor/compare/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "advisor/compare/causes.h"
#include "advisor/compare/comparison_words.h"
#include "advisor/report/words.h"
#include "core/config/read_config.h"

namespace rnnadvisor::compare {

namespace {

// What a baseline must have in common with another one. Lengths and batches vary within a program.
std::string layers_of(const Profile& profile) {
  std::set<std::string> lines;
  for (const auto& device : profile.devices) lines.insert(device.name);
  for (const auto& each : profile.configurations) {
    if (!each.described()) continue;
    RnnConfig layer;
    layer.cell = each.config.cell;
    layer.data_type = each.config.data_type;
    layer.math_type = each.config.math_type;
    layer.direction = each.config.direction;
    layer.input_size = each.config.input_size;
    layer.hidden_size = each.config.hidden_size;
    layer.num_layers = each.config.num_layers;
    lines.insert(to_json_line(layer));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

Recorded recorded(std::string name, const advisor::Report& report) {
  Recorded row;
  row.name = std::move(name);
  row.created = report.profile->environment.created;
  row.layers = layers_of(*report.profile);
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
  if (rows.size() < 2) return;
  const std::string& layers = rows[rows.size() - 2].layers;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) rows[i].baseline = rows[i].layers == layers;
}

void widen_baseline(Comparison& comparison, std::span<const Recorded> rows,
                    const advisor::Report& before_report, const advisor::Report& after_report) {
  if (!comparison.step || !comparison.step->name.empty()) return;
  auto& before = comparison.step->before_ms;
  std::vector<double> medians;
  for (const auto& row : rows.first(rows.size() - 1)) {
    if (!row.baseline || row.step_ms.count == 0) continue;
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

advisor::document::Blocks blocks_of(std::span<const Recorded> rows) {
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
    std::string environment =
        row.baseline ? "" : "no baseline: other layers, data types or GPU than the last one";
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
  const auto earlier = rows.first(rows.size() - 1);
  const auto baselines = std::count_if(earlier.begin(), earlier.end(), [](const Recorded& row) {
    return row.baseline && row.step_ms.count > 0;
  });
  document::Text text("What differs is told between ");
  text += document::as_name(advisor::words::clean(earlier.back().name));
  text += document::Text(" and ");
  text += document::as_name(advisor::words::clean(rows.back().name));
  text += document::Text(
      baselines > 1
          ? fmt::format("; the time of the step is compared with {} baselines.", baselines)
          : std::string("."));
  return {std::move(table), document::Paragraph{std::move(text)}};
}

}  // namespace rnnadvisor::compare
