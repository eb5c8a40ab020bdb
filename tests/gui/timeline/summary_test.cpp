#include "gui/timeline/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "tests/effort.h"
#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr std::array all_groupings = {SummaryBy::kernel, SummaryBy::role, SummaryBy::call,
                                      SummaryBy::nvtx, SummaryBy::copy};

struct Span {
  std::string name;
  std::int64_t begin = 0, end = 0;
};

// What a grouping counts, looked up one by one.
std::vector<Span> spans_of(const Timeline& t, SummaryBy by) {
  const Profile& p = *t.profile;
  std::vector<Span> spans;
  switch (by) {
    case SummaryBy::kernel:
      for (std::size_t i = 0; i < p.kernels.size(); ++i)
        spans.push_back(
            {std::string(p.text(p.kernels.name[i])), p.kernels.start_ns[i], p.kernels.end_ns[i]});
      break;
    case SummaryBy::role:
      for (std::size_t i = 0; i < p.kernels.size(); ++i)
        spans.push_back({std::string(to_string(p.kernels.role[i])), p.kernels.start_ns[i],
                         p.kernels.end_ns[i]});
      break;
    case SummaryBy::nvtx:
      for (std::size_t i = 0; i < p.nvtx.size(); ++i)
        spans.push_back(
            {std::string(p.text(p.nvtx.name[i])), p.nvtx.start_ns[i], p.nvtx.end_ns[i]});
      break;
    case SummaryBy::copy:
      for (std::size_t i = 0; i < p.transfers.size(); ++i)
        spans.push_back({std::string(transfer_name(p.transfers, static_cast<int>(i))),
                         p.transfers.start_ns[i], p.transfers.end_ns[i]});
      break;
    case SummaryBy::call:
      for (int i = 0; i < static_cast<int>(p.calls.size()); ++i) {
        const auto when = item_range(t, {ItemKind::call, i});
        spans.push_back(
            {call_name(p, i, t.calls[static_cast<std::size_t>(i)]), when.begin_ns, when.end_ns});
      }
      break;
  }
  return spans;
}

void expect_same_as_by_hand(const Timeline& t, TimeRange range, SummaryBy by) {
  std::map<std::string, std::vector<std::int64_t>> durations;
  std::map<std::string, std::int64_t> inside;
  for (const auto& span : spans_of(t, by)) {
    const bool begins = span.begin >= range.begin_ns && span.begin < range.end_ns;
    const bool reaches_in = span.begin < range.begin_ns && span.end > range.begin_ns;
    if (!begins && !reaches_in) continue;
    durations[span.name].push_back(span.end - span.begin);
    inside[span.name] += std::max<std::int64_t>(
        0, std::min(span.end, range.end_ns) - std::max(span.begin, range.begin_ns));
  }
  const Summary summary = summarise(t, range, by);
  ASSERT_EQ(summary.rows.size(), durations.size());
  EXPECT_EQ(summary.groups, durations.size());
  EXPECT_TRUE(summary.exact);
  std::int64_t before = std::numeric_limits<std::int64_t>::max(), total = 0, count = 0;
  for (const auto& row : summary.rows) {
    auto& all = durations[row.name];
    ASSERT_FALSE(all.empty()) << row.name;
    std::sort(all.begin(), all.end());
    EXPECT_EQ(row.count, static_cast<std::int64_t>(all.size()));
    EXPECT_EQ(row.total_ns, inside[row.name]);
    EXPECT_EQ(row.least_ns, all.front());
    EXPECT_EQ(row.longest_ns, all.back());
    EXPECT_EQ(row.median_ns, all[all.size() / 2]);
    // The least value that at least 99 of 100 do not exceed.
    const auto p99 = std::find_if(all.begin(), all.end(), [&](std::int64_t value) {
      return 100 * (std::upper_bound(all.begin(), all.end(), value) - all.begin()) >=
             99 * static_cast<std::ptrdiff_t>(all.size());
    });
    EXPECT_EQ(row.p99_ns, *p99);
    std::array<std::uint32_t, histogram_columns> histogram{};
    for (const auto ns : all)
      ++histogram[histogram_column(ns, summary.shortest_ns, summary.longest_ns)];
    EXPECT_EQ(row.histogram, histogram);
    EXPECT_LE(row.total_ns, before);  // most time first
    before = row.total_ns;
    total += row.total_ns;
    count += row.count;
  }
  EXPECT_EQ(summary.total_ns, total);
  EXPECT_EQ(summary.count, count);
}

std::shared_ptr<const Timeline> drawn(std::mt19937& random) {
  SmallProfile p;
  const auto any = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  const int spans = any(60);
  for (int i = 0; i < spans; ++i) {
    const std::int64_t begin = any(1000);
    const std::int64_t end = begin + (any(4) == 0 ? any(1 << any(20)) : any(30));
    const std::string name(1, static_cast<char>('a' + any(4)));
    switch (any(4)) {
      case 0:
        p.nvtx(begin, end, name, 0, any(3));
        break;
      case 1:
        p.copy(begin, end, std::array{1, 2, 8, 10, 3, 0}[static_cast<std::size_t>(any(6))], 100);
        break;
      case 2:
        p.kernel(begin, end, any(2) == 0 ? "nvjet_sm90_hsh_" + name : name, any(3),
                 p.call(begin, begin + 5));
        break;
      default:
        p.kernel(begin, end, name, any(3));
        break;
    }
  }
  return build_timeline(p.finish());
}

