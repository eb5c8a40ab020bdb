#include "gui/views/overview_view.h"

#include <QAbstractTextDocumentLayout>
#include <QBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QTableView>
#include <algorithm>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/overview_charts.h"
#include "gui/models/pages.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

constexpr int two_columns_from = 980;

QString busy_words(double busy) { return to_qt(words::percent(busy)); }

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
}

QWidget* OverviewView::first_focus() { return scroll_; }

QString OverviewView::table_text() const {
  return table_ != nullptr ? table_text_of(table_) : QString();
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

ChartWidget* OverviewView::make_chart(std::unique_ptr<Chart> chart) {
  auto* widget = new ChartWidget;
  widget->set_theme(theme_);
  widget->set_chart(std::move(chart));
  connect(widget, &ChartWidget::link_activated, this, [this](const QString& text) {
    if (const auto link = parse_link(text)) emit link_activated(*link);
  });
  return widget;
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
  auto* headline = make_label(to_qt(words::clean(report.headline)), "headline");
  headline->setWordWrap(true);
  headline->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text->addWidget(headline);
  QStringList about;
  for (const auto& device : document_->profile().devices) {
    if (about.size() < 2) about << to_qt(words::clean(device.name));
  }
  if (document_->profile().configurations.size() == 1)
    about << to_qt(report.configurations.front().summary);
  else
    about << tr("%1 configurations").arg(document_->profile().configurations.size());
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
  const double gain = [&] {
    double best = 1;
    for (const auto* f : report.findings) best = std::max(best, f->gain ? f->gain->speedup : 1.0);
    return best;
  }();
  if (gain > 1.005)
    add(to_qt(words::number(gain)) + QStringLiteral("×"), tr("largest gain"), theme_.good);
  const auto count = [&](int n, const QString& one, const QString& many, const QColor& color) {
    if (n > 0) add(QString::number(n), n == 1 ? one : many, color);
  };
  count(report.errors - report.refused_alternative_errors(), tr("error"), tr("errors"),
        theme_.error);
  count(report.warnings, tr("warning"), tr("warnings"), theme_.warning);
  count(report.opportunities, tr("opportunity"), tr("opportunities"), theme_.opportunity);
  if (!document_->profile().calls.empty())
    add(to_qt(format_count(static_cast<long long>(document_->profile().calls.size()))),
        tr("RNN calls"));
  if (document_->profile().kernels.size() > 0)
    add(to_qt(format_count(static_cast<long long>(document_->profile().kernels.size()))),
        tr("kernels"));
  if (document_->has_times()) add(format_ns(document_->extent().length()), tr("recorded"));
  figures->addStretch();
  card->body()->addLayout(figures);
  return card;
}

QWidget* OverviewView::make_time() {
  auto bars = std::make_unique<StackedBars>();
  const auto& report = document_->report();
  const auto chosen = longest_configurations(*document_, 8);
  QString note;
  if (chosen.empty() && document_->profile().kernels.size() == 0) {
    auto* card = new Card(tr("Where the time goes"));
    auto* text =
        make_label(tr("Nothing was run: the verdict comes from the configuration alone."), "dim");
    text->setWordWrap(true);
    card->body()->addWidget(text);
    return card;
  }
  if (chosen.empty()) {
    bars->legend = false;
    for (const auto& kernel : longest_kernels(*document_, 10)) {
      StackedBars::Row row;
      row.label = kernel.name;
      row.note = to_qt(format_milliseconds(kernel.ms)) +
                 QStringLiteral(" · %1 ×").arg(to_qt(format_count(kernel.count)));
      row.segments.push_back(
          {kernel.ms, theme_.color_of(kernel.role), role_word(kernel.role), {}, {}});
      row.link = to_string(Link::to({ItemKind::kernel, kernel.first}));
      bars->rows.push_back(std::move(row));
    }
    note = tr("all kernels of the record, by name; none belongs to a cuDNN RNN call");
  } else if (chosen.size() <= 2) {
    for (const int index : chosen) {
      const auto& each = report.configurations[static_cast<std::size_t>(index)];
      for (const auto& time : phase_times(*document_, index)) {
        StackedBars::Row row;
        row.label = to_qt(words::phase(time.phase));
        if (chosen.size() > 1) row.label += QStringLiteral(" · ") + to_qt(each.name);
        for (const auto& part : time.parts)
          row.segments.push_back({part.ms,
                                  theme_.color_of(part.role),
                                  role_word(part.role),
                                  to_qt(format_milliseconds(part.ms)),
                                  {}});
        if (time.idle_ms > 0)
          row.segments.push_back({time.idle_ms,
                                  theme_.idle,
                                  tr("GPU idle"),
                                  to_qt(format_milliseconds(time.idle_ms)),
                                  {}});
        if (time.parts.empty())
          row.segments.push_back({time.timed_ms,
                                  theme_.color_of(time.phase),
                                  to_qt(words::phase(time.phase)),
                                  to_qt(format_milliseconds(time.timed_ms)),
                                  {}});
        row.note = to_qt(
            format_milliseconds(time.timed_ms > 0 ? time.timed_ms : time.kernel_ms + time.idle_ms));
        row.link = to_string(Link::to_view(QStringLiteral("timeline")));
        bars->rows.push_back(std::move(row));
        bars->last_entry = tr("GPU idle");
      }
      if (each.ran)
        note += (note.isEmpty() ? QString() : QStringLiteral(" · ")) +
                tr("%1 kernels ran").arg(to_qt(words::implementation(*each.ran)));
    }
    note += (note.isEmpty() ? QString() : QStringLiteral(" · ")) +
            tr("one call, mean over those recorded");
  } else {
    for (const int index : chosen) {
      const auto& each = report.configurations[static_cast<std::size_t>(index)];
      StackedBars::Row row;
      row.label = to_qt(each.name);
      double total = 0;
      for (const auto& time : phase_times(*document_, index)) {
        const double ms = time.timed_ms > 0 ? time.timed_ms : time.kernel_ms;
        row.segments.push_back({ms,
                                theme_.color_of(time.phase),
                                to_qt(words::phase(time.phase)),
                                to_qt(format_milliseconds(ms)),
                                {}});
        total += ms;
      }
      row.note = to_qt(format_milliseconds(total));
      if (each.ran) row.note += QStringLiteral(" · ") + to_qt(words::implementation(*each.ran));
      row.link = to_string(Link::to({ItemKind::configuration, index}));
      bars->rows.push_back(std::move(row));
    }
    const auto rest = report.configurations.size() - chosen.size();
    if (rest > 0)
      note = tr("the longest %1 of %2").arg(chosen.size()).arg(report.configurations.size());
  }
  auto* card = new Card(tr("Where the time goes"));
  card->body()->addWidget(make_chart(std::move(bars)));
  if (!note.isEmpty()) {
    auto* line = make_label(note, "small");
    line->setWordWrap(true);
    card->body()->addWidget(line);
  }
  return card;
}

QWidget* OverviewView::make_actions() {
  const auto& groups = document_->report().groups;
  auto* card = new Card(tr("What to do first"));
  if (groups.empty()) {
    auto* text = make_label(tr("Nothing. Every rule that could be judged passed."), "dim");
    text->setWordWrap(true);
    card->body()->addWidget(text);
    return card;
  }
  auto* page = new PageBrowser;
  page->document()->setDocumentMargin(0);
  page->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  page->setAccessibleName(tr("What to do first"));
  Page html(theme_);
  constexpr std::size_t most = 5;
  std::vector<std::vector<Page::Cell>> rows;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    const auto& finding = groups[i].first();
    const int index =
        static_cast<int>(groups[i].findings.front() - document_->judgement().findings.data());
    QString text = html.link(Link::to({ItemKind::finding, index}), Page::escape(finding.title));
    if (!finding.suggestions.empty())
      text += QStringLiteral("<br>") + html.dim(Page::escape(finding.suggestions.front().text));
    const auto gain = words::gain(finding.gain);
    QString value;
    if (!gain.empty())
      value = html.colored(html.strong(Page::escape(gain)), theme_.good) +
              QStringLiteral("<br><span style=\"font-size:small\">") +
              html.dim(Page::escape(words::basis(finding.gain->basis))
                           .replace(QLatin1Char(' '), QStringLiteral("&nbsp;"))) +
              QStringLiteral("</span>");
    rows.push_back({{html.colored(mark(finding.severity), theme_.color_of(finding.severity))},
                    {text},
                    {value, true}});
  }
  html.table({}, rows);
  if (groups.size() > most)
    html.small(html.link(Link::to_view(QStringLiteral("findings")),
                         tr("All %1 findings").arg(groups.size())));
  page->show_page(html.take());
  connect(page, &PageBrowser::link_activated, this, &View::link_activated);
  // As high as its text: the card scrolls with the page around it.
  auto fit = [page] {
    page->document()->setTextWidth(page->viewport()->width());
    page->setFixedHeight(static_cast<int>(page->document()->size().height()) + 4);
  };
  connect(page->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
          page, fit);
  page->setMinimumWidth(200);
  card->body()->addWidget(page);
  return card;
}

