#include "gui/views/overview_view.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QTableView>
#include <algorithm>

#include "advisor/report/verdict.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/overview_charts.h"
#include "gui/models/pages.h"
#include "gui/models/tables.h"
#include "gui/texts.h"
#include "gui/views/view_name.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

constexpr int two_columns_from = 980;
// Lines and bars that are longer are harder to read, not easier.
constexpr int widest_page = 1760;

// A number with its name below it.
QWidget* make_figure(const QString& value, const QString& name, const QColor& color) {
  auto* box = new QWidget;
  auto* layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* number = make_label(value, "figure");
  if (color.isValid()) number->setStyleSheet(QStringLiteral("color: ") + color.name());
  layout->addWidget(number);
  layout->addWidget(make_label(name, "small"));
  box->setAccessibleName(name + QStringLiteral(": ") + value);
  return box;
}

// "2 x NVIDIA H200": names of devices, at most two kinds.
QStringList device_names(const Profile& profile) {
  QStringList names;
  for (const auto& text : words::devices(profile, false)) {
    if (names.size() == 2) break;
    names << to_qt(text);
  }
  return names;
}

}  // namespace

OverviewView::OverviewView(ViewState* state, QWidget* parent) : View(parent), state_(state) {
  sorted_.setSourceModel(&configurations_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  scroll_ = new QScrollArea;
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  layout->addWidget(scroll_);
  build();
}

QWidget* OverviewView::first_focus() { return scroll_; }

QString OverviewView::table_text() const {
  if (!document_) return {};
  QString text = overview_table(*document_);
  // Several configurations stand below the charts, as a table of their own.
  if (table_ != nullptr && configurations_.rowCount() > 1)
    text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + table_text_of(table_);
  return text;
}

void OverviewView::set_document(DocumentPointer document) {
  document_ = std::move(document);
  configurations_.set_document(document_);
  build();
}

void OverviewView::set_theme(const Theme& theme) {
  theme_ = theme;
  build();
}

// Verdicts count configurations of the program; those that trying suggestions added are counted
// apart.
QString OverviewView::configurations_counted() const {
  const auto& all = document_->report().configurations;
  const auto tried = std::count_if(all.begin(), all.end(), [](const auto& c) { return c.tried; });
  const QString asked =
      tr("%n configuration(s)", nullptr, many(static_cast<std::int64_t>(all.size()) - tried));
  return tried == 0 ? asked : tr("%1, and %2 added by tried changes").arg(asked).arg(tried);
}

QWidget* OverviewView::make_verdict() {
  const auto& report = document_->report();
  auto* card = new Card({});
  auto* row = new QHBoxLayout;
  row->setSpacing(14);
  auto* sign = make_label(mark(report.worst()), "figure");
  sign->setStyleSheet(QStringLiteral("color: ") + theme_.color_of(report.worst()).name());
  sign->setAlignment(Qt::AlignTop);
  row->addWidget(sign);
  auto* text = new QVBoxLayout;
  text->setSpacing(4);
  headline_ = make_label(document_->outline() ? reading_ : to_qt(words::clean(report.headline)),
                         "headline");
  headline_->setWordWrap(true);
  headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text->addWidget(headline_);
  QStringList about;
  about = device_names(document_->profile());
  if (document_->profile().configurations.size() == 1)
    about << to_qt(report.configurations.front().summary);
  else
    about << configurations_counted();
  auto* dim = make_label(about.join(QStringLiteral(" · ")), "dim");
  dim->setWordWrap(true);
  text->addWidget(dim);
  row->addLayout(text, 1);
  card->body()->addLayout(row);

  auto* figures = new QHBoxLayout;
  figures->setSpacing(36);
  figures->setContentsMargins(34, 6, 0, 0);
  const auto add = [&](const QString& value, const QString& name, const QColor& color = {}) {
    figures->addWidget(make_figure(value, name, color));
  };
  if (const auto* first = advisor::first_gain(report.findings)) {
    const auto of_step = advisor::step_gain(*first);
    if (of_step && first->rule_saving->outside != Outside::no)
      add(to_qt(words::percent(first->rule_saving->share)),
          tr("of the recorded time, from the first action"), theme_.good);
    else if (of_step)
      add(to_qt(words::times(of_step->speedup)), tr("in a step, from the first action"),
          theme_.good);
    else
      add(to_qt(words::times((first->gain ? first->gain : first->possible)->speedup)),
          first->gain ? tr("from the first action") : tr("possible, see the first action"),
          theme_.good);
  }
  // Rows as the list has them, one for each rule with the sign of its first finding; of several
  // configurations one rule may speak many times, and not always as severely.
  const auto count = [&](advisor::Severity severity, const char* word) {
    std::size_t rows = 0, times = 0;
    for (const auto& group : report.actions) {
      if (group.severity() == severity) ++rows;
      times += static_cast<std::size_t>(
          std::ranges::count(group.findings, severity, &advisor::Finding::severity));
    }
    if (rows == 0) return;
    QString name = tr(word, nullptr, many(rows));
    if (times > rows)
      name = tr("%1, %2 time(s)", nullptr, many(times))
                 .arg(name, to_qt(format_count(static_cast<long long>(times))));
    add(QString::number(rows), name, theme_.color_of(severity));
  };
  using advisor::Severity;
  count(Severity::error, QT_TR_N_NOOP("error(s)"));
  count(Severity::warning, QT_TR_N_NOOP("warning(s)"));
  count(Severity::opportunity, QT_TR_N_NOOP("opportunit(y|ies)"));
  if (!document_->profile().calls.empty())
    add(to_qt(format_count(static_cast<long long>(document_->profile().calls.size()))),
        tr("RNN call(s)", nullptr, many(document_->profile().calls.size())));
  if (document_->profile().kernels.size() > 0)
    add(to_qt(format_count(static_cast<long long>(document_->profile().kernels.size()))),
        tr("kernel(s)", nullptr, many(document_->profile().kernels.size())));
  if (document_->has_times()) add(format_ns(document_->extent().length()), tr("recorded"));
  figures->addStretch();
  card->body()->addLayout(figures);
  return card;
}

void OverviewView::tell_reading(const QString& text) {
  reading_ = text;
  if (document_ && document_->outline() && headline_ != nullptr) headline_->setText(text);
}

QWidget* OverviewView::make_actions() {
  const auto& report = document_->report();
  const auto& groups = report.actions;
  auto* card = new Card(to_qt(advisor::words::what_to_do(report)));
  auto* order =
      make_label(document_->outline()     ? tr("Known once all kernels are read.")
                 : !groups.empty()        ? to_qt(advisor::words::findings_order(report))
                 : report.remarks.empty() ? tr("Nothing. Every rule that could be decided passed.")
                                          : tr("No action needed; there are remarks only."),
                 groups.empty() ? "dim" : "small");
  order->setWordWrap(true);
  card->body()->addWidget(order);
  if (groups.empty()) return card;
  auto* page = new PageBrowser;
  page->document()->setDocumentMargin(0);
  page->setAccessibleName(to_qt(advisor::words::what_to_do(report)));
  Page html(theme_);
  constexpr std::size_t most = 5;
  // Numbers need little, and where there are none the sign would get what is left.
  constexpr int sign_percent = 4, text_percent = 72, gain_percent = 24;
  std::vector<std::vector<Page::Cell>> rows;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    const auto& finding = groups[i].first();
    const int index =
        static_cast<int>(groups[i].findings.front() - document_->judgement().findings.data());
    QString text = html.link(Link::to({ItemKind::finding, index}), Page::prose(finding.title));
    // Beside a gain stands the change that gains it.
    const auto is_offered = [&](const auto& each) { return !withdrawn(finding, each); };
    auto offered =
        std::find_if(finding.suggestions.begin(), finding.suggestions.end(), [&](const auto& each) {
          return is_offered(each) && finding.gain && each.transform &&
                 advisor::changes_of(each) == finding.gain->changes;
        });
    if (offered == finding.suggestions.end())
      offered = std::find_if(finding.suggestions.begin(), finding.suggestions.end(), is_offered);
    if (offered != finding.suggestions.end())
      text += QStringLiteral("<br>") + html.dim(html.prose(offered->text, document_->rules()));
    // The column is narrow: that only another model reaches it stands below the number.
    auto own = advisor::gain_in_program(finding);
    const bool other = own && own->another_model;
    if (other) own->another_model = false;
    const auto gain = words::gain(own);
    QString value;
    if (!gain.empty()) {
      QString basis = Page::escape(advisor::in_words(finding.gain->basis));
      if (other) basis.prepend(tr("another model") + QStringLiteral("<br>"));
      basis.replace(QLatin1Char(' '), QStringLiteral("&nbsp;"));
      basis.replace(QStringLiteral("&nbsp;from"), QStringLiteral("<br>from"));  // else too wide
      value = (other ? html.dim(Page::escape(gain))
                     : html.colored(html.strong(Page::escape(gain)), theme_.good)) +
              QStringLiteral("<br><span style=\"font-size:small\">") + html.dim(basis) +
              QStringLiteral("</span>");
      if (const QString saved = saved_in_short(groups[i]); !saved.isEmpty())
        value += QStringLiteral("<br><span style=\"font-size:small\">") +
                 html.dim(Page::escape(saved)) + QStringLiteral("</span>");
    } else if (finding.possible) {
      value =
          html.strong(Page::escape(words::times(finding.possible->speedup))) +
          QStringLiteral("<br><span style=\"font-size:small\">") +
          html.dim(tr("once %1").arg(Page::escape(to_qt(words::clean(finding.possible->once))))) +
          QStringLiteral("</span>");
    }
    rows.push_back({{html.colored(mark(finding.severity), theme_.color_of(finding.severity)), false,
                     sign_percent},
                    {text, false, text_percent},
                    {value, true, gain_percent}});
  }
  html.table({}, rows);
  if (groups.size() > rows.size())
    html.small(html.link(Link::to_view(QStringLiteral("findings")),
                         tr("%n more finding(s)", nullptr, many(groups.size() - rows.size()))));
  if (!report.assumption.empty()) html.small(html.dim(Page::escape(report.assumption)));
  page->show_page(html.take());
  connect(page, &PageBrowser::link_activated, this, &View::link_activated);
  page->grow_with_text();
  card->body()->addWidget(page);
  return card;
}

