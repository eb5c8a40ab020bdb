#include "advisor/cli/accelerate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "advisor/change/in_words.h"
#include "advisor/cli/accelerate_rows.h"
#include "advisor/cli/change_report.h"
#include "advisor/cli/whole_step_report.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

using advisor::Style;
using spool::ChoiceState;
namespace words = advisor::words;

constexpr std::size_t most_rows = 6;
constexpr int indent = report_indent;

TryVerdict accelerated_verdict(const std::vector<AlgorithmRow>& rows,
                               const launch::Collected& collected, bool tried) {
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
  const AlgorithmRow& first = rows.front();  // what saves most
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
std::string why_nothing(const launch::Collected& collected, const std::vector<AlgorithmRow>& rows,
                        bool switched_off) {
  if (switched_off) return "RNNADVISOR_ACCELERATE=0 turns it off; unset it and run again";
  const bool no_calls = collected.spools == 0 || (rows.empty() && collected.rnn_calls == 0);
  const bool undecided = std::any_of(rows.begin(), rows.end(), [](const AlgorithmRow& row) {
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
  if (any([](const AlgorithmRow& row) {
        return row.choice.origin == spool::ChoiceOrigin::unplanned;
      }))
    return "the plan has no other algorithm for these calls, or cannot be used here";
  if (any([](const AlgorithmRow& row) {
        return row.choice.origin == spool::ChoiceOrigin::planned;
      }))
    return "the plan keeps the program's own algorithms";
  if (any([](const AlgorithmRow& row) {
        return row.choice.origin == spool::ChoiceOrigin::limited && !lacks_memory(row.choice);
      })) {
    return "the budget for measuring was spent before a choice could be made; raise --budget";
  }
  if (any([](const AlgorithmRow& row) { return lacks_memory(row.choice); })) {
    return "GPU memory was too short for another algorithm; raise --memory (default 2 GiB), or "
           "lower the batch where the GPU is full";
  }
  if (!any([](const AlgorithmRow& row) { return was_tried(row.choice); })) {
    return fmt::format("no other algorithm suits these calls; the reasons are below, and {}",
                       what_else);
  }
  if (any([](const AlgorithmRow& row) { return has_unclear(row.choice, row.mode); })) {
    return "times vary too much to call another algorithm faster; run it again, on a GPU without "
           "other work";
  }
  return fmt::format("no other algorithm that gives the same results is faster by 5 %; {}",
                     what_else);
}

void draw_costs(advisor::Terminal& terminal, const std::vector<AlgorithmRow>& rows, bool tried) {
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
TryVerdict verdict_of(const launch::Collected& collected, const std::vector<AlgorithmRow>& rows,
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
  std::vector<AlgorithmRow> changed_rows;
  for (const auto& row : all_rows)
    if (row.choice.with_change && row.choice.accelerated()) changed_rows.push_back(row);
  std::erase_if(
      rows, [&](const AlgorithmRow& row) { return row.choice.with_change || !context.algorithms; });
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
