// The open document: opening it, showing it everywhere, and the message when it cannot be opened.
#include <QDockWidget>
#include <QFileInfo>
#include <QFrame>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <utility>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/open_problem.h"
#include "gui/models/session.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/main_window.h"
#include "gui/views/motion.h"
#include "gui/views/note_bar.h"
#include "gui/views/page_view.h"
#include "gui/views/problem_card.h"
#include "gui/views/rules_view.h"
#include "gui/views/source_pane.h"
#include "gui/views/start_view.h"
#include "gui/views/view_name.h"

namespace rnnadvisor::gui {

void MainWindow::open(const QString& path, const std::optional<Place>& at, const QString& before) {
  notice_->hide();
  follower_.stop();
  start_->problem()->set_problem(std::nullopt);
  const QString absolute =
      path.startsWith(QLatin1String("sample:")) ? path : QFileInfo(path).absoluteFilePath();
  loader_.open(absolute, rules_);
  pending_tried_.reset();
  pending_place_ = at;  // after open(), which cancels what was under way
  pending_before_ = before.isEmpty() && at ? at->before : before;
  if (!before.isEmpty()) {
    if (!pending_place_) pending_place_.emplace();
    if (pending_place_->view.isEmpty()) pending_place_->view = view_name::compare;
  }
}

void MainWindow::show_document(const DocumentPointer& document) {
  // A user who has begun to look around in the outline stays there.
  const bool continues = document_ && document_->outline() && document_->path() == document->path();
  const Place here = place();
  if (document_ && !watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  if (document_ && document_->path() != document->path()) remember_place();
  findings_->note_bar()->show_finding(-1);  // saves what is being typed
  notes_.open(document->outline() ? nullptr : document);
  DocumentPointer before = std::exchange(document_, document);
  // Of an outline it is not known where its times begin.
  marks_.open(document->outline() ? QString() : document->path(), document->extent().begin_ns);
  state_.reset(document->extent());
  for (const auto& entry : entries_) entry.view->set_document(document);
  configuration_->set_document(document);
  if (before && before->path() != document->path()) {
    source_dock_->hide();
    source_->clear();
  }
  let_go(std::move(before));
  show_title();
  for (auto* action : need_document_) action->setEnabled(true);
  remember_file(document->path(), std::nullopt);
  show_seen_files();
  if (QFileInfo(document->path()).isFile()) watcher_.addPath(document->path());
  if (document->outline()) {
    go(pending_place_ && !pending_place_->view.isEmpty() ? pending_place_->view
                                                         : QString(view_name::overview));
    state_.forget_history();
    return;
  }
  place_tried();
  if (pending_place_) {
    go_to(*pending_place_);
    pending_place_.reset();
  } else if (continues) {
    go_to(here);
  } else {
    go(view_name::overview);
  }
  state_.forget_history();
  tell_tried();
  if (!pending_before_.isEmpty()) compare_->compare_with(std::exchange(pending_before_, {}));
  emit opened();
}

void MainWindow::show_title() {
  if (!document_) {
    setWindowTitle(QStringLiteral("rnnadvisor"));
    title_->setText(tr("No profile is open"));
    subtitle_->setText({});
    return;
  }
  setWindowTitle(document_->name() + QStringLiteral(" – rnnadvisor"));
  title_->setText(document_->name());
  QStringList about;
  if (document_->outline())
    about << (loader_.busy() ? tr("kernels are still being read") : tr("without its kernels"));
  if (const auto from = tried_from_.constFind(document_->path()); from != tried_from_.cend())
    about << tr("what was tried of %1").arg(*from);
  if (!document_->profile().devices.empty())
    about << to_qt(advisor::words::clean(document_->profile().devices.front().name));
  const auto& environment = document_->profile().environment;
  if (!environment.cudnn_version.empty())
    about << QStringLiteral("cuDNN ") + to_qt(environment.cudnn_version);
  if (!environment.created.empty())
    about << readable_date(to_qt(advisor::words::clean(environment.created)));
  subtitle_->setText(about.join(QStringLiteral(" · ")));
}

void MainWindow::show_failure(const Error& error, const QString& path) {
  pending_place_.reset();
  pending_before_.clear();
  if (document_ && document_->outline()) {
    // What was shown of it is not to be believed.
    document_.reset();
    notes_.open(nullptr);
    for (const auto& entry : entries_) entry.view->set_document(nullptr);
    configuration_->set_document(nullptr);
    state_.reset({});
    for (auto* action : need_document_) action->setEnabled(false);
  }
  show_title();
  const OpenProblem problem = examine(error, path);
  if (document_ && !problem.can_be_collected()) {
    show_notice(problem.title + QStringLiteral(": ") + path + QLatin1Char('\n') + problem.text,
                tr("Try again"), [this, path] { open(path); });
  } else {
    start_->problem()->set_problem(problem);
    if (problem.may_become_whole()) follower_.follow(path);
    go(view_name::start);
  }
  emit open_failed(error);
}

void MainWindow::follow_growth() {
  connect(&follower_, &FileFollower::grew, this, [this](const QString&, qint64 bytes) {
    start_->problem()->set_state(
        tr("%1 so far").arg(to_qt(format_bytes(static_cast<double>(bytes)))));
  });
  connect(&follower_, &FileFollower::settled, this, [this](const QString& path) { open(path); });
  auto* problem = start_->problem();
  connect(problem, &ProblemCard::dismissed, &follower_, &FileFollower::stop);
  connect(problem, &ProblemCard::again_requested, this,
          [this](const QString& path) { open(path); });
  connect(problem, &ProblemCard::collect_requested, this, &MainWindow::collect);
  connect(&collector_, &Runner::ended, this,
          [this](Runner::End end, const QString& profile, const QString& message) {
            progress_->hide();
            if (end == Runner::End::finished) {
              open(profile);
              return;
            }
            start_->problem()->set_busy(false);
            start_->problem()->set_state(message);
          });
}

void MainWindow::follow_exports() {
  connect(&exporter_, &Exporter::started, this, [this](const QString& path) {
    show_busy(progress_);
    progress_->show();
    cancel_->show();
    subtitle_->setText(tr("Writing %1…").arg(QFileInfo(path).fileName()));
  });
  connect(&exporter_, &Exporter::ended, this, [this](const QString& path, const QString& problem) {
    if (!loader_.busy()) {
      progress_->hide();
      cancel_->hide();
    }
    show_title();
    show_notice(problem.isEmpty() ? tr("Wrote %1.").arg(path) : problem);
  });
}

void MainWindow::collect(const QString& folder) {
  RunRequest request;
  request.recordings = folder;
  request.output = profile_of_recordings(folder);
  if (const auto started = collector_.start(find_runner(), request); !started) {
    start_->problem()->set_state(to_qt(to_text(started.error())));
    return;
  }
  show_busy(progress_);
  progress_->show();
  start_->problem()->set_busy(true);
  start_->problem()->set_state(tr("Reading the recordings…"));
}

void MainWindow::show_notice(const QString& text, const QString& action,
                             std::function<void()> run) {
  notice_text_->setText(text);
  notice_button_->setVisible(!action.isEmpty());
  notice_button_->setText(action);
  notice_action_ = std::move(run);
  notice_->setAccessibleName(text);
  notice_->show();
}

void MainWindow::read_rules() {
  auto read = load_rules(rules_folder_);
  if (!read) {
    rules_view_->set_errors(read.error());
    return;
  }
  rules_ = *read;
  explorer_->set_rules(rules_);
  compare_->set_rules(rules_);
  rules_view_->set_rules(rules_, rules_folder_);
  // What is open is judged anew.
  if (document_) open(document_->path(), place());
}

}  // namespace rnnadvisor::gui
