#include "advisor/report/figure_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

// Nearer than this two medians are taken as alike.
constexpr double alike_within = 1.05;
// "Performs alike" of a document, as a ratio.
constexpr double similar_within = 1.25;
constexpr double significantly = 1.1;

const FigureReport* find_figure(const std::vector<FigureReport>& all, std::string_view id) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const FigureReport& f) { return f.figure->id == id; });
  return found == all.end() ? nullptr : &*found;
}

const FigureSeries* find_series(const FigureReport& figure, std::string_view name) {
  const auto found = std::find_if(figure.series.begin(), figure.series.end(),
                                  [&](const FigureSeries& s) { return s.name == name; });
  return found == figure.series.end() || found->points.empty() ? nullptr : &*found;
}

const FigurePoint* at(const FigureSeries& series, double x) {
  const auto found = std::find_if(series.points.begin(), series.points.end(),
                                  [&](const FigurePoint& p) { return p.x == x; });
  return found == series.points.end() ? nullptr : &*found;
}

std::string value(double y) { return words::number(y); }
std::string size(double x) { return fmt::format("{:g}", x); }

// More of x is faster, along the whole series.
std::optional<ClaimVerdict> rises(const FigureReport& figure) {
  if (figure.series.empty() || figure.series.front().points.size() < 3) return std::nullopt;
  const auto& points = figure.series.front().points;
  ClaimVerdict verdict{true, {}};
  std::string falls;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].y * alike_within >= points[i - 1].y) continue;
    verdict.holds = false;
    falls = fmt::format("; it falls from {} to {} between {} and {}", value(points[i - 1].y),
                        value(points[i].y), size(points[i - 1].x), size(points[i].x));
  }
  verdict.text =
      fmt::format("{} TFLOP/s at {} {}, {} at {}{}", value(points.front().y), figure.x_label,
                  size(points.front().x), value(points.back().y), size(points.back().x), falls);
  return verdict;
}

// Better than the same configurations in two other figures.
std::optional<ClaimVerdict> better_than_others(const FigureReport& figure,
                                               const std::vector<FigureReport>& all) {
  const auto* forward = find_figure(all, "guide-figure-6-forward");
  const auto* data = find_figure(all, "guide-figure-6-backward-data");
  if (forward == nullptr || data == nullptr || figure.series.empty() || forward->series.empty() ||
      data->series.empty())
    return std::nullopt;
  ClaimVerdict verdict{true, {}};
  std::vector<std::string> told;
  const auto& points = figure.series.front().points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto* f = at(forward->series.front(), points[i].x);
    const auto* d = at(data->series.front(), points[i].x);
    if (f == nullptr || d == nullptr) continue;
    const bool better = points[i].y > f->y && points[i].y > d->y;
    if (better && i != 0 && i + 1 != points.size()) continue;
    verdict.holds = verdict.holds && better;
    told.push_back(fmt::format("{} TFLOP/s against {} forward and {} backward data at {}",
                               value(points[i].y), value(f->y), value(d->y), size(points[i].x)));
  }
  if (told.empty()) return std::nullopt;
  for (std::size_t i = 0; i < told.size(); ++i) verdict.text += (i > 0 ? "; " : "") + told[i];
  return verdict;
}

// The longest sequences with the smallest batch against the shortest with the largest.
std::optional<ClaimVerdict> batch_before_length(const FigureReport& figure) {
  const FigureSeries *shortest = nullptr, *longest = nullptr;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& series : figure.series) {
    if (series.points.size() < 2) continue;
    const double length = std::atof(series.name.c_str());
    if (length < least) {
      least = length;
      shortest = &series;
    }
    if (length > most) {
      most = length;
      longest = &series;
    }
  }
  if (shortest == nullptr || longest == nullptr || shortest == longest) return std::nullopt;
  const auto& small = longest->points.front();
  const auto& large = shortest->points.back();
  return ClaimVerdict{
      small.y * significantly < large.y,
      fmt::format("{} TFLOP/s with batch {} and {} steps, {} with batch {} and {} steps",
                  value(small.y), size(small.x), size(most), value(large.y), size(large.x),
                  size(least))};
}

