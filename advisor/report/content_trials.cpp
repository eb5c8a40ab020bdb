// What was tried for a configuration and measured.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/facts/experiments.h"
#include "advisor/report/content.h"
#include "advisor/report/trial_samples.h"
#include "advisor/report/trials.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::document {
namespace {

std::string range(double low, double high) {
  return high > 0 ? fmt::format("{} to {}", words::number(low), words::number(high))
                  : std::string();
}

std::string far_off(const ExperimentTiming& timing) {
  const auto found = outliers(timing);
  return found.samples > 0 ? fmt::format("{} of {}", found.count(), found.samples) : std::string();
}

Row row_of(const TrialRow& row, bool full) {
  const auto* t = row.step;
  const auto beside = [&](const ExperimentTiming* other) {
    return other != t ? words::speedup(other) : std::string();
  };
  Row made;
  made.id = fmt::format("x{}", row.index);
  made.cells = {{std::string(words::verdict(row.verdict)), mark_of(row.verdict)},
                {row.change + (row.where.empty() ? "" : ", " + row.where)},
                {Text(row.experiment->meaning, Tone::dim)},
                {t != nullptr ? format_milliseconds(t->before_ms.median) : ""},
                {t != nullptr ? format_milliseconds(t->after_ms.median) : ""},
                {Text(words::speedup(t), Tone::strong)},
                {beside(row.forward)},
                {beside(row.inference)},
                {t != nullptr ? range(t->control_low, t->control_high) : ""},
                {Text(words::memory_change(*row.experiment), Tone::dim)},
                {Text(full ? words::moved_in_full(row) : words::moved(row),
                      row.wrong.empty() ? Tone::dim : Tone::bad)},
                {t != nullptr ? far_off(*t) : ""}};
  return made;
}

Table table_of(const Content& content, const ConfigurationReport& each, std::size_t shown) {
  const bool full = !content.in(brief);
  const auto any = [&](auto has) {
    return std::any_of(each.trials.begin(), each.trials.end(), has);
  };
  Table table;
  table.columns = {
      {"Verdict"},
      {"Change", false, true, Narrow::wrap, 30, 0, true},
      {"Meaning", false, true, Narrow::keep, 0, 4},
      {"Before", true, full, Narrow::keep, 0, 2},
      {"After", true, full, Narrow::keep, 0, 2},
      {"Speedup", true},
      {"Forward", true,
       any([](const TrialRow& r) { return r.forward != nullptr && r.forward != r.step; }),
       Narrow::keep, 0, 1},
      {"Inference", true,
       any([](const TrialRow& r) { return r.inference != nullptr && r.inference != r.step; }),
       Narrow::keep, 0, 1},
      {"Control", true, full, Narrow::keep, 0, 1},
      {"Memory", false, true, Narrow::keep, 0, 5},
      {"Moved", false, true, content.in(terminals) ? Narrow::wrap : Narrow::keep, 12, 3},
      {"Outliers", false, full, Narrow::keep, 0, 1}};
  for (std::size_t i = 0; i < shown; ++i) table.rows.push_back(row_of(each.trials[i], full));
  return table;
}

// Remarks about single changes, beside their numbers.
List remarks_of(const Content& content, const TrialRow& row) {
  List list;
  const auto put = [&](const std::string& text) {
    if (!text.empty()) list.items.push_back({row.change + ": " + text, Look::note});
  };
  const auto& e = *row.experiment;
  if (!content.in(brief) || e.verdict == ExperimentVerdict::not_run || !row.wrong.empty())
    put(words::clean(e.message));
  put(throttle_change(e));
  if (content.in(brief)) return list;
  if (!e.rule.empty()) put("suggested by " + e.rule);
  if (content.in(verbose)) put(words::outliers(row.step));
  if (content.in(html_page)) put(words::clocks(e));
  return list;
}

Text time_of(const MedianInterval& time) {
  const std::string interval = words::interval(time);
  return Text(format_milliseconds(time.median)) +
         dim(interval.empty() ? interval : " (" + interval + ")");
}

// How far, and whether that is allowed: of a change that computes another function nothing is.
Text moved_of(const TrialRow& row) {
  if (!row.wrong.empty()) return Text("too far: ", Tone::bad) + row.wrong;
  Text text = words::moved(row);
  const auto meaning = parse_meaning(row.experiment->meaning);
  if (!text.empty() && meaning && *meaning != Meaning::model)
    text += dim(", the most of all; allowed");
  return text;
}

}  // namespace

