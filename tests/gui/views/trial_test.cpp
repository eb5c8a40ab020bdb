// Suggestions tried from the window, with a program that stands in for rnnadvisor.
#include <gtest/gtest.h>

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "gui/views/findings_view.h"
#include "gui/views/main_window.h"
#include "gui/views/run_dialog.h"
#include "gui/views/trial_strip.h"
#include "profiler/profile/file.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

const QString two_layers = QStringLiteral("programs/pytorch-two-layers");
// Of its findings that of the stack, the first.
constexpr int split_place = 0;
constexpr int split_change = 1;  // behind the command that needs no change of the code
const FindingKey split_stack{QStringLiteral("pytorch/split-stack"), 0, 0};

class TrialTest : public testing::Test {
 protected:
  void SetUp() override {
    QSettings().clear();
    qputenv("RNNADVISOR", RNNADVISOR_SOURCE_DIR "/tests/gui/stand_in_runner.sh");
    qputenv("STAND_IN_GO", path("go").toUtf8());
    qputenv("STAND_IN_ARGUMENTS", path("arguments").toUtf8());
    for (const auto& each : samples()) {
      if (each.name != two_layers) continue;
      QFile file(path("run.rnnprof"));
      ASSERT_TRUE(file.open(QIODevice::WriteOnly));
      file.write(each.bytes.data(), static_cast<qint64>(each.bytes.size()));
    }
    write_verified();
    window_ = std::make_unique<MainWindow>();
    window_->resize(1280, 780);
    window_->show();
    QApplication::setActiveWindow(window_.get());
    open(path("run.rnnprof"));
    window_->follow(Link::to({ItemKind::finding, split_place}));
  }
  void TearDown() override {
    window_.reset();
    qunsetenv("RNNADVISOR");
    qunsetenv("STAND_IN_ARGUMENTS");
  }
  // As rnnadvisor leaves it: the profile with an experiment more.
  void write_verified() {
    Profile profile = sample("programs/pytorch-two-layers")->profile();
    Experiment made;
    made.configuration = 0;
    made.device = 0;
    made.where = "cudnn";
    made.meaning = "exact";
    made.transforms = R"([{"kind":"split_layers","parameters":{}}])";
    made.verdict = ExperimentVerdict::refuted;  // moves the finding to the end of the list
    ExperimentTiming timing;
    timing.scope = ExperimentScope::training_step;
    timing.before_ms = {2.07, 2.05, 2.09, 0.95, 30};
    timing.after_ms = {2.88, 2.84, 2.91, 0.95, 30};
    timing.speedup = 0.72;
    timing.speedup_low = 0.7;
    timing.speedup_high = 0.74;
    timing.control_low = 0.99;
    timing.control_high = 1.01;
    made.timings = {timing};
    made.memory_before = 100 << 20;
    made.memory_after = 60 << 20;
    made.shifts = {{"dx", 2.1e-4, -1, -1}};
    profile.experiments = {made};
    ASSERT_TRUE(write_profile(profile, path("made.rnnprof").toStdString(), true).has_value());
    qputenv("STAND_IN_PROFILE", path("made.rnnprof").toUtf8());
  }
  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
  void open(const QString& file) {
    window_->open(file);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 30000));
    QTest::qWait(20);
  }
  void touch(const char* name) {
    QFile file(path(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  }
  QByteArray arguments() {
    QFile file(path("arguments"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  void start(const char* what) {
    qputenv("STAND_IN", what);
    window_->follow(*parse_link(QStringLiteral("trial:0/1")));
  }
  FindingsView* findings() { return window_->findChild<FindingsView*>(); }
  QString page() { return findings()->page()->toPlainText().remove(QChar(0x200b)); }
  bool page_says(const char* words) {
    return QTest::qWaitFor([&] { return page().contains(QString::fromUtf8(words)); }, 20000);
  }
  QString notice() {
    for (const auto* label :
         window_->findChild<QFrame*>(QStringLiteral("notice"))->findChildren<QLabel*>())
      if (label->isVisible()) return label->text();
    return {};
  }
  QPushButton* button(const QString& text) {
    for (auto* each : window_->findChildren<QPushButton*>())
      if (each->isVisible() && each->text() == text) return each;
    return nullptr;
  }
  void picture(const char* name) {
    const QString folder = qEnvironmentVariable("RNNADVISOR_PICTURES");
    if (folder.isEmpty()) return;
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
      window_->set_theme_choice(choice);
      QTest::qWait(30);
      window_->grab().save(QDir(folder).filePath(
          QString::fromUtf8(name) +
          (choice == ThemeChoice::dark ? QStringLiteral("-dark.png") : QStringLiteral(".png"))));
    }
  }
  bool opened(const char* file) {
    return QTest::qWaitFor(
        [&] { return window_->document()->path() == path(file) && !window_->loading(); }, 30000);
  }
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

TEST_F(TrialTest, OpensWhatCameOfItAtTheSameFinding) {
  EXPECT_TRUE(page().contains(QStringLiteral("Try it")));
  picture("trial-idle");
  start("step");
  EXPECT_TRUE(page().contains(QStringLiteral("Being tried on the GPU")));
  auto* strip = findings()->strip();
  EXPECT_TRUE(strip->isVisible());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return strip->text()->text().contains(QStringLiteral("gnmt")); }, 20000));
  picture("trial-running");
  // It survives a look elsewhere and a change of theme, and there is one at a time.
  window_->go(QStringLiteral("overview"));
  window_->go(QStringLiteral("findings"));
  window_->try_suggestion(split_place, split_change);
  window_->new_run();
  EXPECT_TRUE(window_->findChildren<RunDialog*>().isEmpty());
  EXPECT_TRUE(notice().contains(QStringLiteral("being tried")));
  touch("go");
  touch("go.end");
  ASSERT_TRUE(opened("run.verified.rnnprof"));
  EXPECT_EQ(arguments().count('\n'), 1);
  const QByteArray wanted =
      "advise " + path("run.rnnprof").toUtf8() + " --verify -o " +
      path("run.verified.rnnprof").toUtf8() +
      " --rule pytorch/split-stack --configuration #0 --change split_layers --budget 20\n";
  EXPECT_EQ(arguments().toStdString(), wanted.toStdString());
  EXPECT_TRUE(QFileInfo::exists(path("run.rnnprof")));
  EXPECT_FALSE(strip->isVisible());
  // The same finding, at another place in the list.
  const int shown = findings()->shown_finding();
  EXPECT_GT(shown, split_place);
  EXPECT_EQ(shown, find_finding(*window_->document(), split_stack));
  EXPECT_EQ(window_->current_view(), QStringLiteral("findings"));
  for (const char* part : {"Tried: refuted", "0.72× (0.70 to 0.74)", "2.07 ms", "2.88 ms",
                           "saves 40.0 MiB", "dx 2.1e-04"})
    EXPECT_TRUE(page().contains(QString::fromUtf8(part))) << part << page().toStdString();
  EXPECT_TRUE(window_->windowTitle().contains(QStringLiteral("run.verified")));
  EXPECT_TRUE(notice().contains(QStringLiteral("run.rnnprof is as it was")))
      << notice().toStdString();
  picture("trial-tried");
  // And back.
  auto* back = button(QStringLiteral("Back to run.rnnprof"));
  ASSERT_NE(back, nullptr);
  back->click();
  ASSERT_TRUE(opened("run.rnnprof"));
  EXPECT_EQ(findings()->shown_finding(), split_place);
}

TEST_F(TrialTest, SaysWhyItCannotBeTriedAndWhatToDo) {
  start("fail");
  ASSERT_TRUE(page_says("It could not be tried. No GPU can be used: no driver."));
  EXPECT_TRUE(page().contains(QStringLiteral("Run it where there is one.")));
  EXPECT_FALSE(findings()->strip()->isVisible());
  EXPECT_EQ(window_->document()->path(), path("run.rnnprof"));
  const QString command = QStringLiteral(
      "rnnadvisor advise run.rnnprof --verify --rule pytorch/split-stack --configuration '#0' "
      "--change split_layers --budget 20 -o run.verified.rnnprof");
  EXPECT_TRUE(page().contains(command)) << page().toStdString();
  window_->follow(*parse_link(QStringLiteral("trial:command")));
  EXPECT_EQ(QApplication::clipboard()->text(), command);
  picture("trial-failed");
  start("finish");  // once there is one
  EXPECT_TRUE(opened("run.verified.rnnprof"));
}

TEST_F(TrialTest, SaysThatThereIsNoProgram) {
  qputenv("RNNADVISOR", path("no such program").toUtf8());
  start("finish");
  ASSERT_TRUE(page_says("It could not be tried."));
  EXPECT_TRUE(page().contains(QStringLiteral("could not be started"))) << page().toStdString();
  EXPECT_TRUE(page().contains(QStringLiteral("Copy the command")));
  EXPECT_FALSE(window_->trial()->running());
  EXPECT_FALSE(TrialRun::any_running());
}

TEST_F(TrialTest, SaysThatThereWasNothingToTry) {
  start("nothing");
  ASSERT_TRUE(page_says("found nothing to try"));
  EXPECT_TRUE(page().contains(QStringLiteral("--dry-run")));
  EXPECT_FALSE(QFileInfo::exists(path("run.verified.rnnprof")));
}

TEST_F(TrialTest, IsCancelledByTheKeyboard) {
  auto* page = findings()->page();
  page->setFocus();
  qputenv("STAND_IN", "hang");
  const auto link = [&] { return page->textCursor().charFormat().anchorHref(); };
  constexpr int most_links = 40;
  for (int n = 0; n < most_links && link() != QStringLiteral("trial:0/1"); ++n)
    QTest::keyClick(page, Qt::Key_Tab);
  ASSERT_EQ(link(), QStringLiteral("trial:0/1"));
  QTest::keyClick(page, Qt::Key_Return);
  ASSERT_TRUE(window_->trial()->running());
  auto* cancel = findings()->strip()->cancel_button();
  EXPECT_EQ(QApplication::focusWidget(), cancel);
  EXPECT_FALSE(QAccessible::queryAccessibleInterface(cancel)->text(QAccessible::Name).isEmpty());
  QTest::qWait(500);  // until the trap is set
  QTest::keyClick(cancel, Qt::Key_Space);
  ASSERT_TRUE(page_says("Cancelled. What was measured until then is in"));
  EXPECT_EQ(window_->document()->path(), path("run.rnnprof"));
  EXPECT_EQ(QApplication::focusWidget(), page);
  ASSERT_NE(button(QStringLiteral("Open it")), nullptr);
  button(QStringLiteral("Open it"))->click();
  EXPECT_TRUE(opened("run.verified.rnnprof"));
}

TEST_F(TrialTest, LeavesAnotherProfileWhereItIs) {
  start("step");
  open(QStringLiteral("sample:guide-figure-10"));
  EXPECT_FALSE(page().contains(QStringLiteral("Being tried")));
  touch("go");
  touch("go.end");
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return notice().contains(QStringLiteral("run.verified.rnnprof")); }, 20000));
  EXPECT_EQ(window_->document()->path(), QStringLiteral("sample:guide-figure-10"));
  button(QStringLiteral("Open it"))->click();
  EXPECT_TRUE(opened("run.verified.rnnprof"));
}

