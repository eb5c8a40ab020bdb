#include "advisor/compare/comparison_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::compare {
namespace document = advisor::document;
namespace words = advisor::words;
namespace comparing {
namespace {

std::string faster_or_slower(double ratio) {
  return ratio >= 1 ? fmt::format("{}× faster", words::number(ratio))
                    : fmt::format("{}× slower", words::number(1 / ratio));
}

std::string name_of(const StepComparison& step) {
  if (!step.name.empty())
    return fmt::format("A step, from one NVTX range “{}” to the next", words::clean(step.name));
  return "A step of the program, timed without tracing";
}

std::string median_of(const MedianInterval& interval) {
  return interval.count == 0 ? "–" : format_milliseconds(interval.median);
}

std::string time_of(const MedianInterval& interval) {
  const std::string spread = words::interval(interval);
  return median_of(interval) + (spread.empty() ? "" : " (" + spread + ")");
}

std::string change_of(double before_ms, double after_ms) {
  const double difference = after_ms - before_ms;
  return fmt::format("{}{}", difference < 0 ? "−" : "+",
                     format_milliseconds(difference < 0 ? -difference : difference));
}

document::Mark mark_of(Change change) {
  switch (change) {
    case Change::faster:
      return document::Mark::fine;
    case Change::slower:
      return document::Mark::warning;
    case Change::no_difference:
    case Change::unclear:
    case Change::only_before:
    case Change::only_after:
      break;
  }
  return document::Mark::info;
}

std::string_view word_of(Change change) {
  switch (change) {
    case Change::faster:
      return "faster";
    case Change::slower:
      return "slower";
    case Change::no_difference:
      return "within noise";
    case Change::unclear:
      return "too few times";
    case Change::only_before:
      return "only before";
    case Change::only_after:
      return "only after";
  }
  return "?";
}

document::Table parts_table(const Comparison& comparison) {
  document::Table table;
  table.title = "Where the step's time went";
  table.columns = {{.title = "Part", .head = true},
                   {.title = "before", .number = true},
                   {.title = "after", .number = true},
                   {.title = "change", .number = true}};
  for (const auto& part : comparison.parts)
    table.rows.push_back({{{document::Text(part.name)},
                           {document::Text(format_milliseconds(part.before_ms))},
                           {document::Text(format_milliseconds(part.after_ms))},
                           {document::Text(change_of(part.before_ms, part.after_ms))}}});
  return table;
}

document::Table calls_table(const Comparison& comparison, std::size_t rows) {
  document::Table table;
  table.title = "RNN calls, the largest change first";
  table.columns = {
      {.title = "Configuration", .narrow = document::Narrow::clip, .least = 44, .head = true},
      {.title = "phase"},
      {.title = "before", .number = true},
      {.title = "95 %", .number = true, .drop = 1},
      {.title = "after", .number = true},
      {.title = "95 %", .number = true, .drop = 1},
      {.title = "", .narrow = document::Narrow::keep}};
  for (const auto& match : comparison.matches) {
    if (table.rows.size() == rows) break;
    table.rows.push_back({{{document::Text(words::clean(match.name), document::Tone::name)},
                           {document::Text(std::string(words::phase(match.phase)))},
                           {document::Text(median_of(match.before_ms))},
                           {document::Text(words::interval(match.before_ms))},
                           {document::Text(median_of(match.after_ms))},
                           {document::Text(words::interval(match.after_ms))},
                           {document::Text(change_in_words(match.change, match.ratio()))}}});
  }
  if (const std::size_t more = comparison.matches.size() - table.rows.size(); more > 0)
    table.aside = fmt::format("{} more", more);
  return table;
}

document::Paragraph findings(const char* label, const std::vector<std::string>& rules,
                             const advisor::Report& report) {
  document::Paragraph paragraph;
  paragraph.label = label;
  for (const auto& id : rules) {
    if (!paragraph.text.empty()) paragraph.text += document::Text("; ");
    const auto& all = report.judgement->findings;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.rule_id == id; });
    paragraph.text += document::prose(found == all.end() ? id : words::clean(found->title));
    paragraph.text += document::dim(" (" + id + ")");
  }
  return paragraph;
}

}  // namespace
}  // namespace comparing

