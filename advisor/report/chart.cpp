#include "advisor/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace rnnadvisor::advisor::chart {
namespace {

double transformed(ScaleKind kind, double value) {
  if (kind == ScaleKind::linear) return value;
  return kind == ScaleKind::log2 ? std::log2(value) : std::log10(value);
}

std::vector<double> distinct(std::span<const double> values) {
  std::vector<double> out(values.begin(), values.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

double Scale::operator()(double value) const {
  if (kind != ScaleKind::linear && value <= 0) return from;
  const double a = transformed(kind, low);
  const double b = transformed(kind, high);
  if (!(b > a)) return (from + to) / 2;
  return from + (transformed(kind, value) - a) / (b - a) * (to - from);
}

Axis linear_axis(double most, int count, double from, double to) {
  if (!std::isfinite(most) || most <= 0) most = 1;
  const double rough = most / std::max(1, count);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double candidate : {1.0, 2.0, 5.0}) {
    if (candidate * power >= rough * (1 - 1e-9)) {
      step = candidate * power;
      break;
    }
  }
  const double steps = std::ceil(most / step - 1e-9);
  Axis axis;
  axis.scale = {ScaleKind::linear, 0, steps * step, from, to};
  for (double i = 0; i <= steps; ++i) {
    axis.ticks.push_back(i * step);
    axis.labels.push_back(tick_label(i * step));
  }
  return axis;
}

Axis log10_axis(double least, double most, double from, double to) {
  if (!std::isfinite(least) || !std::isfinite(most) || least <= 0 || most < least) {
    least = 1;
    most = 10;
  }
  // 1, 2, 5, 10, 20, …: tick number n stands at digits[n mod 3] times ten to the n / 3.
  const auto tick = [](int n) {
    static constexpr std::array<double, 3> digits = {1, 2, 5};
    const int decade = n >= 0 ? n / 3 : -((2 - n) / 3);
    return digits[static_cast<std::size_t>(n - 3 * decade)] * std::pow(10.0, decade);
  };
  int first = 3 * static_cast<int>(std::floor(std::log10(least) + 1e-9));
  while (tick(first + 1) <= least * (1 + 1e-9)) ++first;
  int last = first + 1;
  while (tick(last) < most * (1 - 1e-9)) ++last;
  last = std::max(last, first + 3);  // at least a decade
  Axis axis;
  axis.scale = {ScaleKind::log10, tick(first), tick(last), from, to};
  const bool fine = last - first <= 9;
  for (int n = first; n <= last; ++n) {
    axis.ticks.push_back(tick(n));
    axis.labels.push_back(n % 3 != 0 && !fine ? std::string() : tick_label(tick(n)));
  }
  return axis;
}

Axis value_axis(ScaleKind kind, std::span<const double> values, double from, double to,
                double room) {
  Axis axis;
  axis.ticks = distinct(values);
  if (axis.ticks.empty()) axis.ticks = {1};
  axis.scale = {kind, axis.ticks.front(), axis.ticks.back(), from, to};
  axis.labels.assign(axis.ticks.size(), {});
  // The ends first: a reader wants the range before the values between.
  std::vector<double> taken;
  std::vector<std::size_t> order(axis.ticks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() > 2) std::rotate(order.begin() + 1, order.end() - 1, order.end());
  for (const std::size_t i : order) {
    const double at = axis.scale(axis.ticks[i]);
    const bool free = std::all_of(taken.begin(), taken.end(),
                                  [&](double t) { return std::fabs(t - at) >= room; });
    if (!free) continue;
    axis.labels[i] = tick_label(axis.ticks[i]);
    taken.push_back(at);
  }
  return axis;
}

bool doubles(std::span<const double> values) {
  const auto sorted = distinct(values);
  if (sorted.size() < 3 || sorted.front() <= 0) return false;
  if (sorted.back() / sorted.front() < 4) return false;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double ratio = sorted[i] / sorted[i - 1];
    if (ratio < 1.3 || ratio > 2.9) return false;
  }
  return true;
}

std::string tick_label(double value) {
  if (value == 0) return "0";
  const double magnitude = std::fabs(value);
  if (magnitude < 0.001 || magnitude >= 100000) return fmt::format("{:.0e}", value);
  std::string text = fmt::format("{:.6g}", value);
  if (magnitude >= 10000)
    text.insert(text.size() - 3, "\u202F");  // a narrow blank between thousands
  return text;
}

std::vector<double> spread(std::span<const double> positions, double gap, double low, double high) {
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return positions[a] < positions[b]; });
  std::vector<double> out(positions.begin(), positions.end());
  // Clusters of labels that touch are centred on the mean of where they want to be; merging repeats
  // until none touch.
  struct Cluster {
    double sum = 0;
    std::size_t first = 0, count = 0;
    double start(double distance) const {
      return sum / static_cast<double>(count) - distance * static_cast<double>(count - 1) / 2;
    }
  };
  std::vector<Cluster> clusters;
  const auto bounded_start = [&](const Cluster& c) {
    const double room = gap * static_cast<double>(c.count - 1);
    return std::max(low, std::min(c.start(gap), high - room));
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    Cluster fresh{positions[order[i]], i, 1};
    while (!clusters.empty() &&
           bounded_start(clusters.back()) + gap * static_cast<double>(clusters.back().count) >
               bounded_start(fresh) + 1e-9) {
      fresh.sum += clusters.back().sum;
      fresh.first = clusters.back().first;
      fresh.count += clusters.back().count;
      clusters.pop_back();
    }
    clusters.push_back(fresh);
  }
  for (const auto& cluster : clusters) {
    const double start = bounded_start(cluster);
    for (std::size_t k = 0; k < cluster.count; ++k)
      out[order[cluster.first + k]] = start + gap * static_cast<double>(k);
  }
  return out;
}

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace rnnadvisor::advisor::chart
