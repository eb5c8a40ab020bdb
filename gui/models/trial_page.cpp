// What is tried, as a part of a finding's page.
#include "gui/models/pages.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

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

}  // namespace rnnadvisor::gui
