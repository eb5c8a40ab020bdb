// Views without data, and the messages for what does not exist.
#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QFileInfo>
#include <QProcess>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>

#include "gui/models/exploration_pages.h"
#include "gui/views/overview_view.h"
#include "gui/views/parts.h"
#include "gui/views/screenshot.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"
#include "tests/gui/documents.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class NothingTest : public WindowTest {
 protected:
  EmptyState* empty() const {
    for (auto* each : window_->findChildren<EmptyState*>())
      if (each->isVisible()) return each;
    return nullptr;
  }
};

TEST_F(NothingTest, WithoutAProfileEveryViewSaysSoAndLeadsToOne) {
  for (const char* view : {"overview", "findings", "timeline"}) {
    ASSERT_TRUE(window_->go(QString::fromUtf8(view)));
    QTest::qWait(10);
    auto* state = empty();
    ASSERT_NE(state, nullptr) << view;
    EXPECT_EQ(state->accessibleName(), QStringLiteral("No profile is open")) << view;
    EXPECT_FALSE(state->accessibleDescription().isEmpty()) << view;
    ASSERT_TRUE(state->button()->isVisible()) << view;
    state->button()->click();
    EXPECT_EQ(window_->current_view(), QStringLiteral("start")) << view;
  }
}

TEST_F(NothingTest, TimesWithoutTracesAreNotCalledUnmeasured) {
  open(QStringLiteral("sample:deepbench"));
  ASSERT_TRUE(window_->go(QStringLiteral("timeline")));
  QTest::qWait(10);
  const QString all = words();
  EXPECT_TRUE(all.contains(QStringLiteral("Timed without tracing"))) << all.toStdString();
  EXPECT_FALSE(all.contains(QStringLiteral("not run")));
  EXPECT_TRUE(all.contains(QStringLiteral("rnnadvisor run --cell")));
  for (const auto* tabs : window_->findChildren<QTabBar*>()) EXPECT_FALSE(tabs->isVisible());
  ASSERT_NE(empty(), nullptr);
  empty()->button()->click();
  EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("-o traced.rnnprof")));
  // And where there are tracks they are there.
  open(QStringLiteral("sample:programs/pytorch-gru"));
  ASSERT_TRUE(window_->go(QStringLiteral("timeline")));
  QTest::qWait(10);
  EXPECT_EQ(empty(), nullptr);
}

// While it is read there is no verdict, no tick, and no "nothing to do".
TEST_F(NothingTest, WhatIsBeingReadHasNoVerdict) {
  const auto whole = sample("programs/pytorch-two-layers");
  const auto outline = std::make_shared<const Document>(whole->profile(), test_rules(),
                                                        QStringLiteral("large.rnnprof"), true);
  for (auto* view : window_->findChildren<View*>()) view->set_document(outline);
  window_->findChild<OverviewView*>()->tell_reading(QStringLiteral("Reading kernels … 38 %"));
  for (const char* view : {"overview", "findings", "configuration"}) {
    window_->go(QString::fromUtf8(view));
    QTest::qWait(10);
    const QString all = words();
    EXPECT_FALSE(all.contains(QChar(0x2714))) << all.toStdString();
    EXPECT_FALSE(all.contains(QStringLiteral("passed"))) << all.toStdString();
    if (QString::fromUtf8(view) == QStringLiteral("overview")) {
      EXPECT_TRUE(all.contains(QStringLiteral("Reading kernels … 38 %")));
    }
  }
}

TEST_F(NothingTest, AProfileOfNothingCountsNoRules) {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("empty.rnnprof"));
  ASSERT_TRUE(write_profile(ProfileBuilder().finish(), path.toStdString()).has_value());
  open(path);
  QString all = words();
  EXPECT_TRUE(all.contains(QStringLiteral(".to(\"cuda\")")));
  EXPECT_FALSE(all.contains(QLatin1Char('`')));
  ASSERT_TRUE(window_->go(QStringLiteral("findings")));
  QTest::qWait(10);
  all = words();
  EXPECT_FALSE(all.contains(QStringLiteral("0 verdicts"))) << all.toStdString();
  EXPECT_TRUE(all.contains(QStringLiteral("nothing to judge")));
}

