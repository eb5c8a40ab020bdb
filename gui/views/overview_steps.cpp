// The strip of steps in the overview.
#include <QLabel>

#include "gui/models/steps.h"
#include "gui/views/overview_view.h"

namespace rnnadvisor::gui {

QWidget* OverviewView::make_steps() {
  auto made = step_strips(*document_);
  if (made.strips.empty()) return nullptr;
  auto* card = new Card(tr("Its steps one by one"));
  for (auto& strip : made.strips) {
    if (!strip.title.isEmpty()) card->body()->addWidget(make_label(strip.title));
    const QString name = strip.title.isEmpty() ? tr("Steps") : tr("Steps of %1").arg(strip.title);
    card->body()->addWidget(make_chart(std::move(strip.chart), name));
  }
  made.notes.prepend(tr("a click shows a step on the timeline and what it is made of"));
  auto* line = make_label(made.notes.join(QStringLiteral(" · ")), "small");
  line->setWordWrap(true);
  card->body()->addWidget(line);
  return card;
}

}  // namespace rnnadvisor::gui
