#include <QApplication>

#include "gui/views/main_window.h"

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("rnnadvisor-gui"));
  QApplication::setApplicationVersion(QStringLiteral(RNNADVISOR_VERSION));
  rnnadvisor::gui::MainWindow window;
  const auto arguments = QApplication::arguments();
  if (arguments.size() > 1) window.open(arguments.at(1));
  window.show();
  return QApplication::exec();
}
