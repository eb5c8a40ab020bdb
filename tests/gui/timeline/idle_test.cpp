#include "gui/timeline/idle.h"

#include <gtest/gtest.h>

#include <random>

#include "gui/timeline/search.h"
#include "profiler/classify/gaps.h"
#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

using Ranges = std::vector<TimeRange>;

// Kernels on up to three streams, many of which touch or overlap.
Ranges drawn_kernels(std::mt19937& random, SmallProfile& p, int streams) {
  Ranges drawn;
  const int count = 1 + static_cast<int>(random() % 40);
  std::int64_t at = 1000;
  for (int i = 0; i < count; ++i) {
    at += static_cast<std::int64_t>(random() % 4) * static_cast<std::int64_t>(random() % 30);
    const auto end = at + 1 + static_cast<std::int64_t>(random() % 25);
    drawn.push_back({at, end});
    p.kernel(at, end, random() % 2 == 0 ? "a" : "b", static_cast<int>(random()) % streams);
    at = random() % 3 == 0 ? at + 1 : end;
  }
  return drawn;
}

// Between two kernels, where none runs: moment by moment.
Ranges gaps_by_hand(const Ranges& kernels) {
  std::int64_t first = kernels.front().begin_ns, last = 0;
  for (const auto& one : kernels) last = std::max(last, one.end_ns);
  Ranges gaps;
  for (std::int64_t at = first; at < last; ++at) {
    const bool runs = std::any_of(kernels.begin(), kernels.end(),
                                  [&](const TimeRange& one) { return one.contains(at); });
    if (runs) continue;
    if (!gaps.empty() && gaps.back().end_ns == at)
      ++gaps.back().end_ns;
    else
      gaps.push_back({at, at + 1});
  }
  return gaps;
}

const Track& busy_track(const Timeline& timeline) {
  return timeline
      .tracks[static_cast<std::size_t>(timeline.track_of.at({TrackKind::busy, {-1, 0, -1, -1}}))];
}

TEST(Idle, GapsOfDrawnKernelsAreThoseFoundMomentByMoment) {
  std::mt19937 random(19);
  for (int round = 0; round < 400; ++round) {
    SmallProfile p;
    const auto kernels = drawn_kernels(random, p, 1 + round % 3);
    const auto gaps = gaps_by_hand(kernels);
    BuildOptions options;  // a filter does not make a device idle
    if (round % 4 == 0) options.keep = [](std::string_view name) { return name == "a"; };
    const auto timeline = build_timeline(p.finish(), options);
    if (!timeline->track_of.contains({TrackKind::busy, {-1, 0, -1, -1}})) continue;
    const Track& busy = busy_track(*timeline);
    const Spans& spans = busy.lanes.front().spans;

    // Steps along the track pass each once.
    std::vector<Item> items;
    for (auto span = next_gap_span(spans, 0, 1); span; span = next_gap_span(spans, *span, 1))
      items.push_back(gap_before_span(*timeline, busy, *span));
    ASSERT_EQ(items.size(), gaps.size()) << round;
    for (std::size_t i = 0; i < items.size(); ++i) {
      ASSERT_EQ(items[i].kind, ItemKind::gap);
      EXPECT_EQ(item_range(*timeline, items[i]), gaps[i]);
      const auto same = gap_before(*timeline->profile, items[i].index);
      ASSERT_TRUE(same);
      EXPECT_EQ((TimeRange{same->begin_ns, same->end_ns}), gaps[i]);
      const Item next = i + 1 < items.size() ? items[i + 1] : items[i];
      const Item previous = i > 0 ? items[i - 1] : items[i];
      EXPECT_EQ(neighbour(*timeline, items[i], 1), next);
      EXPECT_EQ(neighbour(*timeline, items[i], -1), previous);
    }

    // Each moment is in its gap or in none; the nearest one is as near as any.
    for (std::int64_t at = kernels.front().begin_ns - 5; at < 2600; at += 3) {
      const auto of = std::find_if(gaps.begin(), gaps.end(),
                                   [&](const TimeRange& gap) { return gap.contains(at); });
      const auto found = gap_span_at(spans, at, 0);
      ASSERT_EQ(found.has_value(), of != gaps.end()) << round << ' ' << at;
      if (found) {
        EXPECT_EQ(gap_before_span(*timeline, busy, *found),
                  items[static_cast<std::size_t>(of - gaps.begin())]);
      }
      const auto away = [&](const TimeRange& gap) {
        return std::max({gap.begin_ns - at, at - gap.end_ns, std::int64_t{0}});
      };
      const auto near = nearest_gap_span(spans, at);
      ASSERT_EQ(near.has_value(), !gaps.empty());
      if (!near) continue;
      const auto nearest =
          std::min_element(gaps.begin(), gaps.end(),
                           [&](const auto& a, const auto& b) { return away(a) < away(b); });
      EXPECT_EQ(away(item_range(*timeline, gap_before_span(*timeline, busy, *near))),
                away(*nearest));
    }
  }
}