Table measured_of(const Profile& profile, int experiment) {
  Table table;
  if (experiment < 0 || static_cast<std::size_t>(experiment) >= profile.experiments.size())
    return table;
  const auto rows = trial_rows(profile, std::array{experiment});
  const TrialRow& row = rows.front();
  auto& cells = table.rows.emplace_back().cells;
  const auto add = [&](const char* title, Text text) {
    if (text.empty()) return;
    table.columns.push_back({title});
    cells.push_back({std::move(text)});
  };
  if (row.step != nullptr && row.step->before_ms.median > 0 && row.step->after_ms.median > 0) {
    add("Before", time_of(row.step->before_ms));
    add("After", time_of(row.step->after_ms));
  }
  add("Memory", words::memory_change(*row.experiment));
  add("Results moved by", moved_of(row));
  return table;
}

Blocks trials_of(const Content& content, const ConfigurationReport& each) {
  if (each.trials.empty()) return {};
  constexpr std::size_t most = 12;
  const std::size_t shown =
      content.in(brief) ? std::min(most, each.trials.size()) : each.trials.size();
  Blocks blocks;
  List best;
  for (const auto& line : words::best_trials(each))
    best.items.push_back({line, Look::normal, {}, content.in(terminals) ? Mark::fine : Mark::none});
  Table table = table_of(content, each, shown);
  if (content.in(html_page)) {
    blocks.push_back(Paragraph{"Tried and measured", Look::strong});
    blocks.push_back(std::move(best));
    blocks.push_back(Drawing{[&each] { return html::trials_plot(each); }, {}});
    Details all{fmt::format("All {}", words::plural(static_cast<long long>(shown), "change")),
                "before and after, memory, results",
                -1,
                shown <= 6,
                {}};
    all.blocks.push_back(std::move(table));
    for (const auto& row : each.trials) {
      all.blocks.push_back(remarks_of(content, row));
      if (row.step != nullptr)
        all.blocks.push_back(Drawing{[&row] { return html::samples_strip(row); }, {}});
    }
    blocks.push_back(std::move(all));
  } else {
    table.title = "Tried and measured";
    blocks.push_back(std::move(table));
    blocks.push_back(std::move(best));
    List remarks;
    for (const auto& row : each.trials) {
      const auto more = remarks_of(content, row);
      remarks.items.insert(remarks.items.end(), more.items.begin(), more.items.end());
    }
    blocks.push_back(std::move(remarks));
  }
  for (const auto& row : each.trials) {
    if (row.experiment->code.empty() ||
        (content.in(terminals) && row.verdict != ExperimentVerdict::confirmed))
      continue;
    std::string names;
    for (const auto& file : row.experiment->code)
      names += (names.empty() ? "" : ", ") + words::clean(file.name);
    const std::string title = fmt::format("Code of {}{}: {}", row.change,
                                          row.where.empty() ? "" : " " + row.where, names);
    if (content.in(brief)) {
      blocks.push_back(
          Paragraph{Text(title + "; --verbose shows it, --write-code writes it", Tone::dim)});
      continue;
    }
    Details code{title, {}, -1, false, {}};
    for (const auto& file : row.experiment->code) code.blocks.push_back(Code{file.text});
    blocks.push_back(std::move(code));
  }
  const auto symbol = [&](Mark mark) {
    return content.in(terminals) ? sign(mark).unicode : std::string_view();
  };
  std::string note = words::trials_note(each, {symbol(Mark::fine), symbol(Mark::inconclusive),
                                               symbol(Mark::error), symbol(Mark::refused)});
  if (shown < each.trials.size())
    note += fmt::format(" {} more: see --verbose.", each.trials.size() - shown);
  blocks.push_back(Paragraph{note, Look::note});
  return blocks;
}

}  // namespace rnnadvisor::advisor::document
