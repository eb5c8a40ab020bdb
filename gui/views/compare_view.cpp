#include "gui/views/compare_view.h"

#include <QApplication>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "advisor/compare/comparison_words.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/link.h"
#include "gui/models/open_problem.h"
#include "gui/models/pages.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/problem_card.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

// Up to that many, matching takes less than a frame or two.
constexpr std::size_t kernels_at_once = 200'000;

QString joined(const std::vector<std::string>& texts) {
  QStringList list;
  for (const auto& text : texts) list << to_qt(words::clean(text));
  return list.join(QStringLiteral(", "));
}

}  // namespace

CompareView::CompareView(QWidget* parent) : View(parent) {
  sorted_.setSourceModel(&model_);
  stack_ = new QStackedWidget;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);

  make_chooser_page();

  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(20, 18, 20, 8);
  column->setSpacing(8);
  auto* head = new QHBoxLayout;
  headline_ = make_label({}, "title");
  headline_->setWordWrap(true);
  head->addWidget(headline_, 1);
  auto* swap = new QPushButton(tr("Swap"));
  auto* other = new QPushButton(tr("Another…"));
  head->addWidget(swap);
  head->addWidget(other);
  column->addLayout(head);
  steps_ = make_label({});
  steps_->setWordWrap(true);
  column->addWidget(steps_);
  names_ = make_label({}, "dim");
  names_->setWordWrap(true);
  column->addWidget(names_);
  changes_ = make_label({}, "dim");
  changes_->setTextFormat(Qt::RichText);
  connect(changes_, &QLabel::linkActivated, this, [this](const QString& text) {
    if (const auto link = parse_link(text)) emit link_activated(*link);
  });
  changes_->setWordWrap(true);
  column->addWidget(changes_);
  chart_card_ = new Card({});
  chart_ = new ChartWidget;
  chart_->setAccessibleName(tr("Time of both"));
  chart_card_->body()->addWidget(chart_);
  column->addWidget(chart_card_);
  make_tables();
  match_ = new PageBrowser;
  match_->setAccessibleName(tr("The chosen row"));
  match_->setMinimumWidth(300);
  auto* split = new BesideOrBelow({760, 380});
  split->addWidget(tabs_);
  split->addWidget(match_);
  split->setSizes({760, 380});
  split->setStretchFactor(0, 1);
  const int letter = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  split->set_needed(letter * 140);  // five columns of figures, names, and the page
  timelines_ = new CompareTimelines(this);
  timelines_->hide();
  body_ = new QSplitter(Qt::Vertical);
  body_->setChildrenCollapsible(false);
  body_->addWidget(split);
  column->addWidget(body_, 1);
  stack_->addWidget(page);

  connect(other, &QPushButton::clicked, this, &CompareView::show_chooser);
  connect(timelines_, &CompareTimelines::call_chosen, this, &CompareView::follow_timelines);
  connect(swap, &QPushButton::clicked, this, [this] {
    swapped_ = !swapped_;
    show_comparison();
  });
  for (auto* table : {table_, call_table_}) {
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
      show_selected();
      align_at_selected();
    });
    connect(table, &QTableView::activated, this, [this] {
      if (tabs_->indexOf(timelines_) >= 0) tabs_->setCurrentWidget(timelines_);
    });
  }
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    if (auto* table = qobject_cast<QTableView*>(tabs_->currentWidget())) last_table_ = table;
    match_->setVisible(tabs_->currentWidget() != timelines_);
    show_selected();
  });
  connect(match_, &PageBrowser::link_activated, this, &View::link_activated);
  connect(&loader_, &Loader::loaded, this, &CompareView::set_before);
  connect(&loader_, &Loader::failed, this, &CompareView::show_failure);
  connect(card_, &ProblemCard::again_requested, this, &CompareView::compare_with);
  connect(card_, &ProblemCard::dismissed, this, [this] {
    follower_.stop();
    partner_.clear();
    problem_.reset();
    set_document(after_);
  });
  connect(&follower_, &FileFollower::grew, this, [this](const QString&, qint64 bytes) {
    card_->set_state(tr("%1 so far").arg(to_qt(format_bytes(static_cast<double>(bytes)))));
  });
  connect(&follower_, &FileFollower::settled, this, &CompareView::compare_with);
  connect(&loader_, &Loader::started, this,
          [this](const QString& path) { empty_->setText(tr("Opening %1…").arg(path)); });
  set_document(nullptr);
}