namespace {

bool equal_runs_differ_as_much(const StepComparison& step) {
  return step.change == Change::no_difference &&
         change_between(step.before_ms, step.after_ms) != Change::no_difference;
}

// Of a step that takes as long as before because the CPU launches no faster: what comes to light
// once the launches are fewer. Empty where kernels take about as long as before.
std::string kernels_in_words(const StepComparison& step) {
  if (step.before_kernels_ms <= 0 || step.after_kernels_ms <= 0) return {};
  const double ratio = step.after_kernels_ms / step.before_kernels_ms;
  if (std::fabs(ratio - 1) <= kernels_between_runs) return {};
  return fmt::format("its kernels take {:.3g} times as long ({} before, {} after)", ratio,
                     format_milliseconds(step.before_kernels_ms),
                     format_milliseconds(step.after_kernels_ms));
}

}  // namespace

std::string time_in_words(const MedianInterval& time) { return comparing::time_of(time); }

std::string change_in_words(Change change, double ratio) {
  const bool tells = ratio > 0 && (change == Change::faster || change == Change::slower);
  return tells ? comparing::faster_or_slower(ratio) : std::string(comparing::word_of(change));
}

std::string prediction_in_words(const Prediction& prediction, bool measured_interval) {
  const auto factor = [](const Speedup& of, bool interval) {
    return words::times(of.value) +
           (interval && of.low > 0
                ? fmt::format(" ({} to {})", words::number(of.low), words::number(of.high))
                : "");
  };
  return fmt::format("predicted {}, measured {}", factor(prediction.predicted, true),
                     factor(prediction.measured, measured_interval));
}

std::string predicted_for(const Prediction& prediction) {
  const std::string scope =
      prediction.of_step() ? "a step of the program" : words::scope(prediction.scope);
  return prediction.made.empty()
             ? fmt::format("{}, by {}", scope, prediction.predicted_of)
             : fmt::format("{}, by {}; made: {}", scope, prediction.predicted_of, prediction.made);
}

std::string headline_of(const Comparison& comparison) {
  if (const auto& step = comparison.step; step && step->ratio() > 0) {
    switch (step->change) {
      case Change::faster:
      case Change::slower:
        return "A step is " + comparing::faster_or_slower(step->ratio());
      case Change::no_difference:
        if (const auto kernels = kernels_in_words(*step); !kernels.empty())
          return "A step takes as long as before, but " + kernels;
        return equal_runs_differ_as_much(*step)
                   ? "A step takes as long as before, within what equal runs differ by"
                   : "A step takes as long as before, within noise";
      case Change::unclear:
      case Change::only_before:
      case Change::only_after:
        return "Too few steps to tell a change";
    }
  }
  const auto named = [&](std::string_view key) {
    return std::any_of(comparison.causes.begin(), comparison.causes.end(),
                       [&](const Cause& cause) { return cause.key == key; });
  };
  if (named("without_cudnn")) return "cuDNN is no longer called for some recurrent layers";
  if (named("with_cudnn")) return "cuDNN is called for recurrent layers that ran without it";
  if (comparison.before_ms <= 0 || comparison.after_ms <= 0)
    return "The two have nothing in common that has times";
  const double ratio = comparison.before_ms / comparison.after_ms;
  if (ratio < 1.005 && ratio > 0.995) return "No difference in sum in what both have";
  if (comparison.spread_ms < 0)
    return comparing::faster_or_slower(ratio) +
           " in what both have, from too few times to tell it from noise";
  if (std::fabs(comparison.after_ms - comparison.before_ms) <= comparison.spread_ms)
    return "No difference beyond noise in what both have";
  return comparing::faster_or_slower(ratio) + " in what both have";
}