// Titles only: none of them asks for anything.
QWidget* OverviewView::make_remarks() {
  const auto groups = document_->report().remarks_not_refuted();
  if (groups.empty()) return nullptr;
  auto* card = new Card(tr("Remarks"));
  auto* page = new PageBrowser;
  page->document()->setDocumentMargin(0);
  page->setAccessibleName(tr("Remarks"));
  Page html(theme_);
  html.small(html.dim(tr("No action needed")));
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    const auto& finding = groups[i].first();
    const int index =
        static_cast<int>(groups[i].findings.front() - document_->judgement().findings.data());
    html.item(html.link(Link::to({ItemKind::finding, index}), Page::prose(finding.title)));
  }
  if (groups.size() > most)
    html.small(html.link(Link::to_view(QStringLiteral("findings")),
                         tr("%n more remark(s)", nullptr, many(groups.size() - most))));
  page->show_page(html.take());
  connect(page, &PageBrowser::link_activated, this, &View::link_activated);
  page->grow_with_text();
  card->body()->addWidget(page);
  return card;
}

QWidget* OverviewView::make_configurations() {
  auto* card = new Card(tr("Configurations"));
  table_ = new QTableView;
  table_->setAccessibleName(tr("Configurations"));
  table_->setModel(&sorted_);
  make_plain_table(table_);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  auto* header = table_->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(ConfigurationsModel::name, QHeaderView::Stretch);
  const int rows = std::min(14, configurations_.rowCount());
  table_->setFixedHeight(header->sizeHint().height() + 8 +
                         rows * table_->verticalHeader()->defaultSectionSize());
  const auto open = [this](const QModelIndex& index) {
    emit link_activated(Link::to({ItemKind::configuration, index.data(ItemIndexRole).toInt()}));
  };
  connect(table_, &QTableView::activated, this, open);
  connect(table_, &QTableView::clicked, this, open);
  card->body()->addWidget(table_);
  return card;
}

