#include "gui/views/summary_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "core/base/text.h"
#include "gui/models/item_models.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {

using timeline::Summary;
using timeline::SummaryBy;
using timeline::SummaryModel;
using timeline::SummaryRow;

namespace {

// A range that moves is counted this often at most, so that frames have the processor.
constexpr int count_after_ms = 60;

}  // namespace

SummaryPanel::SummaryPanel(TimelineWidget* timeline, ViewState* state, QWidget* parent)
    : QWidget(parent),
      timeline_(timeline),
      histogram_(&model_),
      by_(new QComboBox),
      told_(make_label({}, "dim")),
      previous_(new QToolButton),
      next_(new QToolButton),
      filter_(new QToolButton),
      save_(new QToolButton),
      table_(new QTableView) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(10, 4, 10, 4);
  row->setSpacing(4);
  for (const auto& [title, by] :
       {std::pair{tr("Kernels"), SummaryBy::kernel},
        std::pair{tr("Roles of kernels"), SummaryBy::role},
        std::pair{tr("RNN calls"), SummaryBy::call}, std::pair{tr("NVTX ranges"), SummaryBy::nvtx},
        std::pair{tr("Copies"), SummaryBy::copy}})
    by_->addItem(title, static_cast<int>(by));
  by_->setAccessibleName(tr("What the rows of the summary are"));
  told_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(by_);
  row->addWidget(told_, 1);
  const auto button = [&](QToolButton* of, const QString& text, const QString& tip) {
    of->setText(text);
    of->setToolTip(tip);
    of->setAccessibleName(tip);
    of->setAutoRaise(true);
    row->addWidget(of);
  };
  button(previous_, QStringLiteral("‹"), tr("Go to the previous one of the row (Shift+Enter)"));
  button(next_, QStringLiteral("›"), tr("Go to the next one of the row (Enter)"));
  button(filter_, tr("Filter"), tr("Show only the row on the timeline"));
  button(save_, tr("CSV…"), tr("Save the summary as CSV"));
  filter_->setCheckable(true);
  layout->addLayout(row);
  sorted_.setSourceModel(&model_);
  sorted_.setSortRole(SortRole);
  table_->setModel(&sorted_);
  table_->setAccessibleName(tr("Summary"));
  make_plain_table(table_);
  table_->sortByColumn(-1, Qt::AscendingOrder);  // most time first
  table_->setItemDelegateForColumn(SummaryModel::of_histogram, &histogram_);
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  // Widths from the contents would look at every row.
  const int letters = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  for (int column = 0; column < SummaryModel::columns_of_summary; ++column)
    table_->setColumnWidth(column, letters * 10);
  table_->setColumnWidth(SummaryModel::of_share, letters * 7);
  table_->setColumnWidth(SummaryModel::of_histogram, letters * 20);
  table_->horizontalHeader()->setMinimumSectionSize(letters * 6);
  table_->horizontalHeader()->setSectionResizeMode(SummaryModel::of_name, QHeaderView::Stretch);
  layout->addWidget(table_, 1);
  table_->installEventFilter(this);

  due_.setSingleShot(true);
  due_.setInterval(count_after_ms);
  connect(&due_, &QTimer::timeout, this, &SummaryPanel::count);
  connect(state, &ViewState::visible_changed, this, &SummaryPanel::refresh);
  connect(state, &ViewState::measured_changed, this, &SummaryPanel::refresh);
  connect(timeline_, &TimelineWidget::ready_changed, this, [this] {
    const QSignalBlocker quiet(filter_);
    filter_->setChecked(timeline_->filtered());
    // Hits go with the tracks that they stood on.
    if (const auto* of = chosen(); of != nullptr && timeline_->filtered())
      timeline_->search_like(wanted_of(model_.summary(), *of));
    refresh();
  });
  connect(timeline_, &TimelineWidget::search_changed, this, &SummaryPanel::search_done);
  connect(by_, &QComboBox::currentIndexChanged, this, [this] {
    work_.cancel();
    name_.clear();
    refresh();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &SummaryPanel::choose);
  // A click on the row that is chosen already: its hits may be gone.
  connect(table_, &QTableView::clicked, this, [this] {
    if (timeline_->scene().hits == nullptr) choose();
  });
  connect(table_, &QTableView::customContextMenuRequested, this, &SummaryPanel::menu_at);
  connect(previous_, &QToolButton::clicked, this, [this] { step(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { step(1); });
  connect(save_, &QToolButton::clicked, this, &SummaryPanel::choose_file);
  connect(filter_, &QToolButton::toggled, this, [this](bool only) {
    const auto* of = chosen();
    if (only && of != nullptr)
      timeline_->filter_like(wanted_of(model_.summary(), *of), to_qt(of->name));
    else
      timeline_->filter_by({}, false);
  });
  tell();
}

void SummaryPanel::set_document(DocumentPointer document) {
  work_.cancel();
  document_ = std::move(document);
  name_.clear();
  step_ = 0;
  model_.show({});
  tell();
  refresh();
}

void SummaryPanel::set_theme(const Theme& theme) {
  histogram_.set_theme(theme);
  table_->viewport()->update();
}

void SummaryPanel::refresh() {
  if (work_.busy()) {
    again_ = true;  // a range that moves all the time would never be counted
  } else if (!due_.isActive()) {
    due_.start();
  }
}

void SummaryPanel::count() {
  again_ = false;
  const auto range = timeline_->range_in_question();
  // Behind the tab of another dock nothing of it is seen.
  if (!document_ || !range || !isVisible() || visibleRegion().isEmpty()) return;
  const auto by = static_cast<SummaryBy>(by_->currentData().toInt());
  work_.start(
      this,
      [tracks = timeline_->scene().timeline, range = *range, by](const std::stop_token& stop) {
        return timeline::summarise(*tracks, range, by, stop);
      },
      [this](Summary summary) {
        show_summary(std::move(summary));
        if (again_) refresh();
      },
      [this] { told_->setText(tr("There is not enough memory on this machine for a summary")); });
}

void SummaryPanel::show_summary(Summary summary) {
  const QSignalBlocker quiet(table_->selectionModel());
  const int scrolled = table_->horizontalHeader()->offset();
  model_.show(std::move(summary));
  const int row = name_.empty() ? -1 : model_.row_of(name_);
  if (row >= 0) {
    const auto index = sorted_.mapFromSource(model_.index(row, 0));
    table_->setCurrentIndex(index);
    table_->selectRow(index.row());
  }
  table_->horizontalHeader()->setOffset(scrolled);
  tell();
}

void SummaryPanel::tell() {
  const Summary& all = model_.summary();
  const bool any = model_.rowCount() > 0;
  QString text;
  if (!document_) {
    text = tr("No profile is open");
  } else if (!any) {
    text = tr("None in the range");
  } else {
    text = tr("%1, %2: %3 in %n row(s)", nullptr, static_cast<int>(all.groups))
               .arg(timeline_->scene().measured ? tr("Measured") : tr("Visible"),
                    to_qt(timeline::duration_text(all.range.length())),
                    to_qt(format_count(all.count)));
    const auto shown = static_cast<std::int64_t>(model_.rowCount());
    if (all.groups > static_cast<std::size_t>(shown))
      text += tr(", the first %1").arg(to_qt(format_count(shown)));
    if (!all.exact) text += tr("; median and p99 ±0.4 %");
  }
  told_->setText(text);
  told_->setToolTip(text);
  save_->setEnabled(any);
  for (auto* button : {previous_, next_}) button->setEnabled(chosen() != nullptr);
  filter_->setEnabled(chosen() != nullptr || filter_->isChecked());
}

const SummaryRow* SummaryPanel::chosen() const {
  const int row = name_.empty() ? -1 : model_.row_of(name_);
  return row < 0 ? nullptr : &model_.rows()[static_cast<std::size_t>(row)];
}

void SummaryPanel::choose() {
  const int row = sorted_.mapToSource(table_->currentIndex()).row();
  name_ = row < 0 ? std::string() : model_.rows()[static_cast<std::size_t>(row)].name;
  step_ = 0;
  tell();
  const auto* of = chosen();
  if (of == nullptr) return;
  const auto wanted = wanted_of(model_.summary(), *of);
  if (filter_->isChecked())
    timeline_->filter_like(wanted, to_qt(of->name));
  else
    timeline_->search_like(wanted);
}

void SummaryPanel::step(int by) {
  const auto* of = chosen();
  if (of == nullptr) return;
  if (timeline_->scene().hits == nullptr) {
    step_ = by;
    if (!timeline_->searching()) timeline_->search_like(wanted_of(model_.summary(), *of));
    return;
  }
  timeline_->next_hit(by);
}

void SummaryPanel::search_done() {
  if (timeline_->scene().hits == nullptr) return;
  if (const int by = std::exchange(step_, 0); by != 0) timeline_->next_hit(by);
}

void SummaryPanel::choose_file() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Save the summary as CSV"),
                                   QStringLiteral("summary.csv"), QStringLiteral("CSV (*.csv)"));
  if (!path.isEmpty()) save(path);
}

void SummaryPanel::save(const QString& path) {
  if (!document_) return;
  const auto written = write_summary(*document_, model_, path);
  emit problem(written ? tr("Saved as %1").arg(path) : to_qt(to_text(written.error())));
}

void SummaryPanel::menu_at(QPoint position) {
  if (chosen() == nullptr) return;
  QMenu menu(this);
  menu.addAction(tr("Go to the next one"), this, [this] { step(1); });
  menu.addAction(tr("Go to the previous one"), this, [this] { step(-1); });
  auto* only = menu.addAction(tr("Show only these"), filter_, &QToolButton::toggle);
  only->setCheckable(true);
  only->setChecked(filter_->isChecked());
  menu.addSeparator();
  menu.addAction(tr("Save the summary as CSV…"), this, &SummaryPanel::choose_file);
  menu.exec(table_->viewport()->mapToGlobal(position));
}

bool SummaryPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != table_ || event->type() != QEvent::KeyPress)
    return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter) return false;
  step(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
  return true;
}

}  // namespace rnnadvisor::gui
