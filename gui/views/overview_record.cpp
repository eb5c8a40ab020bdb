// What the overview says of the record itself: what it lacks, and how it was made.
#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

#include "advisor/report/content.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/pages.h"
#include "gui/models/record_gaps.h"
#include "gui/models/render_page.h"
#include "gui/texts.h"
#include "gui/views/overview_view.h"

namespace rnnadvisor::gui {

namespace words = advisor::words;

QWidget* OverviewView::make_gaps() {
  const auto gaps = record_gaps(document_->profile());
  if (gaps.empty()) return nullptr;
  constexpr std::size_t most = 6;
  auto* card = new Card(tr("This record is not whole"));
  card->setObjectName(QStringLiteral("card"));
  card->setProperty("severity", gaps.front().severity == advisor::Severity::error
                                    ? QStringLiteral("error")
                                    : QStringLiteral("warning"));
  for (std::size_t i = 0; i < std::min(most, gaps.size()); ++i) {
    const auto& gap = gaps[i];
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    auto* sign = make_label(mark(gap.severity));
    sign->setStyleSheet(QStringLiteral("color: ") + theme_.color_of(gap.severity).name());
    sign->setAlignment(Qt::AlignTop);
    row->addWidget(sign);
    auto* text = new QVBoxLayout;
    text->setSpacing(1);
    for (const auto& [words, look] : {std::pair{gap.what, ""}, {gap.consequence, "dim"}}) {
      auto* label = make_label(words, look);
      label->setWordWrap(true);
      label->setTextInteractionFlags(Qt::TextSelectableByMouse);
      text->addWidget(label);
    }
    row->addLayout(text, 1);
    card->body()->addLayout(row);
  }
  if (gaps.size() > most)
    card->body()->addWidget(make_label(tr("and %1 more").arg(gaps.size() - most), "small"));
  return card;
}

QWidget* OverviewView::make_emptiness() {
  auto* card = new Card(tr("There is nothing to judge"));
  const auto& profile = document_->profile();
  auto* page = new PageBrowser;
  page->document()->setDocumentMargin(0);
  page->setAccessibleName(tr("There is nothing to judge"));
  Page html(theme_);
  const auto prose = [](const QString& text) { return Page::prose(text.toStdString()); };
  html.paragraph(prose(
      profile.kernels.size() > 0
          ? tr("The program used the GPU, but none of it belongs to a recurrent network that cuDNN "
               "ran or that is known by its kernels.")
          : tr("Neither a call of a cuDNN RNN function nor a kernel was recorded.")));
  html.paragraph(html.dim(tr("Often one of these is why:")));
  for (const auto& reason :
       {tr("The network ran on the CPU: `.to(\"cuda\")` is missing, or PyTorch was built without "
           "CUDA."),
        tr("The part that trains was not reached: a capture range, a delay or an early error."),
        tr("The plugin is not loaded into programs that are statically linked, that change their "
           "user, or that are started with an environment of their own."),
        tr("Something else is in the way: `rnnadvisor doctor` looks, and “The record” says what "
           "was noted.")})
    html.item(prose(reason));
  page->show_page(html.take());
  page->grow_with_text();
  card->body()->addWidget(page);
  return card;
}

QWidget* OverviewView::make_end() {
  auto end = advisor::document::end_of({document_->report(), advisor::document::window});
  if (!end) return nullptr;
  auto* card = new Card(to_qt(end->title));
  auto* page = new PageBrowser;
  page->document()->setDocumentMargin(0);
  page->setAccessibleName(to_qt(end->title));
  Page html(theme_);
  draw(html, end->blocks);
  page->show_page(html.take());
  page->grow_with_text();
  card->body()->addWidget(page);
  return card;
}

QWidget* OverviewView::make_record() {
  auto* card = new Card(tr("The record"));
  auto* page = new PageBrowser;
  page->document()->setDocumentMargin(0);
  page->setAccessibleName(tr("The record"));
  Page html(theme_);
  const auto& profile = document_->profile();
  for (const auto& note : profile.notes) {
    if (note.code == program_exception) continue;  // make_end() shows it
    const QColor color = note.severity == NoteSeverity::error     ? theme_.error
                         : note.severity == NoteSeverity::warning ? theme_.warning
                                                                  : theme_.dim_text;
    const auto severity = note.severity == NoteSeverity::error     ? advisor::Severity::error
                          : note.severity == NoteSeverity::warning ? advisor::Severity::warning
                                                                   : advisor::Severity::info;
    QString text = to_qt(words::clean(note.text));
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    text = Page::escape(text);
    if (note.count > 1)
      text += tr(" (%1 time(s))", nullptr, many(note.count)).arg(to_qt(format_count(note.count)));
    html.paragraph(html.colored(mark(severity), color) + QLatin1Char(' ') + text);
  }
  if (profile.notes.empty() && record_gaps(profile).empty())
    html.paragraph(html.dim(tr("No sign of lost records.")));
  std::vector<std::vector<Page::Cell>> rows;
  constexpr std::size_t longest_value = 160;
  for (const auto& [label, value] : words::environment(profile.environment))
    rows.push_back({{html.dim(Page::escape(label))},
                    {Page::escape(value == profile.environment.created
                                      ? readable_date(to_qt(words::clean(value))).toStdString()
                                      : words::shorten(words::clean(value), longest_value))}});
  html.table({}, rows);
  page->show_page(html.take());
  page->grow_with_text();
  card->body()->addWidget(page);
  return card;
}

}  // namespace rnnadvisor::gui
