#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QLocale>
#include <QSettings>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/base/out_of_memory.h"
#include "core/model/time_for_device.h"
#include "gui/plurals.h"
#include "gui/views/flat_style.h"
#include "gui/views/main_window.h"
#include "gui/views/screenshot.h"

namespace {

using namespace rnnadvisor::gui;

int complain(const std::string& text) {
  std::fprintf(stderr, "rnnadvisor-gui: %s\n", text.c_str());
  return 2;
}

int surplus(const QStringList& words) {
  return complain(
      "one profile at a time; left over: " + words.join(QLatin1Char(' ')).toStdString() +
      "\n  remedy: --compare-with PROFILE sets a second one beside it");
}

bool given(int argc, char** argv, std::initializer_list<std::string_view> words) {
  return std::any_of(argv + 1, argv + argc, [&](std::string_view word) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view wanted) {
      return word == wanted || (word.starts_with(wanted) && word[wanted.size()] == '=');
    });
  });
}

// What Qt's own parts say while no window is shown is of no use to anybody.
void only_failures(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type == QtCriticalMsg || type == QtFatalMsg)
    std::fprintf(stderr, "%s\n", text.toLocal8Bit().constData());
}

}  // namespace

int main(int argc, char** argv) {
  rnnadvisor::end_without_memory_with(3);
  // Words and pictures need no display, and pictures must not depend on one. Qt would abort
  // without.
  const bool no_window =
      given(argc, argv, {"--screenshot", "--help", "-h", "--help-all", "--version", "-v"});
  const bool no_display = !qEnvironmentVariableIsSet("DISPLAY") &&
                          !qEnvironmentVariableIsSet("WAYLAND_DISPLAY") &&
                          !qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
  if (no_window && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  if (no_window) {
    qInstallMessageHandler(only_failures);
  } else if (no_display) {
    std::fputs(
        "rnnadvisor-gui: no display: neither DISPLAY nor WAYLAND_DISPLAY is set\n"
        "  remedy: log in with `ssh -X`, or copy the profile to a machine with a screen; without "
        "one, `rnnadvisor report FILE -o report.html` makes a page\n",
        stderr);
    return 3;
  }
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("rnnadvisor"));
  QApplication::setApplicationName(QStringLiteral("rnnadvisor-gui"));
  QApplication::setApplicationVersion(QStringLiteral(RNNADVISOR_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("rnnadvisor-gui"));
  QApplication::setStyle(new FlatStyle);
  // Pictures are the same on every machine.
  if (given(argc, argv, {"--screenshot"})) QLocale::setDefault(QLocale::c());
  install_plurals();

  QCommandLineParser parser;
  parser.setApplicationDescription(QApplication::translate(
      "main", "See why a cuDNN recurrent network is slow, and what to do."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(
      QStringLiteral("file"),
      QApplication::translate("main", "a profile (.rnnprof), or sample:NAME"),
      QStringLiteral("[file]"));
  const QCommandLineOption at(
      QStringLiteral("at"),
      QApplication::translate("main", "a place in it: timeline,12.5ms-40ms,call/3. Views: %1")
          .arg(MainWindow::view_names().join(QStringLiteral(", "))),
      QStringLiteral("place"));
  const QCommandLineOption theme(QStringLiteral("theme"),
                                 QApplication::translate("main", "system, light or dark"),
                                 QStringLiteral("theme"));
  const QCommandLineOption shot(
      QStringLiteral("screenshot"),
      QApplication::translate(
          "main",
          "write a picture of this view and end: --screenshot VIEW FILE.png [profile]. One of %1")
          .arg(screenshot_views().join(QStringLiteral(", "))),
      QStringLiteral("view"));
  const QCommandLineOption size(QStringLiteral("size"),
                                QApplication::translate("main", "of the picture, 1280x720"),
                                QStringLiteral("size"), QStringLiteral("1280x720"));
  const QCommandLineOption before(
      QStringLiteral("compare-with"),
      QApplication::translate("main", "the profile from before the change: both are compared"),
      QStringLiteral("profile"));
  parser.addOptions({at, theme, shot, size, before});
  // Qt would end with 1, which elsewhere means that findings were made.
  if (!parser.parse(QApplication::arguments()))
    return complain(parser.errorText().toStdString() + "\n  remedy: --help lists the options");
  parser.process(application);
  QStringList files = parser.positionalArguments();

  const bool picture = parser.isSet(shot);
  // Pictures must not depend on what the user's window looked like last, nor change it. A window is
  // often ended by a signal, which would leave the folder.
  std::optional<QTemporaryDir> no_settings;
  if (picture) {
    no_settings.emplace();
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, no_settings->path());
  }
  MainWindow window;
  window.set_predict_for(rnnadvisor::model::predict_time_for);
  if (parser.isSet(theme)) {
    const QString word = parser.value(theme);
    if (word != QLatin1String("system") && word != QLatin1String("light") &&
        word != QLatin1String("dark"))
      return complain("--theme is system, light or dark");
    window.set_theme_choice(word == QLatin1String("light")  ? ThemeChoice::light
                            : word == QLatin1String("dark") ? ThemeChoice::dark
                                                            : ThemeChoice::system);
  }
  std::optional<Place> place;
  if (parser.isSet(at)) {
    auto parsed = MainWindow::read_place(parser.value(at));
    if (!parsed) return complain(rnnadvisor::to_text(parsed.error()));
    place = *parsed;
  }
  if (place && files.size() < (picture ? 2 : 1))
    return complain("--at is a place in a profile, and none is named");
  if (parser.isSet(before) && files.size() < (picture ? 2 : 1))
    return complain("--compare-with is what came before a profile, and none is named");
  if (picture) {
    ScreenshotRequest request;
    request.view = parser.value(shot);
    request.place = parser.value(at);
    request.before = parser.value(before);
    const auto parts = parser.value(size).split(QLatin1Char('x'));
    request.size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
    if (request.size.width() < 100 || request.size.height() < 100)
      return complain("--size is WIDTHxHEIGHT");
    if (files.isEmpty()) return complain("--screenshot VIEW FILE.png [profile]");
    request.file = files.takeFirst();
    if (!files.isEmpty()) request.document = files.takeFirst();
    if (!files.isEmpty()) return surplus(files);
    const auto taken = take_screenshot(window, request);
    return taken ? 0 : complain(rnnadvisor::to_text(taken.error()));
  }
  if (files.size() > 1) return surplus(files.mid(1));
  if (files.isEmpty()) {
    window.begin();
  } else {
    window.open(files.front(), place, parser.value(before));
  }
  window.fit_to_screen();
  window.show();
  return QApplication::exec();
}