TEST_F(TrialTest, TriesOneInAllWindows) {
  start("hang");
  MainWindow other;
  other.open(path("run.rnnprof"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !other.loading(); }, 30000));
  other.try_suggestion(split_place, split_change);
  EXPECT_EQ(other.trial()->state().is, TrialState::Is::failed);
  EXPECT_TRUE(other.trial()->state().problem.contains(QStringLiteral("Another window")));
  window_.reset();  // ends what it runs
  EXPECT_FALSE(TrialRun::any_running());
}

// A sample is no file: it is written to one, which rnnadvisor reads.
TEST_F(TrialTest, TriesASample) {
  open(QStringLiteral("sample:") + two_layers);
  window_->follow(Link::to({ItemKind::finding, split_place}));
  const QString data =
      QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/tried/");
  QFile::remove(data + QStringLiteral("pytorch-two-layers.verified.rnnprof"));
  start("finish");
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        return window_->document()->path() ==
                   data + QStringLiteral("pytorch-two-layers.verified.rnnprof") &&
               !window_->loading();
      },
      30000));
  EXPECT_TRUE(read_profile((data + QStringLiteral("pytorch-two-layers.rnnprof")).toStdString())
                  .has_value());
  EXPECT_EQ(findings()->shown_finding(), find_finding(*window_->document(), split_stack));
}

