// States of the window that no sample shows: recordings under way, programs that were ended, files
// that are not whole, nothing, and much. With RNNADVISOR_PICTURES=FOLDER each is written there to
// be looked at.
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <csignal>

#include "gui/views/problem_card.h"
#include "gui/views/start_view.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

// Of a version without a checksum, which would be the first to be told.
QByteArray sample_bytes() {
  QFile whole(QStringLiteral(RNNADVISOR_SOURCE_DIR "/tests/data/rnnprof/ptb-large-v1.rnnprof"));
  EXPECT_TRUE(whole.open(QIODevice::ReadOnly));
  return whole.readAll();
}

class StatesTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window_->follower()->set_patience(50, 200);
  }
  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
  QString write(const char* name, const QByteArray& bytes, bool long_ago = true) {
    QFile file(path(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.flush();
    const auto when = QDateTime::currentDateTime().addDays(long_ago ? -1 : 0);
    EXPECT_TRUE(file.setFileTime(when, QFileDevice::FileModificationTime));
    return path(name);
  }
  ProblemCard* card() { return window_->findChild<StartView*>()->problem(); }
  void picture(const char* name) {
    const QString folder = qEnvironmentVariable("RNNADVISOR_PICTURES");
    if (folder.isEmpty()) return;
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
      window_->set_theme_choice(choice);
      QTest::qWait(20);
      window_->grab().save(QDir(folder).filePath(
          QString::fromUtf8(name) +
          (choice == ThemeChoice::dark ? QStringLiteral("-dark.png") : QStringLiteral(".png"))));
    }
  }
  QPushButton* button(const QString& text) {
    for (auto* each : window_->findChildren<QPushButton*>())
      if (each->isVisible() && each->text() == text) return each;
    return nullptr;
  }
  QTemporaryDir folder_;
};

// Two processes with calls and kernels; `end` is how the first ended.
void write_interrupted(const QString& path, ProcessEnd end, int signal, bool lost) {
  ProfileBuilder builder;
  const int device = builder.add_device(find_device("h200").value());
  Configuration configuration;
  configuration.config.hidden_size = 512;
  configuration.config.data_type = DataType::half;
  configuration.config.mode = Mode::training;
  configuration.origin = Origin::captured;
  configuration.device = device;
  const int index = builder.add_configuration(configuration);
  Process process;
  process.pid = 4711;
  process.host = "node";
  process.executable = "/usr/bin/python3.12";
  process.start_ns = 1'000'000'000;
  process.end_ns = 13'300'000'000;
  process.end = end;
  process.signal = signal;
  const int first = builder.add_process(process);
  constexpr std::int64_t calls = 41, without_kernels = 3;
  for (std::int64_t i = 0; i < calls; ++i) {
    RnnCall call;
    call.configuration = index;
    call.device = device;
    call.process = first;
    call.phase = Phase::forward_training;
    call.host_start_ns = 2'000'000'000 + i * 10'000'000;
    call.host_end_ns = call.host_start_ns + 2'000'000;
    const int number = builder.add_call(call);
    for (std::int64_t k = 0; i < calls - without_kernels && k < 20; ++k) {
      KernelRecord kernel;
      kernel.name = k % 2 == 0 ? "sm90_xmma_gemm_f16f16" : "elemWiseRNNcell";
      kernel.start_ns = call.host_start_ns + 100'000 + k * 200'000;
      kernel.end_ns = kernel.start_ns + 120'000;
      kernel.call = number;
      kernel.device = device;
      kernel.process = first;
      kernel.stream = 7;
      kernel.correlation = i * 100 + k + 1;
      builder.add_kernel(kernel);
    }
  }
  if (lost)
    builder.add_note({NoteSeverity::warning, "records-dropped", "CUPTI dropped records", 1200});
  ASSERT_TRUE(write_profile(builder.finish(), path.toStdString()).has_value());
}

TEST_F(StatesTest, AProgramThatWasEndedBySignal) {
  const QString file = path("crashed.rnnprof");
  write_interrupted(file, ProcessEnd::signalled, SIGSEGV, true);
  open(file);
  const QString all = words();
  EXPECT_TRUE(all.contains(QStringLiteral("This record is not whole")));
  EXPECT_TRUE(all.contains(
      QStringLiteral("python3.12 (process 4711) was ended by SIGSEGV, 12.3 s after it began.")))
      << all.toStdString();
  EXPECT_TRUE(all.contains(QStringLiteral("The record has 41 RNN calls of it.")));
  EXPECT_TRUE(all.contains(QStringLiteral("The last 3 have no kernels")));
  EXPECT_TRUE(all.contains(QStringLiteral("CUPTI dropped 1,200 records.")));
  EXPECT_FALSE(all.contains(QStringLiteral("Nothing was lost")));
  picture("crashed");
}

TEST_F(StatesTest, AProgramThatStillRan) {
  const QString file = path("running.rnnprof");
  write_interrupted(file, ProcessEnd::running, -1, false);
  open(file);
  EXPECT_TRUE(words().contains(QStringLiteral("still ran when the record was taken")));
  picture("running");
}

TEST_F(StatesTest, AWholeRecordHasNoSuchCard) {
  open(QStringLiteral("sample:programs/pytorch-two-layers"));
  EXPECT_FALSE(words().contains(QStringLiteral("This record is not whole")));
}

