// Two opened profiles compared (advisor/compare/comparison.h), and its tables.
#pragma once

#include "advisor/compare/comparison.h"
#include "gui/models/column_model.h"
#include "gui/models/document.h"
#include "gui/models/paired_calls.h"

namespace rnnadvisor::gui {

// With the documents that it is of.
struct Comparison : compare::Comparison {
  DocumentPointer before, after;
  std::shared_ptr<const PairedCalls> pairs;  // null where there are no documents
};
Comparison compare_documents(DocumentPointer before, DocumentPointer after);

class ComparisonModel : public ColumnModel<const compare::Match*> {
  Q_OBJECT
 public:
  enum Column { name, phase, before, after, ratio, verdict, columns };
  explicit ComparisonModel(QObject* parent = nullptr);
  void set_comparison(Comparison comparison);
  const Comparison& comparison() const { return comparison_; }

 private:
  Comparison comparison_;
  double largest_ms_ = 0;  // the unit of both columns goes by it
};

// Every call, in the order of the comparison.
class CallMatchesModel : public ColumnModel<const compare::CallMatch*> {
  Q_OBJECT
 public:
  enum Column { number, name, phase, before, after, difference, columns };
  explicit CallMatchesModel(QObject* parent = nullptr);
  // nullptr: none. It must stay as it is until another is set.
  void set_comparison(const Comparison* comparison);

 private:
  const Comparison* comparison_ = nullptr;
  double largest_ms_ = 0;  // as above
};

// What a part of the time went to; GPU idle where it is no role.
QString part_word(const compare::TimePart& part);
QString change_word(compare::Change change);
// "−2.13 ms, 2.84× faster"; the time alone where there is no difference to speak of.
QString difference_text(double before_ms, double after_ms);
// What the earlier advice predicted of a phase (index into Comparison::matches), else of a step
// (-1); null: nothing.
const compare::Prediction* prediction_for(const compare::Comparison& comparison, int match);
// "1 → 2 calls" of a stack that was split; empty for all others.
QString calls_word(const compare::ConfigurationPair& sets);

}  // namespace rnnadvisor::gui
