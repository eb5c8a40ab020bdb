// Texts of the window can be translated: a made-up language puts each between brackets, and a whole
// text that is shown without them is not looked up as it is filed.
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAction>
#include <QCoreApplication>
#include <QFile>
#include <QHeaderView>
#include <QLocale>
#include <QMenuBar>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextDocumentFragment>
#include <QTranslator>

#include "core/config/fields.h"
#include "gui/texts.h"
#include "gui/translations.h"
#include "gui/views/run_dialog.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

const QChar opening(0x27E6), closing(0x27E7);

void run(const char* program, const QStringList& arguments) {
  QProcess process;
  process.setWorkingDirectory(QStringLiteral(RNNADVISOR_SOURCE_DIR));
  process.start(QString::fromUtf8(program), arguments);
  ASSERT_TRUE(process.waitForFinished(60'000)) << program;
  ASSERT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
}

QString read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList find_texts(const QString& to) {
  return {QStringLiteral("-silent"),
          QStringLiteral("-no-obsolete"),
          QStringLiteral("-I"),
          QStringLiteral("."),
          QStringLiteral("gui"),
          QStringLiteral("-source-language"),
          QStringLiteral("en_US"),
          QStringLiteral("-target-language"),
          QStringLiteral("en"),
          QStringLiteral("-locations"),
          QStringLiteral("none"),
          QStringLiteral("-ts"),
          to};
}

// The sources of the made-up language, as they are shown.
class TranslationTest : public WindowTest {
 protected:
  void SetUp() override {
    const QString file = folder_.filePath(QStringLiteral("made-up.ts"));
    run(RNNADVISOR_LUPDATE, find_texts(file));
    const QString text = read(file);
    static const QRegularExpression message(
        QStringLiteral("<source>(.*?)</source>(.*?)<translation[^>]*>(.*?)</translation>"),
        QRegularExpression::DotMatchesEverythingOption);
    QString made;
    qsizetype end = 0;
    for (auto each = message.globalMatch(text); each.hasNext();) {
      const auto found = each.next();
      const QString source = found.captured(1);
      sources_.insert(QTextDocumentFragment::fromHtml(source).toPlainText());
      const QString form = opening + source + closing;
      const bool plural = found.captured(3).contains(QLatin1String("<numerusform"));
      made += text.mid(end, found.capturedStart() - end) + QStringLiteral("<source>") + source +
              QStringLiteral("</source>") + found.captured(2) + QStringLiteral("<translation>") +
              (plural ? QStringLiteral("<numerusform>%1</numerusform><numerusform>%1</numerusform>")
                            .arg(form)
                      : form) +
              QStringLiteral("</translation>");
      end = found.capturedEnd();
    }
    made += text.mid(end);
    ASSERT_GT(sources_.size(), 700);
    // Also shown as what they are to cuDNN, to the advisor, and to a keyboard.
    visit_config_fields([&]<class T>(std::string_view key, T RnnConfig::*, std::string_view) {
      sources_.remove(QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size())));
    });
    for (const char* word : {"none", "Command", "?", "Ctrl+P"})
      sources_.remove(QString::fromUtf8(word));
    QFile out(file);
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(made.toUtf8());
    out.close();
    const QString compiled = folder_.filePath(QStringLiteral("made-up.qm"));
    run(RNNADVISOR_LRELEASE, {QStringLiteral("-silent"), file, QStringLiteral("-qm"), compiled});
    ASSERT_TRUE(translator_.load(compiled));
    QCoreApplication::installTranslator(&translator_);
    WindowTest::SetUp();
  }
  void TearDown() override {
    window_.reset();
    QCoreApplication::removeTranslator(&translator_);
  }
  // Texts that a person reads on `widget` and its visible children, each with where it stands.
  static QMap<QString, QString> texts_of(QWidget* widget) {
    QMap<QString, QString> texts;
    const auto add = [&](const QString& text, const QObject* of) {
      const QString plain = QTextDocumentFragment::fromHtml(text).toPlainText().trimmed();
      if (!plain.isEmpty()) texts[plain] = QString::fromUtf8(of->metaObject()->className());
    };
    for (auto* each : widget->findChildren<QWidget*>()) {
      if (!each->isVisible()) continue;
      if (const auto* label = qobject_cast<QLabel*>(each)) add(label->text(), each);
      if (const auto* button = qobject_cast<QAbstractButton*>(each))
        add(QString(button->text()).remove(QLatin1Char('&')), each);
      if (const auto* tabs = qobject_cast<QTabBar*>(each))
        for (int i = 0; i < tabs->count(); ++i) add(tabs->tabText(i), each);
      if (const auto* table = qobject_cast<QTableView*>(each))
        for (int i = 0; i < table->model()->columnCount(); ++i)
          add(table->model()->headerData(i, Qt::Horizontal).toString(), table);
      for (const auto& line : each->toolTip().split(QLatin1Char('\n'))) add(line, each);
      if (const auto* page = qobject_cast<QTextBrowser*>(each))
        for (const auto& line : page->toPlainText().split(QLatin1Char('\n'))) add(line, each);
    }
    return texts;
  }
  void expect_translated(QWidget* widget, const char* where) {
    const QString log = qEnvironmentVariable("RNNADVISOR_UNTRANSLATED");
    const auto texts = texts_of(widget);
    for (auto each = texts.begin(); each != texts.end(); ++each) {
      EXPECT_FALSE(sources_.contains(each.key()))
          << where << ", " << each.value().toStdString() << ": " << each.key().toStdString();
      if (log.isEmpty() || each.key().contains(opening)) continue;
      QFile file(log);
      if (file.open(QIODevice::Append))
        file.write((QString::fromUtf8(where) + QLatin1Char('\t') + each.value() +
                    QLatin1Char('\t') + each.key() + QLatin1Char('\n'))
                       .toUtf8());
    }
  }
  QTemporaryDir folder_;
  QTranslator translator_;
  QSet<QString> sources_;
};

