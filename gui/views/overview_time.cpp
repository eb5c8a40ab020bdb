// The charts of the overview: where the time goes, memory, the figures of a sweep.
#include <QLabel>
#include <algorithm>
#include <set>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/link.h"
#include "gui/models/overview_charts.h"
#include "gui/views/overview_view.h"

namespace rnnadvisor::gui {

namespace words = advisor::words;

ChartWidget* OverviewView::make_chart(std::unique_ptr<Chart> chart, const QString& name) {
  auto* widget = new ChartWidget;
  widget->setAccessibleName(name);
  widget->set_theme(theme_);
  widget->set_chart(std::move(chart));
  connect(widget, &ChartWidget::link_activated, this, [this](const QString& text) {
    if (const auto link = parse_link(text)) emit link_activated(*link);
  });
  return widget;
}

StackedBars OverviewView::bars_of_kernels() const {
  StackedBars bars;
  std::set<KernelRole> roles;
  for (const auto& kernel : longest_kernels(*document_, 10)) {
    StackedBars::Row row;
    row.label = kernel.name;
    row.note =
        format_ms(kernel.ms) + QStringLiteral(" · %1 ×").arg(to_qt(format_count(kernel.count)));
    row.segments.push_back(
        {kernel.ms, theme_.color_of(kernel.role), role_word(kernel.role), {}, {}});
    row.link = to_string(Link::to({ItemKind::kernel, kernel.first}));
    bars.rows.push_back(std::move(row));
    roles.insert(kernel.role);
  }
  bars.legend = roles.size() > 1;  // one colour says nothing
  return bars;
}

StackedBars OverviewView::bars_of_phases(const std::vector<int>& configurations) const {
  StackedBars bars;
  const auto& report = document_->report();
  for (const int index : configurations) {
    const auto& each = report.configurations[static_cast<std::size_t>(index)];
    for (const auto& time : phase_times(*document_, index)) {
      StackedBars::Row row;
      row.label = to_qt(words::phase(time.phase));
      if (configurations.size() > 1) row.label += QStringLiteral(" · ") + to_qt(each.name);
      const auto add = [&](double ms, const QColor& color, const QString& name) {
        row.segments.push_back({ms, color, name, format_ms(ms), {}});
      };
      for (const auto& part : time.parts)
        add(part.ms, theme_.color_of(part.role), role_word(part.role));
      if (time.idle_ms > 0) add(time.idle_ms, theme_.idle, tr("GPU idle"));
      if (time.parts.empty())
        add(time.timed_ms, theme_.color_of(time.phase), to_qt(words::phase(time.phase)));
      row.note = format_ms((time.timed_ms > 0 ? time.timed_ms : time.kernel_ms + time.idle_ms));
      row.link = to_string(Link::to_view(QStringLiteral("timeline")));
      bars.rows.push_back(std::move(row));
      bars.last_entry = tr("GPU idle");
    }
  }
  return bars;
}

StackedBars OverviewView::bars_of_configurations(const std::vector<int>& configurations) const {
  StackedBars bars;
  for (const int index : configurations) {
    const auto& each = document_->report().configurations[static_cast<std::size_t>(index)];
    StackedBars::Row row;
    row.label = to_qt(each.name);
    double total = 0;
    const auto times = phase_times(*document_, index);
    const bool trains = std::ranges::any_of(
        times, [](const auto& time) { return time.phase != Phase::forward_inference; });
    for (const auto& time : times) {
      // No step has both.
      if (trains && time.phase == Phase::forward_inference) continue;
      const double ms = time.timed_ms > 0 ? time.timed_ms : time.kernel_ms;
      row.segments.push_back(
          {ms, theme_.color_of(time.phase), to_qt(words::phase(time.phase)), format_ms(ms), {}});
      total += ms;
    }
    row.note = format_ms(total);
    if (each.ran) row.note += QStringLiteral(" · ") + to_qt(words::implementation(*each.ran));
    row.link = to_string(Link::to({ItemKind::configuration, index}));
    bars.rows.push_back(std::move(row));
  }
  return bars;
}

QWidget* OverviewView::make_time() {
  constexpr std::size_t most_configurations = 8, most_by_phase = 2;
  const auto& report = document_->report();
  const auto chosen = longest_configurations(*document_, most_configurations);
  auto* card = new Card(tr("Where the time goes"));
  StackedBars bars;
  QStringList notes;
  if (chosen.empty() && document_->profile().kernels.size() == 0) {
    auto* text =
        make_label(tr("Nothing was run: the verdict comes from the configuration alone."), "dim");
    text->setWordWrap(true);
    card->body()->addWidget(text);
    return card;
  }
  if (chosen.empty()) {
    bars = bars_of_kernels();
    notes << tr("all kernels of the record, by name; none belongs to a cuDNN RNN call");
  } else if (chosen.size() <= most_by_phase) {
    bars = bars_of_phases(chosen);
    for (const int index : chosen) {
      const auto& ran = report.configurations[static_cast<std::size_t>(index)].ran;
      if (ran) notes << tr("%1 kernels ran").arg(to_qt(words::implementation(*ran)));
    }
    notes.removeDuplicates();
    notes << tr("one call, mean over those recorded; a first call that warms up is left out");
  } else {
    bars = bars_of_configurations(chosen);
    if (report.configurations.size() > chosen.size())
      notes << tr("the longest %1 of %2").arg(chosen.size()).arg(report.configurations.size());
  }
  card->body()->addWidget(
      make_chart(std::make_unique<StackedBars>(std::move(bars)), tr("Where the time goes")));
  if (!notes.isEmpty()) {
    auto* line = make_label(notes.join(QStringLiteral(" · ")), "small");
    line->setWordWrap(true);
    card->body()->addWidget(line);
  }
  return card;
}

QWidget* OverviewView::make_memory() {
  const advisor::ConfigurationReport* largest = nullptr;
  for (const auto& each : document_->report().configurations) {
    if (!each.tried && each.configuration->described() &&
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
  card->body()->addWidget(make_chart(std::move(parts), tr("Memory")));
  QString note = document_->profile().configurations.size() > 1
                     ? tr("largest: %1 · ").arg(to_qt(largest->name))
                     : QString();
  note +=
      tr("%1 of %2, %3")
          .arg(to_qt(words::percent(device > 0 ? total / device : 0)), to_qt(largest->device->name),
               to_qt(model::to_string(largest->memory.exactness)));
  const auto measured = largest->configuration->memory_peak_used;
  if (measured > 0) note += tr(" · %1 measured").arg(bytes(static_cast<double>(measured)));
  auto* line = make_label(note, "small");
  line->setWordWrap(true);
  card->body()->addWidget(line);
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
    card->body()->addWidget(
        make_chart(std::move(chart), to_qt(words::clean(figure.figure->title))));
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

}  // namespace rnnadvisor::gui
