// What charts show of a report.
#include "advisor/report/charts.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/figures.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::chart {
namespace {

std::string bytes(std::int64_t value) { return format_bytes(static_cast<double>(value)); }

Lines::Series series_of(const FigureReport& figure, std::size_t i) {
  const auto& of = figure.series[i];
  // An algorithm has the colour of what it stands for, as everywhere.
  const auto algo = parse_enum<Algo>(of.name);
  Lines::Series series;
  series.name = words::clean(of.name);
  series.ink =
      algo ? ink_of(model::implementation_of(*algo)) : Ink{Ink::series, static_cast<int>(i)};
  series.number = static_cast<int>(i);
  for (const auto& p : of.points)
    series.values.push_back(
        {p.x, p.y, p.low, p.high,
         fmt::format("{} {}: {}", figure.x_label, tick_label(p.x), words::number(p.y)),
         fmt::format("item:configuration/{}", p.configuration)});
  return series;
}

Lines lines_of(const FigureReport& figure, const std::vector<std::size_t>& drawn, bool log_y) {
  Lines lines;
  lines.x_label = figure.x_label;
  lines.y_label = figure.y_label;
  lines.log_y = log_y;
  for (const std::size_t i : drawn) lines.series.push_back(series_of(figure, i));
  return lines;
}

}  // namespace

std::unique_ptr<Bars> steps(const Report& report) {
  auto bars = std::make_unique<Bars>();
  const auto ink = [](std::string_view name, const std::optional<StepPart>& part) -> Ink {
    if (name == words::idle_for_host) return {Ink::raised};
    if (!part) return {Ink::idle, 0, name == words::idle_elsewhere};
    switch (*part) {
      case StepPart::rnn_forward:
        return ink_of(Phase::forward_training);
      case StepPart::rnn_backward:
        return ink_of(Phase::backward_data);
      case StepPart::native_cells:
        return {Ink::series, 2};
      case StepPart::other_kernels:
        return {Ink::series, 6};
      case StepPart::transfers:
        return {Ink::series, 3};
    }
    return {};
  };
  for (const auto& step : report.judgement->steps) {
    Bars::Row row;
    const double ms = step.step_ns / 1e6;
    if (report.judgement->steps.size() > 1) row.label = fmt::format("GPU {}", step.device);
    if (ms > 0) row.note = format_milliseconds(ms);
    for (const auto& part : words::parts_of(step)) {
      const std::string share = words::percent(part.share);
      row.segments.push_back(
          {ms > 0 ? part.share * ms : part.share, ink(part.name, part.part), std::string(part.name),
           ms > 0 ? fmt::format("{} ({})", format_milliseconds(part.share * ms), share) : share});
    }
    bars->last_entry = words::idle_elsewhere;
    if (ms <= 0) row.whole = 1;
    bars->rows.push_back(std::move(row));
  }
  return bars->rows.empty() ? nullptr : std::move(bars);
}

std::unique_ptr<Bars> phase_times(const ConfigurationReport& each) {
  auto bars = std::make_unique<Bars>();
  bars->axis = "milliseconds (median, 95 % interval)";
  bars->legend = false;
  for (const auto& phase : each.phases) {
    if (phase.timing == nullptr) continue;
    const MedianInterval& ms = phase.timing->ms;
    Bars::Row row;
    row.label = words::phase(phase.phase);
    row.note = format_milliseconds(ms.median);
    const std::string interval = words::interval(ms);
    row.segments.push_back(
        {ms.median, ink_of(phase.phase), {}, interval.empty() ? row.note : interval});
    if (!interval.empty()) {
      row.low = ms.low;
      row.high = ms.high;
    }
    row.bound = std::max(0.0, phase.bound.bound_ms);
    if (row.bound > 0)
      bars->bound_entry = phase.bound.estimate ? "bound (estimate)" : "bound at measured ceilings";
    bars->rows.push_back(std::move(row));
  }
  return bars->rows.empty() ? nullptr : std::move(bars);
}

