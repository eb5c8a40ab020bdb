#include "advisor/cli/accelerate_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/cli/whole_step_report.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

using advisor::Style;
using launch::AlgorithmChoice;
using launch::ChoiceVariant;
using launch::name_of;
using spool::ChoiceState;
using spool::Kept;
using spool::VariantState;
namespace words = advisor::words;

constexpr int indent = report_indent;

std::int64_t sum(std::span<const std::int64_t> counts) {
  std::int64_t total = 0;
  for (const auto count : counts) total += count;
  return total;
}

std::string site_of(const AlgorithmChoice& choice) {
  if (choice.file.empty()) return {};
  std::string text = words::clean(choice.file.substr(choice.file.rfind('/') + 1));
  if (choice.line > 0) text += fmt::format(":{}", choice.line);
  return text;
}

double saved_ms(const AlgorithmChoice& choice) {
  double total = 0;
  for (std::size_t i = 0; i < spool::choice_phases; ++i) {
    const auto &before = choice.original().ms[i], &after = choice.in_use().ms[i];
    if (before.count > 0 && after.count > 0)
      total += static_cast<double>(choice.substituted[i]) * (before.median - after.median);
  }
  return total;
}

void add_counts(AlgorithmChoice& to, const AlgorithmChoice& from) {
  for (std::size_t i = 0; i < spool::choice_phases; ++i) {
    to.calls[i] += from.calls[i];
    to.substituted[i] += from.substituted[i];
  }
  for (std::size_t i = 0; i < std::size(to.kept); ++i) to.kept[i] += from.kept[i];
  to.tuning_ms += from.tuning_ms;
  to.tuning_bytes = std::max(to.tuning_bytes, from.tuning_bytes);
}

}  // namespace

std::vector<AlgorithmRow> make_rows(const launch::Collected& collected) {
  std::vector<AlgorithmRow> rows;
  for (const auto& choice : collected.choices) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const AlgorithmRow& row) {
      return choice.configuration >= 0 && row.choice.process != choice.process &&
             row.choice.configuration == choice.configuration && row.choice.file == choice.file &&
             row.choice.line == choice.line && row.choice.with_change == choice.with_change &&
             name_of(row.choice.in_use()) == name_of(choice.in_use());
    });
    if (same != rows.end()) {
      add_counts(same->choice, choice);
      same->saved_ms += saved_ms(choice);
      ++same->processes;
      continue;
    }
    auto& row = rows.emplace_back();
    row.choice = choice;
    row.site = site_of(choice);
    row.name = "RNN calls that are not described";
    if (choice.configuration >= 0) {
      const auto& config =
          collected.profile.configurations[static_cast<std::size_t>(choice.configuration)].config;
      row.name = layer_name(config);
      row.mode = config.mode;
    }
    if (choice.accelerated()) {
      const auto timings = launch::choice_timings(choice.original(), choice.in_use(), row.mode);
      row.timed = !timings.empty();
      if (row.timed) row.time = timings.back();
      row.saved_ms = saved_ms(choice);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const AlgorithmRow& a, const AlgorithmRow& b) {
    return std::tuple(a.choice.accelerated(), a.saved_ms) >
           std::tuple(b.choice.accelerated(), b.saved_ms);
  });
  return rows;
}

LayerKey layer_of(const AlgorithmRow& row, const Profile& profile) {
  if (row.choice.configuration < 0)
    return {row.choice.file, row.choice.line, {}, {}, {}, {}, {}, {}};
  const auto& c = profile.configurations[static_cast<std::size_t>(row.choice.configuration)].config;
  return {row.choice.file, row.choice.line, c.cell,      c.input_size,
          c.hidden_size,   c.num_layers,    c.direction, c.data_type};
}

std::string faster(double speedup) {
  return fmt::format("{} times faster", words::number(speedup));
}

std::string in_place_of(const AlgorithmChoice& choice) {
  return fmt::format("{} in place of {}", name_of(choice.in_use()), name_of(choice.original()));
}

namespace {

// In the widest scope in which both were timed.
std::optional<ExperimentTiming> times_of(const AlgorithmChoice& choice,
                                         const ChoiceVariant& variant, Mode mode) {
  const auto timings = launch::choice_timings(choice.original(), variant, mode);
  return timings.empty() ? std::nullopt : std::optional(timings.back());
}

// Not used although its median was better: times varied too much, as on a GPU with other work.
bool is_unclear(const AlgorithmChoice& choice, const ChoiceVariant& variant, Mode mode) {
  const auto times = times_of(choice, variant, mode);
  return variant.state == VariantState::slower && times &&
         times->after_ms.median <= (1 - spool::least_saving) * times->before_ms.median;
}
}  // namespace

bool has_unclear(const AlgorithmChoice& choice, Mode mode) {
  return std::any_of(choice.variants.begin() + 1, choice.variants.end(),
                     [&](const auto& variant) { return is_unclear(choice, variant, mode); });
}

