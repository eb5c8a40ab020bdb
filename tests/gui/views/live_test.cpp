// What the window starts, with the program itself on a real GPU: a configuration of the explorer, a
// program, a suggestion that is tried. RNNADVISOR names another program than that of this build.
#include <gtest/gtest.h>

#include <QDir>
#include <QLineEdit>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include "core/model/time_for_device.h"
#include "gui/models/record_gaps.h"
#include "gui/models/trial.h"
#include "gui/views/explorer_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/run_dialog.h"
#include "gui/views/run_page.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

constexpr int patience_ms = 120'000;

QString program() { return qEnvironmentVariable("RNNADVISOR", QStringLiteral(RNNADVISOR_PROGRAM)); }

// Why no GPU can be used; empty: one can.
QString why_no_gpu() {
  QProcess doctor;
  doctor.start(program(), {QStringLiteral("doctor"), QStringLiteral("--json")});
  EXPECT_TRUE(doctor.waitForFinished(60'000)) << "doctor did not answer";
  const auto answer =
      nlohmann::json::parse(doctor.readAllStandardOutput().toStdString(), nullptr, false);
  EXPECT_TRUE(answer.is_object()) << "doctor's answer is no JSON";
  if (!answer.is_object()) return QStringLiteral("not known");
  for (const auto& gpu : answer.value("gpus", nlohmann::json::array()))
    if (gpu.value("usable", false)) return {};
  return QString::fromStdString(answer.value("driver_problem", "no usable GPU"));
}

class LiveTest : public WindowTest {
 protected:
  void SetUp() override {
    static const QString why = why_no_gpu();
    if (!why.isEmpty()) GTEST_SKIP() << "NEEDS A GPU, NOT RUN: " << why.toStdString();
    qputenv("RNNADVISOR", program().toLocal8Bit());
    WindowTest::SetUp();
    window_->set_predict_for(model::predict_time_for);  // as the product
  }
  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
  QPushButton* button(const QWidget* parent, const QString& text) {
    for (auto* each : parent->findChildren<QPushButton*>())
      if (each->isVisible() && each->text() == text) return each;
    return nullptr;
  }
  // Starts what the dialog holds, and comes back when the profile is open in the window.
  void record(const QPointer<RunDialog>& dialog, const QString& file) {
    dialog->output()->setText(file);
    QSignalSpy recorded(dialog, &RunDialog::recorded);
    dialog->start();
    ASSERT_TRUE(dialog->running()) << dialog->status()->text().toStdString();
    // The dialog is gone as soon as there is a profile.
    QTest::qWait(1000);
    picture("live-under-way", QPointer<QWidget>(dialog));
    ASSERT_TRUE(QTest::qWaitFor(
        [&] {
          return !recorded.isEmpty() || !dialog || dialog->run_page()->problem()->isVisible();
        },
        patience_ms));
    ASSERT_FALSE(recorded.isEmpty())
        << (dialog ? dialog->run_page()->problem()->text().toStdString() : "no dialog");
    ASSERT_TRUE(opened(file));
  }
  bool opened(const QString& file) {
    return QTest::qWaitFor(
        [&] {
          return window_->document() && window_->document()->path() == file && !window_->loading();
        },
        patience_ms);
  }
  // Of the window, or of what may be gone before it could be taken.
  void picture(const char* name) { picture(name, window_.get()); }
  static void picture(const char* name, const QPointer<QWidget>& of) {
    const QString folder = qEnvironmentVariable("RNNADVISOR_PICTURES");
    if (folder.isEmpty()) return;
    QTest::qWait(100);
    if (of)
      of->grab().save(QDir(folder).filePath(QString::fromUtf8(name) + QStringLiteral(".png")));
  }
  QTemporaryDir folder_;
};

TEST_F(LiveTest, TheExplorersConfigurationIsRunAndItsProfileOpened) {
  window_->go(QStringLiteral("explorer"));
  auto* explorer = window_->findChild<ExplorerView*>();
  for (const auto& [key, value] : {std::pair{"hidden_size", "512"},
                                   {"num_layers", "1"},
                                   {"batch_size", "33"},
                                   {"data_type", "half"}})
    ASSERT_TRUE(explorer->set_parameter(QString::fromUtf8(key), QString::fromUtf8(value))) << key;
  const RnnConfig asked = explorer->input().config;
  auto* run = button(explorer, QStringLiteral("Run…"));
  ASSERT_NE(run, nullptr);
  run->click();
  auto* dialog = window_->findChild<RunDialog*>();
  ASSERT_NE(dialog, nullptr);
  ASSERT_NO_FATAL_FAILURE(record(dialog, path("run.rnnprof")));
  const Profile& profile = window_->document()->profile();
  ASSERT_EQ(profile.configurations.size(), 1U);
  const auto& ran = profile.configurations[0];
  EXPECT_EQ(ran.config.hidden_size, asked.hidden_size);
  EXPECT_EQ(ran.config.batch_size, 33);
  EXPECT_EQ(ran.outcome, Outcome::completed) << ran.message;
  EXPECT_FALSE(ran.timings.empty());
  EXPECT_FALSE(profile.kernels.name.empty());
  for (const auto& gap : record_gaps(profile)) ADD_FAILURE() << gap.what.toStdString();
  for (const char* view : {"overview", "timeline", "recurrence", "findings", "explorer"}) {
    window_->go(QString::fromUtf8(view));
    picture((std::string("live-run-") + view).c_str());
  }
}

TEST_F(LiveTest, AProgramIsRecordedAndItsSuggestionTried) {
  window_->new_run(true);
  auto* dialog = window_->findChild<RunDialog*>();
  ASSERT_NE(dialog, nullptr);
  dialog->program()->setText(QStringLiteral("'" RNNADVISOR_LSTM_PROGRAM "' --steps 20"));
  const QString file = path("program.rnnprof");
  ASSERT_NO_FATAL_FAILURE(record(dialog, file));
  EXPECT_GE(window_->document()->profile().calls.size(), 60U);
  picture("live-program-overview");
  // The trap of this program: persistent kernels on float data.
  const auto& findings = window_->document()->judgement().findings;
  int place = -1, suggestion = 0;
  for (int i = 0; i < static_cast<int>(findings.size()) && place < 0; ++i)
    for (int n = 0; n < static_cast<int>(findings[static_cast<std::size_t>(i)].suggestions.size());
         ++n)
      if (place < 0 && cannot_try(*window_->document(), i, n).isEmpty()) {
        place = i;
        suggestion = n;
      }
  ASSERT_GE(place, 0) << "no finding has a suggestion that can be tried";
  const FindingKey key = key_of(*window_->document(), place);
  const auto changes = changes_of(
      findings[static_cast<std::size_t>(place)].suggestions[static_cast<std::size_t>(suggestion)]);
  window_->follow(Link::to({ItemKind::finding, place}));
  picture("live-before-trial");
  window_->follow(*parse_link(QStringLiteral("trial:%1/%2").arg(place).arg(suggestion)));
  const TrialState& trial_state = window_->trial()->state();
  const auto gave_up = [&] {
    return trial_state.is == TrialState::Is::failed ||
           trial_state.is == TrialState::Is::nothing_to_try;
  };
  const auto tried = [&] {
    return window_->document()->path() == path("program.verified.rnnprof") && !window_->loading();
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return tried() || gave_up(); }, patience_ms))
      << trial_state.command.toStdString();
  ASSERT_TRUE(tried()) << trial_state.problem.toStdString() << '\n'
                       << trial_state.remedy.toStdString() << '\n'
                       << trial_state.command.toStdString();
  EXPECT_FALSE(window_->document()->profile().experiments.empty());
  const ToldTrial told = find_trial(*window_->document(), key.configuration, changes);
  ASSERT_GE(told.finding, 0);
  EXPECT_EQ(window_->findChild<FindingsView*>()->shown_finding(), told.finding);
  const auto& trial = window_->document()
                          ->judgement()
                          .findings[static_cast<std::size_t>(told.finding)]
                          .suggestions[static_cast<std::size_t>(told.suggestion)]
                          .trial;
  EXPECT_EQ(trial->verdict, ExperimentVerdict::confirmed);
  EXPECT_GT(trial->speedup, 1.5);
  picture("live-after-trial");
}

}  // namespace
}  // namespace rnnadvisor::gui
