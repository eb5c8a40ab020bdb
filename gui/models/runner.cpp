#include "gui/models/runner.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTemporaryFile>
#include <QTimer>
#include <csignal>

#include "core/base/shell_words.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {
namespace {

constexpr int patience_ms = 5000;
constexpr int remote_patience_ms = 60'000;  // the profile is made there first
constexpr int progress_every_ms = 200;

// Without a terminal a question for a password would never be answered: it becomes an error.
QStringList ssh_options() { return {QStringLiteral("-o"), QStringLiteral("BatchMode=yes")}; }

void on_host(const QString& host, const QString& line) {
  QProcess::startDetached(QStringLiteral("ssh"), ssh_options()
                                                     << QStringLiteral("--") << host << line);
}

void forget_remote(const QString& host, const QString& profile) {
  on_host(host, QStringLiteral("rm -f %1 %1.pid").arg(profile));
}

// The shell there replaces a tilde that is not quoted.
QString folder_word(const QString& folder) {
  const bool home = folder.startsWith(QLatin1String("~/"));
  return (home ? QStringLiteral("~/") : QString()) +
         to_qt(shell_word((home ? folder.mid(2) : folder).toStdString()));
}

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
    if (!host_.isEmpty() && !fetching_) {
      status_ = how == QProcess::NormalExit ? status : -1;
      // 255 is ssh's own: there was no connection, and there is nothing to fetch.
      if (status_ == 255)
        finish(End::failed,
               tr("ssh could not run it on %1.").arg(host_) + QLatin1Char('\n') + errors_);
      else
        fetch();
      return;
    }
    if (fetching_) {
      // What counts is how the recording ended.
      status = status_;
      how = QProcess::NormalExit;
      forget_remote(host_, remote_profile_);
    }
    const bool profile = QFileInfo::exists(profile_);
    if (how == QProcess::NormalExit) status_ = status;
    if (cancelled_) {
      finish(End::cancelled, profile ? tr("Ended; what was recorded until then is kept.")
                                     : tr("Ended; nothing was recorded."));
    } else if (fetching_ && !profile) {
      finish(End::failed, tr("No profile could be fetched from %1. rnnadvisor ended there with "
                             "status %2.")
                                  .arg(host_)
                                  .arg(status) +
                              QLatin1Char('\n') + errors_);
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
    if (!host_.isEmpty() && !fetching_)
      on_host(host_, QStringLiteral("kill -INT $(cat %1.pid)").arg(remote_profile_));
    process_.kill();
    process_.waitForFinished(1000);
  }
  if (!input_file_.isEmpty()) QFile::remove(input_file_);
}

Result<void> Runner::start(const QString& runner, const RunRequest& request) {
  if (running()) return fail(ErrorCode::invalid_argument, "another run is under way");
  const bool remote = !request.host.isEmpty() && !request.program.isEmpty();
  if (runner.isEmpty() && !remote)
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
    arguments << (request.accelerate ? QStringLiteral("accelerate") : QStringLiteral("profile"));
  }
  sweep_ = !request.sweep.isEmpty();
  arguments << QStringLiteral("-o") << request.output;
  if (!sweep_ && !tries) arguments << QStringLiteral("--force");
  for (const auto& variable : request.environment) arguments << QStringLiteral("--env") << variable;
  arguments << request.options;
  if (!request.program.isEmpty()) arguments << QStringLiteral("--") << request.program;
  host_.clear();
  remote_profile_.clear();
  fetching_ = false;
  QString program = runner;
  if (remote) {
    auto there = remote_arguments(request);
    if (!there) return fail(there.error());
    program = QStringLiteral("ssh");
    arguments = *there;
    host_ = request.host;
  }
  profile_ = request.output;
  errors_.clear();
  status_ = -1;
  cancelled_ = false;
  told_ = false;
  // What an earlier run left must not be taken for the result of this one.
  if (!sweep_ && !tries) QFile::remove(profile_);
  std::vector<std::string> words{program.toStdString()};
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
  process_.setWorkingDirectory(remote ? QString() : request.folder);
  process_.start(program, arguments, QIODevice::ReadOnly);
  return {};
}

Result<QStringList> Runner::remote_arguments(const RunRequest& request) {
  if (request.host.startsWith(QLatin1Char('-')) || request.host.contains(QLatin1Char(' ')))
    return fail(ErrorCode::invalid_argument,
                "'" + request.host.toStdString() + "' is no name of a machine",
                "as for ssh: server, me@server, or a name in ~/.ssh/config");
  remote_profile_ = QStringLiteral("/tmp/rnnadvisor-%1.rnnprof")
                        .arg(QRandomGenerator::system()->generate64(), 0, 16);
  // Before the command, so that PATH may say where rnnadvisor is.
  QStringList there{QStringLiteral("env")};
  there << request.environment << QStringLiteral("rnnadvisor")
        << (request.accelerate ? QStringLiteral("accelerate") : QStringLiteral("profile"))
        << QStringLiteral("-o") << remote_profile_ << QStringLiteral("--force") << request.options
        << QStringLiteral("--") << request.program;
  std::vector<std::string> words;
  for (const auto& word : there) words.push_back(word.toStdString());
  QString line;
  if (!request.folder.isEmpty())
    line = QStringLiteral("cd %1 && ").arg(folder_word(request.folder));
  // Its number, by which it is interrupted: the signal to ssh would not reach it.
  line +=
      QStringLiteral("echo $$ >%1.pid && exec %2").arg(remote_profile_, to_qt(shell_words(words)));
  return ssh_options() << QStringLiteral("--") << request.host << line;
}

void Runner::fetch() {
  fetching_ = true;
  emit output(tr("Fetching the profile from %1…").arg(host_) + QLatin1Char('\n'));
  process_.setWorkingDirectory({});
  process_.start(QStringLiteral("scp"),
                 ssh_options() << QStringLiteral("-q") << QStringLiteral("--")
                               << host_ + QLatin1Char(':') + remote_profile_ << profile_,
                 QIODevice::ReadOnly);
}

void Runner::cancel() {
  if (!running() || cancelled_) return;
  cancelled_ = true;
  const bool there = !host_.isEmpty() && !fetching_;
  if (there)
    on_host(host_, QStringLiteral("kill -INT $(cat %1.pid)").arg(remote_profile_));
  else
    ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
  QTimer::singleShot(there ? remote_patience_ms : patience_ms, &process_, [this] {
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
