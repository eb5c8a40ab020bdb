// Marks: what a person notes on the timeline of a profile: a moment or a range, a text, a colour.
// They are kept in a side file beside the profile ("run.rnnprof.marks.json"), or, where nothing can
// be written there and for samples, in the data folder of the user. Times count from the beginning
// of the profile. Of one thread.
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "core/base/result.h"
#include "gui/models/item.h"

namespace rnnadvisor::gui {

struct Mark {
  TimeRange range;  // on the clock of the profile; of a moment end_ns == begin_ns
  QString text;
  int color = 0;  // 0 to mark_colors - 1: Theme::series()
  bool moment() const { return range.end_ns <= range.begin_ns; }
  bool operator==(const Mark&) const = default;
};
inline constexpr int mark_colors = 6;
inline constexpr std::size_t most_marks = 10'000;  // a side file with more is not this program's

// The text of a side file, and back. `origin` is the beginning of the profile. Errors: parse, where
// it is no such file; newer_version.
QByteArray write_marks(const std::vector<Mark>& marks, std::int64_t origin);
Result<std::vector<Mark>> read_marks(const QByteArray& text, std::int64_t origin);

class Marks : public QObject {
  Q_OBJECT
 public:
  explicit Marks(QObject* parent = nullptr) : QObject(parent) {}

  // Of another profile; reads what there is. An empty path: of none.
  void open(const QString& profile, std::int64_t origin);
  // By time.
  const std::vector<Mark>& all() const { return marks_; }
  // Where they are kept; the file is there once there is a mark.
  const QString& file() const { return file_; }

  // Each saves at once. Indices are those of all(), which a change may reorder.
  int add(const Mark& mark);  // the index it has got
  void change(int index, const Mark& mark);
  void remove(int index);
  bool holds(int index) const {
    return index >= 0 && static_cast<std::size_t>(index) < marks_.size();
  }

 signals:
  void changed();
  // Something could not be read or saved; marks go on working until the window is closed.
  void problem(const QString& text);

 private:
  int sort(const Mark& followed);
  void save();

  std::vector<Mark> marks_;
  QString file_;
  std::int64_t origin_ = 0;
  bool unreadable_ = false;  // what is in the file is not ours, and is not written over
};

}  // namespace rnnadvisor::gui
