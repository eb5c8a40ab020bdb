#include <gtest/gtest.h>

#include "gui/timeline/step_area.h"
#include "gui/timeline/track.h"
#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

std::vector<TrackKind> kinds(const Timeline& timeline) {
  std::vector<TrackKind> found;
  for (const auto& track : timeline.tracks) found.push_back(track.kind);
  return found;
}

std::shared_ptr<const Timeline> everything() {
  SmallProfile p;
  const int call = p.call(1000, 3000);
  p.nvtx(500, 9000, "epoch", static_cast<int>(0xff00aa00));
  p.nvtx(600, 3500, "step");
  p.nvtx(4000, 5000, "step");
  p.api(1100, 1200, "cudaLaunchKernel", 1);
  p.api(1300, 8000, "cudaDeviceSynchronize", 2);
  p.kernel(2000, 3000, "void elemWiseRNNcell<x>()", 3, call, 1);
  p.kernel(3500, 4500, "gemm", 3, call, 1);
  p.kernel(4000, 4800, "other", 4);
  p.copy(4600, 4700, 1, 4096);
  p.allocate(100, 1000);
  p.allocate(200, 500);
  p.allocate(5000, 1000, true);
  return build_timeline(p.finish());
}

TEST(Tracks, StandInTheOrderInWhichTheyAreRead) {
  const auto t = everything();
  EXPECT_EQ(kinds(*t), (std::vector<TrackKind>{
                           TrackKind::busy, TrackKind::process, TrackKind::nvtx, TrackKind::calls,
                           TrackKind::kernels, TrackKind::transfers, TrackKind::kernels,
                           TrackKind::memory, TrackKind::host_calls, TrackKind::api}));
  EXPECT_EQ(t->tracks[0].parent, -1);
  EXPECT_EQ(t->tracks[4].parent, 1);
  EXPECT_EQ(t->range, (TimeRange{100, 9000}));
}

TEST(Tracks, NestedRangesLieInLanesWithTheirOwnColours) {
  const auto t = everything();
  const auto& nvtx = t->tracks[2];
  ASSERT_EQ(nvtx.lanes.size(), 2U);
  EXPECT_EQ(nvtx.lanes[0].spans.count, 1U);
  EXPECT_EQ(nvtx.lanes[1].spans.count, 2U);
  EXPECT_EQ(nvtx.lanes[0].spans.color_of(0), first_own_color);
  EXPECT_EQ(t->own_colors, (std::vector<std::uint32_t>{0xff00aa00}));
  EXPECT_EQ(nvtx.lanes[1].spans.color_of(0), nvtx_color);
}

TEST(Tracks, ADeviceIsBusyWhenAnyStreamIs) {
  const auto t = everything();
  const Spans& busy = t->tracks[0].lanes[0].spans;
  ASSERT_EQ(busy.count, 2U);
  EXPECT_EQ(busy.start_of(1), 3500);
  EXPECT_EQ(busy.end_of(1), 4800);
}

TEST(Tracks, StreamsThatTakeTurnsCostADeviceNothing) {
  SmallProfile p;
  for (int i = 0; i < 100; ++i) p.kernel(i * 10, i * 10 + 5, "k", i % 4);
  const auto t = build_timeline(p.finish());
  EXPECT_TRUE(t->busy_begin.empty());
  EXPECT_EQ(t->tracks[0].lanes[0].spans.count, 100U);
}

TEST(Tracks, CallsAreLabelledByWhatTheyAre) {
  const auto t = everything();
  EXPECT_EQ(item_name(*t, {ItemKind::call, 0}),
            "LSTM 2x1024 fp16 B64 T128, standard, 2.50 \u00b5s");
  EXPECT_EQ(item_range(*t, {ItemKind::call, 0}), (TimeRange{2000, 4500}));
  EXPECT_EQ(t->calls[0].kernels, 2);
}