TEST_F(StatesTest, AProfileOfNothing) {
  ProfileBuilder builder;
  builder.add_device(find_device("h200").value());
  builder.add_note(
      {NoteSeverity::warning, "no-rnn-calls", "no call of a cuDNN RNN function was recorded", 1});
  const QString file = path("nothing.rnnprof");
  ASSERT_TRUE(write_profile(builder.finish(), file.toStdString()).has_value());
  open(file);
  EXPECT_TRUE(words().contains(QStringLiteral("There is nothing to judge")));
  EXPECT_FALSE(words().contains(QStringLiteral("Every rule that could be judged passed")));
  picture("nothing");
  for (const auto& view : MainWindow::view_names()) {
    window_->go(view);
    EXPECT_FALSE(window_->grab().isNull());
  }
}

TEST_F(StatesTest, FilesThatAreNoProfiles) {
  const QByteArray bytes = sample_bytes();
  QByteArray newer = bytes;
  newer[63] = 99;  // user_version, big endian at 60
  const std::vector<std::tuple<const char*, QString, ProblemKind, const char*>> files = {
      {"damaged", write("damaged.rnnprof", bytes.left(bytes.size() / 2)), ProblemKind::damaged,
       "cut off"},
      {"empty", write("empty.rnnprof", {}), ProblemKind::empty, "no bytes"},
      {"newer", write("newer.rnnprof", newer), ProblemKind::newer_version, "schema version 99"},
      {"missing", path("missing.rnnprof"), ProblemKind::missing, "No such file"},
      {"folder", folder_.path(), ProblemKind::folder, "no recording"}};
  for (const auto& [name, file, kind, said] : files) {
    open(file);
    ASSERT_TRUE(card()->isVisible()) << name;
    EXPECT_EQ(card()->problem()->kind, kind) << name;
    EXPECT_TRUE(words().contains(QString::fromUtf8(said))) << name;
    EXPECT_FALSE(window_->follower()->following());
    picture(name);
  }
  // What can be done again can be done again: the file is whole by now.
  open(std::get<1>(files.front()));
  write("damaged.rnnprof", bytes);
  ASSERT_NE(button(QStringLiteral("Try again")), nullptr);
  button(QStringLiteral("Try again"))->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 30000));
  EXPECT_NE(window_->document(), nullptr);
}

TEST_F(StatesTest, AProfileThatIsBeingWrittenIsOpenedOnceItIsWhole) {
  const QByteArray bytes = sample_bytes();
  const QString file = write("growing.rnnprof", bytes.left(bytes.size() / 3), false);
  open(file);
  ASSERT_TRUE(card()->isVisible());
  EXPECT_EQ(card()->problem()->kind, ProblemKind::being_written);
  EXPECT_TRUE(window_->follower()->following());
  picture("growing");
  QSignalSpy opened(window_.get(), &MainWindow::opened);
  write("growing.rnnprof", bytes.left(2 * bytes.size() / 3), false);
  QTest::qWait(120);
  EXPECT_EQ(opened.count(), 0);
  write("growing.rnnprof", bytes, false);
  ASSERT_TRUE(opened.wait(20000));
  EXPECT_EQ(window_->document()->path(), file);
  EXPECT_FALSE(card()->isVisible());
}

TEST_F(StatesTest, WaitingCanBeGivenUp) {
  const QByteArray bytes = sample_bytes();
  open(write("growing.rnnprof", bytes.left(bytes.size() / 3), false));
  ASSERT_NE(button(QStringLiteral("Stop waiting")), nullptr);
  button(QStringLiteral("Stop waiting"))->click();
  EXPECT_FALSE(card()->isVisible());
  EXPECT_FALSE(window_->follower()->following());
}

// A folder of recordings becomes a profile by `rnnadvisor collect`, here by its stand-in.
TEST_F(StatesTest, RecordingsBecomeAProfile) {
  const QString folder = path("run.rnnprof.spool-x3Yz1Q");
  ASSERT_TRUE(QDir().mkpath(folder));
  write("run.rnnprof.spool-x3Yz1Q/4711.rnnspool", QByteArray(4096, 'x'), false);
  qputenv("RNNADVISOR", RNNADVISOR_SOURCE_DIR "/tests/gui/stand_in_runner.sh");
  qputenv("STAND_IN_PROFILE", RNNADVISOR_SOURCE_DIR "/samples/recorded/ptb-large.rnnprof");
  qputenv("STAND_IN", "fail");
  open(folder);
  ASSERT_TRUE(card()->isVisible());
  EXPECT_EQ(card()->problem()->kind, ProblemKind::recordings);
  EXPECT_TRUE(words().contains(QStringLiteral("still being written")));
  EXPECT_TRUE(words().contains(QStringLiteral("4.00 KiB")));
  picture("recordings");
  button(QStringLiteral("Make a profile of it"))->click();
  // A failure is shown beside the button, which can be pressed again.
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return words().contains(QStringLiteral("no GPU can be used")); }, 20000));
  qputenv("STAND_IN", "finish");
  QSignalSpy opened(window_.get(), &MainWindow::opened);
  ASSERT_TRUE(button(QStringLiteral("Make a profile of it"))->isEnabled());
  button(QStringLiteral("Make a profile of it"))->click();
  ASSERT_TRUE(opened.wait(20000));
  EXPECT_EQ(window_->document()->path(), path("run.rnnprof"));
  EXPECT_TRUE(QFile::exists(folder));
  qunsetenv("RNNADVISOR");
}

}  // namespace
}  // namespace rnnadvisor::gui