std::optional<ClaimVerdict> equal_products_alike(const FigureReport& figure) {
  std::map<double, std::pair<double, double>> ranges;
  for (const auto& series : figure.series) {
    for (const auto& p : series.points) {
      const auto [entry, fresh] = ranges.try_emplace(p.x, p.y, p.y);
      if (fresh) continue;
      entry->second.first = std::min(entry->second.first, p.y);
      entry->second.second = std::max(entry->second.second, p.y);
    }
  }
  double worst = 0, worst_at = 0;
  for (const auto& [x, range] : ranges) {
    if (range.first == range.second) continue;
    if (range.second / range.first > worst) {
      worst = range.second / range.first;
      worst_at = x;
    }
  }
  if (worst == 0) return std::nullopt;
  const auto& range = ranges.at(worst_at);
  return ClaimVerdict{
      worst <= similar_within,
      fmt::format("equal products differ by {:.0f} % at most ({} to {} TFLOP/s at {} steps in all)",
                  100 * (worst - 1), value(range.first), value(range.second), size(worst_at))};
}

// Where persist_static stops being faster than standard, along x; `bound` is the document's, up to
// which it should be faster.
std::optional<ClaimVerdict> persistent_until(const FigureReport& figure, double bound,
                                             bool bound_included) {
  const auto* standard = find_series(figure, "standard");
  const auto* persistent = find_series(figure, "persist_static");
  if (standard == nullptr || persistent == nullptr) return std::nullopt;
  const FigurePoint *last_ahead = nullptr, *last_standard = nullptr;
  const FigurePoint *first_behind = nullptr, *first_standard = nullptr;
  bool holds = true;
  for (const auto& p : persistent->points) {
    const auto* s = at(*standard, p.x);
    if (s == nullptr) continue;
    const bool ahead = p.y * alike_within < s->y;
    const bool should = bound_included ? p.x <= bound : p.x < bound;
    holds = holds && ahead == should;
    if (ahead) {
      last_ahead = &p;
      last_standard = s;
    } else if (first_behind == nullptr) {
      first_behind = &p;
      first_standard = s;
    }
  }
  if (last_ahead == nullptr && first_behind == nullptr) return std::nullopt;
  std::string text;
  if (last_ahead != nullptr)
    text = fmt::format("persist_static is ahead up to {} {} ({} against {} ms)", figure.x_label,
                       size(last_ahead->x), value(last_ahead->y), value(last_standard->y));
  if (first_behind != nullptr)
    text += fmt::format("{}not from {} on ({} against {} ms)",
                        text.empty() ? "persist_static is " : ", ", size(first_behind->x),
                        value(first_behind->y), value(first_standard->y));
  for (const auto& missing : persistent->missing)
    if (&missing == &persistent->missing.front()) text += fmt::format("; {}", missing);
  return ClaimVerdict{holds, text + fmt::format("; the document's bound is {}", size(bound))};
}

}  // namespace

std::optional<ClaimVerdict> judge_claim(const FigureReport& figure,
                                        const std::vector<FigureReport>& all) {
  const std::string& id = figure.figure->id;
  if (id == "guide-figure-6-forward" || id == "guide-figure-6-backward-data" ||
      id == "guide-figure-6-input")
    return rises(figure);
  if (id == "guide-figure-6-backward-weights") return better_than_others(figure, all);
  if (id == "guide-figure-7-forward" || id == "guide-figure-7-backward-data")
    return batch_before_length(figure);
  if (id == "guide-figure-8") return equal_products_alike(figure);
  if (id == "guide-figure-9") return persistent_until(figure, 1024, true);
  if (id == "guide-figure-10a") return persistent_until(figure, 256, false);
  return std::nullopt;
}

std::string claim_words(const FigureReport& figure, const std::vector<FigureReport>& all) {
  const auto verdict = judge_claim(figure, all);
  if (!verdict) return {};
  return fmt::format("{}: {}.", verdict->holds ? "Holds here" : "Does not hold here",
                     verdict->text);
}

}  // namespace rnnadvisor::advisor
