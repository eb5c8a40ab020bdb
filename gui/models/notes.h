// Notes: what a person makes of the findings of a profile: to do, tried or rejected, and why. Kept
// in a side file (gui/models/side_file.h). Of one thread.
#pragma once

#include <QJsonArray>
#include <QObject>
#include <QString>
#include <map>
#include <vector>

#include "advisor/report/report.h"
#include "gui/models/trial.h"

namespace rnnadvisor::gui {

struct FindingNote {
  enum class State { none, to_do, tried, rejected };
  State state = State::none;
  QString text;
  bool empty() const { return state == State::none && text.isEmpty(); }
  bool operator==(const FindingNote&) const = default;
};
QString state_word(FindingNote::State state);  // "to do"; empty for none

class Notes : public QObject {
  Q_OBJECT
 public:
  explicit Notes(QObject* parent = nullptr) : QObject(parent) {}

  // Of another profile; reads what there is. Null: of none.
  void open(DocumentPointer document);
  FindingNote of(int finding) const;
  // Saves at once. What another window has saved since stays.
  void set(int finding, const FindingNote& note);
  // To another profile of the same program, where that has none yet: the one in which suggestions
  // of this one were tried.
  void copy_to(const QString& profile) const;
  // "tried", "1 to do, 2 tried": of those findings that have a state.
  QString summary(const advisor::FindingGroup& group) const;
  // For reports, in the order of the findings.
  std::vector<advisor::ChecklistRow> rows() const;
  // Where they are kept; the file is there once there is a note.
  const QString& file() const { return file_; }

 signals:
  void changed();
  // Something could not be read or saved; notes go on working until the window is closed.
  void problem(const QString& text);

 private:
  QJsonObject key(int finding) const;
  qsizetype index_of(const QJsonObject& key) const;  // -1: there is none
  Result<QJsonArray> read() const;
  void take(const QJsonArray& entries);

  DocumentPointer document_;
  // As in the file: those of findings that do not fire any more are kept.
  QJsonArray entries_;
  QString file_;
  std::map<int, FindingNote> shown_;  // by the finding's index
};

}  // namespace rnnadvisor::gui
