// Places: what a link leads back to, what the session keeps, and where the explorer begins.
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "advisor/facts/framework_call.h"
#include "gui/models/session.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/rules_view.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

const QString split = QStringLiteral("sample:programs/pytorch-two-layers-split");

class PlacesTest : public WindowTest {
 protected:
  ExplorerView* explorer() { return window_->findChild<ExplorerView*>(); }
  CompareView* compare() { return window_->findChild<CompareView*>(); }
  RulesView* rules() { return window_->findChild<RulesView*>(); }
  bool set(const char* key, const char* value) {
    return explorer()->set_parameter(QString::fromUtf8(key), QString::fromUtf8(value));
  }
  void wait_for_comparison() {
    ASSERT_TRUE(QTest::qWaitFor([&] { return !compare()->comparing(); }, 20000));
  }
};

TEST_F(PlacesTest, TheExplorerBeginsWithTheProfile) {
  EXPECT_EQ(explorer()->input().config.hidden_size, 1024);
  open(two_layers);
  const Configuration own = window_->document()->profile().configurations.front();
  EXPECT_EQ(explorer()->input().config, own.config);
  EXPECT_EQ(explorer()->input().program, advisor::input_of(own).program);
  window_->go(QStringLiteral("explorer"));
  EXPECT_TRUE(words().contains(QStringLiteral("From programs/pytorch-two-layers")));
  // Another profile, another configuration …
  open(QStringLiteral("sample:ptb-large"));
  EXPECT_EQ(explorer()->input().config,
            window_->document()->profile().configurations.front().config);
  // … but not in the place of what the user has set.
  ASSERT_TRUE(set("hidden_size", "1016"));
  window_->go(QStringLiteral("explorer"));
  EXPECT_TRUE(words().contains(QStringLiteral("Changed from ")));
  open(two_layers);
  window_->go(QStringLiteral("explorer"));
  EXPECT_EQ(explorer()->input().config.hidden_size, 1016);
  EXPECT_TRUE(words().contains(QStringLiteral("Set by hand")));
  for (auto* label : explorer()->findChildren<QLabel*>())
    emit label->linkActivated(QStringLiteral("profile"));
  EXPECT_EQ(explorer()->input().config, own.config);
}

TEST_F(PlacesTest, ALinkHasWhatWasSetInTheExplorer) {
  open(two_layers);
  window_->go(QStringLiteral("explorer"));
  EXPECT_TRUE(window_->place().explorer.isEmpty());
  ASSERT_TRUE(set("hidden_size", "1000"));
  ASSERT_TRUE(set("seq_lengths", "9,7,3"));
  const auto wanted = explorer()->input();
  const auto place = parse_place(to_string(window_->place()));
  ASSERT_TRUE(place.has_value()) << to_string(window_->place()).toStdString();
  ASSERT_TRUE(set("hidden_size", "512"));
  open(two_layers, *place);
  EXPECT_EQ(explorer()->input().config, wanted.config);
  EXPECT_EQ(explorer()->input().program, wanted.program);
  EXPECT_EQ(window_->place(), *place);
  // Of a sweep, the one that was begun with.
  open(QStringLiteral("sample:guide-figure-10"));
  window_->follow(*parse_link(QStringLiteral("explore:3")));
  const Place third = window_->place();
  EXPECT_TRUE(to_string(third).contains(QStringLiteral("configuration=3")));
  window_->follow(*parse_link(QStringLiteral("explore:0")));
  window_->go_to(third);
  EXPECT_EQ(explorer()->input().config, window_->document()->profile().configurations.at(3).config);
  // A place that the profile does not have gives a message, and nothing changes.
  Place missing = third;
  missing.explorer = {{QStringLiteral("configuration"), QStringLiteral("999")}};
  window_->go_to(missing);
  EXPECT_TRUE(words().contains(QStringLiteral("configuration/999")));
  EXPECT_EQ(explorer()->changes(), third.explorer);
}

TEST_F(PlacesTest, ALinkHasTheChosenRule) {
  open(two_layers);
  window_->go(QStringLiteral("rules"));
  rules()->show_rule(QStringLiteral("launch/host-bound"));
  const QString text = to_string(window_->place());
  EXPECT_TRUE(text.startsWith(QStringLiteral("rules,")) &&
              text.endsWith(QStringLiteral(",rule/launch/host-bound")))
      << text.toStdString();
  rules()->show_rule(QStringLiteral("algorithm/predicted-faster"));
  window_->go_to(*parse_place(text));
  EXPECT_EQ(rules()->shown_rule(), QStringLiteral("launch/host-bound"));
  window_->go_to(*parse_place(QStringLiteral("rules,rule/no/such")));
  EXPECT_TRUE(words().contains(QStringLiteral("no rule no/such")));
}