void CompareView::make_chooser_page() {
  auto* empty = new QWidget;
  auto* column = new QVBoxLayout(empty);
  column->setContentsMargins(20, 18, 20, 12);
  auto* title = make_label(tr("Compare with another profile"), "title");
  empty_ = make_label({}, "dim");
  empty_->setWordWrap(true);
  card_ = new ProblemCard;
  to_comparison_ = new QPushButton(tr("Back to the comparison"));
  to_comparison_->hide();
  chooser_ = new PartnerChooser;
  auto* middle = new QWidget;
  middle->setMaximumWidth(760);
  auto* inner = new QVBoxLayout(middle);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(10);
  auto* head = new QHBoxLayout;
  head->addWidget(title, 1);
  head->addWidget(to_comparison_);
  inner->addLayout(head);
  inner->addWidget(empty_);
  inner->addWidget(card_);
  inner->addWidget(chooser_, 1);
  auto* row = new QHBoxLayout;
  row->addStretch();
  row->addWidget(middle, 100);
  row->addStretch();
  column->addLayout(row, 1);
  stack_->addWidget(empty);
  connect(chooser_, &PartnerChooser::chosen, this, &CompareView::choose);
  connect(chooser_, &PartnerChooser::file_requested, this, &CompareView::choose_requested);
  connect(to_comparison_, &QPushButton::clicked, this, [this] { stack_->setCurrentIndex(1); });
}

void CompareView::make_tables() {
  table_ = new QTableView;
  table_->setModel(&sorted_);
  table_->setAccessibleName(tr("What changed"));
  table_->setObjectName(QStringLiteral("phases"));
  make_plain_table(table_);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(ComparisonModel::name, QHeaderView::Stretch);
  // A name ends with its algorithm, which is often all that differs: it is wrapped, not cut.
  table_->setWordWrap(true);
  table_->setTextElideMode(Qt::ElideMiddle);
  connect(table_->horizontalHeader(), &QHeaderView::sectionResized, this,
          [this](int section, int before, int after) {
            if (section == ComparisonModel::name && before != after) fit_rows();
          });
  sorted_calls_.setSourceModel(&calls_);
  sorted_calls_.setSortRole(SortRole);
  call_table_ = new QTableView;
  call_table_->setModel(&sorted_calls_);
  call_table_->setAccessibleName(tr("Call by call"));
  call_table_->setObjectName(QStringLiteral("calls"));
  make_plain_table(call_table_);
  call_table_->setTextElideMode(Qt::ElideMiddle);
  call_table_->sortByColumn(-1, Qt::AscendingOrder);
  // Widths from the contents would look at every call.
  const int letter = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  for (const auto& [section, letters] : {std::pair{CallMatchesModel::number, 14},
                                         {CallMatchesModel::phase, 20},
                                         {CallMatchesModel::before, 13},
                                         {CallMatchesModel::after, 13},
                                         {CallMatchesModel::difference, 13}})
    call_table_->setColumnWidth(section, letter * letters);
  call_table_->horizontalHeader()->setSectionResizeMode(CallMatchesModel::name,
                                                        QHeaderView::Stretch);
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->addTab(table_, tr("By phase"));
  tabs_->addTab(call_table_, tr("Call by call"));
  last_table_ = table_;
}

// Heights from texts would take long for many rows: those stay at one line.
void CompareView::fit_rows() {
  constexpr int most = 400;
  if (sorted_.rowCount() <= most) table_->resizeRowsToContents();
}

QWidget* CompareView::first_focus() {
  if (stack_->currentIndex() == 0) return chooser_->first_focus();
  return tabs_->currentWidget() == timelines_ ? static_cast<QWidget*>(timelines_->before())
                                              : table();
}
QString CompareView::table_text() const {
  return stack_->currentIndex() == 1 ? table_text_of(table()) : QString();
}

QTableView* CompareView::table() const { return last_table_; }

void CompareView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  place_timelines();
}

// Above the tables where both have room, else the first of their tabs.
void CompareView::place_timelines() {
  const int line = fontMetrics().height();
  const bool any = timelines_->has_pairs(), above = any && height() >= 50 * line;
  chart_card_->setVisible(model_.comparison().before_ms > 0 && model_.comparison().after_ms > 0 &&
                          (!any || height() >= 64 * line));
  const int tab = tabs_->indexOf(timelines_);
  if (above && body_->indexOf(timelines_) < 0) {
    if (tab >= 0) tabs_->removeTab(tab);
    body_->insertWidget(0, timelines_);
    timelines_->show();
    body_->setSizes({6, 5});
    body_->setStretchFactor(0, 6);
    body_->setStretchFactor(1, 5);
  } else if (any && !above && tab < 0) {
    tabs_->insertTab(0, timelines_, tr("Timelines"));
    tabs_->setCurrentIndex(0);
  } else if (!any && timelines_->parent() != this) {
    if (tab >= 0) tabs_->removeTab(tab);
    timelines_->setParent(this);
  }
}