TEST(Tracks, DurationsHaveThreeDigits) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(14'200'000), "14.2 ms");
  EXPECT_EQ(duration_text(999'600), "1.00 ms");
  EXPECT_EQ(duration_text(61'000'000'000), "61.0 s");
  EXPECT_EQ(bytes_text(1'610'612'736), "1.50 GiB");
}

TEST(Tracks, OverlappingKernelsOfAStreamLieInLanesOfTheirOwn) {
  SmallProfile p;
  for (int i = 0; i < 100; ++i) p.kernel(i * 10, i * 10 + 15, "k");
  const auto t = build_timeline(p.finish());
  const auto& track = t->tracks.back();
  ASSERT_EQ(track.lanes.size(), 2U);
  for (const auto& lane : track.lanes) {
    EXPECT_EQ(lane.spans.count, 50U);
    for (std::size_t i = 1; i < lane.spans.count; ++i)
      EXPECT_GE(lane.spans.start_of(i), lane.spans.end_of(i - 1));
  }
}

TEST(Tracks, WhatOverlapsWithoutEndMakesNoEndOfLanes) {
  SmallProfile p;
  for (int i = 0; i < 1000; ++i) p.kernel(i, 100'000, "k");
  const auto t = build_timeline(p.finish());
  EXPECT_EQ(t->tracks.back().lanes.size(), most_lanes);
  std::size_t spans = 0;
  for (const auto& lane : t->tracks.back().lanes) spans += lane.spans.count;
  EXPECT_EQ(spans, 1000U);
}

TEST(Tracks, OneStreamNeedsNoListOfItsRows) {
  SmallProfile p;
  for (int i = 0; i < 100; ++i) p.kernel(i * 10, i * 10 + 5, "k");
  const auto t = build_timeline(p.finish());
  EXPECT_EQ(t->tracks.back().lanes[0].spans.rows, nullptr);
}

TEST(Tracks, AFilterLeavesTheRestOut) {
  SmallProfile p;
  p.kernel(0, 5, "one");
  p.kernel(10, 15, "two");
  p.api(0, 4, "cudaMalloc");
  BuildOptions options;
  options.keep = [](std::string_view name) { return name == "two"; };
  const auto t = build_timeline(p.finish(), options);
  ASSERT_EQ(kinds(*t),
            (std::vector<TrackKind>{TrackKind::busy, TrackKind::process, TrackKind::kernels}));
  EXPECT_EQ(t->tracks[2].lanes[0].spans.count, 1U);
  EXPECT_EQ(t->tracks[2].lanes[0].spans.row(0), 1U);
}

TEST(Tracks, BuildingCanBeStopped) {
  SmallProfile p;
  p.kernel(0, 5, "one");
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(build_timeline(p.finish(), {{}, source.get_token()}), nullptr);
}

// Streams that calls use together stand together, whatever their numbers.
TEST(Tracks, StreamsOfACallStandTogether) {
  SmallProfile p;
  const int first = p.call(0, 5), second = p.call(6, 9), alone = p.call(10, 12);
  p.kernel(20, 30, "a", 5, first);
  p.kernel(20, 30, "b", 20, first);
  p.kernel(40, 50, "c", 20, second);
  p.kernel(40, 50, "d", 13, second);
  p.kernel(60, 70, "e", 9, alone);
  p.kernel(80, 90, "f", 7);
  const auto t = build_timeline(p.finish());
  std::vector<std::pair<int, int>> streams;
  for (const auto& track : t->tracks) {
    if (track.kind == TrackKind::kernels)
      streams.emplace_back(track.key.stream, track.first_stream);
  }
  EXPECT_EQ(streams,
            (std::vector<std::pair<int, int>>{{5, 5}, {13, 5}, {20, 5}, {7, -1}, {9, -1}}));
}

TEST(Tracks, AnEmptyProfileHasNoTracksAndARange) {
  const auto t = build_timeline(std::make_shared<const Profile>());
  EXPECT_TRUE(t->tracks.empty());
  EXPECT_GT(t->range.length(), 0);
}

TEST(StepArea, SaysTheLargestOfEveryPixel) {
  StepArea area;
  for (int i = 0; i < 1000; ++i) area.add(i * 10, i == 500 ? 77 : i % 7);
  area.finish();
  EXPECT_EQ(area.peak(), 77);
  EXPECT_EQ(area.at(5005), 77);
  EXPECT_EQ(area.at(-1), 0);
  EXPECT_EQ(area.most({4000, 6000}), 77);
  EXPECT_EQ(area.most({5011, 5012}), 4);  // 501 % 7
  std::vector<std::int64_t> highest;
  area.draw({{0, 10'000}, 10}, highest);
  EXPECT_EQ(highest[5], 77);
  EXPECT_EQ(highest[2], 6);
}

TEST(Tracks, MemoryAddsUpAndComesDown) {
  const auto t = everything();
  const auto& memory = t->tracks[7];
  EXPECT_EQ(memory.area.peak(), 1500);
  EXPECT_EQ(memory.area.at(6000), 500);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