QWidget* OverviewView::make_memory() {
  const advisor::ConfigurationReport* largest = nullptr;
  for (const auto& each : document_->report().configurations) {
    if (each.configuration->described() &&
        (largest == nullptr || each.memory.total > largest->memory.total))
      largest = &each;
  }
  auto* card = new Card(tr("Memory"));
  if (largest == nullptr || largest->device == nullptr) {
    card->body()->addWidget(make_label(tr("Nothing is known of it."), "dim"));
    return card;
  }
  const double device = static_cast<double>(largest->device->memory_bytes);
  const double total = static_cast<double>(largest->memory.total);
  const auto bytes = [](double value) { return to_qt(format_bytes(value)); };
  StackedBars::Row row;
  row.label = tr("of the device");
  row.note = bytes(device);
  row.segments.push_back({total,
                          total > device ? theme_.error : theme_.series(0),
                          QString(),
                          tr("%1 needed").arg(bytes(total)),
                          {}});
  row.whole = std::max(device, total);
  auto parts = std::make_unique<StackedBars>();
  parts->rows.push_back(row);
  StackedBars::Row of_need;
  of_need.label = tr("of the need");
  int n = 0;
  for (const auto& part : memory_parts(largest->memory))
    of_need.segments.push_back({static_cast<double>(part.bytes),
                                theme_.series(n++),
                                part.name,
                                bytes(static_cast<double>(part.bytes)),
                                {}});
  of_need.note = bytes(total);
  of_need.whole = total;
  parts->rows.push_back(of_need);
  card->body()->addWidget(make_chart(std::move(parts)));
  QString note = document_->profile().configurations.size() > 1
                     ? tr("largest: %1 · ").arg(to_qt(largest->name))
                     : QString();
  note += tr("%1 of %2, %3")
              .arg(busy_words(device > 0 ? total / device : 0), to_qt(largest->device->name),
                   to_qt(model::to_string(largest->memory.exactness)));
  const auto measured = largest->configuration->memory_peak_used;
  if (measured > 0) note += tr(" · %1 measured").arg(bytes(static_cast<double>(measured)));
  auto* line = make_label(note, "small");
  line->setWordWrap(true);
  card->body()->addWidget(line);
  return card;
}