// A finding of the user's own card is tried with that card.
TEST_F(TrialTest, TakesTheUsersRulesAlong) {
  ASSERT_TRUE(QDir(folder_.path()).mkdir(QStringLiteral("cards")));
  QSettings().setValue(QStringLiteral("rules"), path("cards"));
  window_ = std::make_unique<MainWindow>();
  window_->show();
  open(path("run.rnnprof"));
  window_->follow(Link::to({ItemKind::finding, split_place}));
  start("fail");
  ASSERT_TRUE(page_says("It could not be tried."));
  EXPECT_TRUE(arguments().contains(" --rules " + path("cards").toUtf8()))
      << arguments().toStdString();
}

// Another view is left alone, and told of it.
TEST_F(TrialTest, LeavesTheViewWhereItIs) {
  start("step");
  window_->go(QStringLiteral("timeline"));
  touch("go");
  touch("go.end");
  ASSERT_TRUE(opened("run.verified.rnnprof"));
  EXPECT_EQ(window_->current_view(), QStringLiteral("timeline"));
  ASSERT_NE(button(QStringLiteral("Show it")), nullptr);
  button(QStringLiteral("Show it"))->click();
  EXPECT_EQ(window_->current_view(), QStringLiteral("findings"));
  EXPECT_EQ(findings()->shown_finding(), find_finding(*window_->document(), split_stack));
}

