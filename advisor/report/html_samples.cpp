// Every sample of a trial as a strip: nothing is left out, and what lies far off is ringed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "advisor/report/chart.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/trial_samples.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::html {

std::string samples_strip(const TrialRow& trial) {
  const ExperimentTiming& timing = *trial.step;
  const std::string id = fmt::format("x{}-samples", trial.index);
  struct Row {
    const char* name;
    const std::vector<double>* samples;
  };
  const std::array<Row, 3> rows = {{{"before", &timing.before_samples_ms},
                                    {"control", &timing.control_samples_ms},
                                    {"after", &timing.after_samples_ms}}};
  double least = INFINITY, most = 0;
  for (const auto& row : rows) {
    for (const double sample : *row.samples) {
      if (!(sample > 0) || !std::isfinite(sample)) continue;
      least = std::min(least, sample);
      most = std::max(most, sample);
    }
  }
  if (!(most > 0)) return {};
  constexpr double width = 520, row_height = 22;
  const Frame f = {64, 4, width - 12, 4 + row_height * 3};
  Svg svg(width, f.bottom + 22, id, "Samples", words::outliers(&timing));
  chart::Scale x;
  x.kind = chart::ScaleKind::log2;  // before and after may be far apart
  x.low = least / 1.02;
  x.high = most * 1.02;
  x.from = f.left;
  x.to = f.right;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double middle = f.top + row_height * (static_cast<double>(i) + 0.5);
    svg.text(f.left - 8, middle + 4, rows[i].name, "label", "end");
    svg.line(f.left, middle, f.right, middle, "grid");
    const SampleBounds bounds = sample_bounds(*rows[i].samples);
    std::string ticks, rings;
    for (const double sample : *rows[i].samples) {
      if (!(sample > 0) || !std::isfinite(sample)) continue;
      ticks +=
          fmt::format("M{} {}v10", chart::coordinate(x(sample)), chart::coordinate(middle - 5));
      if (sample < bounds.low || sample > bounds.high)
        rings += fmt::format(
            "<circle cx=\"{}\" cy=\"{}\" r=\"6\" class=\"outlier\"><title>{}</title></circle>",
            chart::coordinate(x(sample)), chart::coordinate(middle), format_milliseconds(sample));
    }
    if (ticks.empty()) continue;
    svg.raw(fmt::format("<path d=\"{}\" class=\"sample\"/>", ticks));
    if (bounds.median > 0)
      svg.line(x(bounds.median), middle - 9, x(bounds.median), middle + 9, "median");
    svg.raw(rings);
  }
  svg.text(f.left, f.bottom + 16, format_milliseconds(least), "tick");
  svg.text(f.right, f.bottom + 16, format_milliseconds(most), "tick", "end");
  return fmt::format(
      "<details><summary>Samples of {} <span class=\"muted\">{}</span></summary><figure>{}"
      "</figure></details>",
      esc(trial.change), esc(words::outliers(&timing)), svg.take());
}

}  // namespace rnnadvisor::advisor::html
