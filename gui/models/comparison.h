// Comparison of two profiles: their calls matched one by one, what became of each, and whether the
// change is more than noise.
#pragma once

#include <QAbstractTableModel>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

enum class Change {
  faster,
  slower,
  no_difference,  // the intervals of the medians overlap
  unclear,        // too few samples for an interval
  only_before,
  only_after
};

// One phase of one configuration in both profiles.
struct Match {
  std::string name;  // of the configuration
  Phase phase = Phase::forward_training;
  int before = -1, after = -1;         // into each profile's configurations; -1: it is not there
  MedianInterval before_ms, after_ms;  // count 0: no time
  bool from_kernels = false;           // times of traced calls, for want of timings
  Change change = Change::unclear;
  // Calls of this phase, matched in their order: indices into each profile's calls.
  std::vector<std::pair<int, int>> calls;
  double ratio() const;  // before / after; 0: not known
};

struct Comparison {
  DocumentPointer before, after;
  std::vector<Match> matches;                // the largest change of time first
  double before_ms = 0, after_ms = 0;        // over what is in both
  std::vector<std::string> environment;      // "cuDNN 9.1.0 -> 9.19.0"
  std::vector<std::string> fixed, appeared;  // rules that no longer fire, and that do now
};

// Configurations are matched by id, then by equal parameters, then by equal shape and place.
Comparison compare(const DocumentPointer& before, const DocumentPointer& after);

class ComparisonModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { name, phase, before, after, ratio, verdict, columns };
  using QAbstractTableModel::QAbstractTableModel;
  void set_comparison(Comparison comparison);
  const Comparison& comparison() const { return comparison_; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Comparison comparison_;
};

QString change_word(Change change);

}  // namespace rnnadvisor::gui