std::string step_line_of(const Comparison& comparison) {
  const auto& step = comparison.step;
  if (!step || step->ratio() <= 0) return {};
  std::string line =
      fmt::format("{}: {} before, {} after.", comparing::name_of(*step),
                  comparing::time_of(step->before_ms), comparing::time_of(step->after_ms));
  if (comparison.batches != 1)
    line += fmt::format(" For each sequence of the batch: {}.",
                        comparing::faster_or_slower(step->ratio() * comparison.batches));
  if (comparison.spread_ms >= 0 &&
      std::fabs(comparison.after_ms - comparison.before_ms) <= comparison.spread_ms)
    line += " The RNN calls alone: no difference beyond noise.";
  else if (comparison.before_ms > 0 && comparison.after_ms > 0)
    line += fmt::format(" The RNN calls alone: {}.",
                        comparing::faster_or_slower(comparison.before_ms / comparison.after_ms));
  return line;
}

document::Blocks document_of(const Comparison& comparison, const advisor::Report& before,
                             const advisor::Report& after, std::size_t rows) {
  document::Blocks blocks;
  const auto& whole = comparison.step;
  const Change change = whole ? whole->change : Change::unclear;
  blocks.push_back(document::Paragraph{.text = document::Text(headline_of(comparison) + "."),
                                       .look = document::Look::strong,
                                       .mark = comparing::mark_of(change)});
  if (const std::string line = step_line_of(comparison); !line.empty())
    blocks.push_back(document::Paragraph{document::Text(line)});
  if (whole && equal_runs_differ_as_much(*whole))
    blocks.push_back(document::Paragraph{document::Text(
        fmt::format("The GPU waits and copies for {} of a step, and equal runs of a program differ "
                    "by up to {} in that. With two earlier recordings or more, what they differ "
                    "by counts instead.",
                    format_milliseconds(whole->host_ms), words::percent(between_runs)))});
  for (const auto& step : comparison.other_steps)
    blocks.push_back(document::Paragraph{document::Text(
        fmt::format("On GPU {}: {} before, {} after.", step.device,
                    comparing::time_of(step.before_ms), comparing::time_of(step.after_ms)))});
  if (!comparison.causes.empty()) {
    document::List list;
    for (const auto& cause : comparison.causes)
      list.items.push_back({.text = document::Text(words::clean(cause.text))});
    blocks.push_back(document::Paragraph{
        .text = document::Text("What changed, what explains most of the step's time first:"),
        .look = document::Look::lead});
    blocks.push_back(std::move(list));
  }
  if (!comparison.predictions.empty()) {
    document::List list;
    for (const auto& each : comparison.predictions)
      list.items.push_back(
          {.text = document::prose(words::clean(each.title)) +
                   document::Text(fmt::format(": {} ({})", prediction_in_words(each),
                                              words::clean(predicted_for(each))))});
    blocks.push_back(document::Paragraph{
        .text = document::Text("What the earlier advice predicted of changes that were made:"),
        .look = document::Look::lead});
    blocks.push_back(std::move(list));
  }
  if (!comparison.environment.empty()) {
    document::List list;
    for (const auto& each : comparison.environment)
      list.items.push_back({.text = document::Text(words::clean(each))});
    blocks.push_back(document::Paragraph{.text = document::Text("Different around the program:"),
                                         .look = document::Look::lead});
    blocks.push_back(std::move(list));
  }
  if (!comparison.parts.empty()) blocks.push_back(comparing::parts_table(comparison));
  if (!comparison.matches.empty()) blocks.push_back(comparing::calls_table(comparison, rows));
  if (!comparison.appeared.empty())
    blocks.push_back(comparing::findings("New findings", comparison.appeared, after));
  if (!comparison.fixed.empty())
    blocks.push_back(comparing::findings("No longer found", comparison.fixed, before));
  return blocks;
}

}  // namespace rnnadvisor::compare
