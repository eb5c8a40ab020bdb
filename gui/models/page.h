// Page: text with headings, tables, code and links as the subset of HTML that QTextDocument shows.
// Everything that goes in as text is escaped.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "advisor/rules/rule.h"
#include "gui/models/link.h"
#include "gui/theme.h"

namespace rnnadvisor::gui {

class Page {
 public:
  explicit Page(const Theme& theme) : theme_(theme) {}

  const Theme& theme() const { return theme_; }
  static QString escape(std::string_view text);
  static QString escape(const QString& text) { return text.toHtmlEscaped(); }
  // What a rule card says: the same, with what stands between backticks as code.
  static QString prose(std::string_view text);
  // The same where rules may be named by their id: as a link with their title.
  QString prose(std::string_view text, const advisor::RuleSet& rules) const;
  // The same with places at which long names of facts and kernels may be broken.
  static QString breakable(std::string_view text);
  QString link(const Link& target, const QString& text) const;
  QString dim(const QString& html) const;
  QString strong(const QString& html) const { return QStringLiteral("<b>%1</b>").arg(html); }
  QString colored(const QString& html, const QColor& color) const;

  // These take HTML.
  Page& title(const QString& html);
  Page& heading(const QString& html);
  Page& paragraph(const QString& html);
  Page& small(const QString& html);
  // Of a list; a mark of its own may stand for the bullet.
  Page& item(const QString& html, const QString& bullet = QStringLiteral("•"));
  // As item(), in a long list that changes often: it is laid out sooner than a table's row.
  Page& line(const QString& mark, const QString& html);
  Page& code(const QString& text);  // plain text
  Page& space(int pixels);

  struct Cell {
    QString html;
    bool right = false;
    int percent = 0;     // of the table's width for this column; 0: by what stands in it
    bool whole = false;  // never broken into lines: numbers, short names
  };
  // `header` may be empty. Room that is left is shared among the columns without a width.
  Page& table(const QStringList& header, const std::vector<std::vector<Cell>>& rows);

  QString take();

 private:
  void block(const char* style, const QString& html);

  Theme theme_;
  QString out_;
};

}  // namespace rnnadvisor::gui
