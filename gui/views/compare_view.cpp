#include "gui/views/compare_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/pages.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

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
  names_ = make_label({}, "dim");
  names_->setWordWrap(true);
  column->addWidget(names_);
  changes_ = make_label({}, "dim");
  changes_->setWordWrap(true);
  column->addWidget(changes_);
  auto* card = new Card({});
  chart_ = new ChartWidget;
  card->body()->addWidget(chart_);
  column->addWidget(card);
  table_ = new QTableView;
  table_->setModel(&sorted_);
  table_->setAccessibleName(tr("What changed"));
  make_plain_table(table_);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(ComparisonModel::name, QHeaderView::Stretch);
  match_ = new PageBrowser;
  match_->setAccessibleName(tr("Calls of the chosen row"));
  match_->setMinimumWidth(300);
  auto* split = new QSplitter;
  split->addWidget(table_);
  split->addWidget(match_);
  split->setSizes({760, 380});
  split->setStretchFactor(0, 1);
  split->setChildrenCollapsible(false);
  column->addWidget(split, 1);
  stack_->addWidget(page);

  connect(choose, &QPushButton::clicked, this, &CompareView::choose_requested);
  connect(other, &QPushButton::clicked, this, &CompareView::choose_requested);
  connect(swap, &QPushButton::clicked, this, [this] {
    swapped_ = !swapped_;
    show_comparison();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { show_match(); });
  connect(match_, &PageBrowser::link_activated, this, &View::link_activated);
  connect(&loader_, &Loader::loaded, this, &CompareView::set_before);
  connect(&loader_, &Loader::failed, this, [this](const Error& error) {
    stack_->setCurrentIndex(0);
    empty_->setText(to_qt(to_text(error)));
  });
  connect(&loader_, &Loader::started, this,
          [this](const QString& path) { empty_->setText(tr("Opening %1…").arg(path)); });
  set_document(nullptr);
}

QWidget* CompareView::first_focus() { return stack_->currentIndex() == 1 ? table_ : nullptr; }
QString CompareView::table_text() const {
  return stack_->currentIndex() == 1 ? table_text_of(table_) : QString();
}

void CompareView::set_theme(const Theme& theme) {
  theme_ = theme;
  chart_->set_theme(theme);
  if (stack_->currentIndex() == 1) show_comparison();
}

void CompareView::set_document(DocumentPointer document) {
  after_ = std::move(document);
  if (after_ && before_) {
    show_comparison();
  } else {
    stack_->setCurrentIndex(0);
    empty_->setText(
        after_ ? tr("%1 is open. Choose the profile that was recorded before the change: "
                    "calls are matched one by one, and what is no more than noise is said so.")
                     .arg(after_->name())
               : tr("Open a profile first: it stands for what came after the change."));
  }
}

void CompareView::compare_with(const QString& path) { loader_.open(path, rules_); }

void CompareView::set_before(const DocumentPointer& before) {
  before_ = before;
  swapped_ = false;
  if (after_) show_comparison();
}

