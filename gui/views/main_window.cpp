#include "gui/views/main_window.h"

namespace rnnadvisor::gui {

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
  setWindowTitle(QStringLiteral("rnnadvisor"));
  connect(&loader_, &Loader::loaded, this, &MainWindow::show_document);
}

void MainWindow::open(const QString& path) {
  if (auto rules = load_rules()) loader_.open(path, *rules);
}

void MainWindow::show_document(const DocumentPointer& document) {
  document_ = document;
  state_.reset(document->extent());
  setWindowTitle(document->name());
}

}  // namespace rnnadvisor::gui
