#include "gui/models/steps.h"

#include <algorithm>

#include "core/base/text.h"
#include "gui/models/item_models.h"
#include "gui/models/link.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {

namespace chart = advisor::chart;

namespace {

QString time_of(double ns) { return format_ns(static_cast<std::int64_t>(ns)); }

QString rank_of(const Document& document, const ProcessSteps& steps) {
  const auto& process = document.profile().processes[static_cast<std::size_t>(steps.process)];
  return process.rank >= 0 ? Texts::tr("rank %1").arg(process.rank)
                           : Texts::tr("process %1").arg(process.pid);
}

QString hint_of(const RecordedStep& step, std::size_t number, const ProcessSteps& all) {
  QString text = Texts::tr("step %1: %2").arg(number + 1).arg(format_ns(step.length()));
  if (step.warm_up) text += Texts::tr(", warms up: in no median");
  if (step.outlier)
    text += static_cast<double>(step.length()) > all.high_ns ? Texts::tr(", an outlier: longer")
                                                             : Texts::tr(", an outlier: shorter");
  if (step.collective_wait_ns >= 0)
    text += Texts::tr(", waits %1 in collectives").arg(time_of(step.collective_wait_ns));
  return text;
}

std::unique_ptr<chart::Columns> columns_of(const ProcessSteps& all) {
  auto columns = std::make_unique<chart::Columns>();
  const auto& steps = all.steps;
  // Of very many steps one column stands for several, as long as the longest of them.
  const std::size_t each = (steps.size() + StepStrips::most_columns - 1) / StepStrips::most_columns;
  int outliers = 0;
  for (const auto& step : steps) outliers += step.outlier ? 1 : 0;
  for (std::size_t from = 0; from < steps.size(); from += each) {
    const std::size_t to = std::min(from + each, steps.size());
    std::size_t longest = from;
    bool marked = false;
    for (std::size_t i = from; i < to; ++i) {
      if (steps[i].length() > steps[longest].length()) longest = i;
      marked = marked || steps[i].outlier;
    }
    const auto& step = steps[longest];
    chart::Columns::Column column;
    column.value = static_cast<double>(step.length());
    column.ink = {chart::Ink::series, 0};
    column.aside = step.warm_up;
    column.marked = marked;
    QString hint = hint_of(step, longest, all);
    if (to - from > 1)
      hint = Texts::tr("steps %1 to %2, the longest is %3").arg(from + 1).arg(to).arg(hint);
    column.hint = from_qt(hint);
    Link link;
    link.kind = LinkKind::step;
    link.configuration = all.device;
    link.item = {ItemKind::call, step.call};
    column.link = from_qt(to_string(link));
    columns->columns.push_back(std::move(column));
  }
  columns->middle = all.median_ns;
  columns->middle_note = from_qt(Texts::tr("median %1").arg(time_of(all.median_ns)));
  columns->summary =
      from_qt(Texts::tr("%n step(s), median %1, %2 outliers", nullptr, many(steps.size()))
                  .arg(time_of(all.median_ns))
                  .arg(outliers));
  return columns;
}

// What is known of the ranks of a job, in words.
void add_rank_notes(const Document& document, const RecordedSteps& all, QStringList& notes) {
  using Waits = RecordedSteps::Waits;
  const auto& first =
      document.profile().processes[static_cast<std::size_t>(all.processes.front().process)];
  if (first.world_size > static_cast<int>(all.processes.size()) && first.rank >= 0)
    notes << Texts::tr("%1 of %2 ranks were recorded with their steps")
                 .arg(all.processes.size())
                 .arg(first.world_size);
  switch (all.waits) {
    case Waits::one_rank:
      return;
    case Waits::no_collectives:
      notes << Texts::tr(
          "how long ranks wait for each other is not known: no collective of NCCL "
          "was recorded");
      return;
    case Waits::do_not_match:
      notes << Texts::tr(
          "how long ranks wait for each other is not known: they recorded different "
          "numbers of collectives, so that those run together cannot be told");
      return;
    case Waits::known:
      break;
  }
  const auto& slowest = all.processes[static_cast<std::size_t>(all.slowest)];
  double least = slowest.own_ns, most_wait = 0;
  const ProcessSteps* waits_most = nullptr;
  for (const auto& each : all.processes) {
    least = std::min(least, each.own_ns);
    if (&each == &slowest || each.collective_wait_ns < most_wait) continue;
    most_wait = each.collective_wait_ns;
    waits_most = &each;
  }
  notes << Texts::tr(
               "%1 is the slowest: without waiting its steps take %2, %3 more than those of "
               "the fastest rank")
               .arg(rank_of(document, slowest), time_of(slowest.own_ns),
                    time_of(slowest.own_ns - least));
  if (waits_most != nullptr)
    notes << Texts::tr(
                 "%1 waits %2 of a step in all-reduce and other collectives of NCCL (beyond "
                 "the shortest of the kernels that ran together)")
                 .arg(rank_of(document, *waits_most), time_of(most_wait));
}

}  // namespace

StepStrips step_strips(const Document& document) {
  StepStrips made;
  const auto& all = document.recorded_steps();
  if (all.processes.empty()) return made;
  std::vector<const ProcessSteps*> order;
  for (const auto& each : all.processes) order.push_back(&each);
  if (all.slowest >= 0)
    std::rotate(order.begin(), order.begin() + all.slowest, order.begin() + all.slowest + 1);
  bool outliers = false;
  for (const auto* each : order) {
    for (const auto& step : each->steps) outliers = outliers || step.outlier;
    if (made.strips.size() == StepStrips::most) continue;
    StepStrip strip;
    if (order.size() > 1) {
      strip.title = Texts::tr("%1, GPU %2").arg(rank_of(document, *each)).arg(each->device);
      if (each->collective_wait_ns >= 0)
        strip.title += Texts::tr(" · %1 without waiting, waits %2")
                           .arg(time_of(each->own_ns), time_of(each->collective_wait_ns));
      if (all.slowest >= 0 && each == &all.processes[static_cast<std::size_t>(all.slowest)])
        strip.title += Texts::tr(" · the slowest");
    }
    strip.chart = columns_of(*each);
    made.strips.push_back(std::move(strip));
  }
  made.notes << Texts::tr("while traced, which makes steps longer");
  if (outliers)
    made.notes << Texts::tr(
        "a triangle marks outliers: further from the median than three standard deviations "
        "(1.4826 times the median absolute deviation)");
  if (order.size() > made.strips.size())
    made.notes
        << Texts::tr("the first %1 of %2 processes").arg(made.strips.size()).arg(order.size());
  add_rank_notes(document, all, made.notes);
  return made;
}

std::optional<StepPiece> step_of(const Document& document, int device, int call) {
  for (const auto& process : document.recorded_steps().processes) {
    if (process.device != device) continue;
    for (const auto& step : process.steps)
      if (step.call == call) return step;
  }
  return std::nullopt;
}

QString step_account_text(const Document& document, int device, const StepPiece& step) {
  const auto times = step_times(document.profile(), device, step, document.native_recurrences());
  QStringList parts;
  const auto add = [&](const QString& name, double ns) {
    if (ns > 0) parts << name + QLatin1Char(' ') + time_of(ns);
  };
  for (std::size_t p = 0; p < step_parts; ++p)
    add(to_qt(to_string(static_cast<StepPart>(p))), times.part_ns[p]);
  add(Texts::tr("idle"), times.idle_ns);
  return Texts::tr("This step takes %1 while traced: %2")
      .arg(time_of(times.length_ns), parts.join(QStringLiteral(", ")));
}

}  // namespace rnnadvisor::gui
