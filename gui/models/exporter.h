// Exporter: writes a report, a trace or a table of a document to a file, on a worker thread: those
// of a large profile take their time. One at a time.
#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>

#include "advisor/report/maps.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

enum class ExportFormat {
  html,
  markdown,
  text,
  json,
  sarif,
  junit,
  csv,
  perfetto,  // the timeline
  kernels,   // as CSV
  calls      // as CSV
};

class Exporter : public QObject {
  Q_OBJECT
 public:
  explicit Exporter(QObject* parent = nullptr) : QObject(parent) {}
  ~Exporter() override { cancel(); }

  // Of the maps in HTML reports; called on a thread of its own. Without one they have no times.
  void set_predict_for(advisor::PredictFor predict_for) { predict_for_ = std::move(predict_for); }
  // Another one that is under way is given up.
  // `checklist`: of this document's findings, for reports that people read.
  void start(const DocumentPointer& document, ExportFormat format, const QString& path,
             std::vector<advisor::ChecklistRow> checklist = {});
  // Nothing is written, not even a part; ended() does not follow.
  void cancel();
  bool busy() const { return work_ != nullptr; }
  const QString& path() const { return path_; }

 signals:
  void started(const QString& path);
  void ended(const QString& path, const QString& problem);  // empty: it is written

 private:
  struct Work {
    std::atomic<bool> stop = false;
  };
  std::shared_ptr<Work> work_;
  QString path_;
  advisor::PredictFor predict_for_;
};

}  // namespace rnnadvisor::gui
