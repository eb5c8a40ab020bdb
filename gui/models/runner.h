// Runner: starts the program `rnnadvisor` and follows it. The window itself runs nothing on a GPU.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "core/base/result.h"
#include "core/config/read_config.h"
#include "gui/models/run_progress.h"

namespace rnnadvisor::gui {

// What to run: configurations, a sweep, a program of the user's, the making of a profile of
// recordings, or the trying of suggestions.
struct RunRequest {
  std::vector<ConfigInput> configurations;
  QString sweep;        // a sweep file, or "sample:NAME"; a profile that exists is gone on with
  QStringList program;  // with its arguments
  // The machine on which the program runs, for ssh: "me@server"; empty: this one. rnnadvisor is
  // installed there; the profile is fetched with scp, and `folder` is one there.
  QString host;
  QStringList environment;  // NAME=VALUE, for the program
  bool accelerate = false;  // the program runs under `rnnadvisor accelerate`
  QString folder;           // the program's; empty: the current one
  QString recordings;       // a folder of them
  QString tried;            // a profile whose suggestions are tried; `output` must not exist then
  QString output;           // the profile
  QStringList options;      // further ones of `rnnadvisor run`, `profile`, `accelerate` or `advise`
};

// The program beside this one, else the one in PATH, else what RNNADVISOR names.
QString find_runner();

class Runner : public QObject {
  Q_OBJECT
 public:
  explicit Runner(QObject* parent = nullptr);
  ~Runner() override;

  enum class End { finished, failed, cancelled };
  Q_ENUM(End)

  // Fails when the configurations cannot be written down. What the program does wrong comes with
  // ended().
  Result<void> start(const QString& runner, const RunRequest& request);
  void cancel();  // as Ctrl+C; what does not end in time is killed
  bool cancelling() const { return cancelled_; }
  bool running() const { return process_.state() != QProcess::NotRunning; }
  const QString& command() const { return command_; }
  // Of the last one that ended by itself; -1: none did.
  int status() const { return status_; }
  qint64 elapsed_ms() const { return clock_.isValid() ? clock_.elapsed() : 0; }

 signals:
  void output(const QString& text);
  // What rnnadvisor told last; also when only time has passed, several times a second.
  void progress(const rnnadvisor::gui::RunProgress& progress, qint64 elapsed_ms);
  void ended(rnnadvisor::gui::Runner::End end, const QString& profile, const QString& message);

 private:
  Result<QStringList> remote_arguments(const RunRequest& request);  // of ssh
  void fetch();
  void finish(End end, const QString& message);

  void tell_progress();

  QProcess process_;
  QTimer timer_;
  QElapsedTimer clock_;
  ProgressFile progress_file_;
  RunProgress progress_;
  QString profile_, command_, input_file_, errors_;
  QString host_, remote_profile_;  // of a run on another machine
  bool fetching_ = false;
  int status_ = -1;
  bool cancelled_ = false, told_ = true, sweep_ = false;
};

}  // namespace rnnadvisor::gui
