// The table beside the timeline: events like the one that was asked for. A row selects its event,
// and an event that is selected elsewhere selects its row.
#pragma once

#include <QSortFilterProxyModel>
#include <QWidget>

#include "gui/models/events_model.h"
#include "gui/models/view_state.h"

class QLabel;
class QTableView;

namespace rnnadvisor::gui {

class EventsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit EventsPanel(ViewState* state, QWidget* parent = nullptr);
  void set_document(DocumentPointer document);
  void show_like(Item item);
  // The hits of a search, the first of `found`.
  void show_found(const std::vector<Item>& items, std::int64_t found);
  bool shows_found() const { return of_search_; }
  EventsModel& events() { return model_; }
  QTableView* table() { return table_; }
  const EventsModel& model() const { return model_; }

 private:
  void follow_selection();
  void tell();

  ViewState* state_;
  DocumentPointer document_;
  EventsModel model_;
  QSortFilterProxyModel sorted_;
  QLabel* title_;
  QTableView* table_;
  bool of_search_ = false;
  bool own_ = false;  // the selection comes from here
};

}  // namespace rnnadvisor::gui