TEST(Idle, AKernelThatEndsNoGapIsNone) {
  SmallProfile p;
  p.kernel(100, 200, "a");
  p.kernel(200, 300, "b");
  p.kernel(400, 500, "c");
  p.kernel(400, 450, "d", 4);
  const auto timeline = build_timeline(p.finish());
  int gaps = 0;
  for (int i = 0; i < 4; ++i) gaps += place_of(*timeline, {ItemKind::gap, i}) ? 1 : 0;
  EXPECT_EQ(gaps, 1);
  EXPECT_FALSE(place_of(*timeline, {ItemKind::gap, 4711}));
}

// Every gap of some pixels has a bar of its own where it lies, and all pixels together are idle for
// as long as the device is.
TEST(Idle, ThePictureHasEachWideGapAndTheShareOfTheOthers) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::int64_t> start, end;
    std::int64_t time = 1'790'000'000'000'000'000;
    for (int i = 0; i < 3000; ++i) {
      time += static_cast<std::int64_t>(random() % 400) * (random() % 61 == 0 ? 300 : 1);
      start.push_back(time);
      time += 1 + static_cast<std::int64_t>(random() % 3000);
      end.push_back(time);
    }
    const Spans spans{start.data(), end.data(), nullptr,
                      nullptr,      0,          static_cast<std::uint32_t>(start.size()),
                      busy_color};
    const Pyramid pyramid(spans);
    const auto whole = static_cast<std::uint64_t>(time - start.front());
    TimeRange range{start.front() - 5000 + static_cast<std::int64_t>(random() % whole), 0};
    range.end_ns = range.begin_ns + 1000 + static_cast<std::int64_t>(random() % (whole + 9000));
    const Scale scale{range, 700};
    Picture picture;
    draw_lane(spans, pyramid, scale, picture);
    draw_gaps(spans, scale, picture);

    const double per_ns = scale.pixels_per_ns();
    double idle = 0;
    for (std::size_t i = 1; i < start.size(); ++i) {
      const auto from = std::max(end[i - 1], range.begin_ns);
      const auto until = std::min(start[i], range.end_ns);
      if (until <= from) continue;
      const double pixels = static_cast<double>(until - from) * per_ns;
      idle += pixels;
      if (pixels < 3) continue;
      const auto bar = std::find_if(picture.bars.begin(), picture.bars.end(),
                                    [&](const Bar& one) { return one.span == i; });
      ASSERT_NE(bar, picture.bars.end()) << round << ' ' << i;
      EXPECT_NEAR(bar->begin, static_cast<double>(from - range.begin_ns) * per_ns, 1.01);
      EXPECT_NEAR(bar->end, static_cast<double>(until - range.begin_ns) * per_ns, 1.01);
    }
    double painted = 0;
    std::vector<bool> under(picture.columns.size(), false);
    for (const auto& bar : picture.bars) {
      painted += bar.end - bar.begin;
      for (int x = bar.begin; x < bar.end; ++x) under[static_cast<std::size_t>(x)] = true;
    }
    for (std::size_t x = 0; x < under.size(); ++x) {
      if (!under[x] && picture.columns[x].any)
        painted += static_cast<double>(picture.columns[x].covered);
    }
    // Nodes spread their work evenly over at most two pixels; the ends are cut to a pixel.
    EXPECT_NEAR(painted, idle, 2 + idle * 0.05) << round;
  }
}

TEST(Idle, AColourFindsWhatHasItAndGapsByTheirs) {
  SmallProfile p;
  const int call = p.call(0, 90);
  p.kernel(100, 200, "void elemWiseRNNcell<__half>(int)", 3, call);
  p.kernel(250, 260, "nvjet_sm90_hsh", 3, call);
  p.kernel(300, 310, "void elemWiseRNNcell<__half>(int)", 3, call);
  const auto timeline = build_timeline(p.finish());
  const auto painted_in = [&](ColorId color) {
    Wanted wanted;
    wanted.color = color;
    return search(*timeline, wanted);
  };
  const auto pointwise = painted_in(color_id(KernelRole::pointwise));
  ASSERT_TRUE(pointwise);
  EXPECT_EQ(pointwise->hits, 2);
  EXPECT_TRUE(is_hit(*timeline, *pointwise, {ItemKind::kernel, 2}));
  EXPECT_FALSE(is_hit(*timeline, *pointwise, {ItemKind::kernel, 1}));
  EXPECT_EQ(next_hit(*timeline, *pointwise, {ItemKind::kernel, 0}, 0, 1),
            (Item{ItemKind::kernel, 2}));
  const auto idle = painted_in(idle_color);
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->hits, 2);
  const auto first = next_hit(*timeline, *idle, {}, 0, 1);
  EXPECT_EQ(first, (Item{ItemKind::gap, 1}));
  EXPECT_EQ(next_hit(*timeline, *idle, *first, 0, 1), (Item{ItemKind::gap, 2}));
  const auto calls = painted_in(color_id(Phase::forward_inference));
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->hits, timeline->profile->calls[0].phase == Phase::forward_inference ? 1 : 0);
}

TEST(Idle, FromAKernelTheTrackOfItsDeviceIsReached) {
  SmallProfile p;
  p.kernel(100, 200, "a");
  p.kernel(300, 400, "b");
  const auto timeline = build_timeline(p.finish());
  const Item gap = beside(*timeline, {ItemKind::kernel, 0}, -1);
  EXPECT_EQ(gap, (Item{ItemKind::gap, 1}));
  EXPECT_EQ(beside(*timeline, gap, 1).kind, ItemKind::kernel);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
