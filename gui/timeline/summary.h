// What a range of time is made of, as rows: the kernels of one name, of one role, the RNN calls of
// one kind, the NVTX ranges of one name, the copies of one direction.
//
// Counted is what lies at least partly in the range. Sums are of what lies in it; the durations
// (least, median, 99th percentile, longest, histogram) are those of whole spans, also where they
// reach out of it.
#pragma once

#include <array>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gui/timeline/search.h"
#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

enum class SummaryBy : std::uint8_t { kernel, role, call, nvtx, copy };

inline constexpr std::size_t histogram_columns = 24;

struct SummaryRow {
  std::string name;
  KernelRole role = KernelRole::unknown;  // of a kernel, else of the row of a role
  ItemKind kind = ItemKind::none;
  std::int64_t count = 0, total_ns = 0;
  std::int64_t least_ns = 0, median_ns = 0, p99_ns = 0, longest_ns = 0;
  // How many durations are how long: steps of equal ratio from Summary::shortest_ns to longest_ns,
  // the same for all rows.
  std::array<std::uint32_t, histogram_columns> histogram{};
};

struct Summary {
  SummaryBy by = SummaryBy::kernel;
  TimeRange range;
  std::vector<SummaryRow> rows;  // most time first, the first `most_rows`
  std::size_t groups = 0;        // also those left out
  std::int64_t count = 0, total_ns = 0;
  std::int64_t shortest_ns = 0, longest_ns = 0;
  // Whether every median and percentile is that of the durations themselves. Of more than
  // `most_exact` spans, a row of many is counted in steps of 1/128 of an octave's beginning, and
  // both are off by at most `rounding` of their value.
  bool exact = true;

  static constexpr std::size_t most_rows = 2000;
  static constexpr std::int64_t most_exact = std::int64_t{1} << 20;
  static constexpr double rounding = 1.0 / 256;
};

// Looks at the columns of the profile, whatever the timeline leaves out, and copies none of them:
// it needs at most 8 MiB and, of each row, a few KiB. What it returns when it is stopped is of no
// use.
Summary summarise(const Timeline& timeline, TimeRange range, SummaryBy by,
                  const std::stop_token& stop = {});

// The element of n sorted values that is their median, and their 99th percentile (nearest rank).
std::int64_t median_rank(std::int64_t n);
std::int64_t p99_rank(std::int64_t n);
// Where a duration stands in a histogram.
std::size_t histogram_column(std::int64_t ns, std::int64_t shortest_ns, std::int64_t longest_ns);

// What finds all of a row, in the whole recording.
Wanted wanted_of(const Summary& summary, const SummaryRow& row);

}  // namespace rnnadvisor::gui::timeline
