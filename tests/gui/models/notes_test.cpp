#include "gui/models/notes.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "gui/models/exporter.h"
#include "profiler/profile/file.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

using State = FindingNote::State;

class NotesTest : public testing::Test {
 protected:
  void SetUp() override {
    Profile profile = sample("programs/pytorch-two-layers")->profile();
    ASSERT_TRUE(write_profile(profile, path("run.rnnprof").toStdString(), true).has_value());
    auto opened = open_document(path("run.rnnprof"), test_rules());
    ASSERT_TRUE(opened.has_value());
    document_ = *opened;
    ASSERT_GE(document_->judgement().findings.size(), 2U);
    notes_.open(document_);
  }
  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
  QString side() const { return path("run.rnnprof.notes.json"); }
  QByteArray bytes() const {
    QFile file(side());
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  void write(const QByteArray& text) const {
    QFile file(side());
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  QTemporaryDir folder_;
  DocumentPointer document_;
  Notes notes_;
};

const FindingNote tried_note{State::tried, QStringLiteral("1.3× – but <slow> to start")};

TEST_F(NotesTest, AreKeptBesideTheProfile) {
  EXPECT_FALSE(QFile::exists(side()));
  notes_.set(0, tried_note);
  notes_.set(1, {State::to_do, {}});
  Notes again;
  again.open(document_);
  EXPECT_EQ(again.of(0), tried_note);
  EXPECT_EQ(again.of(1), (FindingNote{State::to_do, {}}));
  // Nothing is left of one that was taken back, and the others stay.
  again.set(0, {});
  notes_.open(document_);
  EXPECT_EQ(notes_.of(0), FindingNote{});
  EXPECT_EQ(notes_.of(1).state, State::to_do);
  notes_.set(99, tried_note);
  notes_.set(-1, tried_note);
}

TEST_F(NotesTest, TwoWindowsDoNotTakeEachOthersNotes) {
  Notes other;
  other.open(document_);
  notes_.set(0, tried_note);
  other.set(1, {State::rejected, {}});
  notes_.open(document_);
  EXPECT_EQ(notes_.of(0), tried_note);
  EXPECT_EQ(notes_.of(1).state, State::rejected);
}

TEST_F(NotesTest, WhatDoesNotFireAnyMoreIsKept) {
  const QByteArray gone =
      R"({"schema":1,"findings":[{"rule":"gone/rule","configuration":0,"among":0,"name":"x",)"
      R"("state":"rejected","note":"kept"}]})";
  write(gone);
  notes_.open(document_);
  notes_.set(0, tried_note);
  EXPECT_TRUE(bytes().contains("gone/rule"));
  EXPECT_TRUE(bytes().contains("kept"));
  EXPECT_EQ(notes_.rows().size(), 1U);
}

// Of a profile that was recorded anew under this name, with other configurations.
TEST_F(NotesTest, ANoteOfAnotherConfigurationIsNotShown) {
  notes_.set(0, tried_note);
  write(bytes().replace("\"name\": \"", "\"name\": \"another "));
  notes_.open(document_);
  EXPECT_EQ(notes_.of(0), FindingNote{});
}

TEST_F(NotesTest, WhatIsNotOursIsNotWrittenOver) {
  for (const QByteArray text : {"no notes", "{\"schema\":99,\"findings\":[]}"}) {
    write(text);
    QSignalSpy problem(&notes_, &Notes::problem);
    notes_.open(document_);
    EXPECT_EQ(problem.count(), 1);
    notes_.set(0, tried_note);
    EXPECT_EQ(problem.count(), 2);
    EXPECT_EQ(notes_.of(0), tried_note);  // until the window is closed
    EXPECT_EQ(bytes(), text);
  }
}

TEST_F(NotesTest, GoWithTheProfileInWhichSuggestionsWereTried) {
  notes_.set(0, tried_note);
  notes_.copy_to(path("run.verified.rnnprof"));
  EXPECT_TRUE(QFile::exists(path("run.verified.rnnprof.notes.json")));
  // One that is there is not written over.
  notes_.set(0, {State::rejected, {}});
  notes_.copy_to(path("run.verified.rnnprof"));
  QFile file(path("run.verified.rnnprof.notes.json"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_TRUE(file.readAll().contains("tried"));
}

TEST_F(NotesTest, ReportsForPeopleHaveThem) {
  notes_.set(0, tried_note);
  Exporter exporter;
  const QString out = path("out");
  const auto text = [&](ExportFormat format) {
    QSignalSpy ended(&exporter, &Exporter::ended);
    exporter.start(document_, format, out, notes_.rows());
    EXPECT_TRUE(ended.wait(60000));
    QFile file(out);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return QString::fromUtf8(file.readAll());
  };
  EXPECT_TRUE(text(ExportFormat::html).contains(QStringLiteral("but &lt;slow&gt; to start")));
  const QString markdown = text(ExportFormat::markdown);
  EXPECT_TRUE(markdown.contains(QStringLiteral("## Checklist\n")));
  EXPECT_TRUE(markdown.contains(QStringLiteral("to start")));
  // Without notes there is no such section.
  notes_.set(0, {});
  EXPECT_FALSE(text(ExportFormat::markdown).contains(QStringLiteral("## Checklist\n")));
}

}  // namespace
}  // namespace rnnadvisor::gui
