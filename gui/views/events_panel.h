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
  QTableView* table() { return table_; }
  const EventsModel& model() const { return model_; }

 private:
  void follow_selection();

  ViewState* state_;
  DocumentPointer document_;
  EventsModel model_;
  QSortFilterProxyModel sorted_;
  QLabel* title_;
  QTableView* table_;
  bool own_ = false;  // the selection comes from here
};

}  // namespace rnnadvisor::gui
