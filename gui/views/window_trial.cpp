// Suggestions that are tried from the window: started at their finding, and shown there by opening
// the profile that comes of it in the place of the old one.
#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <utility>

#include "advisor/report/trials.h"
#include "gui/views/findings_view.h"
#include "gui/views/main_window.h"
#include "gui/views/note_bar.h"
#include "gui/views/run_dialog.h"
#include "gui/views/trial_strip.h"
#include "gui/views/view_name.h"

namespace rnnadvisor::gui {

void MainWindow::follow_trials() {
  connect(&trial_, &TrialRun::changed, this, [this] { findings_->set_trial(trial_.state()); });
  connect(&trial_, &TrialRun::progress, findings_->strip(), &TrialStrip::show_progress);
  connect(findings_->strip(), &TrialStrip::cancelled, &trial_, &TrialRun::cancel);
  connect(&trial_, &TrialRun::changed, this, [this] {
    const auto& state = trial_.state();
    if (state.is == TrialState::Is::cancelled && !state.kept.isEmpty()) {
      show_notice(tr("Cancelled. What was measured until then is in %1.").arg(state.kept),
                  tr("Open it"), [this, path = state.kept] { open(path); });
    }
  });
  connect(&trial_, &TrialRun::tried, this, &MainWindow::show_tried);
}

void MainWindow::try_suggestion(int finding, int suggestion, bool torch) {
  if (!document_ || !document_->holds({ItemKind::finding, finding})) return;
  if (trial_.running()) {
    show_notice(tr("A change is being tried already: try this one when that has ended."));
    return;
  }
  for (auto* dialog : findChildren<RunDialog*>()) {
    if (!dialog->running()) continue;
    show_notice(
        tr("A run is under way, and the two would disturb each other: try it when that has "
           "ended."));
    return;
  }
  go(view_name::findings);
  state_.select({ItemKind::finding, finding});
  trial_.start(*document_, finding, suggestion, torch, rules_folder_);
}

void MainWindow::show_tried(const TrialSubject& subject, const QString& path,
                            const QString& message) {
  if (!document_ || document_->outline() || loader_.busy() ||
      document_->path() != subject.profile) {
    // The user looks at another profile by now.
    show_notice(
        tr("What was tried of %1 is in %2.").arg(QFileInfo(subject.profile).fileName(), path),
        tr("Open it"), [this, path] { open(path); });
    return;
  }
  Tried tried;
  tried.path = path;
  tried.message = message;
  tried.from = document_->path();
  tried.from_name = document_->name();
  tried.from_place = place();
  tried.finding = subject.finding;
  if (const int before = find_finding(*document_, subject.finding); before >= 0) {
    const auto& all = document_->judgement().findings[static_cast<std::size_t>(before)].suggestions;
    const auto n = static_cast<std::size_t>(subject.suggestion);
    if (n < all.size()) tried.changes = changes_of(all[n]);
  }
  const Item selected = state_.selection();
  if (selected.kind == ItemKind::finding && document_->holds(selected))
    tried.selected = key_of(*document_, selected.index);
  tried_from_[path] = document_->name();
  findings_->note_bar()->save();
  notes_.copy_to(path);
  open(path, tried.from_place);
  pending_tried_ = tried;  // after open(), which forgets what was pending
}

// Findings have another order once what was tried is known.
void MainWindow::place_tried() {
  if (!pending_tried_ || pending_tried_->path != document_->path() || !pending_place_) return;
  if (!pending_tried_->selected) return;
  int now = find_finding(*document_, *pending_tried_->selected);
  if (*pending_tried_->selected == pending_tried_->finding) {
    const auto told =
        find_trial(*document_, pending_tried_->finding.configuration, pending_tried_->changes);
    if (told.finding >= 0) now = told.finding;
  }
  pending_place_->selection = now < 0 ? Item{} : Item{ItemKind::finding, now};
}

void MainWindow::tell_tried() {
  if (!pending_tried_ || pending_tried_->path != document_->path()) return;
  const Tried tried = *std::exchange(pending_tried_, std::nullopt);
  const ToldTrial told = find_trial(*document_, tried.finding.configuration, tried.changes);
  const int finding = told.finding >= 0 ? told.finding : find_finding(*document_, tried.finding);
  QString text;
  if (told.finding >= 0) {
    const auto& found = document_->judgement().findings[static_cast<std::size_t>(told.finding)];
    const auto& suggestion = found.suggestions[static_cast<std::size_t>(told.suggestion)];
    text = tr("Tried: %1.").arg(to_qt(advisor::words::trial(*suggestion.trial)));
  } else if (finding < 0) {
    text = tr("The finding that was tried does not fire any more.");
  } else {
    text =
        tr("The suggestion itself was not measured: the time was up before it, or it is "
           "dropped for this GPU.");
  }
  text += QLatin1Char(' ') + tr("This is %1, with what was measured; %2 is as it was.")
                                 .arg(document_->name(), tried.from_name);
  if (!tried.message.isEmpty()) text += QLatin1Char(' ') + tried.message;
  const bool here = current_view() == view_name::findings && findings_->shown_finding() == finding;
  if (finding >= 0 && !here) {
    show_notice(text, tr("Show it"), [this, finding] {
      go(view_name::findings);
      show_item({ItemKind::finding, finding});
    });
  } else {
    show_notice(text, tr("Back to %1").arg(tried.from_name),
                [this, tried] { open(tried.from, tried.from_place); });
  }
}

void MainWindow::copy_trial_command() {
  if (trial_.state().command.isEmpty()) return;
  QApplication::clipboard()->setText(trial_.state().command);
  show_notice(tr("The command is on the clipboard."));
}

}  // namespace rnnadvisor::gui
