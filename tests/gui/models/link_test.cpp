#include "gui/models/link.h"

#include <gtest/gtest.h>

#include <limits>

namespace rnnadvisor::gui {
namespace {

TEST(Link, ComesBackAsItWas) {
  Link evidence;
  evidence.kind = LinkKind::evidence;
  evidence.finding = 3;
  Link explore;
  explore.kind = LinkKind::explore;
  explore.configuration = 4;
  Link change = explore;
  change.finding = 2;
  change.suggestion = 0;
  Link copy;
  copy.kind = LinkKind::copy;
  copy.finding = 2;
  copy.suggestion = 1;
  Link trial = copy, trial_end, trial_command;
  trial.kind = LinkKind::trial;
  Link torch = trial;
  torch.text = QStringLiteral("torch");
  Link accelerate = copy;
  accelerate.kind = LinkKind::accelerate;
  trial_end.kind = LinkKind::trial_end;
  trial_command.kind = LinkKind::trial_command;
  for (const auto& link :
       {Link::to({ItemKind::kernel, 12}), Link::to_rule(QStringLiteral("a/b")),
        Link::to_view(QStringLiteral("timeline")),
        Link::to_address(QStringLiteral("https://docs.nvidia.com/x#y")), evidence, explore, change,
        copy, trial, torch, trial_end, trial_command, Link::to_source(3), accelerate}) {
    EXPECT_EQ(parse_link(to_string(link)), link) << to_string(link).toStdString();
  }
}

TEST(Link, NonsenseIsNoLink) {
  for (const char* text : {"", "item:", "item:call", "item:call/-1", "item:cake/1", "evidence:x",
                           "explore:1/2", "trial:", "trial:1", "site:x", "site:1/2", "accelerate:1",
                           "trial:off", "file:///etc/passwd", "javascript:1", "rule:"}) {
    EXPECT_FALSE(parse_link(QString::fromUtf8(text)).has_value()) << text;
  }
}

TEST(Place, ComesBackAsItWas) {
  for (const auto& place : {Place{}, Place{QStringLiteral("timeline"), TimeRange{0, 1}, {}},
                            Place{QStringLiteral("findings"), std::nullopt, {ItemKind::finding, 2}},
                            Place{{}, TimeRange{12'500'001, 3'040'000'000}, {ItemKind::call, 3}}}) {
    const auto read = parse_place(to_string(place));
    ASSERT_TRUE(read.has_value()) << to_string(place).toStdString();
    EXPECT_EQ(*read, place) << to_string(place).toStdString();
  }
  const auto typed = parse_place(QStringLiteral("timeline,12.5ms-40ms,call/3"));
  ASSERT_TRUE(typed.has_value());
  EXPECT_EQ(typed->visible, (TimeRange{12'500'000, 40'000'000}));
}

TEST(Place, HasWhatIsChosenInOtherViews) {
  Place place;
  place.view = QStringLiteral("rules");
  place.rule = QStringLiteral("alignment/batch-multiple-of-8");
  EXPECT_EQ(to_string(place), QStringLiteral("rules,rule/alignment/batch-multiple-of-8"));
  EXPECT_EQ(parse_place(to_string(place)).value(), place);
  place = {};
  place.view = QStringLiteral("explorer");
  place.explorer = {{QStringLiteral("hidden_size"), QStringLiteral("1000")},
                    {QStringLiteral("seq_lengths"), QStringLiteral("9,7,3")},
                    {QStringLiteral("device"), QStringLiteral("made up, with a comma")}};
  EXPECT_EQ(parse_place(to_string(place)).value(), place) << to_string(place).toStdString();
  EXPECT_TRUE(to_string(place).startsWith(QStringLiteral("explorer,hidden_size=1000,")));
}

TEST(Place, WhatIsNoPlaceIsReported) {
  for (const char* text : {"40ms-12ms", "call/x", "1-", "UP", "timeline,overview", "rule/",
                           "hidden_size=many", "hiden_size=1", "configuration=-1", "device="})
    EXPECT_FALSE(parse_place(QString::fromUtf8(text)).has_value()) << text;
}

TEST(Nanoseconds, AreReadAndWritten) {
  EXPECT_EQ(format_ns(999), QStringLiteral("999 ns"));
  EXPECT_EQ(format_ns(1'250), QStringLiteral("1.25 µs"));
  EXPECT_EQ(format_ns(12'345'678), QStringLiteral("12.3 ms"));
  EXPECT_EQ(format_ns(-5'210'000'000), QStringLiteral("−5.21 s"));
  for (const std::int64_t ns : {0LL, 1LL, 1'000'001LL, 999'999'999LL, 86'400'000'000'001LL})
    EXPECT_EQ(parse_ns(exact_ns(ns)), ns);
  EXPECT_FALSE(parse_ns(QStringLiteral("nan")).has_value());
  EXPECT_FALSE(parse_ns(QStringLiteral("1e300s")).has_value());
}

TEST(Format, ColumnsHaveOneUnit) {
  EXPECT_EQ(format_ms_among(0.0988, 5.74), QStringLiteral("0.099 ms"));
  EXPECT_EQ(format_ms_among(5.74, 5.74), QStringLiteral("5.740 ms"));
  EXPECT_EQ(format_ms_among(0.0988, 0.5), QStringLiteral("98.80 µs"));
  EXPECT_EQ(format_ms_among(0, 5.74), QStringLiteral("–"));
  EXPECT_EQ(format_ms_among(-1, 5.74), QStringLiteral("–"));
}

TEST(Format, DatesAndSizesAreReadable) {
  EXPECT_EQ(readable_date(QStringLiteral("2026-11-22T00:20:32Z")),
            QStringLiteral("2026-11-22 00:20"));  // tests run in UTC
  EXPECT_EQ(readable_date(QStringLiteral("yesterday")), QStringLiteral("yesterday"));
  EXPECT_EQ(with_times_sign(QStringLiteral("LSTM 2x512 fp16, max")),
            QStringLiteral("LSTM 2×512 fp16, max"));
}

}  // namespace
}  // namespace rnnadvisor::gui
