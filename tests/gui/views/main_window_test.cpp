#include "gui/views/main_window.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "core/model/time_for_device.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/palette.h"
#include "gui/views/parts.h"
#include "gui/views/problem_card.h"
#include "gui/views/rules_view.h"
#include "gui/views/start_view.h"
#include "tests/effort.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class MainWindowTest : public WindowTest {
 protected:
  template <class T>
  T* find() {
    return window_->findChild<T*>();
  }
};

TEST_F(MainWindowTest, BeginsAtTheStart) {
  EXPECT_EQ(window_->current_view(), QStringLiteral("start"));
  EXPECT_EQ(window_->document(), nullptr);
  // Every view can be looked at without a profile.
  for (const auto& view : MainWindow::view_names()) {
    EXPECT_TRUE(window_->go(view)) << view.toStdString();
    window_->grab();
  }
  EXPECT_FALSE(window_->go(QStringLiteral("elsewhere")));
}

TEST_F(MainWindowTest, ShowsEverySampleInEveryView) {
  for (std::size_t index = 0;
       const char* name : {"programs/pytorch-two-layers", "programs/pytorch-native-fallback",
                           "guide-figure-10", "planted-failures"}) {
    if (test::left_out(index++, 2)) continue;
    open(QStringLiteral("sample:") + QString::fromUtf8(name));
    ASSERT_NE(window_->document(), nullptr);
    EXPECT_EQ(window_->current_view(), QStringLiteral("overview"));
    for (const auto& view : MainWindow::view_names()) {
      window_->go(view);
      for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        window_->set_theme_choice(choice);
        EXPECT_FALSE(window_->grab().isNull());
      }
    }
  }
}

// The sentences that the walk-through in docs/window.md sets in italics.
QStringList quotes_of_the_walk() {
  QFile file(QStringLiteral(RNNADVISOR_SOURCE_DIR "/docs/window.md"));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  QString text = QString::fromUtf8(file.readAll());
  text = text.mid(text.indexOf(QStringLiteral("1. **Overview**")));
  text = text.left(text.indexOf(QStringLiteral("![The overview]"))).simplified();
  static const QRegularExpression italics(QStringLiteral("(?<!\\*)\\*([^*]+)\\*(?!\\*)"));
  QStringList found;
  for (auto each = italics.globalMatch(text); each.hasNext();) found << each.next().captured(1);
  return found;
}

// Presses the middle of these words on the page, as a person does.
void click_words(PageBrowser& page, const QString& words) {
  QTextCursor cursor = page.document()->find(words.left(24));
  ASSERT_FALSE(cursor.isNull()) << words.toStdString();
  cursor.setPosition(cursor.selectionStart() + 4);
  QTest::mouseClick(page.viewport(), Qt::LeftButton, {}, page.cursorRect(cursor).center());
}

