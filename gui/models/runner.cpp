#include "gui/models/runner.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryFile>
#include <QTimer>
#include <csignal>

#include "core/base/shell_words.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {
namespace {

constexpr int patience_ms = 5000;
constexpr int progress_every_ms = 200;

}  // namespace

QString find_runner() {
  QString named = qEnvironmentVariable("RNNADVISOR");
  if (!named.isEmpty()) return named;
  QString beside = QCoreApplication::applicationDirPath() + QStringLiteral("/rnnadvisor");
  if (QFileInfo(beside).isExecutable()) return beside;
  return QStandardPaths::findExecutable(QStringLiteral("rnnadvisor"));
}

Runner::Runner(QObject* parent) : QObject(parent) {
  process_.setProcessChannelMode(QProcess::SeparateChannels);
  timer_.setInterval(progress_every_ms);
  connect(&timer_, &QTimer::timeout, this, &Runner::tell_progress);
  const auto read = [this](bool errors) {
    const auto bytes = errors ? process_.readAllStandardError() : process_.readAllStandardOutput();
    const QString text = QString::fromUtf8(bytes);
    if (errors) errors_ = (errors_ + text).right(4000);
    if (!text.isEmpty()) emit output(text);
  };
  connect(&process_, &QProcess::readyReadStandardOutput, this, [read] { read(false); });
  connect(&process_, &QProcess::readyReadStandardError, this, [read] { read(true); });
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      finish(End::failed,
             tr("%1 could not be started: %2").arg(process_.program(), process_.errorString()));
  });
  connect(&process_, &QProcess::finished, this, [this, read](int status, QProcess::ExitStatus how) {
    read(false);
    read(true);
    const bool profile = QFileInfo::exists(profile_);
    if (how == QProcess::NormalExit) status_ = status;
    if (cancelled_) {
      finish(End::cancelled, profile ? tr("Ended; what was recorded until then is kept.")
                                     : tr("Ended; nothing was recorded."));
    } else if (how == QProcess::CrashExit) {
      finish(End::failed, tr("rnnadvisor ended abnormally.") + QLatin1Char('\n') + errors_);
    } else if (!profile || (sweep_ && status >= 2)) {
      finish(End::failed, (profile ? tr("rnnadvisor ended with status %1.")
                                   : tr("rnnadvisor ended with status %1 and wrote no profile."))
                                  .arg(status) +
                              QLatin1Char('\n') + errors_);
    } else {
      // A status other than 0 stands for findings or for the program's own status: the profile is
      // there to be looked at.
      finish(End::finished, status == 0 ? QString() : tr("Exit status %1.").arg(status));
    }
  });
}

Runner::~Runner() {
  told_ = true;
  if (process_.state() != QProcess::NotRunning) {
    process_.kill();
    process_.waitForFinished(1000);
  }
  if (!input_file_.isEmpty()) QFile::remove(input_file_);
}

Result<void> Runner::start(const QString& runner, const RunRequest& request) {
  if (running()) return fail(ErrorCode::invalid_argument, "another run is under way");
  if (runner.isEmpty())
    return fail(
        ErrorCode::not_found, "the program rnnadvisor was not found",
        "install it beside rnnadvisor-gui, or name it in the environment variable RNNADVISOR");
  QStringList arguments;
  const bool tries = !request.tried.isEmpty();
  if (tries) {
    arguments << QStringLiteral("advise") << request.tried << QStringLiteral("--verify");
  } else if (!request.recordings.isEmpty()) {
    arguments << QStringLiteral("collect") << request.recordings;
  } else if (!request.sweep.isEmpty()) {
    arguments << QStringLiteral("sweep") << request.sweep;
  } else if (request.program.isEmpty()) {
    QTemporaryFile file(QDir::tempPath() + QStringLiteral("/rnnadvisor-XXXXXX.jsonl"));
    file.setAutoRemove(false);
    if (!file.open())
      return fail(ErrorCode::io,
                  "cannot write the configuration: " + file.errorString().toStdString());
    for (const auto& each : request.configurations)
      file.write(QByteArray::fromStdString(to_json_line(each)) + '\n');
    input_file_ = file.fileName();
    arguments << QStringLiteral("run") << input_file_;
  } else {
    arguments << QStringLiteral("profile");
  }
  sweep_ = !request.sweep.isEmpty();
  arguments << QStringLiteral("-o") << request.output;
  if (!sweep_ && !tries) arguments << QStringLiteral("--force");
  arguments << request.options;
  if (!request.program.isEmpty()) arguments << QStringLiteral("--") << request.program;
  profile_ = request.output;
  errors_.clear();
  status_ = -1;
  cancelled_ = false;
  told_ = false;
  // What an earlier run left must not be taken for the result of this one.
  if (!sweep_ && !tries) QFile::remove(profile_);
  std::vector<std::string> words{runner.toStdString()};
  for (const auto& argument : arguments) words.push_back(argument.toStdString());
  command_ = to_qt(shell_words(words));
  // As a variable, so that the command that is shown is the one that a person would type.
  auto environment = QProcessEnvironment::systemEnvironment();
  progress_ = {};
  if (progress_file_.create())
    environment.insert(QStringLiteral("RNNADVISOR_PROGRESS"),
                       QStringLiteral("json:") + progress_file_.path());
  process_.setProcessEnvironment(environment);
  clock_.start();
  timer_.start();
  process_.setWorkingDirectory(request.folder);
  process_.start(runner, arguments, QIODevice::ReadOnly);
  return {};
}

void Runner::cancel() {
  if (!running() || cancelled_) return;
  cancelled_ = true;
  ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
  QTimer::singleShot(patience_ms, &process_, [this] {
    if (running() && cancelled_) process_.kill();
  });
}

void Runner::tell_progress() {
  if (const auto newest = progress_file_.read()) progress_ = *newest;
  emit progress(progress_, elapsed_ms());
}

void Runner::finish(End end, const QString& message) {
  if (told_) return;
  told_ = true;
  timer_.stop();
  tell_progress();  // what came at the end
  progress_file_.remove();
  if (!input_file_.isEmpty()) QFile::remove(input_file_);
  input_file_.clear();
  emit ended(end, QFileInfo::exists(profile_) ? profile_ : QString(), message.trimmed());
}

}  // namespace rnnadvisor::gui