TEST_F(TranslationTest, ReachesEveryViewAndDialog) {
  for (const char* name : {"programs/pytorch-two-layers", "guide-figure-10"}) {
    open(QStringLiteral("sample:") + QString::fromUtf8(name));
    for (const auto& view : MainWindow::view_names()) {
      window_->go(view);
      QTest::qWait(150);
      expect_translated(window_.get(), view.toUtf8().constData());
    }
  }
  for (const auto* action : window_->commands()) {
    const QString text = QString(action->text()).remove(QLatin1Char('&'));
    EXPECT_TRUE(text.isEmpty() || text.contains(opening)) << text.toStdString();
  }
  for (const auto* menu : window_->menuBar()->actions())
    EXPECT_TRUE(menu->text().contains(opening)) << menu->text().toStdString();
  window_->new_run();
  QTest::qWait(50);
  expect_translated(window_->findChild<RunDialog*>(), "new run");
  window_->open_shortcuts();
  QTest::qWait(50);
  expect_translated(QApplication::activeWindow() ? QApplication::activeWindow() : window_.get(),
                    "shortcuts");
}

TEST(Translations, EnglishHasEveryPlural) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("rnnadvisor-gui_en.ts"));
  ASSERT_TRUE(QFile::copy(
      QStringLiteral(RNNADVISOR_SOURCE_DIR "/gui/translations/rnnadvisor-gui_en.ts"), file));
  run(RNNADVISOR_LUPDATE, find_texts(file) << QStringLiteral("-pluralonly"));
  const QString text = read(file);
  EXPECT_TRUE(text.contains(QLatin1String("<numerusform>")));
  EXPECT_FALSE(text.contains(QLatin1String("unfinished")))
      << "docs/translating.md tells how to add a plural";
}

TEST(Translations, PluralsFollowTheCount) {
  EXPECT_EQ(Texts::tr("%n more call(s)", nullptr, 1), QStringLiteral("1 more call"));
  EXPECT_EQ(Texts::tr("%n more call(s)", nullptr, 3), QStringLiteral("3 more calls"));
  EXPECT_EQ(many(std::int64_t{1} << 40), std::numeric_limits<int>::max());
}

TEST(Translations, AFolderOfTheTranslatorsIsTried) {
  const QTemporaryDir folder;
  const QString source = folder.filePath(QStringLiteral("rnnadvisor-gui_de.ts"));
  QFile file(source);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(R"(<?xml version="1.0" encoding="utf-8"?><!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en_US"><context><name>rnnadvisor::gui::Texts</name>
<message numerus="yes"><source>%n more call(s)</source><translation>
<numerusform>%n weiterer Aufruf</numerusform><numerusform>%n weitere Aufrufe</numerusform>
</translation></message></context></TS>)");
  file.close();
  run(RNNADVISOR_LRELEASE, {QStringLiteral("-silent"), source});
  const auto before = qApp->findChildren<QTranslator*>();
  EXPECT_EQ(install_translations(QLocale(QLocale::German), folder.path()).front(),
            QStringLiteral("de"));
  EXPECT_EQ(Texts::tr("%n more call(s)", nullptr, 2), QStringLiteral("2 weitere Aufrufe"));
  EXPECT_EQ(Texts::tr("%n more kernel(s)", nullptr, 2), QStringLiteral("2 more kernels"));
  for (auto* each : qApp->findChildren<QTranslator*>())
    if (!before.contains(each)) delete each;
  EXPECT_EQ(Texts::tr("%n more call(s)", nullptr, 2), QStringLiteral("2 more calls"));
}

}  // namespace
}  // namespace rnnadvisor::gui
