// Runner: starts the program `rnnadvisor` and follows it. The window itself runs nothing on a GPU.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>

#include "core/base/result.h"
#include "core/config/read_config.h"

namespace rnnadvisor::gui {

// What to run: configurations, a program of the user's, or the making of a profile of recordings.
struct RunRequest {
  std::vector<ConfigInput> configurations;
  QStringList program;  // with its arguments
  QString folder;       // the program's; empty: the current one
  QString recordings;   // a folder of them
  QString output;       // the profile
  QStringList options;  // further ones of `rnnadvisor run` or `profile`
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
  bool running() const { return process_.state() != QProcess::NotRunning; }
  const QString& command() const { return command_; }

 signals:
  void output(const QString& text);
  void ended(rnnadvisor::gui::Runner::End end, const QString& profile, const QString& message);

 private:
  void finish(End end, const QString& message);

  QProcess process_;
  QString profile_, command_, input_file_, errors_;
  bool cancelled_ = false, told_ = true;
};

}  // namespace rnnadvisor::gui