QWidget* OverviewView::make_record() {
  auto* card = new Card(tr("The record"));
  auto* page = new PageBrowser;
  page->document()->setDocumentMargin(0);
  page->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  page->setAccessibleName(tr("The record"));
  Page html(theme_);
  const auto& profile = document_->profile();
  for (const auto& note : profile.notes) {
    const QColor color = note.severity == NoteSeverity::error     ? theme_.error
                         : note.severity == NoteSeverity::warning ? theme_.warning
                                                                  : theme_.dim_text;
    const auto severity = note.severity == NoteSeverity::error     ? advisor::Severity::error
                          : note.severity == NoteSeverity::warning ? advisor::Severity::warning
                                                                   : advisor::Severity::info;
    QString text = Page::escape(note.text);
    if (note.count > 1) text += tr(" (%1 times)").arg(to_qt(format_count(note.count)));
    html.paragraph(html.colored(mark(severity), color) + QLatin1Char(' ') + text);
  }
  for (const auto& process : profile.processes) {
    if (process.end == ProcessEnd::signalled || process.end == ProcessEnd::killed ||
        process.end == ProcessEnd::running) {
      html.paragraph(html.colored(mark(advisor::Severity::warning), theme_.warning) +
                     QLatin1Char(' ') +
                     tr("Process %1 did not end by itself (%2); the record stops where it did.")
                         .arg(process.pid)
                         .arg(Page::escape(to_string(process.end))));
    }
  }
  if (profile.notes.empty())
    html.paragraph(html.dim(tr("Nothing was lost in recording, as far as the record tells.")));
  std::vector<std::vector<Page::Cell>> rows;
  for (const auto& [label, value] : words::environment(profile.environment))
    rows.push_back({{html.dim(Page::escape(label))}, {Page::escape(value)}});
  if (!profile.environment.command_line.empty())
    rows.push_back(
        {{html.dim(tr("command"))},
         {QStringLiteral("<code>") +
          Page::escape(words::shorten(words::clean(profile.environment.command_line), 160)) +
          QStringLiteral("</code>")}});
  html.table({}, rows);
  page->show_page(html.take());
  auto fit = [page] {
    page->document()->setTextWidth(page->viewport()->width());
    page->setFixedHeight(static_cast<int>(page->document()->size().height()) + 4);
  };
  connect(page->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
          page, fit);
  page->setMinimumWidth(200);
  card->body()->addWidget(page);
  return card;
}

