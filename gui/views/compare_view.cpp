#include "gui/views/compare_view.h"

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

  auto* empty = new QWidget;
  auto* centre = new QVBoxLayout(empty);
  centre->addStretch();
  auto* title = make_label(tr("Compare with another profile"), "title");
  title->setAlignment(Qt::AlignCenter);
  centre->addWidget(title);
  empty_ = make_label({}, "dim");
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  centre->addWidget(empty_);
  card_ = new ProblemCard;
  card_->setMaximumWidth(760);
  auto* card_row = new QHBoxLayout;
  card_row->addStretch();
  card_row->addWidget(card_, 1);
  card_row->addStretch();
  centre->addLayout(card_row);
  auto* row = new QHBoxLayout;
  row->addStretch();
  auto* choose = new QPushButton(tr("Choose the profile from before…"));
  set_look(choose, "primary");
  row->addWidget(choose);
  row->addStretch();
  centre->addSpacing(8);
  centre->addLayout(row);
  centre->addStretch();
  stack_->addWidget(empty);

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
  table_ = new QTableView;
  table_->setModel(&sorted_);
  table_->setAccessibleName(tr("What changed"));
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
  match_ = new PageBrowser;
  match_->setAccessibleName(tr("The chosen row"));
  match_->setMinimumWidth(300);
  auto* split = new BesideOrBelow({760, 380});
  split->addWidget(tabs_);
  split->addWidget(match_);
  split->setSizes({760, 380});
  split->setStretchFactor(0, 1);
  split->set_needed(letter * 140);  // five columns of figures, names, and the page
  column->addWidget(split, 1);
  stack_->addWidget(page);

  connect(choose, &QPushButton::clicked, this, &CompareView::choose_requested);
  connect(other, &QPushButton::clicked, this, &CompareView::choose_requested);
  connect(swap, &QPushButton::clicked, this, [this] {
    swapped_ = !swapped_;
    show_comparison();
  });
  for (auto* table : {table_, call_table_})
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] { show_selected(); });
  connect(tabs_, &QTabWidget::currentChanged, this, [this] { show_selected(); });
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

// Heights from texts would take long for many rows: those stay at one line.
void CompareView::fit_rows() {
  constexpr int most = 400;
  if (sorted_.rowCount() <= most) table_->resizeRowsToContents();
}

QWidget* CompareView::first_focus() {
  return stack_->currentIndex() == 1 ? tabs_->currentWidget()
                                     : stack_->currentWidget()->findChild<QPushButton*>();
}
QString CompareView::table_text() const {
  return stack_->currentIndex() == 1
             ? table_text_of(static_cast<const QAbstractItemView*>(tabs_->currentWidget()))
             : QString();
}

void CompareView::set_theme(const Theme& theme) {
  theme_ = theme;
  chart_->set_theme(theme);
  if (stack_->currentIndex() == 1) show_result(Comparison(model_.comparison()));
}

void CompareView::set_document(DocumentPointer document) {
  after_ = std::move(document);
  if (after_ && before_) {
    show_comparison();
  } else {
    work_.cancel();
    stack_->setCurrentIndex(0);
    empty_->setText(
        after_ ? tr("%1 is open. Choose the profile that was recorded before the change: "
                    "calls are matched one by one, and differences within noise are labelled.")
                     .arg(after_->name())
               : tr("Open a profile first: it is used as the profile after the change."));
  }
}

void CompareView::compare_with(const QString& path) {
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
  swapped_ = false;
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
      [this](const Comparison& comparison) { show_result(comparison); },
      [this] {
        show_failure(fail(ErrorCode::out_of_memory, std::string(no_memory_text)).value(), partner_);
      });
}

void CompareView::show_result(const Comparison& comparison) {
  stack_->setCurrentIndex(1);
  calls_.set_comparison(nullptr);
  model_.set_comparison(comparison);
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
  chart_card_->setVisible(c.before_ms > 0 && c.after_ms > 0);
  if (sorted_.rowCount() > 0) table_->setCurrentIndex(sorted_.index(0, 0));
  if (calls_.rowCount() > 0) call_table_->setCurrentIndex(sorted_calls_.index(0, 0));
  tabs_->setTabVisible(1, calls_.rowCount() > 0);
  fit_rows();
  show_selected();
}

void CompareView::show_selected() {
  const auto* table = static_cast<const QTableView*>(tabs_->currentWidget());
  const QModelIndex index = table->currentIndex();
  const auto& c = model_.comparison();
  if (!index.isValid() || c.before == nullptr) {
    match_->show_page({});
    return;
  }
  const auto row = static_cast<std::size_t>(index.data(ItemIndexRole).toInt());
  match_->show_page(table == table_ ? match_page(c.matches[row]) : call_page(c.calls[row]));
}

}  // namespace rnnadvisor::gui
