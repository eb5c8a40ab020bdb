#include "gui/views/findings_view.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/pages.h"
#include "gui/views/note_bar.h"
#include "gui/views/trial_strip.h"
#include "gui/views/view_name.h"

namespace rnnadvisor::gui {
namespace {

constexpr int all_kinds = -1;

}  // namespace

FindingsView::FindingsView(ViewState* state, QWidget* parent) : View(parent), state_(state) {
  filter_.setSourceModel(&findings_);
  verdict_filter_.setSourceModel(&verdicts_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->addTab(make_findings(), tr("Findings"));
  tabs_->addTab(make_verdicts(), tr("All rules"));
  whole_ = new QStackedWidget;
  nothing_ = new EmptyState;
  nothing_->set_no_profile(
      tr("Findings are what rules make of a recording, each with its evidence and what to do."));
  connect(nothing_, &EmptyState::chosen, this,
          [this] { emit link_activated(Link::to_view(view_name::start)); });
  whole_->addWidget(nothing_);
  whole_->addWidget(tabs_);
  layout->addWidget(whole_);
  connect(state_, &ViewState::selection_changed, this, &FindingsView::follow_selection);
}

QWidget* FindingsView::make_findings() {
  auto* side = new QFrame;
  side->setObjectName(QStringLiteral("side"));
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(10, 12, 4, 4);
  column->setSpacing(8);
  auto* search = new QLineEdit;
  search->setPlaceholderText(tr("Filter findings"));
  search->setClearButtonEnabled(true);
  search->setAccessibleName(tr("Filter findings"));
  column->addWidget(search);
  order_ = make_label({}, "small");
  order_->setToolTip(to_qt(advisor::words::findings_lead()));
  order_->setWordWrap(true);
  order_->setContentsMargins(6, 0, 0, 0);
  column->addWidget(order_);
  list_ = new QListView;
  list_->setModel(&filter_);
  list_->setAccessibleName(tr("Findings"));
  list_->setMouseTracking(true);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setResizeMode(QListView::Adjust);
  list_->setFrameShape(QFrame::NoFrame);
  delegate_ = new TitleDelegate(list_);
  list_->setItemDelegate(delegate_);
  column->addWidget(list_, 1);
  connect(search, &QLineEdit::textChanged, &filter_, &WordsFilter::set_words);

  page_ = new PageBrowser;
  page_->setAccessibleName(tr("Finding"));
  empty_ = make_label({}, "dim");
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setMargin(40);
  stack_ = new QStackedWidget;
  stack_->addWidget(page_);
  stack_->addWidget(empty_);
  auto* splitter = new QSplitter;
  splitter->addWidget(side);
  strip_ = new TrialStrip;
  auto* right = new QWidget;
  auto* rows = new QVBoxLayout(right);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(stack_, 1);
  note_bar_ = new NoteBar;
  rows->addWidget(note_bar_);
  rows->addWidget(strip_);
  splitter->addWidget(right);
  // What a wide window has more, the page gets: titles need no more room than they have.
  splitter->setStretchFactor(0, 0);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({384, 796});
  splitter->setChildrenCollapsible(false);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& now) {
            if (now.isValid()) state_->select({ItemKind::finding, now.data(ItemIndexRole).toInt()});
          });
  connect(page_, &PageBrowser::link_activated, this, &View::link_activated);
  return splitter;
}

QWidget* FindingsView::make_verdicts() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(16, 12, 16, 8);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  auto* group = new QButtonGroup(this);
  const std::vector<std::pair<QString, int>> kinds = {
      {tr("All"), all_kinds},
      {tr("Fired"), static_cast<int>(advisor::VerdictKind::fired)},
      {tr("Passed"), static_cast<int>(advisor::VerdictKind::passed)},
      {tr("Covered by another"), static_cast<int>(advisor::VerdictKind::told_by_another)},
      {tr("Did not apply"), static_cast<int>(advisor::VerdictKind::not_applicable)},
      {tr("Not decided"), static_cast<int>(advisor::VerdictKind::unknown)}};
  for (const auto& [name, kind] : kinds) {
    auto* button = new QPushButton(name);
    set_look(button, "chip");
    button->setCheckable(true);
    button->setChecked(kind == all_kinds);
    button->setProperty("kind", kind);
    group->addButton(button);
    row->addWidget(button);
    kinds_.push_back(button);
    connect(button, &QPushButton::clicked, this, [this, kind] { verdict_filter_.set_kind(kind); });
  }
  row->addStretch();
  auto* search = new QLineEdit;
  search->setPlaceholderText(tr("Filter rules"));
  search->setAccessibleName(tr("Filter rules"));
  search->setClearButtonEnabled(true);
  search->setMaximumWidth(260);
  row->addWidget(search, 1);
  connect(search, &QLineEdit::textChanged, &verdict_filter_, &WordsFilter::set_words);
  column->addLayout(row);
  verdict_table_ = new QTableView;
  verdict_table_->setModel(&verdict_filter_);
  verdict_table_->setAccessibleName(tr("Rules and their verdicts"));
  make_plain_table(verdict_table_);
  verdict_table_->sortByColumn(VerdictsModel::fired, Qt::DescendingOrder);
  auto* header = verdict_table_->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(VerdictsModel::rule, QHeaderView::Stretch);
  header->setSectionResizeMode(VerdictsModel::missing, QHeaderView::Interactive);
  column->addWidget(verdict_table_, 1);
  connect(verdict_table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    emit link_activated(Link::to_rule(index.data(RuleRole).toString()));
  });
  return page;
}

