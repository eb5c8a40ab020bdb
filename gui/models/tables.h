// What the window shows as charts and pages, as rows of cells for the clipboard: tabs between
// cells, a line each row, a blank line between tables, units in the heads so that cells are
// numbers.
#pragma once

#include <QStringList>

#include "gui/models/exploration.h"

namespace rnnadvisor::gui {

// Rows of cells that stay in their cells: tabs and line breaks within one become blanks.
class TableText {
 public:
  void row(const QStringList& cells);
  // A blank line before the rows that follow, where there are rows before them.
  void next_table();
  bool empty() const { return text_.isEmpty(); }
  const QString& text() const { return text_; }

 private:
  QString text_;
};

// The overview of a profile: the time of each phase by what its kernels do, and what was found with
// its gain. Empty for a profile with neither.
QString overview_table(const Document& document);

// The explorer: the configuration, times, memory and findings; beside it what is held, if anything.
QString exploration_table(const Exploration& now, const Exploration* held);
QString products_table(const Exploration& now);
QString conditions_table(const Exploration& now);

// A time for a cell, as a number of milliseconds with three significant digits; empty for none.
QString milliseconds_cell(double ms);

}  // namespace rnnadvisor::gui