TEST_F(PlacesTest, ARangeOutsideIsReported) {
  open(two_layers, *parse_place(QStringLiteral("timeline,100s-200s")));
  EXPECT_EQ(window_->current_view(), QStringLiteral("timeline"));
  EXPECT_LE(window_->state()->visible().end_ns, window_->document()->extent().end_ns);
  EXPECT_TRUE(words().contains(QStringLiteral("nothing was recorded from 100 s to 200 s")));
}

// The command that is copied means the same files to a shell.
TEST_F(PlacesTest, TheCopiedCommandIsReadByAShell) {
  QTemporaryDir folder;
  const QString after = folder.filePath(QStringLiteral("it's $HOME after.rnnprof")),
                before = folder.filePath(QStringLiteral("the one before.rnnprof"));
  const QString recorded = QStringLiteral(
      RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers%1.rnnprof");
  ASSERT_TRUE(QFile::copy(recorded.arg(QStringLiteral("-split")), after));
  ASSERT_TRUE(QFile::copy(recorded.arg(QString()), before));
  window_->open(after, std::nullopt, before);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 20000));
  wait_for_comparison();
  for (auto* command : window_->commands()) {
    if (command->shortcut() == QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)) command->trigger();
  }
  const QString copied = QApplication::clipboard()->text();
  const QString program = QStringLiteral("rnnadvisor-gui ");
  ASSERT_TRUE(copied.startsWith(program));
  QProcess shell;
  shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QStringLiteral("printf '%s\\n' ") +
                                                                    copied.mid(program.size())});
  ASSERT_TRUE(shell.waitForFinished());
  EXPECT_EQ(QString::fromUtf8(shell.readAllStandardOutput()).trimmed().split(QLatin1Char('\n')),
            (QStringList{after, QStringLiteral("--at"), to_string(window_->place()),
                         QStringLiteral("--compare-with"), before}))
      << copied.toStdString();
}

TEST_F(PlacesTest, TheSessionKeepsPartnerRuleAndExplorer) {
  window_->open(split, std::nullopt, two_layers);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 20000));
  wait_for_comparison();
  window_->go(QStringLiteral("explorer"));
  ASSERT_TRUE(set("batch_size", "24"));
  window_->go(QStringLiteral("rules"));
  rules()->show_rule(QStringLiteral("launch/host-bound"));
  const Place left = window_->place();
  window_->close();
  set_reopen_choice(Reopen::always);
  window_ = std::make_unique<MainWindow>();
  window_->show();
  window_->begin();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 20000));
  wait_for_comparison();
  EXPECT_EQ(window_->place(), left);
  EXPECT_EQ(explorer()->input().config.batch_size, 24);
  EXPECT_EQ(compare()->partner(), two_layers);
  ASSERT_NE(compare()->model().comparison().before, nullptr);
  EXPECT_EQ(compare()->model().comparison().before->path(), two_layers);
}

// A second copy of a large profile would be as large, and says nothing else.
TEST_F(PlacesTest, ComparedWithItselfAProfileIsReadOnce) {
  open(two_layers);
  const auto holders = window_->document().use_count();
  compare()->compare_with(two_layers);
  EXPECT_FALSE(compare()->comparing());
  window_->go(QStringLiteral("compare"));
  EXPECT_TRUE(words().contains(QStringLiteral("as long as before")));
  EXPECT_GT(window_->document().use_count(), holders);
}

// What the open profile measured is no prediction, and is not "not run".
TEST_F(PlacesTest, TheExplorerKnowsWhatTheProfileMeasured) {
  open(QStringLiteral("sample:deepbench"));
  window_->go(QStringLiteral("explorer"));
  const auto& all = window_->document()->report().configurations;
  const auto expect_measured = [&](std::size_t configuration) {
    const QString said = words();
    EXPECT_FALSE(said.contains(QStringLiteral("Not run"))) << configuration;
    EXPECT_FALSE(said.contains(QStringLiteral("nothing comparable"))) << configuration;
    EXPECT_TRUE(said.contains(format_ms(all[configuration].step_ms()))) << configuration;
    EXPECT_TRUE(said.contains(to_qt(all[configuration].verdict))) << configuration;
  };
  expect_measured(0);
  std::size_t last = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].step_ms() > 0) last = i;
  ASSERT_GT(last, 0U);
  window_->follow(*parse_link(QStringLiteral("explore:%1").arg(last)));
  expect_measured(last);
  // Another size was not measured, and says so.
  ASSERT_TRUE(set("hidden_size", "1234"));
  EXPECT_TRUE(words().contains(QStringLiteral("Not run")));
}

}  // namespace
}  // namespace rnnadvisor::gui
