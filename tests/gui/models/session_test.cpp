#include "gui/models/session.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSettings>
#include <QTemporaryDir>

namespace rnnadvisor::gui {
namespace {

class SessionTest : public testing::Test {
 protected:
  void SetUp() override { QSettings().clear(); }
  QString file(const char* name) {
    QFile made(folder_.filePath(QString::fromUtf8(name)));
    EXPECT_TRUE(made.open(QIODevice::WriteOnly));
    return made.fileName();
  }
  QTemporaryDir folder_;
  const Place place_{
      QStringLiteral("timeline"), TimeRange{12'500'000, 40'000'000}, {ItemKind::call, 3}};
};

TEST_F(SessionTest, KeepsPlaces) {
  const QString a = file("a.rnnprof"), b = file("b.rnnprof");
  remember_file(a, place_);
  remember_file(b, std::nullopt);
  EXPECT_EQ(recent_files(), (QList<SeenFile>{{b, {}}, {a, place_}}));
  // Opened again it comes first, and is still where it was left.
  remember_file(a, std::nullopt);
  EXPECT_EQ(recent_files(), (QList<SeenFile>{{a, place_}, {b, {}}}));
  ASSERT_TRUE(last_file().has_value());
  EXPECT_EQ(*last_file(), (SeenFile{a, place_}));
}

TEST_F(SessionTest, ForgetsWhatIsNotThere) {
  const QString a = file("a.rnnprof");
  remember_file(a, place_);
  QFile::remove(a);
  EXPECT_FALSE(last_file().has_value());
  remember_file(QStringLiteral("sample:ptb-large"), place_);
  EXPECT_TRUE(last_file().has_value());
  remember_file(QStringLiteral("sample:no-such"), place_);
  EXPECT_FALSE(last_file().has_value());
  // Samples are in no list.
  EXPECT_EQ(recent_files().size(), 1);
}

TEST_F(SessionTest, KeepsNoMoreThanItShould) {
  for (int i = 0; i < 40; ++i) remember_file(QStringLiteral("/f/%1.rnnprof").arg(i), std::nullopt);
  EXPECT_EQ(recent_files().size(), most_recent_files);
  EXPECT_EQ(recent_files().front().path, QStringLiteral("/f/39.rnnprof"));
}

TEST_F(SessionTest, ReadsStrangeSettings) {
  QSettings().setValue(QStringLiteral("reopen"), 99);
  EXPECT_EQ(reopen_choice(), Reopen::never);
  set_reopen_choice(Reopen::always);
  EXPECT_EQ(reopen_choice(), Reopen::always);
  const QString a = file("a.rnnprof");
  remember_file(a, place_);
  QSettings().setValue(QStringLiteral("last/place"), QStringLiteral("5-,,;nonsense"));
  EXPECT_EQ(last_file()->place, Place{});
}

TEST_F(SessionTest, SaysPlacesInWords) {
  EXPECT_EQ(place_text(place_), QStringLiteral("Timeline, 12.5 ms to 40.0 ms, call 3"));
  EXPECT_EQ(place_text({}), QString());
}

}  // namespace
}  // namespace rnnadvisor::gui