void CompareView::show_chooser() {
  to_comparison_->setVisible(before_ && after_ && !comparing());
  chooser_->set_document(after_);
  if (after_)
    empty_->setText(tr("Another recording to set beside %1: the one recorded later is "
                       "shown as after. Calls are matched one by one, and differences "
                       "within noise are labelled.")
                        .arg(after_->name()));
  stack_->setCurrentIndex(0);
  chooser_->first_focus()->setFocus();
}

// A person has chosen a call on a timeline.
void CompareView::follow_timelines(int row) {
  if (row < 0 || row >= calls_.rowCount()) return;
  filling_ = true;
  const QModelIndex index = sorted_calls_.mapFromSource(calls_.index(row));
  call_table_->setCurrentIndex(index);
  call_table_->scrollTo(index);
  if (tabs_->currentWidget() != timelines_) tabs_->setCurrentWidget(call_table_);
  last_table_ = call_table_;
  filling_ = false;
  show_selected();
}

void CompareView::set_theme(const Theme& theme) {
  theme_ = theme;
  chart_->set_theme(theme);
  chooser_->set_theme(theme);
  timelines_->set_theme(theme);
  if (stack_->currentIndex() == 1) show_result(Comparison(model_.comparison()));
}

void CompareView::set_document(DocumentPointer document) {
  after_ = std::move(document);
  if (after_ && before_) {
    show_comparison();
  } else {
    work_.cancel();
    stack_->setCurrentIndex(0);
    to_comparison_->hide();
    chooser_->set_document(after_);
    empty_->setText(
        after_ ? tr("%1 is open. Choose a recording from before or after a change: calls are "
                    "matched one by one, and differences within noise are labelled.")
                     .arg(after_->name())
               : tr("Open a profile first; then choose another one here."));
  }
}

void CompareView::choose(const QString& path) {
  by_time_ = true;
  open_partner(path);
}

void CompareView::compare_with(const QString& path) {
  by_time_ = false;
  open_partner(path);
}

void CompareView::open_partner(const QString& path) {
  partner_ = path.startsWith(QLatin1String("sample:")) ? path : QFileInfo(path).absoluteFilePath();
  follower_.stop();
  problem_.reset();
  card_->set_problem(std::nullopt);
  // With itself: a second copy of a large profile would be as large.
  if (after_ && after_->path() == partner_ && !after_->outline() && after_->is_as_on_disk())
    set_before(after_);
  else
    loader_.open(partner_, rules_);
}

void CompareView::show_failure(const Error& error, const QString& path) {
  problem_ = error;
  before_.reset();
  work_.cancel();
  stack_->setCurrentIndex(0);
  set_document(after_);
  OpenProblem problem = examine(error, path);
  if (problem.can_be_collected()) {
    // A profile is made where it is opened by itself; here it is but the other of two.
    problem.kind = ProblemKind::folder;
    problem.remedy =
        tr("Open it by itself first, which makes a profile of it; then compare with that.");
  }
  card_->set_problem(problem);
  if (problem.may_become_whole()) follower_.follow(path);
}

void CompareView::set_before(const DocumentPointer& before) {
  before_ = before;
  // As ISO 8601 in UTC they are in the order of their letters.
  swapped_ = by_time_ && after_ &&
             before_->profile().environment.created > after_->profile().environment.created;
  if (after_) show_comparison();
}

void CompareView::show_comparison() {
  const auto before = swapped_ ? after_ : before_, after = swapped_ ? before_ : after_;
  const auto kernels = before->profile().kernels.size() + after->profile().kernels.size();
  if (kernels <= kernels_at_once) {
    work_.cancel();
    show_result(compare_documents(before, after));
    return;
  }
  stack_->setCurrentIndex(0);
  empty_->setText(tr("Matching the calls of %1 and %2…").arg(before->name(), after->name()));
  work_.start(
      this, [before, after](const std::stop_token&) { return compare_documents(before, after); },
      [this](Comparison comparison) { show_result(std::move(comparison)); },
      [this] {
        show_failure(fail(ErrorCode::out_of_memory, std::string(no_memory_text)).value(), partner_);
      });
}

