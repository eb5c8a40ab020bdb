#include "gui/views/run_dialog.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "core/config/fields.h"
#include "gui/models/document.h"
#include "gui/views/config_form.h"
#include "gui/views/run_page.h"
#include "gui/views/style.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::gui {
namespace {

class RunDialogTest : public testing::Test {
 protected:
  void SetUp() override {
    qputenv("STAND_IN_PROFILE", RNNADVISOR_SOURCE_DIR "/samples/recorded/ptb-large.rnnprof");
    qputenv("STAND_IN_GO", folder_.filePath(QStringLiteral("go")).toUtf8());
    dialog_.set_runner(QStringLiteral(RNNADVISOR_SOURCE_DIR "/tests/gui/stand_in_runner.sh"));
    dialog_.output()->setText(folder_.filePath(QStringLiteral("new.rnnprof")));
    dialog_.setStyleSheet(style_sheet_of(light_theme()));
    dialog_.show();
  }
  static bool says(const QLabel* label, const char* words) {
    return QTest::qWaitFor(
        [&] { return label->isVisible() && label->text().contains(QString::fromUtf8(words)); },
        20000);
  }
  bool state_says(const char* words) { return says(dialog_.run_page()->state(), words); }
  void touch(const char* name) {
    QFile file(folder_.filePath(QString::fromUtf8(name)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  }
  QPushButton* button(const char* text) {
    for (auto* each : dialog_.findChildren<QPushButton*>())
      if (each->isVisible() && each->text() == QString::fromUtf8(text)) return each;
    return nullptr;
  }
  void picture(const char* name) {
    const QString folder = qEnvironmentVariable("RNNADVISOR_PICTURES");
    if (folder.isEmpty()) return;
    for (const bool dark : {false, true}) {
      const Theme theme = dark ? dark_theme() : light_theme();
      dialog_.setPalette(palette_of(theme));
      QApplication::setPalette(palette_of(theme));
      dialog_.setStyleSheet(style_sheet_of(theme));
      QTest::qWait(30);
      dialog_.grab().save(QDir(folder).filePath(
          QString::fromUtf8(name) + (dark ? QStringLiteral("-dark.png") : QStringLiteral(".png"))));
    }
  }
  QTemporaryDir folder_;
  RunDialog dialog_{ConfigInput{}};
};

TEST_F(RunDialogTest, RunsAConfiguration) {
  qputenv("STAND_IN", "finish");
  QSignalSpy recorded(&dialog_, &RunDialog::recorded);
  dialog_.start();
  ASSERT_TRUE(recorded.wait(20000));
  EXPECT_EQ(recorded.at(0).at(0).toString(), dialog_.output()->text());
  EXPECT_EQ(dialog_.result(), QDialog::Accepted);
}

// Every parameter has a control of its kind, and what is typed becomes the configuration.
TEST_F(RunDialogTest, HasAControlForEveryParameter) {
  visit_config_fields([&]<class T>(std::string_view key, T RnnConfig::*, std::string_view) {
    const QWidget* control = dialog_.form()->control(key);
    ASSERT_NE(control, nullptr) << key;
    if constexpr (std::is_enum_v<T>) {
      EXPECT_TRUE(control->inherits("QComboBox")) << key;
    }
    if constexpr (std::is_same_v<T, int>) {
      EXPECT_TRUE(control->inherits("QSpinBox")) << key;
    }
    EXPECT_FALSE(control->accessibleDescription().isEmpty()) << key;
  });
  static_cast<QSpinBox*>(dialog_.form()->control("hidden_size"))->setValue(777);
  static_cast<QComboBox*>(dialog_.form()->control("data_type"))
      ->setCurrentText(QStringLiteral("double"));
  EXPECT_EQ(dialog_.configuration().config.hidden_size, 777);
  EXPECT_EQ(dialog_.configuration().config.math_precision, DataType::float64);
  picture("run-form");
}

// With programs that stand in for ssh, which runs the line here, and for scp.
TEST_F(RunDialogTest, RecordsOnAnotherMachine) {
  const auto script = [&](const char* name, const QByteArray& text) {
    const QString path = folder_.filePath(QString::fromUtf8(name));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + text);
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  };
  const QByteArray log = folder_.filePath(QStringLiteral("log")).toUtf8();
  script("ssh", "shift 3; echo \"ssh $1\" >>" + log + "; shift; exec sh -c \"$*\"\n");
  script("scp",
         "echo scp >>" + log + "; [ -z \"$NO_SCP\" ] || exit 1\nexec cp \"${5#*:}\" \"$6\"\n");
  script("rnnadvisor", "exec " RNNADVISOR_SOURCE_DIR "/tests/gui/stand_in_runner.sh \"$@\"\n");
  const QByteArray path = qgetenv("PATH");
  qputenv("PATH", folder_.path().toUtf8() + ":" + path);
  qputenv("STAND_IN", "finish");
  const QByteArray arguments = folder_.filePath(QStringLiteral("arguments")).toUtf8();
  qputenv("STAND_IN_ARGUMENTS", arguments);
  dialog_.set_runner({});  // none is needed here
  dialog_.show_program();
  picture("run-remote");
  dialog_.program()->setText(QStringLiteral("python3 train.py 'a b' $HOME"));
  dialog_.environment()->setText(QStringLiteral("ONE=1 'TWO=2 3'"));
  dialog_.folder()->setText(folder_.path());
  dialog_.mode()->setCurrentIndex(1);
  dialog_.steps()->setValue(20);
  dialog_.host()->setText(QStringLiteral("-oProxyCommand=x"));
  dialog_.start();
  EXPECT_TRUE(dialog_.status()->text().contains(QStringLiteral("-oProxyCommand")));
  dialog_.host()->setText(QStringLiteral("me@server"));
  QSignalSpy recorded(&dialog_, &RunDialog::recorded);
  dialog_.start();
  ASSERT_TRUE(recorded.wait(20000)) << dialog_.status()->text().toStdString();
  EXPECT_EQ(recorded.at(0).at(0).toString(), dialog_.output()->text());
  const auto text_of = [](const QByteArray& name) {
    QFile file(QString::fromUtf8(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  };
  const QString said = text_of(arguments);
  EXPECT_TRUE(said.startsWith(QStringLiteral("profile -o /tmp/rnnadvisor-"))) << said.toStdString();
  EXPECT_TRUE(
      said.contains(QStringLiteral("--mode full --iterations 20 -- python3 train.py a b $HOME")))
      << said.toStdString();
  EXPECT_TRUE(text_of(log).contains(QStringLiteral("ssh me@server\nscp\n")));
  // Nothing is left there.
  const QString there = said.section(QLatin1Char(' '), 2, 2);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !QFile::exists(there); }, 10000));
  // A profile that cannot be fetched is an error on the page.
  qputenv("NO_SCP", "1");
  dialog_.show();
  QFile::remove(dialog_.output()->text());
  dialog_.start();
  EXPECT_TRUE(state_says("failed"));
  for (const char* name : {"NO_SCP", "STAND_IN_ARGUMENTS"}) qunsetenv(name);
  qputenv("PATH", path);
}

TEST_F(RunDialogTest, SaysWhatADocumentedLimitIs) {
  static_cast<QSpinBox*>(dialog_.form()->control("seq_length"))->setValue(65536);
  bool said = false;
  for (const auto* label : dialog_.findChildren<QLabel*>())
    said = said || (label->isVisible() && label->text().contains(QStringLiteral("65535")));
  EXPECT_TRUE(said);
  EXPECT_TRUE(dialog_.form()->control("seq_length")->toolTip().contains(QStringLiteral("65535")));
  picture("run-limit");
  static_cast<QSpinBox*>(dialog_.form()->control("seq_length"))->setValue(65535);
  EXPECT_FALSE(dialog_.form()->control("seq_length")->toolTip().contains(QStringLiteral("above")));
}

TEST_F(RunDialogTest, TakesTextToo) {
  dialog_.edit_as_text(true);
  auto* parameters = dialog_.findChild<QPlainTextEdit*>(QStringLiteral("parameters"));
  EXPECT_TRUE(parameters->toPlainText().contains(QStringLiteral("hidden_size = ")));
  parameters->setPlainText(QStringLiteral("hiden_size = 12"));
  dialog_.start();
  EXPECT_TRUE(dialog_.status()->text().contains(QStringLiteral("hidden_size")))
      << dialog_.status()->text().toStdString();
  // What is wrong cannot be left.
  dialog_.edit_as_text(false);
  EXPECT_TRUE(parameters->isVisible());
  parameters->setPlainText(QStringLiteral("nonsense"));
  dialog_.start();
  EXPECT_TRUE(dialog_.status()->text().contains(QStringLiteral("nonsense")));
  parameters->setPlainText(QStringLiteral("cell = gru\nhidden_size = 96"));
  dialog_.edit_as_text(false);
  EXPECT_FALSE(parameters->isVisible());
  EXPECT_EQ(static_cast<QSpinBox*>(dialog_.form()->control("hidden_size"))->value(), 96);
  EXPECT_EQ(dialog_.configuration().config.cell, Cell::gru);
}

TEST_F(RunDialogTest, SaysWhyItFailed) {
  qputenv("STAND_IN", "fail");
  QSignalSpy recorded(&dialog_, &RunDialog::recorded),
      explore(&dialog_, &RunDialog::explore_requested);
  dialog_.start();
  EXPECT_TRUE(says(dialog_.run_page()->problem(), "No GPU can be used: no driver."));
  EXPECT_TRUE(dialog_.isVisible());
  EXPECT_EQ(recorded.count(), 0);
  ASSERT_NE(button("Back"), nullptr);
  button("Back")->click();
  EXPECT_TRUE(dialog_.form()->isVisible());
  dialog_.start();
  EXPECT_TRUE(says(dialog_.run_page()->problem(), "No GPU"));
  ASSERT_NE(button("Look at it in the explorer"), nullptr);
  button("Look at it in the explorer")->click();
  EXPECT_EQ(explore.count(), 1);
  EXPECT_FALSE(dialog_.isVisible());
}

TEST_F(RunDialogTest, ShowsHowFarItIs) {
  qputenv("STAND_IN", "step");
  QSignalSpy recorded(&dialog_, &RunDialog::recorded);
  dialog_.start();
  EXPECT_TRUE(state_says("3 of 4 configurations"));
  const auto* bar = dialog_.run_page()->bar();
  EXPECT_EQ(bar->maximum() * 3 / 4, bar->value());
  picture("run-progress");
  touch("go");
  EXPECT_TRUE(state_says("1,234 RNN calls seen, 2 processes"));
  EXPECT_EQ(bar->maximum(), 0);  // how long a program runs is not known
  EXPECT_TRUE(dialog_.run_page()->elapsed()->text().contains(QLatin1Char(':')));
  picture("run-recording");
  touch("go.end");
  ASSERT_TRUE(recorded.wait(20000));
}

TEST_F(RunDialogTest, MessagesOfAFieldDisappearWithItsMistake) {
  dialog_.show_program();
  button("Run")->click();
  EXPECT_TRUE(says(dialog_.status(), "Name the program"));
  auto* program = dialog_.findChild<QLineEdit*>(QStringLiteral("program"));
  ASSERT_NE(program, nullptr);
  QTest::keyClicks(program, QStringLiteral("python -c 'a b"));
  EXPECT_TRUE(dialog_.status()->text().isEmpty());
  button("Run")->click();
  EXPECT_TRUE(says(dialog_.status(), "quote is not closed"));
  QTest::keyClicks(program, QStringLiteral("'"));
  EXPECT_TRUE(dialog_.status()->text().isEmpty());
}

TEST_F(RunDialogTest, CancelKeepsWhatWasRecorded) {
  qputenv("STAND_IN", "hang");
  dialog_.show_program();
  dialog_.start();
  EXPECT_TRUE(says(dialog_.status(), "Name the program"));
  dialog_.program()->setText(QStringLiteral("python train.py"));
  picture("run-program");
  dialog_.start();
  EXPECT_TRUE(QTest::qWaitFor([&] { return button("Stop it") != nullptr; }, 5000));
  QTest::qWait(500);
  QSignalSpy recorded(&dialog_, &RunDialog::recorded);
  // A key that was meant for something else ends nothing.
  QTest::keyClick(&dialog_, Qt::Key_Escape);
  EXPECT_TRUE(dialog_.isVisible());
  EXPECT_FALSE(QTest::qWaitFor([&] { return button("Stop it") == nullptr; }, 500));
  button("Stop it")->click();
  EXPECT_TRUE(state_says("Cancelled"));
  EXPECT_EQ(recorded.count(), 1);
  picture("run-cancelled");
  QTest::keyClick(&dialog_, Qt::Key_Escape);
  EXPECT_FALSE(dialog_.isVisible());
}

// The program itself, with a GPU that is made up: a sweep tells its progress, and is gone on with.
TEST_F(RunDialogTest, RunsASweep) {
  dialog_.set_runner(QStringLiteral(RNNADVISOR_STUB_PROGRAM));
  dialog_.show_sweep();
  dialog_.start();
  EXPECT_TRUE(says(dialog_.status(), "Name the sweep"));
  QFile file(folder_.filePath(QStringLiteral("sizes.toml")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(
      "[[sweep]]\nid = \"H{hidden_size}\"\ngrid = { hidden_size = { from = 8, to = 480, "
      "step = 8 } }\n");
  file.close();
  dialog_.sweep()->setText(file.fileName());
  QSignalSpy recorded(&dialog_, &RunDialog::recorded);
  int determinate = 0;
  const auto* bar = dialog_.run_page()->bar();
  dialog_.start();
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        determinate += bar->maximum() > 0 && bar->value() > 0 ? 1 : 0;
        return recorded.count() == 1;
      },
      60000));
  EXPECT_GT(determinate, 0);
  const auto profile = read_profile(dialog_.output()->text().toStdString());
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->configurations.size(), 60U);
}

// The program itself where there is no GPU.
TEST_F(RunDialogTest, SaysThatThereIsNoGpu) {
  qputenv("CUDA_VISIBLE_DEVICES", "");
  dialog_.set_runner(QStringLiteral(RNNADVISOR_PROGRAM));
  dialog_.start();
  const auto* problem = dialog_.run_page()->problem();
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        const auto text = problem->text();
        return problem->isVisible() && (text.contains(QStringLiteral("Nothing can be run here")) ||
                                        text.contains(QStringLiteral("built without CUDA")));
      },
      20000))
      << problem->text().toStdString();
  picture("run-no-gpu");
  qunsetenv("CUDA_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace rnnadvisor::gui