std::unique_ptr<Roofline> roofline_of(const ConfigurationReport& each) {
  auto roofline = std::make_unique<Roofline>();
  roofline->peak_flops = each.peak_flops;
  roofline->bandwidth = each.peak_bandwidth;
  roofline->peak_name = each.pipe;
  return roofline;
}

std::unique_ptr<Roofline> roofline(const ConfigurationReport& each) {
  if (each.peak_flops <= 0 || each.peak_bandwidth <= 0) return nullptr;
  auto roofline = roofline_of(each);
  for (const auto& phase : each.phases) {
    if (phase.cost.intensity <= 0) continue;
    std::string text = words::number(phase.cost.intensity) + " FLOP per byte";
    std::string name(words::phase(phase.phase));
    if (phase.tflops > 0) {
      name += " " + words::number(phase.tflops);
      text = fmt::format("{} TFLOP/s at {}", words::number(phase.tflops), text);
    } else {
      name += " (bound, not timed)";
      text = fmt::format("not timed: the bound at {}", text);
    }
    roofline->marks.push_back({phase.cost.intensity, std::max(0.0, phase.tflops) * 1e12,
                               std::move(name), ink_of(phase.phase), static_cast<int>(phase.phase),
                               std::move(text)});
  }
  return roofline;
}

std::vector<MemoryPart> memory_parts(const model::MemoryNeed& need) {
  std::vector<MemoryPart> parts = {
      {"weights", need.weights},    {"weight gradients", need.weight_gradients},
      {"reserve", need.reserve},    {"workspace", need.workspace},
      {"x and y", need.x + need.y}, {"dx and dy", need.dx + need.dy},
      {"states", need.states},      {"dropout states", need.dropout_states}};
  std::erase_if(parts, [](const auto& part) { return part.bytes <= 0; });
  return parts;
}

Bars::Row memory_row(const model::MemoryNeed& need, std::string label) {
  Bars::Row row;
  row.label = std::move(label);
  row.note = bytes(need.total);
  int n = 0;
  for (const auto& part : memory_parts(need))
    row.segments.push_back(
        {static_cast<double>(part.bytes), {Ink::series, n++}, part.name, bytes(part.bytes)});
  return row;
}

std::unique_ptr<Bars> memory(const ConfigurationReport& each) {
  const std::int64_t total = each.memory.total;
  if (total <= 0) return nullptr;
  auto bars = std::make_unique<Bars>();
  if (const std::int64_t device = each.has_device ? each.device->memory_bytes : 0; device > 0) {
    Bars::Row row;
    row.label = "of the device";
    row.note = bytes(device);
    row.segments.push_back(
        {static_cast<double>(total),
         total > device ? Ink{Ink::error} : Ink{Ink::series, 0},
         {},
         total > device ? fmt::format("{} needed, {} too much", bytes(total), bytes(total - device))
                        : bytes(total) + " needed"});
    row.whole = static_cast<double>(std::max(device, total));
    bars->rows.push_back(std::move(row));
  }
  bars->rows.push_back(memory_row(each.memory, "of the need"));
  bars->rows.back().whole = static_cast<double>(total);
  return bars;
}

std::vector<FigureChart> figure_charts(const FigureReport& figure) {
  std::vector<std::size_t> all(figure.series.size());
  double least = 0, most = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
    for (const auto& p : figure.series[i].points) {
      most = std::max({most, p.y, p.high});
      least = least == 0 ? p.y : std::min(least, p.y);
    }
  }
  const auto part = dwarfed_series(figure);
  if (part.empty()) return {{{}, lines_of(figure, all, least > 0 && most / least > 20)}};
  std::string without;
  for (const std::size_t i : all) {
    if (figure.series[i].points.empty() || std::find(part.begin(), part.end(), i) != part.end())
      continue;
    without += (without.empty() ? "" : ", ") + words::clean(figure.series[i].name);
  }
  return {{"All, logarithmic axis", lines_of(figure, all, least > 0)},
          {fmt::format("Without {}, linear axis", without), lines_of(figure, part, false)}};
}

}  // namespace rnnadvisor::advisor::chart