void CompareView::show_comparison() {
  stack_->setCurrentIndex(1);
  model_.set_comparison(swapped_ ? compare(after_, before_) : compare(before_, after_));
  const auto& c = model_.comparison();
  int faster = 0, slower = 0;
  for (const auto& m : c.matches) {
    faster += m.change == Change::faster;
    slower += m.change == Change::slower;
  }
  QString headline;
  if (c.before_ms > 0 && c.after_ms > 0) {
    const double ratio = c.before_ms / c.after_ms;
    headline = ratio >= 1.005 ? tr("%1× faster in what both have").arg(to_qt(words::number(ratio)))
               : ratio <= 0.995
                   ? tr("%1× slower in what both have").arg(to_qt(words::number(1 / ratio)))
                   : tr("No difference in sum in what both have");
  } else {
    headline = tr("The two have nothing in common that has times");
  }
  headline_->setText(headline);
  names_->setText(
      tr("before: %1  ·  after: %2  ·  %3 faster, %4 slower, of %5 phases of configurations")
          .arg(c.before->name(), c.after->name())
          .arg(faster)
          .arg(slower)
          .arg(c.matches.size()));
  QStringList changes;
  if (!c.environment.empty()) changes << joined(c.environment);
  if (!c.fixed.empty()) changes << tr("no longer found: %1").arg(joined(c.fixed));
  if (!c.appeared.empty()) changes << tr("newly found: %1").arg(joined(c.appeared));
  changes_->setText(changes.join(QStringLiteral("  ·  ")));
  changes_->setVisible(!changes.isEmpty());

  auto bars = std::make_unique<StackedBars>();
  const auto row = [&](const QString& label, bool before) {
    StackedBars::Row r;
    r.label = label;
    double total = 0;
    for (const Phase phase : all_phases) {
      double ms = 0;
      for (const auto& m : c.matches) {
        if (m.phase == phase && m.ratio() > 0) ms += (before ? m.before_ms : m.after_ms).median;
      }
      total += ms;
      r.segments.push_back({ms,
                            theme_.color_of(phase),
                            to_qt(words::phase(phase)),
                            to_qt(format_milliseconds(ms)),
                            {}});
    }
    r.note = to_qt(format_milliseconds(total));
    bars->rows.push_back(std::move(r));
  };
  row(tr("before"), true);
  row(tr("after"), false);
  chart_->set_chart(std::move(bars));
  if (sorted_.rowCount() > 0) table_->setCurrentIndex(sorted_.index(0, 0));
  show_match();
}

void CompareView::show_match() {
  const QModelIndex index = table_->currentIndex();
  const auto& c = model_.comparison();
  if (!index.isValid() || c.matches.empty()) {
    match_->clear();
    return;
  }
  const auto& m = c.matches[static_cast<std::size_t>(index.data(ItemIndexRole).toInt())];
  Page page(theme_);
  const QColor color = m.change == Change::faster   ? theme_.good
                       : m.change == Change::slower ? theme_.error
                                                    : theme_.dim_text;
  page.small(page.colored(page.strong(change_word(m.change)), color));
  page.title(Page::escape(m.name));
  page.paragraph(Page::escape(words::phase(m.phase)));
  if (m.change == Change::no_difference)
    page.small(
        tr("The intervals of the medians overlap: no difference that can be told from noise."));
  std::vector<std::vector<Page::Cell>> rows;
  const auto interval = [](const MedianInterval& ms) {
    return ms.count > 0 ? Page::escape(format_milliseconds(ms.median)) : QStringLiteral("–");
  };
  rows.push_back(
      {{page.dim(tr("median"))}, {interval(m.before_ms), true}, {interval(m.after_ms), true}});
  rows.push_back({{page.dim(tr("interval"))},
                  {Page::escape(words::interval(m.before_ms)), true},
                  {Page::escape(words::interval(m.after_ms)), true}});
  rows.push_back({{page.dim(tr("samples"))},
                  {QString::number(m.before_ms.count), true},
                  {QString::number(m.after_ms.count), true}});
  page.table({QString(), tr("Before"), tr("After")}, rows);
  if (m.from_kernels)
    page.small(
        tr("Times of traced calls, first kernel to last: tracing slows calls of many kernels."));
  if (!m.calls.empty()) {
    page.heading(tr("Call by call"));
    rows.clear();
    constexpr std::size_t most = 60;
    const auto time = [](const DocumentPointer& d, int call) {
      if (call < 0) return QStringLiteral("–");
      const auto& each = d->profile().calls[static_cast<std::size_t>(call)];
      return format_ns(each.host_end_ns - each.host_start_ns);
    };
    for (std::size_t i = 0; i < std::min(most, m.calls.size()); ++i) {
      const auto& [b, a] = m.calls[i];
      const int here = swapped_ ? b : a;
      const QString name = tr("call %1").arg(i + 1);
      rows.push_back({{here >= 0 ? page.link(Link::to({ItemKind::call, here}), name) : name},
                      {time(c.before, b), true},
                      {time(c.after, a), true}});
    }
    page.table({tr("On the host"), tr("Before"), tr("After")}, rows);
    if (m.calls.size() > most) page.small(tr("and %1 more").arg(m.calls.size() - most));
  }
  match_->show_page(page.take());
}

}  // namespace rnnadvisor::gui