// One configuration has one verdict of each rule: a column for each kind would be mostly empty.
void FindingsView::arrange_verdicts() {
  const bool one = document_ && document_->profile().configurations.size() <= 1;
  for (int column = VerdictsModel::fired; column <= VerdictsModel::unknown; ++column)
    verdict_table_->setColumnHidden(column, one);
  verdict_table_->setColumnHidden(VerdictsModel::verdict, !one);
  verdict_table_->setColumnHidden(VerdictsModel::missing, !verdicts_.any_missing());
  verdict_table_->sortByColumn(one ? VerdictsModel::verdict : VerdictsModel::fired,
                               one ? Qt::AscendingOrder : Qt::DescendingOrder);
  // Titles come first; a long list of facts is cut, and its tooltip has it whole.
  constexpr int most = 160;
  const QAbstractItemView* view = verdict_table_;
  verdict_table_->setColumnWidth(
      VerdictsModel::missing,
      std::max(verdict_table_->horizontalHeader()->sectionSizeHint(VerdictsModel::missing),
               std::min(most, view->sizeHintForColumn(VerdictsModel::missing))));
}

QWidget* FindingsView::first_focus() {
  return document_ ? static_cast<QWidget*>(list_) : nothing_->button();
}

bool FindingsView::search() {
  if (!document_) return false;
  tabs_->currentWidget()->findChild<QLineEdit*>()->setFocus();
  return true;
}

QString FindingsView::table_text() const {
  return tabs_->currentIndex() == 1 ? table_text_of(verdict_table_) : table_text_of(list_);
}

void FindingsView::set_document(DocumentPointer document) {
  document_ = document;
  shown_ = -1;
  whole_->setCurrentWidget(document ? static_cast<QWidget*>(tabs_) : nothing_);
  findings_.set_document(document);
  verdicts_.set_document(document);
  arrange_verdicts();
  const auto total = [totals = verdicts_.totals()](auto kind) {
    return totals[static_cast<std::size_t>(kind)];
  };
  tabs_->setTabText(0, tr("Findings") + (document ? QStringLiteral("  %1").arg(findings_.rowCount())
                                                  : QString()));
  for (auto* button : kinds_) {
    const int kind = button->property("kind").toInt();
    QString name = button->text().section(QStringLiteral("  "), 0, 0);
    if (kind >= 0) name += QStringLiteral("  %1").arg(total(kind));
    button->setText(name);
  }
  order_->setText(document ? to_qt(advisor::words::findings_order(document->report())) : QString());
  const bool any = findings_.rowCount() > 0;
  stack_->setCurrentWidget(any ? static_cast<QWidget*>(page_) : empty_);
  if (!any && document) {
    empty_->setText(
        document->outline() ? tr("Kernels are still being read. Findings follow.")
        : document->profile().configurations.empty()
            ? tr("There is nothing to judge: no configuration of a recurrent network is in this "
                 "profile. The overview says why that may be.")
            : tr("No rule fired: %1 passed, %2 did not apply and %3 could not be decided. See “All "
                 "rules”.")
                  .arg(total(advisor::VerdictKind::passed))
                  .arg(total(advisor::VerdictKind::not_applicable))
                  .arg(total(advisor::VerdictKind::unknown)));
  }
  page_->show_page({});
  note_bar_->show_finding(-1);
  if (any) list_->setCurrentIndex(filter_.index(0, 0));
}

void FindingsView::set_theme(const Theme& theme) {
  theme_ = theme;
  delegate_->set_theme(theme);
  if (shown_ >= 0) show_finding(shown_, true);
}

void FindingsView::set_notes(Notes* notes) {
  findings_.set_notes(notes);
  note_bar_->set_notes(notes);
}

void FindingsView::follow_selection() {
  const Item item = state_->selection();
  if (item.kind != ItemKind::finding || !document_ || !document_->holds(item)) return;
  tabs_->setCurrentIndex(0);
  const QModelIndex row = filter_.mapFromSource(findings_.index(findings_.row_of(item.index)));
  const QSignalBlocker quiet(list_->selectionModel());
  if (row.isValid() && list_->currentIndex() != row) {
    list_->selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect);
    list_->scrollTo(row);
  }
  list_->viewport()->update();
  show_finding(item.index);
}

void FindingsView::show_finding(int finding, bool same) {
  shown_ = finding;
  note_bar_->show_finding(finding);
  page_->show_page(finding_page(*document_, finding, theme_, &trial_), same);
}

void FindingsView::set_trial(const TrialState& state) {
  const bool ran = trial_.is == TrialState::Is::running;
  const bool runs = state.is == TrialState::Is::running;
  // Who started it by the keyboard can end it by the keyboard, and goes on reading afterwards.
  const bool from_page = page_->hasFocus(), from_strip = strip_->cancel_button()->hasFocus();
  trial_ = state;
  strip_->set_state(state);
  if (runs && !ran && from_page) strip_->cancel_button()->setFocus();
  if (!runs && ran && from_strip) page_->setFocus();
  if (shown_ >= 0) show_finding(shown_, true);
}

}  // namespace rnnadvisor::gui