// The walk-through of the two-layer PyTorch sample: from the verdict to the cause, its evidence and
// the fix.
TEST_F(MainWindowTest, LeadsFromTheVerdictToTheFix) {
  window_->set_predict_for(model::predict_time_for);  // as the program does
  open(two_layers);
  // What the walk-through quotes is what the window says.
  const QStringList quoted = quotes_of_the_walk();
  const auto& report = window_->document()->report();
  ASSERT_GE(quoted.size(), 3);
  EXPECT_EQ(quoted[0].toStdString(), report.headline);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(quoted[i + 1].chopped(1).toStdString(),
              report.actions.at(static_cast<std::size_t>(i)).first().title);
  // What a command can do stands first; behind it that the program waits for launches.
  EXPECT_EQ(window_->document()->judgement().findings.front().rule_id, "pytorch/split-stack");
  const auto press_rail = [&](const char* title) {
    for (auto* button : window_->findChildren<QToolButton*>(QStringLiteral("rail_button"))) {
      if (button->text() == QString::fromUtf8(title)) QTest::mouseClick(button, Qt::LeftButton);
    }
  };
  press_rail("Overview");
  EXPECT_EQ(window_->current_view(), QStringLiteral("overview"));
  // The first of what to do, clicked where it stands.
  for (auto* page : window_->findChildren<PageBrowser*>()) {
    if (page->isVisible() && page->accessibleName() == QStringLiteral("What to do first"))
      click_words(*page, to_qt(report.actions.at(0).first().title));
  }
  EXPECT_EQ(window_->current_view(), QStringLiteral("findings"));
  auto* findings = find<FindingsView>();
  EXPECT_EQ(findings->shown_finding(), 0);
  EXPECT_TRUE(findings->page()->toPlainText().contains(
      QStringLiteral("A stack of layers keeps PyTorch from its persistent kernels")));

  window_->follow(*parse_link(QStringLiteral("copy:0/1")));
  EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("torch.nn.ModuleList")))
      << QApplication::clipboard()->text().toStdString();

  window_->follow(*parse_link(QStringLiteral("evidence:0")));
  EXPECT_EQ(window_->current_view(), QStringLiteral("timeline"));
  const auto& finding = window_->document()->judgement().findings.at(0);
  EXPECT_EQ(window_->state()->highlighted().size(), finding.calls.size() + finding.kernels.size());
  const auto first = window_->document()->range_of({ItemKind::call, finding.calls.front()});
  EXPECT_LE(window_->state()->visible().begin_ns, first.begin_ns);

  window_->follow(*parse_link(QStringLiteral("explore:0/0/1")));
  EXPECT_EQ(window_->current_view(), QStringLiteral("explorer"));
  ASSERT_TRUE(find<ExplorerView>()->held().has_value());
  EXPECT_EQ(find<ExplorerView>()->held()->config().num_layers, 2);
  const auto& now = find<ExplorerView>()->exploration();
  EXPECT_EQ(now.config().num_layers, 1);
  // Two layers against two layers, not against the first of them.
  EXPECT_EQ(now.calls, 2);
  const auto& held = *find<ExplorerView>()->held();
  for (std::size_t i = 0; i < now.phases.size(); ++i)
    EXPECT_NEAR(static_cast<double>(now.phases[i].cost.gemm_flops),
                static_cast<double>(held.phases[i].cost.gemm_flops), 1.0);
  EXPECT_TRUE(find<ExplorerView>()->table_text().contains(QStringLiteral("2 calls")));
  // PyTorch itself then asks for a persistent algorithm: that is the point of the change.
  EXPECT_TRUE(now.framework_chooses);
  EXPECT_EQ(now.config().algo, Algo::persist_static);
  EXPECT_EQ(now.report().predicted.implementation, model::Implementation::persistent);

  // The recording after the change beside that before it.
  const double traced_ms = 2.88, before_ms = 12.8;  // as the walk-through says
  open(QStringLiteral("sample:programs/pytorch-two-layers-split"));
  press_rail("Compare");
  auto* compare = find<CompareView>();
  compare->compare_with(two_layers);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !compare->comparing(); }, 20000));
  const auto& step = compare->model().comparison().step;
  ASSERT_TRUE(step.has_value());
  EXPECT_NEAR(step->before_ms.median, before_ms, 0.05);
  EXPECT_NEAR(step->after_ms.median, traced_ms, 0.005);
  EXPECT_TRUE(words().contains(QStringLiteral("faster")));
}

TEST_F(MainWindowTest, SelectionLinksBothWays) {
  open(two_layers);
  auto* findings = find<FindingsView>();
  window_->go(QStringLiteral("findings"));
  // The list selects in the state that all panels share …
  findings->list()->setFocus();
  QTest::keyClick(findings->list(), Qt::Key_Down);
  const Item second = window_->state()->selection();
  EXPECT_EQ(second.kind, ItemKind::finding);
  EXPECT_NE(second.index, 0);
  EXPECT_EQ(findings->shown_finding(), second.index);
  // … and follows it.
  window_->state()->select({ItemKind::finding, 0});
  EXPECT_EQ(findings->shown_finding(), 0);
  EXPECT_EQ(findings->list()->currentIndex().row(), 0);
  window_->state()->back();
  EXPECT_EQ(findings->shown_finding(), second.index);
}

