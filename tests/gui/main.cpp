// Tests of the window run without a screen, so that they run everywhere and never take the focus.
#include <gtest/gtest.h>

#include <QApplication>
#include <QTemporaryDir>
#include <cstdio>

#include "gui/plurals.h"
#include "tests/gui/pictures.h"

// Read by the address sanitizer. fontconfig keeps what it read of a configuration that it replaces.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }

// Read by the thread sanitizer. Qt is not compiled with it, so that it sees no lock within Qt: what
// Qt's own functions allocate, copy and free on one thread and then on another would each be a
// race. What is ours goes from thread to thread by gui/models/background.h, whose locks it sees.
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libQt6Core.so\n"  // events, and the pool of threads
         "called_from_lib:libQt6Gui.so\n";  // large pictures are painted in the pool
}

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  testing::InitGoogleTest(&argc, argv);
  qputenv("TZ", "UTC");                                // pictures show dates of the machine's zone
  for (const char* variable : {"LC_ALL", "LANGUAGE"})  // errors come in its language
    qputenv(variable, "C.UTF-8");
  // Settings and data of this process alone: tests run at the same time.
  const QTemporaryDir home;
  for (const char* variable : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
    qputenv(variable, home.path().toLocal8Bit());
  // The fonts of the tree alone, in this process and in programs that it starts.
  qputenv("FONTCONFIG_FILE", RNNADVISOR_SOURCE_DIR "/tests/gui/fonts/fonts.conf");
  // As above, in programs that it starts.
  qputenv("LSAN_OPTIONS",
          "print_suppressions=0:suppressions=" RNNADVISOR_SOURCE_DIR "/tests/gui/leaks.txt");
  QApplication application(argc, argv);
  if (!rnnadvisor::gui::only_test_fonts()) {
    std::fprintf(stderr, "Qt finds other fonts than those of tests/gui/fonts: %s\n",
                 qPrintable(QFontDatabase::families().join(QStringLiteral(", "))));
    return 1;
  }
  QApplication::setFont(rnnadvisor::gui::test_font());
  QApplication::setOrganizationName(QStringLiteral("rnnadvisor-test"));
  QApplication::setApplicationName(QStringLiteral("rnnadvisor-gui-test"));
  rnnadvisor::gui::install_plurals();
  return RUN_ALL_TESTS();
}
