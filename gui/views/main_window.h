// The window.
#pragma once

#include <QMainWindow>

#include "gui/models/document.h"
#include "gui/models/loader.h"
#include "gui/models/view_state.h"
#include "gui/theme.h"

namespace rnnadvisor::gui {

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(QWidget* parent = nullptr);
  void open(const QString& path);
  const DocumentPointer& document() const { return document_; }
  ViewState* state() { return &state_; }

 private:
  void show_document(const DocumentPointer& document);

  ViewState state_;
  Loader loader_;
  DocumentPointer document_;
};

}  // namespace rnnadvisor::gui
