#include "advisor/cli/accelerate_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "advisor/change/in_words.h"
#include "advisor/cli/change_report.h"
#include "advisor/cli/whole_step_report.h"
#include "advisor/report/terminal.h"
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

constexpr std::size_t most_rows = 6;
constexpr int indent = report_indent;

// The choices that processes made for calls of one configuration, as one: counts and costs of all,
// times of the first.
struct Row {
  AlgorithmChoice choice;
  std::string name;       // "LSTM 2x512 half B32 T128"
  std::string site;       // "train.py:31"
  ExperimentTiming time;  // of what is in use; scope of the widest that was timed
  bool timed = false;
  Mode mode = Mode::training;
  double saved_ms = 0;  // in the whole run, an estimate
  int processes = 1;
};

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

std::vector<Row> make_rows(const launch::Collected& collected) {
  std::vector<Row> rows;
  for (const auto& choice : collected.choices) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
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
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.choice.accelerated(), a.saved_ms) >
           std::tuple(b.choice.accelerated(), b.saved_ms);
  });
  return rows;
}

// Calls of one layer: other batches, other lengths and evaluation are the same layer.
using LayerKey = std::tuple<std::string, int, Cell, int, int, int, Direction, DataType>;
LayerKey layer_of(const Row& row, const Profile& profile) {
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
bool has_unclear(const AlgorithmChoice& choice, Mode mode) {
  return std::any_of(choice.variants.begin() + 1, choice.variants.end(),
                     [&](const auto& variant) { return is_unclear(choice, variant, mode); });
}

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

bool lacks_memory(const AlgorithmChoice& choice) {
  return std::any_of(choice.variants.begin(), choice.variants.end(),
                     [](const auto& v) { return v.state == VariantState::memory; });
}

// Whether another algorithm came so far that cuDNN, its results or its times decided about it.
bool was_tried(const AlgorithmChoice& choice) {
  return std::any_of(choice.variants.begin() + 1, choice.variants.end(), [](const auto& v) {
    return v.state != VariantState::unseen && v.state != VariantState::candidate;
  });
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
  if (choice.origin == spool::ChoiceOrigin::planned) return "as the plan has it";
  if (choice.origin == spool::ChoiceOrigin::neighbour) return "as measured for a similar batch";
  if (choice.origin == spool::ChoiceOrigin::shared) return "as the first rank measured";
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

void draw_row(advisor::Terminal& terminal, const Row& row) {
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
    part(
        "Algorithm",
        in_place_of(choice) +
            (choice.origin == spool::ChoiceOrigin::planned     ? ", from the plan"
             : choice.origin == spool::ChoiceOrigin::shared    ? ", as the first rank measured"
             : choice.origin == spool::ChoiceOrigin::neighbour ? ", as measured for a similar batch"
                                                               : ""));
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

TryVerdict accelerated_verdict(const std::vector<Row>& rows, const launch::Collected& collected,
                               bool tried) {
  const Profile& profile = collected.profile;
  std::set<LayerKey> all, fast;
  double least = 0, most = 0;
  for (const auto& row : rows) {
    const auto key = layer_of(row, profile);
    all.insert(key);
    if (!row.choice.accelerated()) continue;
    fast.insert(key);
    if (!row.timed) continue;
    // Where times vary much, one number says more than was measured.
    const bool varies = row.time.speedup_high > 2 * row.time.speedup_low;
    const double low = varies ? row.time.speedup_low : row.time.speedup;
    least = least > 0 ? std::min(least, low) : low;
    most = std::max(most, varies ? row.time.speedup_high : row.time.speedup);
  }
  const Row& first = rows.front();  // what saves most
  std::string step;
  const auto steps = first_steps(collected);
  if (!steps.empty() && steps.front().arm == spool::StepArm::algorithms &&
      !steps.front().withdrawn) {
    step = fmt::format(", a whole step {} times", words::number(steps.front().speedup.median));
  }
  std::string gain = "with a faster algorithm";
  if (most > 0) {
    gain = words::number(least) == words::number(most)
               ? faster(most)
               : fmt::format("{} to {}", words::number(least), faster(most));
  }
  return {fmt::format("{} of {} {} {}{} ({}: {})", fast.size(),
                      words::plural(static_cast<long long>(all.size()), "RNN layer"),
                      tried              ? "could run"
                      : fast.size() == 1 ? "now runs"
                                         : "now run",
                      gain, step, first.name, in_place_of(first.choice)),
          true};
}

// Why nothing runs faster, and what to do.
std::string why_nothing(const launch::Collected& collected, const std::vector<Row>& rows,
                        bool switched_off) {
  if (switched_off) return "RNNADVISOR_ACCELERATE=0 turns it off; unset it and run again";
  const bool no_calls = collected.spools == 0 || (rows.empty() && collected.rnn_calls == 0);
  const bool undecided = std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    return row.choice.state != ChoiceState::decided;
  });
  if (const std::string failed = how_it_failed(collected);
      !failed.empty() && (no_calls || undecided)) {
    return fmt::format("{} before {}; its own messages say why", failed,
                       no_calls ? "it called a cuDNN RNN" : "a choice was made");
  }
  if (no_calls) {
    return "the program called no cuDNN RNN; check that its RNN runs on the GPU through cuDNN, and "
           "`rnnadvisor doctor` for what is installed";
  }
  constexpr std::string_view what_else =
      "`rnnadvisor profile -- PROGRAM` shows what else could help";
  if (rows.empty()) {
    return fmt::format("none of the {} could use another algorithm; {}",
                       words::plural(static_cast<long long>(collected.rnn_calls), "RNN call"),
                       what_else);
  }
  const auto& notes = collected.profile.notes;
  if (const auto forbidden =
          std::find_if(notes.begin(), notes.end(),
                       [](const auto& note) { return note.code == spool::acceleration_off; });
      forbidden != notes.end()) {
    return fmt::format(
        "{}; make a plan in a run without that (--plan FILE), and give it to the runs with it",
        words::clean(forbidden->text));
  }
  const auto any = [&](auto has) { return std::any_of(rows.begin(), rows.end(), has); };
  if (undecided) {
    return "the program ended before a choice was made; run it longer, or allow more measuring "
           "with --budget";
  }
  if (any([](const Row& row) { return row.choice.origin == spool::ChoiceOrigin::unplanned; }))
    return "the plan has no other algorithm for these calls, or cannot be used here";
  if (any([](const Row& row) { return row.choice.origin == spool::ChoiceOrigin::planned; }))
    return "the plan keeps the program's own algorithms";
  if (any([](const Row& row) {
        return row.choice.origin == spool::ChoiceOrigin::limited && !lacks_memory(row.choice);
      })) {
    return "the budget for measuring was spent before a choice could be made; raise --budget";
  }
  if (any([](const Row& row) { return lacks_memory(row.choice); })) {
    return "GPU memory was too short for another algorithm; raise --memory (default 2 GiB), or "
           "lower the batch where the GPU is full";
  }
  if (!any([](const Row& row) { return was_tried(row.choice); })) {
    return fmt::format("no other algorithm suits these calls; the reasons are below, and {}",
                       what_else);
  }
  if (any([](const Row& row) { return has_unclear(row.choice, row.mode); })) {
    return "times vary too much to call another algorithm faster; run it again, on a GPU without "
           "other work";
  }
  return fmt::format("no other algorithm that gives the same results is faster by 5 %; {}",
                     what_else);
}

void draw_costs(advisor::Terminal& terminal, const std::vector<Row>& rows, bool tried) {
  double tuning = 0, saved = 0;
  std::int64_t bytes = 0;
  for (const auto& row : rows) {
    tuning += row.choice.tuning_ms;
    bytes = std::max(bytes, row.choice.tuning_bytes);
    saved += row.saved_ms;
  }
  if (tuning > 0 || bytes > 0) {
    terminal.paragraph(
        fmt::format("{} of GPU time and {} of GPU memory", format_milliseconds(tuning),
                    format_bytes(static_cast<double>(bytes))),
        indent, "  Measuring", Style::bold);
  }
  if (saved > 0 && !tried) {
    terminal.paragraph(fmt::format("about {} of GPU time in this run: what the medians differ by, "
                                   "for each accelerated call",
                                   format_milliseconds(saved)),
                       indent, "  Saved", Style::bold);
  }
}

// Everything that was tried: `rows` are the kinds of calls that the program makes by itself.
TryVerdict verdict_of(const launch::Collected& collected, const std::vector<Row>& rows,
                      const AccelerationContext& context, const launch::WholeStep* best) {
  const bool any = !rows.empty() && rows.front().choice.accelerated();
  const bool changed = context.changes != nullptr && count_layers(*context.changes, true) > 0;
  if (!context.algorithms) return change_verdict(collected, *context.changes);
  if (best != nullptr && best->has_change() && changed) {
    return {fmt::format("a whole step runs {} times faster with {}{}",
                        words::number(best->speedup.median), change_in_words(*context.changes),
                        best->arm == spool::StepArm::both ? " and faster algorithms" : ""),
            true};
  }
  if (any) return accelerated_verdict(rows, collected, context.tried);
  std::string text = (context.tried ? "nothing to accelerate: " : "nothing was accelerated: ") +
                     why_nothing(collected, rows, context.switched_off);
  if (changed) text += "; " + change_verdict(collected, *context.changes).text;
  return {std::move(text)};
}

void draw_keeping(advisor::Terminal& terminal, const AccelerationContext& context, bool algorithms,
                  bool change) {
  const auto draw = [&](std::string_view label, const std::string& text) {
    terminal.paragraph(text, indent, label, Style::bold);
  };
  if (change) draw("  To keep it", keep_change(*context.changes, context.code_folder));
  if (algorithms && context.command.empty()) {
    draw(change ? "" : "  To keep it", "start the program with the same variables");
  } else if (algorithms) {
    draw(change ? "" : "  To keep it", change          ? "and run"
                                       : context.tried ? "run"
                                                       : "the same command");
    // Whole, so that it can be copied.
    terminal.line("    " + words::clean(context.command));
  }
  if (algorithms && !context.tried) {
    terminal.paragraph("RNNADVISOR_ACCELERATE=0, or start the program without rnnadvisor", indent,
                       "  To undo it", Style::bold);
  }
}

}  // namespace

