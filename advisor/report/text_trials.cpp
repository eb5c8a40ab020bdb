#include "advisor/report/text_trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/facts/experiments.h"
#include "advisor/report/trial_samples.h"
#include "advisor/report/trials.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

struct Sign {
  std::string_view unicode, ascii;
  Style style;
};

Sign sign(ExperimentVerdict verdict) {
  switch (verdict) {
    case ExperimentVerdict::confirmed:
      return {"✔", "=", Style::green};
    case ExperimentVerdict::refuted:
      return {"✖", "X", Style::red};
    case ExperimentVerdict::inconclusive:
      return {"~", "~", Style::yellow};
    case ExperimentVerdict::not_run:
      return {"–", "-", Style::dim};
  }
  return {"?", "?", Style::dim};
}

void draw(Terminal& terminal, const TrialOutcome& outcome) {
  const Sign s = sign(outcome.verdict);
  terminal.paragraph(
      fmt::format("{} {}", terminal.symbol(s.unicode, s.ascii), words::trial(outcome)), 14,
      "     tried", s.style);
}

// What was written to try a confirmed change: named, and shown where everything is.
void draw_code(Terminal& terminal, const TrialRow& row, bool verbose) {
  if (row.experiment->verdict != ExperimentVerdict::confirmed || row.experiment->code.empty())
    return;
  std::string names;
  for (const auto& file : row.experiment->code)
    names += (names.empty() ? "" : ", ") + words::clean(file.name);
  terminal.paragraph(
      fmt::format("Code of {}{}: {}{}", row.change, row.where.empty() ? "" : " " + row.where, names,
                  verbose ? "" : "; --verbose shows it, --write-code writes it"),
      2, {}, Style::dim, Style::dim);
  if (!verbose) return;
  for (const auto& file : row.experiment->code) draw_code(terminal, file.text);
}

}  // namespace

void draw_code(Terminal& terminal, std::string_view text) {
  const std::string lines = words::clean_lines(text);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    terminal.line("              " + lines.substr(at, end - at), Style::dim);
    at = end + 1;
  }
}

void draw_outcome(Terminal& terminal, const Suggestion& suggestion) {
  if (!suggestion.cannot.empty())
    terminal.paragraph(words::clean(suggestion.cannot), 14, {}, Style::dim, Style::dim);
  if (suggestion.trial) draw(terminal, *suggestion.trial);
}

void draw_outcome(Terminal& terminal, const Finding& finding) {
  if (!finding.trial) return;
  const bool shown =
      std::any_of(finding.suggestions.begin(), finding.suggestions.end(),
                  [](const Suggestion& suggestion) { return suggestion.trial.has_value(); });
  if (!shown) draw(terminal, *finding.trial);
}

void draw_trials(Terminal& terminal, const ConfigurationReport& each, bool verbose) {
  if (each.trials.empty()) return;
  constexpr std::size_t most = 12;
  terminal.heading("Tried and measured");
  const auto any = [&](auto has) {
    return std::any_of(each.trials.begin(), each.trials.end(), has);
  };
  const bool training = any([](const TrialRow& r) { return r.training != nullptr; });
  const bool forward = any([](const TrialRow& r) { return r.forward != nullptr; });
  const bool inference = any([](const TrialRow& r) { return r.inference != nullptr; });
  std::vector<Column> columns = {
      {""}, {"Change", false, Fit::wrap, 30}, {"Meaning", false, Fit::fixed, 0, 2}};
  if (forward) columns.push_back({"Forward", true, Fit::fixed, 0, training ? 1 : 0});
  if (training) columns.push_back({"Training step", true});
  if (inference) columns.push_back({"Inference", true, Fit::fixed, 0, training ? 1 : 0});
  columns.push_back({"Memory", false, Fit::fixed, 0, 4});
  columns.push_back({"Moved", false, Fit::fixed, 0, 3});
  const std::string none(terminal.symbol("–", "-"));
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> remarks;
  const std::size_t shown = verbose ? each.trials.size() : std::min(most, each.trials.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const TrialRow& row = each.trials[i];
    const Sign s = sign(row.experiment->verdict);
    const auto cell = [&](const std::string& text) { return text.empty() ? none : text; };
    auto& line = rows.emplace_back();
    line.push_back({std::string(terminal.symbol(s.unicode, s.ascii)), s.style});
    line.push_back({row.change + (row.where.empty() ? "" : ", " + row.where)});
    line.push_back({words::clean(row.experiment->meaning), Style::dim});
    if (forward)
      line.push_back(
          {cell(words::speedup(row.forward)),
           row.forward != nullptr && row.step == row.forward ? Style::bold : Style::plain});
    if (training)
      line.push_back(
          {cell(words::speedup(row.training)),
           row.training != nullptr && row.step == row.training ? Style::bold : Style::plain});
    if (inference) line.push_back({cell(words::speedup(row.inference))});
    line.push_back({cell(words::memory_change(*row.experiment)), Style::dim});
    line.push_back({cell(words::moved(row)), row.wrong.empty() ? Style::dim : Style::red});
    if (!row.experiment->message.empty() &&
        (verbose || row.experiment->verdict == ExperimentVerdict::not_run || !row.wrong.empty()))
      remarks.push_back(row.change + ": " + words::clean(row.experiment->message));
    if (const auto throttle = throttle_change(*row.experiment); !throttle.empty())
      remarks.push_back(row.change + ": " + throttle);
    if (verbose) {
      if (const auto far = words::outliers(row.step); !far.empty())
        remarks.push_back(row.change + ": " + far);
    }
  }
  terminal.table(std::move(columns), std::move(rows));
  for (const auto& line : words::best_trials(each))
    terminal.paragraph(line, 2, terminal.symbol("✔", "="), Style::green);
  for (const auto& row : each.trials) draw_code(terminal, row, verbose);
  for (const auto& remark : remarks) terminal.paragraph(remark, 2, {}, Style::dim, Style::dim);
  const auto symbol = [&](ExperimentVerdict verdict) {
    const Sign s = sign(verdict);
    return terminal.symbol(s.unicode, s.ascii);
  };
  std::string note = words::trials_note(
      each, {symbol(ExperimentVerdict::confirmed), symbol(ExperimentVerdict::inconclusive),
             symbol(ExperimentVerdict::refuted), symbol(ExperimentVerdict::not_run)});
  if (shown < each.trials.size())
    note += fmt::format(" {} more: see --verbose.", each.trials.size() - shown);
  terminal.paragraph(note, 0, {}, Style::dim, Style::dim);
}

}  // namespace rnnadvisor::advisor
