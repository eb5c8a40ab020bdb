#include "advisor/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>

#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

struct Value {
  double y = 0, low = 0, high = 0;
};

std::optional<std::string> field(const RnnConfig& config, std::string_view key) {
  // No field, but what a figure by work is drawn over: minibatch times length without padding.
  if (key == "used_steps") return fmt::format("{}", config.used_steps());
  for (auto& [name, value] : words::all_parameters(config)) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Sums of phases add their intervals, which is wider than the interval of the sum and so never
// claims too much.
std::optional<Value> sum_ms(const ConfigurationReport& report, std::span<const Phase> phases) {
  Value sum;
  for (const Phase phase : phases) {
    const PhaseRow* row = report.phase(phase);
    if (row == nullptr || row->timing == nullptr) return std::nullopt;
    const MedianInterval& ms = row->timing->ms;
    const bool has_interval = ms.count > 1 && ms.low > 0;
    sum.y += ms.median;
    sum.low += has_interval ? ms.low : ms.median;
    sum.high += has_interval ? ms.high : ms.median;
  }
  return sum;
}

Value rate(const Value& ms, double flops) {
  const auto tflops = [&](double t) { return flops / (t * 1e-3) / 1e12; };
  return {tflops(ms.y), tflops(ms.high), tflops(ms.low)};
}

std::optional<Value> look_up(const ConfigurationReport& report, std::string_view measure) {
  static constexpr std::array training = {Phase::forward_training, Phase::backward_data,
                                          Phase::backward_weights};
  if (measure == "training_ms") return sum_ms(report, training);
  if (measure == "tflops") {
    const bool inference = report.configuration->config.mode == Mode::inference;
    const auto ms =
        inference ? sum_ms(report, std::array{Phase::forward_inference}) : sum_ms(report, training);
    if (!ms) return std::nullopt;
    return rate(*ms, report.step_tflops() * 1e12 * report.step_ms() * 1e-3);
  }
  for (const Phase phase : all_phases) {
    const std::string name(to_string(phase));
    if (measure == name + "_ms") return sum_ms(report, std::span(&phase, 1));
    if (measure == name + "_tflops") {
      const auto ms = sum_ms(report, std::span(&phase, 1));
      if (!ms) return std::nullopt;
      return rate(*ms, static_cast<double>(report.phase(phase)->cost.flops));
    }
  }
  return std::nullopt;
}

std::string y_label(std::string_view measure) {
  if (measure == "training_ms") return "training step, ms";
  if (measure == "tflops") return "TFLOP/s";
  for (const Phase phase : all_phases) {
    const std::string name(to_string(phase));
    if (measure == name + "_ms") return fmt::format("{}, ms", words::phase(phase));
    if (measure == name + "_tflops") return fmt::format("{}, TFLOP/s", words::phase(phase));
  }
  return words::clean(measure);
}

}  // namespace

std::vector<FigureReport> look_up_figures(const Report& report) {
  std::vector<FigureReport> figures;
  for (const Figure& figure : report.profile->figures) {
    FigureReport out;
    out.figure = &figure;
    out.x_label = words::clean(figure.x_key);
    out.y_label = y_label(figure.measure);
    std::map<std::string, std::size_t> series_of;
    std::size_t points = 0;
    for (std::size_t i = 0; i < report.configurations.size(); ++i) {
      const auto& configuration = report.configurations[i];
      if (configuration.tried) continue;
      const RnnConfig& config = configuration.configuration->config;
      const auto& ids = figure.configuration_ids;
      if (!ids.empty() && std::find(ids.begin(), ids.end(), config.id) == ids.end()) continue;
      const auto x_text = field(config, figure.x_key);
      const auto x = x_text ? as_number(*x_text) : std::nullopt;
      if (!x) continue;
      const std::string name = field(config, figure.series_key).value_or("");
      const auto [entry, fresh] = series_of.try_emplace(name, out.series.size());
      if (fresh) out.series.push_back({name, {}, {}});
      FigureSeries& series = out.series[entry->second];
      if (const auto value = look_up(configuration, figure.measure)) {
        series.points.push_back({*x, value->y, value->low, value->high, static_cast<int>(i)});
        ++points;
      } else {
        const Outcome outcome = configuration.configuration->outcome;
        series.missing.push_back(
            fmt::format("{} {}: {}", out.x_label, *x_text,
                        outcome == Outcome::completed ? "not timed" : words::outcome(outcome)));
      }
    }
    if (points == 0) continue;
    for (auto& series : out.series) {
      std::stable_sort(series.points.begin(), series.points.end(),
                       [](const auto& a, const auto& b) { return a.x < b.x; });
    }
    figures.push_back(std::move(out));
  }
  return figures;
}

std::vector<std::size_t> dwarfed_series(const FigureReport& figure) {
  constexpr double dwarfs = 4;
  std::vector<std::pair<double, std::size_t>> tops;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    double top = 0;
    for (const auto& p : figure.series[i].points) top = std::max(top, p.y);
    if (top > 0) tops.emplace_back(top, i);
  }
  std::sort(tops.begin(), tops.end());
  std::size_t below = 0;
  double widest = dwarfs;
  for (std::size_t n = 2; n < tops.size(); ++n) {
    const double gap = tops[n].first / tops[n - 1].first;
    if (gap < widest) continue;
    widest = gap;
    below = n;
  }
  std::vector<std::size_t> series;
  for (std::size_t n = 0; n < below; ++n) series.push_back(tops[n].second);
  std::sort(series.begin(), series.end());
  return series;
}

std::optional<std::vector<FigureRow>> figure_rows(const FigureReport& figure) {
  std::map<double, FigureRow> rows;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    for (const auto& p : figure.series[i].points) {
      FigureRow& row = rows[p.x];
      row.x = p.x;
      row.points.resize(figure.series.size(), nullptr);
      if (row.points[i] != nullptr) return std::nullopt;
      row.points[i] = &p;
    }
  }
  std::vector<FigureRow> out;
  for (auto& [x, row] : rows) out.push_back(std::move(row));
  return out;
}

const FigurePoint* best_of(const FigureReport& figure, const FigureRow& row) {
  const bool least = figure.figure->measure.ends_with("_ms");
  const FigurePoint* best = nullptr;
  for (const FigurePoint* p : row.points) {
    if (p == nullptr) continue;
    if (best == nullptr || (least ? p->y < best->y : p->y > best->y)) best = p;
  }
  return best;
}

}  // namespace rnnadvisor::advisor