TEST(WhyNot, IsNotAskedOfWhatRuns) {
  ConfigInput input;
  input.config.data_type = DataType::half;
  input.config.math_type = MathType::tensor_op;
  input.config.hidden_size = input.config.input_size = input.config.proj_size = 1024;
  input.config.batch_size = 32;
  const auto device = find_device("h200").value();
  const QString question = QStringLiteral("Why not persist_static?");
  // Nor of what would run if it were asked for.
  const QString all_hold = exploration_limits(explore(input, device, test_rules()), light_theme());
  EXPECT_FALSE(all_hold.contains(question));
  EXPECT_TRUE(all_hold.contains(QStringLiteral("persist_static would run if it were asked for")));
  input.config.hidden_size = 1001;  // no multiple of 8
  EXPECT_TRUE(
      exploration_limits(explore(input, device, test_rules()), light_theme()).contains(question));
  input.config.hidden_size = 1024;
  input.config.algo = Algo::persist_static;
  const auto runs = explore(input, device, test_rules());
  ASSERT_EQ(runs.report().predicted.implementation, model::Implementation::persistent);
  EXPECT_FALSE(exploration_limits(runs, light_theme()).contains(question));
}

TEST(Pictures, HaveTheEndingOfTheKindThatWasChosen) {
  const QString svg = QStringLiteral("SVG (*.svg)"), png = QStringLiteral("PNG (*.png)");
  const auto path = [](const char* name, const QString& filter) {
    return picture_path(QString::fromUtf8(name), filter).toStdString();
  };
  EXPECT_EQ(path("/a/overview.png", svg), "/a/overview.svg");
  EXPECT_EQ(path("/a/overview.SVG", svg), "/a/overview.SVG");
  EXPECT_EQ(path("/a/overview", svg), "/a/overview.svg");
  EXPECT_EQ(path("/a.b/overview", png), "/a.b/overview.png");
  EXPECT_EQ(path("/a/overview.", png), "/a/overview.png");
  EXPECT_EQ(path("/a/overview.svg", png), "/a/overview.png");
  EXPECT_EQ(path("/a/overview.jpg", png), "/a/overview.jpg");
}

struct Ended {
  int status;
  QString words;
};

Ended start_with(const QStringList& arguments) {
  QProcess program;
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  program.setProcessEnvironment(environment);
  program.setProcessChannelMode(QProcess::MergedChannels);
  program.start(QStringLiteral(RNNADVISOR_GUI_PROGRAM), arguments);
  EXPECT_TRUE(program.waitForFinished(60000));
  return {program.exitCode(), QString::fromUtf8(program.readAll())};
}

// docs/guide.md, "Exit status": 2 is wrong usage.
TEST(Arguments, WhatIsWrongEndsWithTwoAndSaysWhatThereIs) {
  QTemporaryDir folder;
  const QString picture = folder.filePath(QStringLiteral("x.png"));
  const QString sample = QStringLiteral("sample:programs/pytorch-two-layers");
  const auto unknown = start_with({QStringLiteral("--bogus")});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(unknown.words.contains(QStringLiteral("bogus")));
  const auto nowhere =
      start_with({QStringLiteral("--screenshot"), QStringLiteral("overview"), picture, sample,
                  QStringLiteral("--at"), QStringLiteral("finding/99")});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_TRUE(nowhere.words.contains(QStringLiteral("finding/99")));
  EXPECT_TRUE(nowhere.words.contains(QStringLiteral("finding/0 to finding/")))
      << nowhere.words.toStdString();
  const auto surplus = start_with({sample, QStringLiteral("another.rnnprof")});
  EXPECT_EQ(surplus.status, 2);
  EXPECT_TRUE(surplus.words.contains(QStringLiteral("another.rnnprof")));
  EXPECT_EQ(start_with({QStringLiteral("--screenshot"), QStringLiteral("overview"), picture, sample,
                        QStringLiteral("more")})
                .status,
            2);
  EXPECT_EQ(start_with({QStringLiteral("--at"), QStringLiteral("finding/0")}).status, 2);
  // What is no place is an error before a window opens.
  for (const auto& [text, said] : {std::pair{"findigns", "did you mean 'findings'?"},
                                   {"foo", "one of start, overview"},
                                   {",,", "names no place"},
                                   {"explorer,hidden_size=many", "hidden_size"}}) {
    const auto ended = start_with(
        {QStringLiteral("sample:ptb-large"), QStringLiteral("--at"), QString::fromUtf8(text)});
    EXPECT_EQ(ended.status, 2) << text;
    EXPECT_TRUE(ended.words.contains(QString::fromUtf8(said))) << ended.words.toStdString();
  }
  const auto beside_nothing = start_with({QStringLiteral("--compare-with"), sample});
  EXPECT_EQ(beside_nothing.status, 2);
  EXPECT_TRUE(beside_nothing.words.contains(QStringLiteral("--compare-with")));
  // A second profile that cannot be read makes no picture.
  const QString broken = folder.filePath(QStringLiteral("broken.rnnprof"));
  QFile empty(broken);
  ASSERT_TRUE(empty.open(QIODevice::WriteOnly));
  empty.close();
  const auto beside_broken =
      start_with({QStringLiteral("--screenshot"), QStringLiteral("compare"), picture, sample,
                  QStringLiteral("--compare-with"), broken});
  EXPECT_EQ(beside_broken.status, 2);
  EXPECT_TRUE(beside_broken.words.contains(QStringLiteral("empty")));
  EXPECT_FALSE(QFile::exists(picture));
  EXPECT_EQ(start_with({QStringLiteral("--screenshot"), QStringLiteral("compare"), picture, sample,
                        QStringLiteral("--compare-with"), sample})
                .status,
            0);
  EXPECT_TRUE(QFile::exists(picture));
  const auto help = start_with({QStringLiteral("--help")});
  EXPECT_EQ(help.status, 0);
  for (const auto& view : MainWindow::view_names()) EXPECT_TRUE(help.words.contains(view));
}

