// Every picture that documents show is made by tools/pictures.sh, from views and samples that
// exist.
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <map>
#include <set>

#include "gui/models/document.h"
#include "gui/models/link.h"
#include "gui/views/screenshot.h"
#include "tests/gui/pictures.h"

namespace rnnadvisor::gui {
namespace {

const QString root = QStringLiteral(RNNADVISOR_SOURCE_DIR);

QString text_of(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
  return QString::fromUtf8(file.readAll());
}

std::set<QString> shown_pictures() {
  std::set<QString> names;
  static const QRegularExpression picture(QStringLiteral("pictures/([\\w-]+)\\.png"));
  QStringList documents = {root + QStringLiteral("/README.md")};
  for (const auto& name : QDir(root + QStringLiteral("/docs")).entryList({QStringLiteral("*.md")}))
    documents << root + QStringLiteral("/docs/") + name;
  for (const auto& document : documents) {
    auto found = picture.globalMatch(text_of(document));
    while (found.hasNext()) names.insert(found.next().captured(1));
  }
  return names;
}

TEST(DocumentPictures, AreMadeByTheScriptFromWhatThereIs) {
  std::map<QString, QString> made;  // by name: the arguments
  static const QRegularExpression line(QStringLiteral("^picture (\\w+) ([\\w-]+)(.*)$"),
                                       QRegularExpression::MultilineOption);
  auto found = line.globalMatch(text_of(root + QStringLiteral("/tools/pictures.sh")));
  while (found.hasNext()) {
    const auto match = found.next();
    EXPECT_TRUE(screenshot_views().contains(match.captured(1))) << match.captured(0).toStdString();
    made[match.captured(2)] = match.captured(3);
  }
  const auto shown = shown_pictures();
  EXPECT_GE(shown.size(), 4U);
  for (const auto& name : shown)
    EXPECT_EQ(made.count(name), 1U) << name.toStdString() << " is made by no line of pictures.sh";
  std::set<QString> samples_there;
  for (const auto& sample : samples()) samples_there.insert(sample.name);
  for (const auto& [name, arguments] : made) {
    // As large as asked for, and of samples and places that can be opened.
    static const QRegularExpression size(QStringLiteral("--size (\\d+)x(\\d+)"));
    const auto wanted = size.match(arguments);
    const QImage image(root + QStringLiteral("/docs/pictures/%1.png").arg(name));
    EXPECT_EQ(image.width(), wanted.hasMatch() ? wanted.captured(1).toInt() : 1280)
        << name.toStdString();
    EXPECT_EQ(image.height(), wanted.hasMatch() ? wanted.captured(2).toInt() : 720)
        << name.toStdString();
    static const QRegularExpression sample(QStringLiteral("sample:([\\w/-]+)"));
    auto of = sample.globalMatch(arguments);
    while (of.hasNext()) {
      const QString one = of.next().captured(1);
      EXPECT_EQ(samples_there.count(one), 1U) << one.toStdString();
    }
    static const QRegularExpression at(QStringLiteral("--at (\\S+)"));
    if (const auto place = at.match(arguments); place.hasMatch()) {
      EXPECT_TRUE(parse_place(place.captured(1)).has_value()) << name.toStdString();
    }
  }
}

// They show the window as it is today.
TEST(DocumentPictures, AreWhatTheProgramShows) {
  const QTemporaryDir folder;
  QProcess script;
  script.start(root + QStringLiteral("/tools/pictures.sh"),
               {QStringLiteral(RNNADVISOR_GUI_PROGRAM), folder.path()});
  ASSERT_TRUE(script.waitForFinished(120'000));
  ASSERT_EQ(script.exitCode(), 0) << script.readAllStandardError().toStdString();
  const auto names =
      QDir(root + QStringLiteral("/docs/pictures")).entryList({QStringLiteral("*.png")});
  ASSERT_GE(names.size(), 8);
  for (const auto& name : names)
    compare_picture(QImage(folder.filePath(name)), root + QStringLiteral("/docs/pictures/") + name,
                    0.01);  // Qt 6.8 draws 0.5 % of the explorer otherwise than 6.4
}

}  // namespace
}  // namespace rnnadvisor::gui