TEST(SummaryOfDrawn, IsWhatIsCountedByHand) {
  std::mt19937 random(20);
  for (int round = 0; round < (test::sanitized() ? 200 : 2000); ++round) {
    SCOPED_TRACE(round);
    const auto t = drawn(random);
    TimeRange range{static_cast<std::int64_t>(random() % 1100), 0};
    range.end_ns = range.begin_ns + static_cast<std::int64_t>(random() % 600);
    if (random() % 8 == 0) range = t->range;
    for (const auto by : all_groupings) expect_same_as_by_hand(*t, range, by);
    if (testing::Test::HasFailure()) return;
  }
}

// What a row stands for is what a search for it finds and what a filter for it leaves.
TEST(SummaryOfDrawn, RowsAreFoundAndFiltered) {
  std::mt19937 random(21);
  for (int round = 0; round < (test::sanitized() ? 30 : 300); ++round) {
    SCOPED_TRACE(round);
    const auto t = drawn(random);
    for (const auto by : all_groupings) {
      const Summary summary = summarise(*t, {t->range.begin_ns, t->range.end_ns + 1}, by);
      for (const auto& row : summary.rows) {
        const Wanted wanted = wanted_of(summary, row);
        const auto found = search(*t, wanted).value();
        ASSERT_EQ(found.hits, row.count) << row.name;
        const auto filtered =
            build_timeline(t->profile, {wanted.matches, {}, wanted.kind, wanted.role});
        std::int64_t left = 0;
        for (const auto& track : filtered->tracks) {
          const auto& traits = traits_of(track.kind);
          if (traits.shape != TrackTraits::Shape::spans) continue;
          EXPECT_EQ(traits.items, wanted.kind);
          if (track.kind == TrackKind::host_calls) continue;  // the same calls once more
          for (const auto& lane : track.lanes) left += lane.spans.count;
        }
        // A call without kernels stands on its host's track alone.
        if (by != SummaryBy::call) EXPECT_EQ(left, row.count) << row.name;
      }
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(SummaryTest, OfManySpansIsOffByNoMoreThanItSays) {
  std::mt19937 random(22);
  Profile p;
  p.strings = {"long", "alike", "rare"};
  std::lognormal_distribution<double> long_ones(12, 3);
  std::array<std::vector<std::int64_t>, 3> durations;
  const auto count = static_cast<std::size_t>(Summary::most_exact) + 5000;
  auto& n = p.nvtx;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t name = i % 100'000 == 7 ? 2 : i % 3 == 0 ? 0 : 1;
    const auto ns = name == 1 ? 1500 + static_cast<std::int64_t>(random() % 3)
                              : static_cast<std::int64_t>(long_ones(random));
    durations[name].push_back(ns);
    n.start_ns.push_back(static_cast<std::int64_t>(i));
    n.end_ns.push_back(static_cast<std::int64_t>(i) + ns);
    n.name.push_back(static_cast<int>(name));
  }
  Timeline t;
  t.profile = std::make_shared<const Profile>(std::move(p));
  const Summary summary = summarise(t, {0, std::int64_t{1} << 60}, SummaryBy::nvtx);
  EXPECT_FALSE(summary.exact);
  ASSERT_EQ(summary.rows.size(), 3U);
  for (const auto& row : summary.rows) {
    auto& all = durations[row.name == "long" ? 0 : row.name == "alike" ? 1 : 2];
    std::sort(all.begin(), all.end());
    const bool few = row.name == "rare";
    const auto expect_near = [&](std::int64_t seen, std::int64_t rank) {
      const auto true_one = static_cast<double>(all[static_cast<std::size_t>(rank)]);
      EXPECT_LE(std::abs(static_cast<double>(seen) - true_one),
                few ? 0 : true_one * Summary::rounding)
          << row.name;
    };
    expect_near(row.median_ns, median_rank(row.count));
    expect_near(row.p99_ns, p99_rank(row.count));
    EXPECT_EQ(row.total_ns, std::accumulate(all.begin(), all.end(), std::int64_t{0}));
    EXPECT_EQ(row.least_ns, all.front());
    EXPECT_EQ(row.longest_ns, all.back());
    EXPECT_EQ(std::accumulate(row.histogram.begin(), row.histogram.end(), std::int64_t{0}),
              row.count);
  }
}

TEST(SummaryTest, NamesThatAreTooManyAreLeftOutButCounted) {
  Profile p;
  const auto count = Summary::most_rows + 50;
  for (std::size_t i = 0; i < count; ++i) {
    p.strings.push_back("step " + std::to_string(i));
    p.nvtx.start_ns.push_back(static_cast<std::int64_t>(i));
    p.nvtx.end_ns.push_back(static_cast<std::int64_t>(2 * i) + 1);
    p.nvtx.name.push_back(static_cast<int>(i));
  }
  Timeline t;
  t.profile = std::make_shared<const Profile>(std::move(p));
  const Summary summary = summarise(t, {0, 1'000'000}, SummaryBy::nvtx);
  EXPECT_EQ(summary.rows.size(), Summary::most_rows);
  EXPECT_EQ(summary.groups, count);
  EXPECT_EQ(summary.count, static_cast<std::int64_t>(count));
  EXPECT_EQ(summary.rows.front().name, "step " + std::to_string(count - 1));
}

TEST(SearchList, HasTheFirstHitsInTheOrderOfTime) {
  std::mt19937 random(23);
  for (int round = 0; round < (test::sanitized() ? 30 : 300); ++round) {
    const auto t = drawn(random);
    const auto found = search(*t, [](std::string_view name) {
                         return name.find('a') != std::string_view::npos;
                       }).value();
    ASSERT_EQ(static_cast<std::int64_t>(found.listed.size()), found.hits);
    Item at;
    for (const Item item : found.listed) {
      at = next_hit(*t, found, at, t->range.begin_ns - 1, 1).value();
      ASSERT_EQ(item, at);
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
