#include "advisor/cli/whole_step_report.h"

#include <fmt/format.h>

#include <set>

#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {

using advisor::Style;
using launch::WholeStep;
namespace words = advisor::words;

std::string layer_name(const RnnConfig& config) {
  const std::string text = summary(config);
  return words::clean(text.substr(0, text.find(", "))) +
         (config.mode == Mode::inference ? ", inference" : "");
}

std::string_view words_of(spool::StepArm arm) {
  switch (arm) {
    case spool::StepArm::algorithms:
      return "with faster algorithms";
    case spool::StepArm::change:
      return "with the change of layers";
    case spool::StepArm::both:
      return "with both";
    case spool::StepArm::own:
    case spool::StepArm::count:
      break;
  }
  return "";
}

namespace {

void draw_no_step(advisor::Terminal& terminal, const WholeStepContext& context) {
  if (!context.step.empty()) {
    terminal.paragraph(fmt::format("not measured: too few steps ({}) came, or none", context.step),
                       report_indent, "  Whole step", Style::bold);
  } else if (context.tried) {
    terminal.paragraph(
        "not measured: the program ended too early, or no step was found. A step is a forward pass "
        "and its backward pass, or without training a forward pass of the first layer, outside "
        "CUDA graphs; `--step nvtx:NAME` names one",
        report_indent, "  Whole step", Style::bold);
  }
}

}  // namespace

std::vector<WholeStep> first_steps(const launch::Collected& collected) {
  std::vector<WholeStep> first;
  for (const auto& step : collected.steps)
    if (step.process == collected.steps.front().process) first.push_back(step);
  return first;
}

const WholeStep* best_of(const std::vector<WholeStep>& steps) {
  constexpr double worth_code = 1.05;
  const WholeStep* best = nullptr;
  for (const auto& step : steps) {
    if (!step.is_faster() || step.withdrawn) continue;
    const double than = best == nullptr ? 0
                        : step.has_change() && !best->has_change()
                            ? worth_code * best->speedup.median
                            : best->speedup.median;
    if (step.speedup.median > than) best = &step;
  }
  return best;
}

void draw_whole_step(advisor::Terminal& terminal, const launch::Collected& collected,
                     const WholeStepContext& context) {
  const auto steps = first_steps(collected);
  if (steps.empty()) return draw_no_step(terminal, context);
  const auto& first = steps.front();
  const std::string noise =
      fmt::format("noise of the program's own steps: {} to {}", words::number(first.control.low),
                  words::number(first.control.high));
  std::set<int> processes;
  for (const auto& step : collected.steps) processes.insert(step.process);
  std::string of_first;
  if (processes.size() > 1)
    of_first = fmt::format("; in the first of {} processes", processes.size());
  for (const auto& step : steps) {
    std::string text =
        fmt::format("{} {} {}{}{}: {} ({} to {})", format_milliseconds(step.own_ms.median),
                    terminal.symbol("→", "->"), format_milliseconds(step.changed_ms.median),
                    steps.size() > 1 ? " " : "", steps.size() > 1 ? words_of(step.arm) : "",
                    words::times(step.speedup.median), words::number(step.speedup.low),
                    words::number(step.speedup.high));
    if (steps.size() == 1) text += "; " + noise;
    if (step.withdrawn) text += "; steps were slower, so the program has its own algorithms again";
    if (steps.size() == 1) text += of_first;
    terminal.paragraph(text, report_indent, &step == &first ? "  Whole step" : "", Style::bold);
  }
  std::string about =
      fmt::format("{} steps timed, in blocks; speedup: median over neighbouring blocks; {}",
                  format_count(first.steps), launch::describe(first.source));
  if (steps.size() > 1) about = fmt::format("{}{}; {}", noise, of_first, about);
  const double cost = (first.own_ms.median - first.changed_ms.median) * first.own_steps;
  if (!context.tried && cost > 0)
    about += fmt::format(
        "; timing them cost about {}, because {} of them ran with the program's own algorithms",
        format_milliseconds(cost), format_count(first.own_steps));
  terminal.paragraph(about, report_indent, {}, Style::dim);
}

std::string_view losses_in_short(const LossReport* losses) {
  if (losses == nullptr || losses->as_close()) return {};
  return losses->comparison
             ? "; its losses are further from those of the program than chance makes "
               "them"
             : "; it printed no loss";
}

void draw_losses(advisor::Terminal& terminal, const LossReport* losses) {
  if (losses == nullptr) return;
  const auto& found = losses->comparison;
  if (!found) {
    terminal.paragraph("not compared: the run with the change had none", report_indent, "  Losses",
                       Style::bold);
    return;
  }
  const std::string verdict =
      !found->finite ? "infinite or not a number where those of the program as it is are finite"
      : found->as_close() ? "as close to the program as it is as that is to itself"
                          : "further from the program as it is than that is from itself";
  std::string text = verdict;
  if (found->losses > 0) {
    text += fmt::format(
        ": {:.2g} from the mean of {} runs of it, each of which is at most {:.2g} from the mean of "
        "the others; the last loss is {:.6g}, theirs {:.6g}",
        found->changed, losses->originals, found->furthest, found->last_changed,
        found->last_original);
  }
  terminal.paragraph(text, report_indent, "  Losses",
                     found->as_close() ? Style::bold : Style::yellow);
  terminal.paragraph(
      fmt::format("root mean square over {} losses{}; each run but the first had its RNN weights "
                  "moved by one unit in the last place",
                  format_count(static_cast<std::int64_t>(found->losses)),
                  losses->marks ? " of NVTX marks" : ""),
      report_indent, {}, Style::dim);
}

void draw_notes(advisor::Terminal& terminal, const Profile& profile) {
  constexpr std::size_t most_notes = 3;
  std::size_t shown = 0;
  for (const auto& note : profile.notes) {
    // What the verdict says already; without Python there are no lines of it to miss.
    if (note.severity == NoteSeverity::info || note.code == "no-rnn-calls" ||
        note.code == "try-ended" || note.code == "call-sites-off" ||
        note.code == spool::acceleration_off)
      continue;
    if (++shown > most_notes) break;
    terminal.paragraph(words::clean(note.text), report_indent, "  Note", Style::yellow);
  }
}

}  // namespace rnnadvisor::cli
