#include "gui/views/events_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "gui/models/item_models.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {

EventsPanel::EventsPanel(ViewState* state, QWidget* parent)
    : QWidget(parent), state_(state), title_(make_label({}, "dim")), table_(new QTableView) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  title_->setContentsMargins(12, 6, 12, 6);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  layout->addWidget(title_);
  sorted_.setSourceModel(&model_);
  sorted_.setSortRole(SortRole);
  table_->setModel(&sorted_);
  table_->setAccessibleName(tr("Events"));
  make_plain_table(table_);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  // Widths from the contents would look at every row.
  const int letters = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  table_->setColumnWidth(EventsModel::start, letters * 16);
  table_->setColumnWidth(EventsModel::duration, letters * 15);
  table_->setColumnWidth(EventsModel::call, letters * 10);
  table_->setColumnWidth(EventsModel::track, letters * 24);
  table_->horizontalHeader()->setSectionResizeMode(EventsModel::name, QHeaderView::Stretch);
  layout->addWidget(table_, 1);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            const Item item = model_.item(sorted_.mapToSource(now).row());
            if (item.empty()) return;
            own_ = true;
            state_->select(item);
            own_ = false;
          });
  connect(state_, &ViewState::selection_changed, this, &EventsPanel::follow_selection);
  show_like({});
}

void EventsPanel::set_document(DocumentPointer document) {
  document_ = std::move(document);
  show_like({});
}

void EventsPanel::show_like(Item item) {
  of_search_ = false;
  model_.show_like(document_, item);
  tell();
}

void EventsPanel::show_found(const std::vector<Item>& items, std::int64_t found) {
  of_search_ = true;
  model_.show_found(document_, items, found, found > 0 ? tr("Found") : tr("Nothing was found"));
  tell();
}

void EventsPanel::tell() {
  const auto shown = static_cast<std::int64_t>(model_.rowCount());
  QString text = model_.title();
  if (shown == 0 && !of_search_) {
    text = tr("“Show in the table” in the menu of an event lists those like it here.");
  } else if (shown == 0) {
    // the title says it
  } else if (model_.found() > shown) {
    text = tr("%1: the first %2 of %3")
               .arg(text, to_qt(format_count(shown)), to_qt(format_count(model_.found())));
  } else {
    text = tr("%1: %2").arg(text, to_qt(format_count(shown)));
  }
  title_->setText(text);
  title_->setToolTip(text);
  follow_selection();
}

void EventsPanel::follow_selection() {
  if (own_) return;
  const int row = model_.row_of(state_->selection());
  const QSignalBlocker quiet(table_->selectionModel());
  const QModelIndex index = row < 0 ? QModelIndex() : sorted_.mapFromSource(model_.index(row, 0));
  table_->setCurrentIndex(index);
  if (index.isValid()) {
    table_->selectRow(index.row());
    table_->scrollTo(index);
  } else {
    table_->clearSelection();
  }
  table_->viewport()->update();
}

}  // namespace rnnadvisor::gui