void CompareView::show_result(Comparison comparison) {
  filling_ = true;
  const auto* chosen_in = stack_->currentIndex() == 0 ? stack_->currentWidget() : nullptr;
  const bool had_focus =
      chosen_in != nullptr && chosen_in->isAncestorOf(QApplication::focusWidget());
  stack_->setCurrentIndex(1);
  calls_.set_comparison(nullptr);
  model_.set_comparison(std::move(comparison));
  const auto& c = model_.comparison();
  calls_.set_comparison(&c);
  int faster = 0, slower = 0;
  for (const auto& m : c.matches) {
    faster += m.change == compare::Change::faster;
    slower += m.change == compare::Change::slower;
  }
  const QString steps = to_qt(compare::step_line_of(c));
  headline_->setText(to_qt(compare::headline_of(c)));
  steps_->setText(steps);
  steps_->setVisible(!steps.isEmpty());
  names_->setText(
      tr("before: %1  ·  after: %2  ·  %3 faster, %4 slower, of %5 phases of configurations")
          .arg(c.before->name(), c.after->name())
          .arg(faster)
          .arg(slower)
          .arg(c.matches.size()));
  QStringList changes, causes;
  for (const auto& cause : c.causes) causes << Page::escape(cause.text);
  if (!causes.isEmpty()) changes << tr("changed: %1").arg(causes.join(QStringLiteral("; ")));
  if (!c.environment.empty()) changes << Page::escape(joined(c.environment));
  const Page page(theme_);
  const auto titles = [&](const std::vector<std::string>& ids, const advisor::RuleSet& rules) {
    QStringList all;
    for (const auto& id : ids) {
      const auto* rule = rules.find(id);
      all << page.link(Link::to_rule(to_qt(id)),
                       rule != nullptr ? Page::prose(rule->title) : Page::escape(id));
    }
    return all.join(QStringLiteral(", "));
  };
  if (!c.fixed.empty())
    changes << tr("no longer found: %1").arg(titles(c.fixed, c.before->rules()));
  if (!c.appeared.empty())
    changes << tr("newly found: %1").arg(titles(c.appeared, c.after->rules()));
  changes_->setText(changes.join(QStringLiteral("  ·  ")));
  changes_->setVisible(!changes.isEmpty());

  auto bars = std::make_unique<chart::Bars>();
  const auto row = [&](const QString& label, bool before) {
    chart::Bars::Row r;
    r.label = from_qt(label);
    double total = 0;
    for (const Phase phase : all_phases) {
      double ms = 0;
      for (const auto& m : c.matches) {
        if (m.phase == phase && m.ratio() > 0) ms += (before ? m.before_ms : m.after_ms).median;
      }
      total += ms;
      r.segments.push_back(
          {ms, chart::ink_of(phase), std::string(words::phase(phase)), from_qt(format_ms(ms))});
    }
    r.note = from_qt(format_ms(total));
    bars->rows.push_back(std::move(r));
  };
  row(tr("before"), true);
  row(tr("after"), false);
  chart_->set_chart(std::move(bars));
  if (sorted_.rowCount() > 0) table_->setCurrentIndex(sorted_.index(0, 0));
  if (calls_.rowCount() > 0) call_table_->setCurrentIndex(sorted_calls_.index(0, 0));
  tabs_->setTabVisible(tabs_->indexOf(call_table_), calls_.rowCount() > 0);
  timelines_->set_comparison(&c);
  // Findings and configurations are those of the profile that is open.
  for (auto* each : {timelines_->before(), timelines_->after()}) {
    disconnect(each, &TimelineWidget::link_activated, this, nullptr);
    if (each == (swapped_ ? timelines_->before() : timelines_->after()))
      connect(each, &TimelineWidget::link_activated, this, &View::link_activated);
  }
  place_timelines();
  fit_rows();
  filling_ = false;
  if (had_focus) first_focus()->setFocus();
  show_selected();
}

void CompareView::show_selected() {
  if (filling_) return;
  const QModelIndex index = table()->currentIndex();
  const auto& c = model_.comparison();
  if (!index.isValid() || c.before == nullptr) {
    match_->show_page({});
    return;
  }
  const auto row = index.data(ItemIndexRole).toInt();
  const auto at = static_cast<std::size_t>(row);
  const bool of_phases = table() == table_;
  match_->show_page(of_phases ? match_page(c.matches[at]) : call_page(c.calls[at]));
}

// Both timelines are aligned at what a person chooses in a table.
void CompareView::align_at_selected() {
  const QModelIndex index = table()->currentIndex();
  const auto& c = model_.comparison();
  if (filling_ || !index.isValid() || !timelines_->has_pairs()) return;
  const int row = index.data(ItemIndexRole).toInt();
  const int call = table() == table_ ? c.pairs->typical_row(c, row) : row;
  if (call >= 0) timelines_->show_call(call);
}

}  // namespace rnnadvisor::gui