TEST_F(MainWindowTest, BackLeadsToTheViewThatWasLeft) {
  open(two_layers);
  auto* back = window_->findChild<QAction*>(QStringLiteral("back"));
  auto* forward = window_->findChild<QAction*>(QStringLiteral("forward"));
  ASSERT_TRUE(back != nullptr && forward != nullptr);
  EXPECT_FALSE(back->isEnabled());  // where the file was opened is where going back ends
  window_->follow(Link::to({ItemKind::finding, 1}));
  const Place finding = window_->place();
  window_->follow(*parse_link(QStringLiteral("evidence:1")));
  const Place evidence = window_->place();
  EXPECT_EQ(evidence.view, QStringLiteral("timeline"));
  back->trigger();
  EXPECT_EQ(window_->place(), finding);
  back->trigger();
  EXPECT_EQ(window_->current_view(), QStringLiteral("overview"));
  EXPECT_FALSE(back->isEnabled());
  forward->trigger();
  forward->trigger();
  EXPECT_EQ(window_->place(), evidence);
}

// A button takes its icon from its action when that is enabled, which must not be that of the other
// theme.
TEST_F(MainWindowTest, IconsOfToolsFollowTheTheme) {
  const auto brightness = [](const QToolButton& tool) {
    const QImage icon = tool.icon().pixmap(18, 18).toImage().convertToFormat(QImage::Format_ARGB32);
    double sum = 0, weight = 0;
    for (int y = 0; y < icon.height(); ++y) {
      for (int x = 0; x < icon.width(); ++x) {
        const QRgb pixel = icon.pixel(x, y);
        sum += qGray(pixel) * qAlpha(pixel);
        weight += qAlpha(pixel);
      }
    }
    return weight > 0 ? sum / weight : -1;
  };
  open(two_layers);
  for (const bool dark : {true, false, true}) {
    window_->set_theme_choice(dark ? ThemeChoice::dark : ThemeChoice::light);
    window_->follow(Link::to({ItemKind::finding, dark ? 1 : 0}));
    window_->state()->back();
    window_->state()->forward();
    int tools = 0;
    for (const auto* tool : window_->findChildren<QToolButton*>(QStringLiteral("tool"))) {
      if (tool->defaultAction() == nullptr) continue;
      ++tools;
      const double seen = brightness(*tool);
      EXPECT_TRUE(dark ? seen > 128 : seen >= 0 && seen < 128)
          << tool->accessibleName().toStdString() << ' ' << seen;
    }
    EXPECT_GE(tools, 6);
  }
}

TEST_F(MainWindowTest, AKernelIsBroughtIntoView) {
  open(two_layers);
  window_->state()->set_visible(
      {window_->document()->extent().begin_ns, window_->document()->extent().begin_ns + 1000});
  window_->follow(Link::to({ItemKind::kernel, 5000}));
  EXPECT_EQ(window_->current_view(), QStringLiteral("timeline"));
  const auto range = window_->document()->range_of({ItemKind::kernel, 5000});
  EXPECT_LE(window_->state()->visible().begin_ns, range.begin_ns);
  EXPECT_GE(window_->state()->visible().end_ns, range.end_ns);
  EXPECT_EQ(window_->state()->selection(), (Item{ItemKind::kernel, 5000}));
}