// Without a picture as well: seen by the time of the last reading, where the file system keeps one.
TEST(Arguments, TheProfileFromBeforeIsRead) {
  QTemporaryDir folder;
  const QString sample =
      QStringLiteral(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof");
  const auto long_ago = QDateTime::fromSecsSinceEpoch(1'000'000'000);
  const auto never_read = [&](const QString& name) {
    const QString path = folder.filePath(name);
    EXPECT_TRUE(QFile::copy(sample, path));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadWrite) &&
                file.setFileTime(long_ago, QFileDevice::FileAccessTime));
    return path;
  };
  const auto is_read = [&](const QString& path) {
    return QFileInfo(path).fileTime(QFileDevice::FileAccessTime) != long_ago;
  };
  const QString probe = never_read(QStringLiteral("probe"));
  {
    QFile file(probe);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly) && !file.readAll().isEmpty());
  }
  if (!is_read(probe)) GTEST_SKIP() << "the file system keeps no time of reading";
  const QString after = never_read(QStringLiteral("after.rnnprof")),
                before = never_read(QStringLiteral("before.rnnprof"));
  QProcess program;
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder.path());
  program.setProcessEnvironment(environment);
  program.start(QStringLiteral(RNNADVISOR_GUI_PROGRAM),
                {after, QStringLiteral("--compare-with"), before});
  EXPECT_TRUE(QTest::qWaitFor([&] { return is_read(after) && is_read(before); }, 60000));
  EXPECT_EQ(program.state(), QProcess::Running);
  program.kill();
  EXPECT_TRUE(program.waitForFinished(60000));
}

TEST_F(NothingTest, AMissingPlaceIsReported) {
  Place place;
  place.selection = {ItemKind::finding, 99};
  window_->open(QStringLiteral("sample:programs/pytorch-two-layers"), place);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 30000));
  QTest::qWait(10);
  EXPECT_TRUE(words().contains(QStringLiteral("there is no finding/99"))) << words().toStdString();
}

// A shortcut that closes elsewhere must not open.
TEST_F(NothingTest, KeysAreTheCustomaryOnes) {
  QStringList keys;
  for (const auto* action : window_->findChildren<QAction*>())
    for (const auto& key : action->shortcuts()) keys << key.toString();
  EXPECT_FALSE(keys.contains(QStringLiteral("Ctrl+Shift+W")));
  EXPECT_EQ(keys.count(QStringLiteral("Ctrl+W")), 1);
  EXPECT_EQ(keys.count(QStringLiteral("Ctrl+Shift+N")), 1);
  QStringList twice = keys;
  twice.removeDuplicates();
  EXPECT_EQ(twice.size(), keys.size()) << keys.join(QLatin1Char(' ')).toStdString();
}

}  // namespace
}  // namespace rnnadvisor::gui