void OverviewView::build() {
  table_ = nullptr;
  columns_ = nullptr;
  headline_ = nullptr;
  if (!document_) {
    delete scroll_->takeWidget();
    auto* empty = new EmptyState;
    empty->set_no_profile(
        tr("The overview shows how a recorded program or configuration performs, and what to do "
           "first."));
    connect(empty, &EmptyState::chosen, this,
            [this] { emit link_activated(Link::to_view(view_name::start)); });
    scroll_->setWidget(empty);
    return;
  }
  auto* page = new QWidget;
  auto* centre = new QHBoxLayout(page);
  centre->setContentsMargins(0, 0, 0, 0);
  auto* content = new QWidget;
  content->setMaximumWidth(widest_page);
  centre->addStretch(1);
  centre->addWidget(content, 1000);
  centre->addStretch(1);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(20, 20, 20, 20);
  layout->setSpacing(14);
  layout->addWidget(make_verdict());
  if (auto* end = make_end()) layout->addWidget(end);
  if (auto* gaps = make_gaps()) layout->addWidget(gaps);
  if (auto* step = make_step()) layout->addWidget(step);
  const bool empty = document_->profile().configurations.empty();
  columns_ = new QHBoxLayout;
  columns_->setSpacing(14);
  auto* left = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  for (auto* column : {left, right}) column->setSpacing(14);
  const bool described = std::any_of(document_->profile().configurations.begin(),
                                     document_->profile().configurations.end(),
                                     [](const auto& c) { return c.described(); });
  if (empty) {
    left->addWidget(make_emptiness());
    if (document_->profile().kernels.size() > 0) left->addWidget(make_time());
  } else {
    left->addWidget(make_time());
  }
  if (described) left->addWidget(make_memory());
  left->addStretch();
  if (!empty) right->addWidget(make_actions());
  if (auto* remarks = make_remarks()) right->addWidget(remarks);
  right->addWidget(make_record());
  right->addStretch();
  columns_->addLayout(left, 1);
  columns_->addLayout(right, 1);
  layout->addLayout(columns_);
  if (auto* steps = make_steps()) layout->addWidget(steps);
  for (auto* figure : make_figures()) layout->addWidget(figure);
  if (document_->profile().configurations.size() > 1) layout->addWidget(make_configurations());
  layout->addStretch();
  scroll_->setWidget(page);
  arrange();
}

void OverviewView::arrange() {
  if (columns_ == nullptr) return;
  // Where one stands below the other, what to do comes first: it is in the second.
  columns_->setDirection(width() >= two_columns_from ? QBoxLayout::LeftToRight
                                                     : QBoxLayout::BottomToTop);
}

void OverviewView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  arrange();
}

}  // namespace rnnadvisor::gui