TEST_F(MainWindowTest, OpensAtAPlaceAndTellsIt) {
  open(two_layers);
  const auto document = window_->document();
  const auto call = document->range_of({ItemKind::call, 3});
  const auto origin = document->extent().begin_ns;
  const Place at{QStringLiteral("timeline"),
                 TimeRange{call.begin_ns - origin - 1'000'000, call.end_ns - origin + 1'000'000},
                 {ItemKind::call, 3}};
  open(two_layers, at);
  EXPECT_EQ(window_->place(), at);
  EXPECT_EQ(parse_place(to_string(window_->place())).value(), at);
}

TEST_F(MainWindowTest, WhatCannotBeOpenedIsExplained) {
  QTemporaryDir folder;
  const auto write = [&](const char* name, const QByteArray& bytes) {
    const QString path = folder.filePath(QString::fromUtf8(name));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return path;
  };
  // Of a version without a checksum, which would be the first to be told.
  QFile whole(QStringLiteral(RNNADVISOR_SOURCE_DIR "/tests/data/rnnprof/ptb-large-v1.rnnprof"));
  ASSERT_TRUE(whole.open(QIODevice::ReadOnly));
  const QByteArray bytes = whole.readAll();
  QByteArray newer = bytes;
  newer[63] = 99;  // user_version, big endian at 60
  const std::vector<std::pair<QString, QString>> files = {
      {write("cut.rnnprof", bytes.left(bytes.size() / 2)), QStringLiteral("cut off")},
      {write("empty.rnnprof", {}), QStringLiteral("empty")},
      {write("text.rnnprof", "hello"), QStringLiteral("text")},
      {write("newer.rnnprof", newer), QStringLiteral("schema version 99")},
      {folder.filePath(QStringLiteral("missing.rnnprof")), QStringLiteral("No such file")}};
  for (const auto& [path, said_of_it] : files) {
    open(path);
    EXPECT_EQ(window_->document(), nullptr);
    EXPECT_EQ(window_->current_view(), QStringLiteral("start"));
    bool said = false;
    for (const auto* label : find<StartView>()->findChildren<QLabel*>())
      said = said || (label->isVisible() && label->text().contains(said_of_it));
    EXPECT_TRUE(said) << said_of_it.toStdString();
  }
  // The second of two is explained as the first is, and can be left again.
  open(two_layers);
  auto* compare = find<CompareView>();
  window_->go(QStringLiteral("compare"));
  for (const auto& [path, said] : files) {
    compare->compare_with(path);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !compare->comparing(); }, 20000));
    EXPECT_TRUE(compare->problem().has_value());
    auto* card = compare->findChild<ProblemCard*>();
    ASSERT_TRUE(card != nullptr && card->isVisible()) << path.toStdString();
    EXPECT_EQ(card->problem()->path, path);
    EXPECT_TRUE(words().contains(said)) << said.toStdString();
    EXPECT_FALSE(words().contains(QStringLiteral("remedy:")));
  }
  compare->compare_with(two_layers);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !compare->comparing(); }, 20000));
  EXPECT_FALSE(compare->problem().has_value());
  EXPECT_NE(compare->model().comparison().before, nullptr);
  // With a profile open, it stays.
  open(two_layers);
  open(files.front().first);
  EXPECT_NE(window_->document(), nullptr);
  EXPECT_EQ(window_->current_view(), QStringLiteral("overview"));
}

TEST_F(MainWindowTest, OpeningCanBeCancelled) {
  window_->open(QStringLiteral("sample:deepbench"));
  EXPECT_TRUE(window_->loading());
  for (auto* button : window_->findChildren<QPushButton*>()) {
    if (button->isVisible() && button->text() == QStringLiteral("Cancel")) button->click();
  }
  EXPECT_FALSE(window_->loading());
  QTest::qWait(200);
  EXPECT_EQ(window_->document(), nullptr);
}

