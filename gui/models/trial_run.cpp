#include "gui/models/trial_run.h"

#include <QFileInfo>
#include <QStandardPaths>

#include "advisor/change/compose.h"
#include "advisor/report/words.h"
#include "advisor/samples/samples.h"
#include "core/base/output_file.h"
#include "core/base/shell_words.h"
#include "gui/models/run_problem.h"

namespace rnnadvisor::gui {
namespace {

QString data_folder() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
         QStringLiteral("/tried");
}

QString shell_line(const QStringList& words) {
  std::vector<std::string> list;
  for (const auto& word : words) list.push_back(word.toStdString());
  return to_qt(shell_words(list));
}

// A file that rnnadvisor can read and write beside.
Result<QString> file_of(const QString& profile) {
  constexpr QLatin1String prefix("sample:");
  if (!profile.startsWith(prefix)) return profile;
  const QString name = profile.mid(prefix.size());
  const auto sample = advisor::find_sample_profile(name.toStdString());
  if (!sample) return fail(sample.error());
  QString path = data_folder() + QLatin1Char('/') + name.section(QLatin1Char('/'), -1) +
                 QStringLiteral(".rnnprof");
  if (auto written = write_file(path.toStdString(), *sample, {.make_folders = true}); !written)
    return fail(std::move(written.error()));
  return path;
}

}  // namespace

TrialRun::TrialRun(QObject* parent) : QObject(parent) {
  connect(&runner_, &Runner::ended, this, &TrialRun::end);
  connect(&runner_, &Runner::progress, this, [this](const RunProgress& told, qint64 elapsed_ms) {
    if (!running()) return;
    const QString text = runner_.cancelling() ? tr("ending it…")
                         : told.what.isEmpty()
                             ? tr("getting ready…")
                             : to_qt(advisor::words::clean(told.what.toStdString()));
    emit progress(text, elapsed_ms);
  });
}

TrialRun::~TrialRun() {
  if (running_ == this) running_ = nullptr;
}

void TrialRun::fail_with(const QString& problem, const QString& remedy) {
  state_.is = TrialState::Is::failed;
  state_.problem = problem;
  state_.remedy = remedy;
  emit changed();
}

void TrialRun::start(const Document& document, int finding, int suggestion, bool torch,
                     const QString& rules) {
  if (running() || !document.holds({ItemKind::finding, finding})) return;
  state_ = {};
  state_.subject = {document.path(), key_of(document, finding), suggestion, torch};
  const auto wrong = [this](const Error& error) {
    const RunProblem problem = parse_run_problem(
        QStringLiteral("rnnadvisor: ") + to_qt(error.message) +
        (error.remedy.empty() ? QString() : QStringLiteral("\n  remedy: ") + to_qt(error.remedy)));
    fail_with(problem.what, problem.remedy);
  };
  if (any_running()) {
    fail_with(tr("Another window tries a change."),
              tr("Two at once would disturb each other: try it when that has ended."));
    return;
  }
  const QString why = torch ? cannot_try_in_torch(document, finding, suggestion)
                            : cannot_try(document, finding, suggestion);
  if (!why.isEmpty()) {
    fail_with(tr("There is nothing to try: %1.").arg(why), {});
    return;
  }
  const auto file = file_of(document.path());
  if (!file) {
    wrong(file.error());
    return;
  }
  const auto& found = document.judgement().findings[static_cast<std::size_t>(finding)];
  const QString change =
      to_qt(describe(changes_of(found.suggestions[static_cast<std::size_t>(suggestion)])));
  RunRequest request;
  request.tried = *file;
  request.output = verified_profile_path(document.path(), data_folder());
  request.options << QStringLiteral("--rule") << state_.subject.finding.rule
                  << QStringLiteral("--configuration")
                  << QStringLiteral("#%1").arg(state_.subject.finding.configuration)
                  << QStringLiteral("--change") << change << QStringLiteral("--budget")
                  << QString::number(torch ? torch_budget_seconds : budget_seconds);
  if (torch) request.options << QStringLiteral("--torch");
  if (!rules.isEmpty()) request.options << QStringLiteral("--rules") << rules;
  if (request.output.isEmpty()) {
    fail_with(tr("There is no place for the profile with what was tried."),
              tr("Neither the folder of the profile nor %1 can be written.").arg(data_folder()));
    return;
  }
  state_.take = *file;
  state_.command = shell_line(
      QStringList{QStringLiteral("rnnadvisor"), QStringLiteral("advise"),
                  QFileInfo(*file).fileName(), QStringLiteral("--verify")} +
      request.options + QStringList{QStringLiteral("-o"), QFileInfo(request.output).fileName()});
  if (const auto started = runner_.start(find_runner(), request); !started) {
    wrong(started.error());
    return;
  }
  // A program that cannot be started may have been told of by now.
  if (state_.is == TrialState::Is::failed) return;
  running_ = this;
  state_.is = TrialState::Is::running;
  emit changed();
}

void TrialRun::forget() {
  if (running() || state_.is == TrialState::Is::idle) return;
  state_ = {};
  emit changed();
}

void TrialRun::end(Runner::End end, const QString& profile, const QString& message) {
  if (running_ == this) running_ = nullptr;
  if (end == Runner::End::finished) {
    const TrialSubject subject = state_.subject;
    state_ = {};
    emit changed();
    emit tried(subject, profile, message);
    return;
  }
  if (end == Runner::End::cancelled) {
    state_.is = TrialState::Is::cancelled;
    state_.kept = profile;
    emit changed();
    return;
  }
  if (runner_.status() == 0) {
    state_.is = TrialState::Is::nothing_to_try;
    state_.problem = tr("rnnadvisor found nothing to try on the GPU of this machine.");
    state_.remedy =
        tr("With --dry-run the command below says what it would try, and why not the "
           "rest.");
    emit changed();
    return;
  }
  const RunProblem problem = parse_run_problem(message);
  if (!problem.what.isEmpty()) {
    fail_with(problem.what, problem.remedy);
  } else {
    // The first line is the window's own, the rest what the program said.
    fail_with(message.section(QLatin1Char('\n'), 0, 0),
              to_qt(advisor::words::clean(
                  message.section(QLatin1Char('\n'), 1).trimmed().right(600).toStdString())));
  }
}

}  // namespace rnnadvisor::gui
