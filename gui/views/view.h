// View: what the pages of the window have in common.
#pragma once

#include <QWidget>

#include "gui/models/document.h"
#include "gui/models/link.h"
#include "gui/theme.h"

namespace rnnadvisor::gui {

class View : public QWidget {
  Q_OBJECT
 public:
  explicit View(QWidget* parent = nullptr) : QWidget(parent) {}
  // NOLINTNEXTLINE(performance-unnecessary-value-param): views keep what they are given
  virtual void set_document(DocumentPointer) {}
  virtual void set_theme(const Theme&) {}
  // Where the keyboard goes when the view is shown.
  virtual QWidget* first_focus() { return nullptr; }
  // Begins to search in the view; false: there is nothing to search in it.
  virtual bool search() { return false; }
  // The view as rows of cells, for the clipboard; empty: there is no table in it.
  virtual QString table_text() const { return {}; }

 signals:
  // Something that another view shows.
  void link_activated(const rnnadvisor::gui::Link& link);
};

}  // namespace rnnadvisor::gui
