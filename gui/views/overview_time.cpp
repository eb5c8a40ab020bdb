// The charts of the overview: where the time goes, memory, the figures of a sweep.
#include <fmt/format.h>

#include <QLabel>
#include <algorithm>
#include <set>

#include "advisor/report/phase_times.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/link.h"
#include "gui/models/overview_charts.h"
#include "gui/views/overview_view.h"
#include "profiler/classify/gaps.h"

namespace rnnadvisor::gui {

namespace words = advisor::words;

namespace {

chart::Ink ink_of(KernelRole role) { return {chart::Ink::role, static_cast<int>(role)}; }

// To the longest gap within a call; empty where it has none.
std::string link_to_gap(const Document& document, int call) {
  const TimeRange range = document.gpu_range_of_call(call);
  if (range.length() <= 0) return {};
  const auto& profile = document.profile();
  const auto gap = longest_gap(profile, profile.calls[static_cast<std::size_t>(call)].device,
                               range.begin_ns, range.end_ns);
  return gap ? from_qt(to_string(Link::to({ItemKind::gap, gap->after}))) : std::string();
}

}  // namespace

ChartWidget* OverviewView::make_chart(std::unique_ptr<chart::Chart> chart, const QString& name) {
  auto* widget = new ChartWidget;
  widget->setAccessibleName(name);
  widget->set_theme(theme_);
  widget->set_chart(std::move(chart));
  connect(widget, &ChartWidget::link_activated, this, [this](const QString& text) {
    if (const auto link = parse_link(text)) emit link_activated(*link);
  });
  return widget;
}

chart::Bars OverviewView::bars_of_kernels() const {
  chart::Bars bars;
  std::set<KernelRole> roles;
  for (const auto& kernel : longest_kernels(*document_, 10)) {
    chart::Bars::Row row;
    row.label = from_qt(kernel.name);
    row.note = from_qt(format_ms(kernel.ms) +
                       QStringLiteral(" · %1 ×").arg(to_qt(format_count(kernel.count))));
    row.segments.push_back({kernel.ms, ink_of(kernel.role), from_qt(role_word(kernel.role))});
    row.link = from_qt(to_string(Link::to({ItemKind::kernel, kernel.first})));
    bars.rows.push_back(std::move(row));
    roles.insert(kernel.role);
  }
  bars.legend = roles.size() > 1;  // one colour says nothing
  return bars;
}

chart::Bars OverviewView::bars_of_phases(const std::vector<int>& configurations) const {
  chart::Bars bars;
  const auto& report = document_->report();
  for (const int index : configurations) {
    const auto& each = report.configurations[static_cast<std::size_t>(index)];
    for (const auto& time : advisor::phase_times(each)) {
      chart::Bars::Row row;
      row.label = words::phase(time.phase);
      if (configurations.size() > 1) row.label += " · " + each.name;
      const auto add = [&](double ms, chart::Ink ink, std::string name) {
        row.segments.push_back({ms, ink, std::move(name), from_qt(format_ms(ms))});
      };
      for (const auto& part : time.parts)
        add(part.ms, ink_of(part.role), from_qt(role_word(part.role)));
      const int call = document_->typical_call(index, time.phase);
      if (time.idle_ms > 0) {
        add(time.idle_ms, {chart::Ink::idle}, from_qt(tr("GPU idle")));
        row.segments.back().link = link_to_gap(*document_, call);
      }
      if (time.parts.empty())
        add(time.timed_ms, chart::ink_of(time.phase), std::string(words::phase(time.phase)));
      row.note =
          from_qt(format_ms(time.timed_ms > 0 ? time.timed_ms : time.kernel_ms + time.idle_ms));
      row.link = from_qt(to_string(call >= 0 ? Link::to({ItemKind::call, call})
                                             : Link::to_view(QStringLiteral("timeline"))));
      bars.rows.push_back(std::move(row));
      bars.last_entry = from_qt(tr("GPU idle"));
    }
  }
  return bars;
}

chart::Bars OverviewView::bars_of_configurations(const std::vector<int>& configurations) const {
  chart::Bars bars;
  for (const int index : configurations) {
    const auto& each = document_->report().configurations[static_cast<std::size_t>(index)];
    chart::Bars::Row row;
    row.label = each.name;
    double total = 0;
    const auto times = advisor::phase_times(each);
    const bool trains = std::ranges::any_of(
        times, [](const auto& time) { return time.phase != Phase::forward_inference; });
    for (const auto& time : times) {
      // No step has both.
      if (trains && time.phase == Phase::forward_inference) continue;
      const double ms = time.timed_ms > 0 ? time.timed_ms : time.kernel_ms;
      row.segments.push_back({ms, chart::ink_of(time.phase), std::string(words::phase(time.phase)),
                              from_qt(format_ms(ms))});
      total += ms;
    }
    row.note = from_qt(format_ms(total));
    if (each.ran) row.note += fmt::format(" · {}", words::implementation(*each.ran));
    row.link = from_qt(to_string(Link::to({ItemKind::configuration, index})));
    bars.rows.push_back(std::move(row));
  }
  return bars;
}

QWidget* OverviewView::make_step() {
  auto bars = chart::steps(document_->report());
  if (!bars) return nullptr;
  auto* card = new Card(tr("A step of the program"));
  card->body()->addWidget(make_chart(std::move(bars), tr("A step of the program")));
  auto* line = make_label(to_qt(words::step_source(document_->judgement().steps.front())), "small");
  line->setWordWrap(true);
  card->body()->addWidget(line);
  return card;
}

QWidget* OverviewView::make_time() {
  constexpr std::size_t most_configurations = 8, most_by_phase = 2;
  const auto& report = document_->report();
  const auto chosen = longest_configurations(*document_, most_configurations);
  auto* card = new Card(tr("Where the time goes"));
  chart::Bars bars;
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
      make_chart(std::make_unique<chart::Bars>(std::move(bars)), tr("Where the time goes")));
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
  card->body()->addWidget(make_chart(chart::memory(*largest), tr("Memory")));
  QString note = document_->profile().configurations.size() > 1
                     ? tr("largest: %1 · ").arg(to_qt(largest->name))
                     : QString();
  note +=
      tr("%1 of %2, %3")
          .arg(to_qt(words::percent(device > 0 ? total / device : 0)), to_qt(largest->device->name),
               to_qt(model::to_string(largest->memory.exactness)));
  const auto measured = largest->configuration->memory_peak_used;
  if (measured > 0)
    note += tr(" · %1 measured").arg(to_qt(format_bytes(static_cast<double>(measured))));
  auto* line = make_label(note, "small");
  line->setWordWrap(true);
  card->body()->addWidget(line);
  return card;
}

std::vector<QWidget*> OverviewView::make_figures() {
  std::vector<QWidget*> cards;
  for (const auto& figure : document_->report().figures) {
    const QString title = to_qt(words::clean(figure.figure->title));
    auto* card = new Card(title);
    for (auto& each : chart::figure_charts(figure)) {
      if (!each.caption.empty()) card->body()->addWidget(make_label(to_qt(each.caption), "small"));
      card->body()->addWidget(
          make_chart(std::make_unique<chart::Lines>(std::move(each.lines)), title));
    }
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
