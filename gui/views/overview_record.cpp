// What the overview says of the record itself: what it lacks, and how it was made.
#include <QAbstractTextDocumentLayout>
#include <QLabel>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/pages.h"
#include "gui/views/overview_view.h"

namespace rnnadvisor::gui {

namespace words = advisor::words;

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

}  // namespace rnnadvisor::gui