namespace {

std::string why_dropped(const AlgorithmChoice& choice, const ChoiceVariant& variant, Mode mode) {
  switch (variant.state) {
    case VariantState::slower: {
      const auto times = times_of(choice, variant, mode);
      if (!times) return "not measured to the end";
      const double own = times->before_ms.median, other = times->after_ms.median;
      return fmt::format("{}: {}", format_milliseconds(other),
                         is_unclear(choice, variant, mode)
                             ? std::string("times vary too much to call it faster")
                         : other > own ? fmt::format("{} times as long", words::number(other / own))
                                       : std::string("less than 5 % faster"));
    }
    case VariantState::refused:
      return fmt::format("cuDNN refuses it, {}", words::clean(variant.status));
    case VariantState::different:
      if (variant.error < 0) return "its results differ";
      return fmt::format("its results differ: {} by {:.2g}, {:.2g} allowed",
                         words::clean(variant.tensor), variant.error, variant.limit);
    case VariantState::drifted:
      return fmt::format("was in use until its results differed: {} by {:.2g}, {:.2g} allowed",
                         words::clean(variant.tensor), variant.error, variant.limit);
    case VariantState::layout:
      return "it stores weights or intermediate results differently";
    case VariantState::memory:
      return "it needs more GPU memory than --memory allows or than is free";
    case VariantState::costly:
      return "comparing it would take more than what is left of --budget";
    case VariantState::candidate:
    case VariantState::unseen:
      return "not compared on a call";
    case VariantState::measured:
      return "its results are right; not measured to the end";
    case VariantState::original:
    case VariantState::absent:
      break;
  }
  return "not tried";
}

std::string_view why_kept(Kept reason) {
  switch (reason) {
    case Kept::tuning:
      return "before the choice, to compare and to measure";
    case Kept::unequal_lengths:
      return "with sequences of unequal lengths";
    case Kept::alignment:
      return "with tensors that are not aligned or states that are not packed";
    case Kept::small_workspace:
      return "with a workspace too small for another algorithm";
    case Kept::unknown_reserve:
      return "with a reserve space of unknown origin";
    case Kept::captured:
      return "captured in a CUDA graph before the choice was made";
    case Kept::refused:
      return "that cuDNN refused with another algorithm";
    case Kept::whole_step:
      return "to time whole steps";
    case Kept::only_tried:
      return "after the measurement";
    case Kept::count:
      break;
  }
  return "for another reason";
}

// Another algorithm was chosen, and its choice withdrawn.
bool was_in_use(const AlgorithmChoice& choice) {
  return !choice.accelerated() && sum(choice.substituted) > sum(choice.calls) / 10;
}

std::string calls_line(const AlgorithmChoice& choice) {
  const auto all = sum(choice.calls);
  const auto ran = sum(choice.substituted);
  const auto calls = words::plural(static_cast<long long>(all), "call");
  std::string line = calls;
  if (choice.accelerated()) {
    line = fmt::format("{} of {} accelerated", format_count(ran), calls);
  } else if (was_in_use(choice)) {
    line = fmt::format("{} of {} ran with another algorithm until it was given up",
                       format_count(ran), calls);
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::size(choice.kept); ++i) {
    // Where nothing was chosen all calls kept it, but for those that tried another.
    const bool why =
        choice.accelerated() || was_in_use(choice) || static_cast<Kept>(i) != Kept::tuning;
    if (choice.kept[i] > 0 && why)
      parts.push_back(
          fmt::format("{} {}", format_count(choice.kept[i]), why_kept(static_cast<Kept>(i))));
  }
  if (!parts.empty())
    line += fmt::format("; kept the program's algorithm: {}", fmt::join(parts, ", "));
  return line;
}

}  // namespace

bool lacks_memory(const AlgorithmChoice& choice) {
  return std::any_of(choice.variants.begin(), choice.variants.end(),
                     [](const auto& v) { return v.state == VariantState::memory; });
}

bool was_tried(const AlgorithmChoice& choice) {
  return std::any_of(choice.variants.begin() + 1, choice.variants.end(), [](const auto& v) {
    return v.state != VariantState::unseen && v.state != VariantState::candidate;
  });
}