std::vector<QWidget*> OverviewView::make_figures() {
  std::vector<QWidget*> cards;
  for (const auto& figure : document_->report().figures) {
    auto chart = std::make_unique<LineChart>();
    chart->x_label = to_qt(figure.x_label);
    chart->y_label = to_qt(figure.y_label);
    int n = 0;
    double least = 0, most = 0;
    for (const auto& series : figure.series) {
      // An algorithm has the colour of what it stands for, as everywhere.
      const auto algo = parse_enum<Algo>(series.name);
      LineChart::Series line{
          to_qt(series.name),
          algo ? theme_.color_of(model::implementation_of(*algo)) : theme_.series(n),
          {}};
      ++n;
      for (const auto& point : series.points) {
        line.points.push_back(
            {point.x, point.y, point.low, point.high,
             QStringLiteral("%1 %2: %3")
                 .arg(chart->x_label)
                 .arg(point.x)
                 .arg(to_qt(words::number(point.y))),
             to_string(Link::to({ItemKind::configuration, point.configuration}))});
        least = least > 0 ? std::min(least, point.y) : point.y;
        most = std::max(most, point.y);
      }
      if (!line.points.empty()) chart->series.push_back(std::move(line));
    }
    chart->log_y = least > 0 && most / least > 30;
    auto* card = new Card(to_qt(words::clean(figure.figure->title)));
    card->body()->addWidget(make_chart(std::move(chart)));
    if (!figure.figure->statement.empty()) {
      auto* claim =
          make_label(to_qt(words::clean(figure.figure->statement)) + QStringLiteral(" (") +
                         to_qt(words::clean(figure.figure->source)) + QLatin1Char(')'),
                     "small");
      claim->setWordWrap(true);
      card->body()->addWidget(claim);
    }
    cards.push_back(card);
  }
  return cards;
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
  if (!document_) {
    delete scroll_->takeWidget();
    return;
  }
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(20, 20, 20, 20);
  layout->setSpacing(14);
  layout->addWidget(make_verdict());
  columns_ = new QHBoxLayout;
  columns_->setSpacing(14);
  auto* left = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  for (auto* column : {left, right}) column->setSpacing(14);
  const bool described = std::any_of(document_->profile().configurations.begin(),
                                     document_->profile().configurations.end(),
                                     [](const auto& c) { return c.described(); });
  left->addWidget(make_time());
  if (described) left->addWidget(make_memory());
  left->addStretch();
  right->addWidget(make_actions());
  right->addWidget(make_record());
  right->addStretch();
  columns_->addLayout(left, 1);
  columns_->addLayout(right, 1);
  layout->addLayout(columns_);
  for (auto* figure : make_figures()) layout->addWidget(figure);
  if (document_->profile().configurations.size() > 1) layout->addWidget(make_configurations());
  layout->addStretch();
  scroll_->setWidget(page);
  arrange();
}

void OverviewView::arrange() {
  if (columns_ == nullptr) return;
  columns_->setDirection(width() >= two_columns_from ? QBoxLayout::LeftToRight
                                                     : QBoxLayout::TopToBottom);
}

void OverviewView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  arrange();
}

}  // namespace rnnadvisor::gui
