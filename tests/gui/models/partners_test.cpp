// What is offered to compare a profile with, and in which order.
#include "gui/models/partners.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTemporaryDir>

#include "advisor/samples/samples.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::gui {
namespace {

class PartnersTest : public testing::Test {
 protected:
  // A recording of a sample as if it had been made by this command at that time.
  QString record(const char* name, const std::string& command, const std::string& created) {
    Profile profile = advisor::load_profile("sample:programs/pytorch-gru").value();
    profile.environment.command_line = command;
    profile.environment.created = created;
    const QString path = folder_.filePath(QString::fromUtf8(name));
    EXPECT_TRUE(write_profile(profile, path.toStdString()).has_value());
    return path;
  }
  QTemporaryDir folder_;
};

QStringList paths_of(const std::vector<Partner>& partners, PartnerKind kind) {
  QStringList paths;
  for (const auto& each : partners)
    if (each.kind == kind) paths << each.path;
  return paths;
}

TEST_F(PartnersTest, RunsOfTheSameCommandComeLatestFirst) {
  const std::string command = "rnnadvisor profile -o now.rnnprof -- python3 train.py --epochs 2";
  const QString open = record("now.rnnprof", command, "2026-11-03T10:00:00Z");
  // The options of the recording are its own; program and arguments are the same.
  const QString middle = record("a.rnnprof",
                                "rnnadvisor profile --mode full -o a.rnnprof -- python3 train.py "
                                "--epochs 2",
                                "2026-11-02T10:00:00Z");
  const QString latest = record("b.rnnprof", command, "2026-11-04T10:00:00Z");
  const QString first = record("c.rnnprof", command, "2026-11-01T10:00:00Z");
  record("other.rnnprof", "rnnadvisor profile -o o.rnnprof -- python3 train.py --epochs 3",
         "2026-11-05T10:00:00Z");
  record("swept.rnnprof", "rnnadvisor sweep a.toml", "2026-11-06T10:00:00Z");
  QFile broken(folder_.filePath(QStringLiteral("broken.rnnprof")));
  ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
  broken.write("no profile");
  broken.close();
  const auto beside = of_same_command(open, command);
  EXPECT_EQ(paths_of(beside, PartnerKind::same_command), (QStringList{latest, middle, first}));
  int asked = 0;
  EXPECT_TRUE(of_same_command(open, command, [&] { return ++asked > 100; }).empty());
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(of_same_command(open, "rnnadvisor sweep a.toml").empty());

  // Each is offered once: what was opened lately and is of the same command stands above.
  const QList<SeenFile> recent = {{open, {}},
                                  {folder_.filePath(QStringLiteral("other.rnnprof")), {}},
                                  {latest, {}},
                                  {folder_.filePath(QStringLiteral("gone.rnnprof")), {}}};
  const auto all = partners_of(open, beside, recent);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const Partner& a, const Partner& b) { return a.kind < b.kind; }));
  EXPECT_EQ(paths_of(all, PartnerKind::same_command), (QStringList{latest, middle, first}));
  EXPECT_EQ(paths_of(all, PartnerKind::recent),
            QStringList{folder_.filePath(QStringLiteral("other.rnnprof"))});
  EXPECT_EQ(paths_of(all, PartnerKind::sample).size(), static_cast<int>(samples().size()));
  EXPECT_TRUE(paths_of(all, PartnerKind::counterpart).empty());
}

TEST_F(PartnersTest, TheSampleFromTheOtherSideOfTheChangeComesFirst) {
  const QString two = QStringLiteral("sample:programs/pytorch-two-layers"),
                split = QStringLiteral("sample:programs/pytorch-two-layers-split");
  EXPECT_EQ(partners_of(two, {}, {}).front().path, split);
  EXPECT_EQ(partners_of(split, {}, {}).front().path, two);
  const auto others = partners_of(QStringLiteral("sample:programs/pytorch-gru"), {}, {});
  EXPECT_EQ(others.front().kind, PartnerKind::sample);
  EXPECT_EQ(others.size(), samples().size() - 1);  // but itself
}

TEST_F(PartnersTest, TheModelKeepsItsPromises) {
  PartnersModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.set_partners(partners_of(QStringLiteral("sample:gnmt"), {}, {}));
  EXPECT_GT(model.rowCount(), 0);
  EXPECT_FALSE(model.index(0).data(SectionRole).toString().isEmpty());
}

}  // namespace
}  // namespace rnnadvisor::gui