namespace {

// Where the choice is from, if these calls themselves were not measured; else empty.
std::string_view chosen_elsewhere(spool::ChoiceOrigin origin) {
  switch (origin) {
    case spool::ChoiceOrigin::planned:
      return "as the plan has it";
    case spool::ChoiceOrigin::neighbour:
      return "as measured for a similar batch";
    case spool::ChoiceOrigin::shared:
      return "as the first rank measured";
    default:
      return {};
  }
}

// One sentence for calls that were not accelerated.
std::string_view why_not(const AlgorithmChoice& choice, Mode mode) {
  switch (choice.state) {
    case ChoiceState::waiting:
      return "too few calls of this kind to compare algorithms";
    case ChoiceState::comparing:
      return "the program ended while results were compared";
    case ChoiceState::measuring:
      return "the program ended while algorithms were measured";
    case ChoiceState::decided:
      break;
  }
  if (const auto elsewhere = chosen_elsewhere(choice.origin); !elsewhere.empty()) return elsewhere;
  if (choice.origin == spool::ChoiceOrigin::unplanned)
    return "no plan has a choice for these calls, and none may be made by timing";
  const auto has = [&](VariantState state) {
    return std::any_of(choice.variants.begin(), choice.variants.end(),
                       [state](const auto& v) { return v.state == state; });
  };
  const bool limited = choice.origin == spool::ChoiceOrigin::limited && !has(VariantState::memory);
  if (!was_tried(choice) && !limited) return "no other algorithm suits these calls";
  if (has(VariantState::drifted)) return "a faster algorithm was used until its results differed";
  if (limited)
    return "the budget for measuring was spent before the choice could be made; raise --budget";
  if (has(VariantState::memory)) return "GPU memory was too short for another algorithm";
  return has_unclear(choice, mode) ? "times vary too much to call another algorithm faster"
                                   : "no other usable algorithm is faster by 5 %";
}

std::vector<std::string> dropped(const AlgorithmChoice& choice, Mode mode) {
  std::vector<std::string> list;
  for (std::size_t i = 1; i < choice.variants.size(); ++i) {
    if (i == choice.chosen) continue;
    // Nothing else was to be tried.
    if (choice.origin != spool::ChoiceOrigin::measured &&
        choice.origin != spool::ChoiceOrigin::limited &&
        choice.variants[i].state == VariantState::unseen)
      continue;
    const auto& variant = choice.variants[i];
    list.push_back(fmt::format("{} ({})", name_of(variant), why_dropped(choice, variant, mode)));
  }
  return list;
}

// Of the program's own algorithm, beside those that were not used; 0: not timed.
double original_ms(const AlgorithmChoice& choice, Mode mode) {
  const auto times = times_of(choice, choice.original(), mode);
  return times ? times->after_ms.median : 0;
}

std::string_view scope_words(ExperimentScope scope) {
  switch (scope) {
    case ExperimentScope::inference:
      return "forward pass";
    case ExperimentScope::forward_training:
      return "forward pass, the backward pass was not timed";
    case ExperimentScope::training_step:
      return "forward and backward pass";
    case ExperimentScope::program_step:
      return "whole step";
  }
  return "";
}

std::string milliseconds(const MedianInterval& ms) {
  return fmt::format("{} ({} to {})", format_milliseconds(ms.median), words::number(ms.low),
                     words::number(ms.high));
}

}  // namespace

void draw_row(advisor::Terminal& terminal, const AlgorithmRow& row) {
  const auto& choice = row.choice;
  terminal.line();
  std::string title = row.name;
  if (choice.with_change) title += ", with the change";
  if (!row.site.empty() && !choice.with_change) title += ", " + row.site;
  if (row.processes > 1) title += fmt::format(", in {} processes", row.processes);
  terminal.paragraph(title, 4, choice.accelerated() ? terminal.symbol("  ✔", "  =") : "  –",
                     choice.accelerated() ? Style::green : Style::dim, Style::bold);
  const auto part = [&](std::string_view label, const std::string& text) {
    terminal.paragraph(text, indent + 2, fmt::format("    {}", label));
  };
  if (choice.accelerated()) {
    const auto elsewhere = choice.origin == spool::ChoiceOrigin::planned
                               ? std::string_view("from the plan")
                               : chosen_elsewhere(choice.origin);
    part("Algorithm", in_place_of(choice) +
                          (elsewhere.empty() ? std::string() : fmt::format(", {}", elsewhere)));
    if (row.timed) {
      part("Time",
           fmt::format("{} {} {}, {}", milliseconds(row.time.before_ms), terminal.symbol("→", "->"),
                       milliseconds(row.time.after_ms), scope_words(row.time.scope)));
      part("Speedup",
           fmt::format("{} ({} to {})", words::times(row.time.speedup),
                       words::number(row.time.speedup_low), words::number(row.time.speedup_high)));
    }
  } else {
    const double own_ms = original_ms(choice, row.mode);
    part("Algorithm",
         fmt::format("{}{}, unchanged: {}", name_of(choice.original()),
                     own_ms > 0 ? fmt::format(" ({})", format_milliseconds(own_ms)) : "",
                     why_not(choice, row.mode)));
  }
  if (const auto& used = choice.in_use();
      choice.accelerated() && used.error >= 0 && !used.tensor.empty()) {
    part("Results",
         fmt::format("differ by {:.2g} at most (relative L2 norm, {}); {:.2g} is allowed",
                     used.error, words::clean(used.tensor), used.limit));
  }
  part("Calls", calls_line(choice));
  if (const auto others = dropped(choice, row.mode); !others.empty())
    part("Not used", fmt::format("{}", fmt::join(others, ", ")));
}

}  // namespace rnnadvisor::cli