TEST_F(MainWindowTest, PaletteFindsAndRuns) {
  CommandPalette palette(window_->commands(), window_.get());
  palette.show();
  QTest::keyClicks(palette.line(), QStringLiteral("rules"));
  ASSERT_GT(palette.list()->count(), 0);
  EXPECT_TRUE(palette.list()->item(0)->text().startsWith(QStringLiteral("Rules")));
  QTest::keyClick(palette.line(), Qt::Key_Return);
  EXPECT_EQ(window_->current_view(), QStringLiteral("rules"));
}

TEST(MatchScore, PrefersBeginningsOfWords) {
  EXPECT_EQ(match_score(QStringLiteral("xyz"), QStringLiteral("Open")), 0);
  EXPECT_GT(match_score(QStringLiteral("exp"), QStringLiteral("Explorer")),
            match_score(QStringLiteral("exp"), QStringLiteral("One extra step")));
  EXPECT_GT(match_score({}, QStringLiteral("Open")), 0);
}

TEST_F(MainWindowTest, EveryControlHasAName) {
  open(two_layers);
  for (const auto& view : MainWindow::view_names()) {
    window_->go(view);
    for (const auto* widget : window_->findChildren<QWidget*>()) {
      if (!widget->isVisible() || (widget->focusPolicy() & Qt::TabFocus) == 0) continue;
      if (widget->inherits("QAbstractButton")) {
        const auto* button = static_cast<const QAbstractButton*>(widget);
        EXPECT_FALSE(button->text().isEmpty() && button->accessibleName().isEmpty())
            << view.toStdString() << ' ' << widget->metaObject()->className();
      } else if (widget->inherits("QAbstractItemView") || widget->inherits("QLineEdit") ||
                 widget->inherits("QComboBox")) {
        if (widget->parentWidget() != nullptr &&
            widget->parentWidget()->inherits("QAbstractSpinBox"))
          continue;
        EXPECT_FALSE(widget->accessibleName().isEmpty())
            << view.toStdString() << ' ' << widget->metaObject()->className() << " in "
            << widget->parentWidget()->metaObject()->className();
      }
    }
  }
}

TEST_F(MainWindowTest, FitsASmallWindowInBothDirections) {
  open(two_layers);
  for (const auto direction : {Qt::LeftToRight, Qt::RightToLeft}) {
    window_->setLayoutDirection(direction);
    for (const auto& view : MainWindow::view_names()) {
      window_->go(view);
      window_->resize(1280, 720);
      QTest::qWait(1);
      EXPECT_LE(window_->width(), 1280) << view.toStdString();
      EXPECT_LE(window_->height(), 720) << view.toStdString();
      EXPECT_LE(window_->minimumSizeHint().width(), 1280) << view.toStdString();
    }
  }
}

TEST_F(MainWindowTest, RulesOfTheUserAreReadAndReadAgain) {
  QTemporaryDir folder;
  const QString card = folder.filePath(QStringLiteral("mine.toml"));
  const auto write = [&](const QString& title) {
    QFile file(card);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QStringLiteral("id = \"mine\"\ntitle = \"%1\"\nseverity = \"info\"\n"
                              "confidence = \"heuristic\"\nconsequence = \"none\"\n"
                              "when = { fact = \"call.batch_size\", at_least = 1 }\n"
                              "message = \"m\"\n[[citation]]\nsource = \"s\"\ntag = \"I\"\n")
                   .arg(title)
                   .toUtf8());
  };
  write(QStringLiteral("First title"));
  QSettings().setValue(QStringLiteral("rules"), folder.path());
  window_ = std::make_unique<MainWindow>();
  window_->show();
  auto* rules = find<RulesView>();
  window_->go(QStringLiteral("rules"));
  rules->show_rule(QStringLiteral("user/mine"));
  EXPECT_TRUE(rules->page()->toPlainText().contains(QStringLiteral("First title")))
      << rules->page()->toPlainText().left(200).toStdString();
  write(QStringLiteral("Second title"));
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return rules->page()->toPlainText().contains(QStringLiteral("Second title")); }, 5000));
}

}  // namespace
}  // namespace rnnadvisor::gui
