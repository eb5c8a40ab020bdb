// Drawing on a terminal of a given width: styles, wrapped paragraphs and tables. Everything
// that goes in is plain, clean text (words::clean); widths are counted in terminal columns.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

enum class Style { plain, bold, dim, red, yellow, green, cyan, blue };

// What a column does when the table is wider than the terminal.
enum class Fit {
  fixed,  // nothing
  clip,   // is cut in the middle: for names, of which both ends tell something
  wrap,   // goes on in further lines: for prose, where every word counts
};

struct Column {
  std::string title;
  bool right = false;  // numbers
  Fit fit = Fit::fixed;
  int least = 8;  // columns that one which gives way should keep
  // Above 0: the column is left out, the one with the least number first, when the table does not
  // fit although all have given way down to their `least`.
  int drop = 0;
};

struct Cell {
  std::string text;
  Style style = Style::plain;
};

class Terminal {
 public:
  explicit Terminal(const TextOptions& options);

  int width() const { return width_; }
  bool ascii() const { return options_.ascii; }
  // The symbol in Unicode or ASCII.
  std::string_view symbol(std::string_view unicode, std::string_view plain) const {
    return options_.ascii ? plain : unicode;
  }
  std::string styled(std::string_view text, Style style) const;

  void line(std::string_view text = {}, Style style = Style::plain);
  // A heading with a rule to the right edge.
  void heading(std::string_view text);
  // Wraps `text` at blanks; every line begins at column `indent`, the first with `label` (styled)
  // hanging before it.
  void paragraph(std::string_view text, int indent = 0, std::string_view label = {},
                 Style label_style = Style::dim, Style style = Style::plain);
  // Every row has a cell for each column.
  void table(std::vector<Column> columns, std::vector<std::vector<Cell>> rows, int indent = 0);

  // Where columns were left out of a table: begins again without them in any table, so that tables
  // of one report have the same columns.
  bool again();

  // What was drawn. In ASCII mode every remaining non-ASCII character has become '?' or its nearest
  // spelling.
  std::string take();

 private:
  TextOptions options_;
  int width_;
  std::string out_;
  std::set<std::string> left_out_;  // columns without room; take() says which
  std::set<std::string> unwanted_;  // those of the drawing before
};

}  // namespace rnnadvisor::advisor
