#include "gui/timeline/track_store.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFileInfo>
#include <QSettings>

namespace rnnadvisor::gui::timeline {
namespace {

KeptTracks some() {
  const TrackName kernels{TrackKind::kernels, {0, 1, 7, -1}};
  const TrackName thread{TrackKind::api, {0, -1, -1, 0x7fff'1234'5678}};
  KeptTracks kept;
  kept.height = 1.728;
  kept.states[kernels] = {true, false, false};
  kept.states[thread] = {false, true, true};
  kept.order = {thread, kernels};
  kept.pinned = {thread};
  return kept;
}

QString folder() {
  return QFileInfo(QSettings().fileName()).absolutePath() + QStringLiteral("/tracks");
}

TEST(TrackStore, TextAndBack) {
  const auto read = read_kept_tracks(write_kept_tracks(some()));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, some());
}

TEST(TrackStore, KindsOfLaterVersionsAreLeftOut) {
  const auto read = read_kept_tracks(
      R"({"schema":1,"height":99,"tracks":[{"kind":"later","folded":true},{"kind":"busy","device":0,"folded":true},7],"order":[{"kind":"later"}],"pinned":3})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->states.size(), 1U);
  EXPECT_TRUE(read->order.empty());
  EXPECT_EQ(read->height, most_height);
}

TEST(TrackStore, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(read_kept_tracks("[]").error().code, ErrorCode::parse);
  EXPECT_EQ(read_kept_tracks("{\"schema\":1").error().code, ErrorCode::parse);
  EXPECT_EQ(read_kept_tracks("{\"schema\":2}").error().code, ErrorCode::newer_version);
}

TEST(TrackStore, EachProfileHasItsOwn) {
  const QString a = QStringLiteral("/somewhere/a.rnnprof"), b = QStringLiteral("sample:b");
  ASSERT_TRUE(store_tracks(a, some()));
  EXPECT_EQ(stored_tracks(a), some());
  EXPECT_TRUE(stored_tracks(b).empty());
  EXPECT_TRUE(stored_tracks({}).empty());
  ASSERT_TRUE(store_tracks(a, {}));
  EXPECT_TRUE(stored_tracks(a).empty());
}

TEST(TrackStore, ForgetsProfilesThatWereNotOpenedForLong) {
  for (int i = 0; i < most_stored_tracks + 20; ++i)
    ASSERT_TRUE(store_tracks(QStringLiteral("/p/%1").arg(i), some()));
  EXPECT_EQ(QDir(folder()).entryList(QDir::Files).size(), most_stored_tracks);
  EXPECT_FALSE(stored_tracks(QStringLiteral("/p/%1").arg(most_stored_tracks + 19)).empty());
  QDir(folder()).removeRecursively();
}

TEST(TrackStore, SaysThatItCannotWrite) {
  QDir(folder()).removeRecursively();
  QFile in_the_way(folder());  // a file where the folder would be
  ASSERT_TRUE(QFileInfo(folder()).dir().mkpath(QStringLiteral(".")));
  ASSERT_TRUE(in_the_way.open(QIODevice::WriteOnly));
  const auto stored = store_tracks(QStringLiteral("/p"), some());
  in_the_way.remove();
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, ErrorCode::io);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
