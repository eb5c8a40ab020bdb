// EventsModel: events of one kind and name as rows, to be sorted and to be found again on the
// timeline: the kernels of one name, or all calls. At most `most_rows`, so that a profile of
// millions of kernels stays quick; the view says how many are left out.
#pragma once

#include <functional>
#include <vector>

#include "gui/models/column_model.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

class EventsModel : public ColumnModel<Item> {
  Q_OBJECT
 public:
  enum Column { start, duration, name, call, track, columns };
  static constexpr std::size_t most_rows = 100'000;
  explicit EventsModel(QObject* parent = nullptr);

  // Those that are like `item`: of its kind and name; of a call, all calls. Nothing for what is in
  // no table.
  void show_like(const DocumentPointer& document, Item item);
  // These, in their order, of `found` that a search has: `title` says what it looked for.
  void show_found(const DocumentPointer& document, const std::vector<Item>& items,
                  std::int64_t found, const QString& title);
  // What the column of tracks says of an item; without it that column is empty.
  void set_track_of(std::function<QString(Item)> track_of) { track_of_ = std::move(track_of); }
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
  std::function<QString(Item)> track_of_;
};

}  // namespace rnnadvisor::gui