std::string accelerate_command(std::string_view options, std::string_view program) {
  return fmt::format("rnnadvisor accelerate {}{}-- {}", options, options.empty() ? "" : " ",
                     program);
}

std::string accelerate_report(const launch::Collected& collected,
                              const AccelerationContext& context,
                              const advisor::TextOptions& options) {
  const auto all_rows = make_rows(collected);
  auto rows = all_rows;
  // What a changed layer calls follows the program's own; where it gained nothing, it is no news.
  std::vector<Row> changed_rows;
  for (const auto& row : all_rows)
    if (row.choice.with_change && row.choice.accelerated()) changed_rows.push_back(row);
  std::erase_if(rows,
                [&](const Row& row) { return row.choice.with_change || !context.algorithms; });
  const auto steps = first_steps(collected);
  const auto* best = best_of(steps);
  const bool any = !rows.empty() && rows.front().choice.accelerated();
  const bool changed = context.changes != nullptr && count_layers(*context.changes, true) > 0;
  const bool change_gains = std::any_of(
      steps.begin(), steps.end(),
      [](const launch::WholeStep& step) { return step.has_change() && step.is_faster(); });
  advisor::Terminal terminal(options);
  const auto verdict = verdict_of(collected, rows, context, best);
  terminal.line();
  const auto losses = losses_in_short(context.losses);
  terminal.paragraph(fmt::format("rnnadvisor: {}{}", verdict.text, losses), 0, {}, Style::dim,
                     verdict.good && losses.empty() ? Style::green : Style::yellow);
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) draw_row(terminal, rows[i]);
  if (rows.size() > most_rows)
    terminal.line(fmt::format("    and {} more kinds of calls", rows.size() - most_rows),
                  Style::dim);
  if (context.changes != nullptr)
    draw_changed_layers(terminal, *context.changes, context.algorithms, change_gains);
  if (context.algorithms) {
    for (std::size_t i = 0; i < std::min(changed_rows.size(), most_rows); ++i)
      draw_row(terminal, changed_rows[i]);
  }
  terminal.line();
  const auto& notes = collected.profile.notes;
  if (std::any_of(notes.begin(), notes.end(),
                  [](const Note& note) { return note.code == "try-ended"; })) {
    terminal.paragraph(
        "by rnnadvisor, as it said at the start; a KeyboardInterrupt above is the program's answer",
        indent, "  Interrupted", Style::bold);
  }
  if (any || changed || !steps.empty())
    draw_whole_step(terminal, collected, {context.step, context.tried});
  if (context.algorithms) draw_costs(terminal, all_rows, context.tried);
  draw_losses(terminal, context.losses);
  draw_notes(terminal, collected.profile);
  const bool keep_change = best != nullptr && best->has_change() && changed;
  const bool keep_algorithms = keep_change ? best->arm == spool::StepArm::both : any;
  draw_keeping(terminal, context, keep_algorithms, keep_change);
  return terminal.take();
}

}  // namespace rnnadvisor::cli
