// Loader: opens a profile on a worker thread. One at a time: another open() cancels the one before.
// Signals arrive on the thread of the loader.
#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>

#include "gui/models/document.h"

namespace rnnadvisor::gui {

class Loader : public QObject {
  Q_OBJECT
 public:
  explicit Loader(QObject* parent = nullptr);
  ~Loader() override;

  void open(const QString& path, std::shared_ptr<const advisor::RuleSet> rules);
  // Ends the work; cancelled() follows. Nothing to do when none is under way.
  void cancel();
  bool busy() const { return work_ != nullptr; }
  QString path() const { return path_; }
  // Predicts times where what is opened from now on is judged.
  void set_predict_for(advisor::PredictFor predict_for) { predict_for_ = std::move(predict_for); }

 signals:
  void started(const QString& path);
  void progress(double share);
  // Its records are read, its rules are being applied; progress() goes on.
  void judging(const QString& path);
  // The outline of a file that takes its time; loaded() follows, unless it fails.
  void outlined(const rnnadvisor::gui::DocumentPointer& document);
  void loaded(const rnnadvisor::gui::DocumentPointer& document);
  void failed(const rnnadvisor::Error& error, const QString& path);
  void cancelled(const QString& path);

 private:
  struct Work {
    std::atomic<bool> stop = false;
  };
  void finish(const std::shared_ptr<Work>& work, const Result<DocumentPointer>& result);

  QString path_;
  advisor::PredictFor predict_for_;
  std::shared_ptr<Work> work_;  // null when idle
};

}  // namespace rnnadvisor::gui
