// EventsModel: events of one kind and name as rows, to be sorted and to be found again on the
// timeline: the kernels of one name, or all calls. At most `most_rows`, so that a profile of
// millions of kernels stays quick; the view says how many are left out.
#pragma once

#include <vector>

#include "gui/models/column_model.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

class EventsModel : public ColumnModel<Item> {
  Q_OBJECT
 public:
  enum Column { start, duration, name, call, columns };
  static constexpr std::size_t most_rows = 100'000;
  explicit EventsModel(QObject* parent = nullptr);

  // Those that are like `item`: of its kind and name; of a call, all calls. Nothing for what is in
  // no table.
  void show_like(const DocumentPointer& document, Item item);
  std::int64_t found() const { return found_; }  // also those left out
  QString title() const { return title_; }
  Item item(int row) const;
  int row_of(Item item) const;  // -1: not in it

 private:
  int call_of(Item item) const;
  QString name_of(Item item) const;

  DocumentPointer document_;
  std::int64_t found_ = 0;
  QString title_;
};

}  // namespace rnnadvisor::gui
