// What follows from the configuration in the explorer: its pages and charts.
#include <QLabel>
#include <QLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QStyle>
#include <QTabWidget>
#include <algorithm>

#include "advisor/report/inline_code.h"
#include "advisor/report/map_view.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/exploration_pages.h"
#include "gui/models/link.h"
#include "gui/texts.h"
#include "gui/views/explorer_view.h"
#include "gui/views/map_panel.h"

namespace rnnadvisor::gui {

namespace words = advisor::words;

namespace {
// What a table of two configurations wants.
constexpr int least_page_width = 400;

// What was before is paler.
chart::Ink ink_of(Phase phase, bool before) {
  auto ink = chart::ink_of(phase);
  ink.faint = before;
  return ink;
}

std::string label_of(Phase phase, bool before) {
  const QString name = to_qt(words::phase(phase));
  return from_qt(before ? ExplorerView::tr("%1, before").arg(name) : name);
}

}  // namespace

void ExplorerView::show_map() {
  MapPanel::Subject subject = {now_.config(), input().program, device(), predict_};
  maps_->set_subject(std::move(subject));
}

void ExplorerView::show_predicted() {
  auto bars = std::make_unique<chart::Bars>();
  bars->legend = false;
  const auto ms = [](double of) { return from_qt(format_ms(of)); };
  const auto add = [&](const Exploration& e, bool before) {
    if (e.measured) {
      for (const auto& [phase, time] : e.measured->ms) {
        chart::Bars::Row row;
        row.label = label_of(phase, before);
        row.note = from_qt(tr("%1 measured").arg(format_ms(time)));
        row.segments.push_back(
            {time, ink_of(phase, before), std::string(words::phase(phase)), ms(time)});
        bars->rows.push_back(std::move(row));
      }
    }
    if (!e.predicted) return;
    for (const auto& phase : e.phases) {
      if (!phase.predicted) continue;
      const auto& time = *phase.predicted;
      chart::Bars::Row row;
      row.label = label_of(phase.phase, before);
      row.note = ms(time.seconds * 1e3);
      row.segments.push_back({time.seconds * 1e3, ink_of(phase.phase, before),
                              std::string(words::phase(phase.phase)),
                              from_qt(tr("%1 to %2")
                                          .arg(to_qt(ms(time.low_seconds * 1e3)),
                                               to_qt(ms(time.high_seconds * 1e3))))});
      bars->rows.push_back(std::move(row));
    }
  };
  add(now_, false);
  if (held_ && (now_.predicted || now_.measured)) add(*held_, true);
  predicted_->setVisible(!bars->rows.empty());
  if (!bars->rows.empty()) predicted_->set_chart(std::move(bars));
  QStringList notes;
  if (now_.measured)
    notes << tr("Measured in all %1, in %2.")
                 .arg(format_ms(now_.measured->sum_ms), now_.measured->profile);
  if (now_.predicted) {
    notes << tr("Predicted in all %1.").arg(to_qt(words::map_time(*now_.predicted)));
    if (const auto& basis = now_.phases.front().predicted->basis; !basis.empty())
      notes << tr("Estimated from: %1.").arg(to_qt(words::clean(basis)));
  } else if (now_.report().no_call) {
    notes << to_qt(now_.report().verdict);
  } else if (now_.report().predicted.implementation == model::Implementation::none) {
    notes << tr("No time: cuDNN refuses this configuration.");
  } else if (now_.measured) {
    notes << tr("No prediction: the model of this device has no time for such a call.");
  } else {
    notes << to_qt(advisor::without_code_marks(words::no_times(now_.device().name)));
  }
  predicted_note_->setText(notes.join(QLatin1Char(' ')));
}

void ExplorerView::show_results() {
  if (!now_.document) return;
  const auto& report = now_.report();
  title_->setText(now_.calls > 1
                      ? tr("%n call(s): %1", nullptr, many(now_.calls)).arg(to_qt(report.summary))
                      : to_qt(report.summary));
  title_->setToolTip(title_->text());
  // Only the page that is seen is written: changes must follow a slider.
  const Exploration* held = held_ ? &*held_ : nullptr;
  if (tabs_->currentWidget() == verdict_)
    verdict_->show_page(exploration_verdict(now_, held, theme_), true);
  if (tabs_->currentWidget() == gemms_) gemms_->show_page(exploration_gemms(now_, theme_), true);
  if (tabs_->currentWidget() == limits_) limits_->show_page(exploration_limits(now_, theme_), true);

  arrange();
  if (tabs_->currentWidget() == maps_) show_map();
  show_predicted();

  auto roofline = chart::roofline_of(report);
  auto times = std::make_unique<chart::Bars>();
  times->legend = false;
  const auto add_point = [&](const ExploredPhase& phase, bool before) {
    // Where a time is predicted the point stands at its rate, below the roof.
    const double rate = phase.predicted && phase.predicted->seconds > 0
                            ? static_cast<double>(phase.cost.flops) / phase.predicted->seconds
                            : 0;
    QString text = tr("%1 FLOP per byte").arg(to_qt(words::number(phase.cost.intensity)));
    if (rate > 0)
      text += tr(", %1 TFLOP/s by the predicted time").arg(to_qt(words::number(rate / 1e12)));
    roofline->marks.push_back({phase.cost.intensity, rate, label_of(phase.phase, before),
                               ink_of(phase.phase, before), static_cast<int>(phase.phase),
                               from_qt(text)});
  };
  const auto add_bar = [&](const ExploredPhase& phase, std::string label, bool before) {
    chart::Bars::Row row;
    row.label = std::move(label);
    row.note = from_qt(format_ms(phase.bound.bound_ms));
    const bool sequential = phase.bound.sequential_ms >= phase.bound.roofline_ms;
    row.segments.push_back({phase.bound.bound_ms, ink_of(phase.phase, before),
                            std::string(words::phase(phase.phase)),
                            from_qt(sequential                 ? tr("by its time steps")
                                    : phase.bound.memory_bound ? tr("by memory")
                                                               : tr("by arithmetic"))});
    times->rows.push_back(std::move(row));
  };
  // Below each phase the same of what is held; what only that has, last.
  std::vector<ExploredPhase> rest = held_ ? held_->phases : std::vector<ExploredPhase>{};
  for (const auto& phase : rest) add_point(phase, true);
  for (const auto& phase : now_.phases) {
    add_point(phase, false);
    add_bar(phase, label_of(phase.phase, false), false);
    std::erase_if(rest, [&](const ExploredPhase& other) {
      if (other.phase != phase.phase) return false;
      add_bar(other, from_qt(tr("before")), true);
      return true;
    });
  }
  for (const auto& phase : rest) add_bar(phase, label_of(phase.phase, true), true);
  roofline_->set_chart(std::move(roofline));
  times_->set_chart(std::move(times));

  auto memory = std::make_unique<chart::Bars>();
  if (held_) memory->rows.push_back(chart::memory_row(held_->memory, from_qt(tr("before"))));
  memory->rows.push_back(
      chart::memory_row(now_.memory, held_ ? from_qt(tr("after")) : std::string()));
  memory_->set_chart(std::move(memory));
  const double whole = static_cast<double>(now_.device().memory_bytes);
  memory_note_->setText(
      report.no_call
          ? QString()
          : tr("%1 of %2 · %3")
                .arg(to_qt(words::percent(whole > 0 ? static_cast<double>(now_.memory.total) / whole
                                                    : 0)),
                     to_qt(format_bytes(whole)), to_qt(to_string(now_.memory.exactness))));
  // Layouts learn of new charts only later.
  int widest = 0;
  for (const auto* chart : {roofline_, times_, memory_, predicted_}) {
    const auto around = chart->parentWidget()->layout()->contentsMargins();
    widest = std::max(widest, chart->minimumSizeHint().width() + around.left() + around.right());
  }
  const auto around = charts_scroll_->widget()->layout()->contentsMargins();
  charts_width_ =
      widest + around.left() + around.right() + 2 +
      charts_scroll_->style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, charts_scroll_);
  split_->set_needed(least_page_width + charts_width_);
  give_charts_room();
}

// A map and the table of products are wide: where there is no room for both they have all of it.
void ExplorerView::arrange() {
  constexpr int room_for_both = 1400;
  const auto* page = tabs_->currentWidget();
  charts_scroll_->setVisible((page != maps_ && page != gemms_) || width() >= room_for_both);
}

void ExplorerView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  arrange();
}

// The page beside the charts gives way. A division that the user has set stays.
void ExplorerView::give_charts_room() {
  if (divided_by_hand_ || !split_->beside() || charts_scroll_->isHidden()) return;
  const auto room = split_->sizes();
  const int given = charts_width_ - room.at(1);
  if (given > 0) split_->setSizes({room.at(0) - given, room.at(1) + given});
}

}  // namespace rnnadvisor::gui
