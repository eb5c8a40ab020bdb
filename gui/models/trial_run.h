// TrialRun: tries a suggestion of a profile on a GPU by `rnnadvisor advise --verify`, in the
// background. One at a time in the whole program, because two would disturb each other's times.
#pragma once

#include <QObject>

#include "gui/models/runner.h"
#include "gui/models/trial.h"

namespace rnnadvisor::gui {

class TrialRun : public QObject {
  Q_OBJECT
 public:
  // What `--budget` is given; loading libraries and the first round come on top.
  static constexpr int budget_seconds = 20;
  // With PyTorch, which has to be imported and has longer samples.
  static constexpr int torch_budget_seconds = 60;

  explicit TrialRun(QObject* parent = nullptr);
  ~TrialRun() override;

  // `rules`: a folder of the user's cards; may be empty. What stands in the way becomes the state.
  // `torch`: also in PyTorch itself. Does nothing while one runs.
  void start(const Document& document, int finding, int suggestion, bool torch,
             const QString& rules);
  void cancel() { runner_.cancel(); }
  // The result of the last one is no longer to be shown.
  void forget();
  const TrialState& state() const { return state_; }
  bool running() const { return state_.is == TrialState::Is::running; }
  // In any window of this program.
  static bool any_running() { return running_ != nullptr; }

 signals:
  void changed();  // state()
  void progress(const QString& text, qint64 elapsed_ms);
  // A profile with what was tried is at `path`; `message` says what else must be known.
  void tried(const rnnadvisor::gui::TrialSubject& subject, const QString& path,
             const QString& message);

 private:
  void end(Runner::End end, const QString& profile, const QString& message);
  void fail_with(const QString& problem, const QString& remedy);

  Runner runner_;
  TrialState state_;
  static inline TrialRun* running_ = nullptr;  // on the thread of the window only
};

}  // namespace rnnadvisor::gui
