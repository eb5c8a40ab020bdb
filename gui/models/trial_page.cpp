// What is tried and was measured, as parts of a finding's page.
#include <array>

#include "advisor/facts/experiments.h"
#include "advisor/report/trials.h"
#include "gui/models/pages.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

QString interval(const MedianInterval& time) {
  QString text = format_ms(time.median);
  if (time.low > 0 && time.high > 0)
    text += QStringLiteral("\n(%1 to %2)").arg(format_ms(time.low), format_ms(time.high));
  return Page::escape(text).replace(QLatin1Char('\n'), QStringLiteral("<br>"));
}

void add_command(Page& page, const TrialState& state) {
  if (state.command.isEmpty()) return;
  page.paragraph(
      Texts::tr("On a machine with a GPU: take %1 there, run this beside it, and open the file "
                "that it writes here.")
          .arg(page.strong(Page::escape(state.take))));
  page.code(state.command);
}

}  // namespace

void add_trial_state(Page& page, const TrialState& state, const Link& again) {
  Link end, copy;
  end.kind = LinkKind::trial_end;
  copy.kind = LinkKind::trial_command;
  const QString again_link = page.link(again, Texts::tr("Try it again"));
  const auto& theme = page.theme();
  switch (state.is) {
    case TrialState::Is::idle:
      break;
    case TrialState::Is::running:
      page.paragraph(page.colored(page.strong(Texts::tr("Being tried on the GPU…")), theme.accent) +
                     QStringLiteral(" · ") + page.link(end, Texts::tr("Cancel")));
      break;
    case TrialState::Is::cancelled:
      page.paragraph(page.strong(Texts::tr("Cancelled.")) + QLatin1Char(' ') +
                     (state.kept.isEmpty() ? Texts::tr("Nothing was measured.")
                                           : Texts::tr("What was measured until then is in %1.")
                                                 .arg(Page::escape(state.kept))) +
                     QStringLiteral(" · ") + again_link);
      break;
    case TrialState::Is::nothing_to_try:
    case TrialState::Is::failed:
      page.paragraph(page.colored(page.strong(Texts::tr("It could not be tried.")), theme.error) +
                     QLatin1Char(' ') + Page::escape(state.problem) +
                     (state.remedy.isEmpty()
                          ? QString()
                          : QStringLiteral("<br>") + page.dim(Page::escape(state.remedy))));
      add_command(page, state);
      page.small((state.command.isEmpty()
                      ? QString()
                      : page.link(copy, Texts::tr("Copy the command")) + QStringLiteral(" · ")) +
                 again_link);
      break;
  }
}

void add_measured(Page& page, const Profile& profile, int experiment) {
  if (experiment < 0 || static_cast<std::size_t>(experiment) >= profile.experiments.size()) return;
  const auto rows = advisor::trial_rows(profile, std::array{experiment});
  const auto& row = rows.front();
  QStringList header;
  std::vector<Page::Cell> cells;
  const auto add = [&](const QString& name, const QString& html) {
    if (html.isEmpty()) return;
    header << name;
    cells.push_back({html});
  };
  if (row.step != nullptr && row.step->before_ms.median > 0 && row.step->after_ms.median > 0) {
    add(Texts::tr("Before"), interval(row.step->before_ms));
    add(Texts::tr("After"), interval(row.step->after_ms));
  }
  add(Texts::tr("Memory"), Page::escape(advisor::words::memory_change(*row.experiment)));
  QString moved = Page::escape(advisor::words::moved(row));
  // Of a change that computes another function there is nothing that it is allowed.
  const auto meaning = advisor::parse_meaning(row.experiment->meaning);
  const bool has_limit = meaning && *meaning != advisor::Meaning::model;
  if (!row.wrong.empty()) {
    moved = page.colored(page.strong(Texts::tr("too far: ")) + Page::escape(row.wrong),
                         page.theme().error);
  } else if (!moved.isEmpty() && has_limit) {
    moved += QStringLiteral("<br>") + page.dim(Texts::tr("the most of all; allowed"));
  }
  add(Texts::tr("Results moved by"), moved);
  if (!cells.empty()) page.table(header, {cells});
}

}  // namespace rnnadvisor::gui