// The program itself with a GPU that is made up: what the window asks for is what it understands,
// and what it writes is found again.
TEST_F(TrialTest, TheProgramItselfTriesIt) {
  qputenv("RNNADVISOR", RNNADVISOR_STUB_PROGRAM);
  qputenv("RNNADVISOR_STUB_GPU", "1");
  start("");
  EXPECT_TRUE(opened("run.verified.rnnprof")) << page().toStdString();
  qunsetenv("RNNADVISOR_STUB_GPU");
  const auto& document = *window_->document();
  EXPECT_FALSE(document.profile().experiments.empty());
  const int finding = find_finding(document, split_stack);
  ASSERT_GE(finding, 0);
  EXPECT_EQ(findings()->shown_finding(), finding);
  const auto& found = document.judgement().findings[static_cast<std::size_t>(finding)];
  ASSERT_TRUE(found.suggestions[split_change].trial.has_value());
  EXPECT_TRUE(page().contains(QStringLiteral("Tried: "))) << page().toStdString();
}

// In PyTorch itself: another link, a longer budget, and the option that asks for it.
TEST_F(TrialTest, TriesItInPyTorch) {
  EXPECT_TRUE(page().contains(QStringLiteral("Try it in PyTorch")));
  picture("trial-torch");
  qputenv("STAND_IN", "finish");
  window_->follow(*parse_link(QStringLiteral("torch:0/1")));
  ASSERT_TRUE(opened("run.verified.rnnprof"));
  EXPECT_TRUE(arguments().contains("--change split_layers --budget 60 --torch\n"))
      << arguments().toStdString();
}

// The program itself, where there is no GPU: status 3 and its reason.
TEST_F(TrialTest, TheProgramItselfSaysWhatIsMissing) {
  qputenv("RNNADVISOR", RNNADVISOR_PROGRAM);
  qputenv("CUDA_VISIBLE_DEVICES", "");
  start("");
  ASSERT_TRUE(page_says("It could not be tried."));
  qunsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_TRUE(page().contains(QStringLiteral("--verify needs"))) << page().toStdString();
}

}  // namespace
}  // namespace rnnadvisor::gui
