#include "gui/models/page.h"

#include "advisor/report/inline_code.h"
#include "advisor/report/words.h"

namespace rnnadvisor::gui {

QString Page::escape(std::string_view text) {
  return to_qt(advisor::words::clean(text)).toHtmlEscaped();
}

QString Page::prose(std::string_view text) {
  const std::string clean = advisor::words::clean(text);
  QString html;
  for (const auto& run : advisor::inline_code(clean)) {
    const QString escaped = to_qt(run.text).toHtmlEscaped();
    html += run.code ? QStringLiteral("<code>%1</code>").arg(escaped) : escaped;
  }
  return html;
}

QString Page::prose(std::string_view text, const advisor::RuleSet& rules) const {
  const std::string clean = advisor::words::clean(text);
  QString html;
  for (const auto& run : advisor::inline_code(clean)) {
    const auto* rule = run.code ? rules.find(run.text) : nullptr;
    const QString escaped = to_qt(run.text).toHtmlEscaped();
    html += rule != nullptr
                ? QStringLiteral("“") + link(Link::to_rule(to_qt(rule->id)), prose(rule->title)) +
                      QStringLiteral("”")
            : run.code ? QStringLiteral("<code>%1</code>").arg(escaped)
                       : escaped;
  }
  return html;
}

QString Page::breakable(std::string_view text) {
  QString html = escape(text);
  for (const char* at : {"_", ".", "/", "::", "&lt;"}) {
    const QString sign = QString::fromLatin1(at);
    html.replace(sign, sign + QChar(0x200b));
  }
  return html;
}

QString Page::link(const Link& target, const QString& text) const {
  return QStringLiteral("<a href=\"%1\" style=\"color:%2; text-decoration:none\">%3</a>")
      .arg(to_string(target).toHtmlEscaped(), theme_.accent.name(), text);
}

QString Page::dim(const QString& html) const { return colored(html, theme_.dim_text); }

QString Page::colored(const QString& html, const QColor& color) const {
  return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(color.name(), html);
}

void Page::block(const char* style, const QString& html) {
  out_ += QStringLiteral("<p style=\"%1\">%2</p>").arg(QString::fromUtf8(style), html);
}

Page& Page::title(const QString& html) {
  block("font-size:x-large; font-weight:600; margin-top:4px; margin-bottom:6px", html);
  return *this;
}
Page& Page::heading(const QString& html) {
  block("font-weight:600; font-size:medium; margin-top:20px; margin-bottom:6px", html);
  return *this;
}
Page& Page::paragraph(const QString& html) {
  block("margin-top:4px; margin-bottom:6px; line-height:130%", html);
  return *this;
}
Page& Page::small(const QString& html) {
  out_ += QStringLiteral(
              "<p style=\"margin-top:2px; margin-bottom:4px; font-size:small; color:%1\">%2</p>")
              .arg(theme_.dim_text.name(), html);
  return *this;
}
Page& Page::item(const QString& html, const QString& bullet) {
  out_ += QStringLiteral(
              "<table cellpadding=\"2\" cellspacing=\"0\" width=\"100%\"><tr><td width=\"14\" "
              "style=\"color:%1\">%3</td><td>%2</td></tr></table>")
              .arg(theme_.dim_text.name(), html, bullet);
  return *this;
}
Page& Page::line(const QString& mark, const QString& html) {
  out_ += QStringLiteral(
              "<p style=\"margin-top:3px; margin-bottom:3px; margin-left:20px; "
              "text-indent:-20px\">%1&nbsp;&nbsp;%2</p>")
              .arg(mark, html);
  return *this;
}
// What is longer than its line goes on further in, so that it is not taken for a line of its own.
Page& Page::code(const QString& text) {
  QString lines;
  const QStringList all =
      QString(text.endsWith(QLatin1Char('\n')) ? text.chopped(1) : text).split(QLatin1Char('\n'));
  for (const auto& line : all)
    lines +=
        QStringLiteral(
            "<pre dir=\"ltr\" style=\"color:%1; margin:0; margin-left:28px; "
            "text-indent:-28px; white-space:pre-wrap\">%2</pre>")
            .arg(theme_.text.name(), line.isEmpty() ? QStringLiteral(" ") : line.toHtmlEscaped());
  out_ +=
      QStringLiteral(
          "<table width=\"100%\" cellpadding=\"10\" cellspacing=\"0\" style=\"margin-top:6px; "
          "margin-bottom:6px\"><tr><td align=\"left\" style=\"background-color:%1\">%2</td></tr>"
          "</table>")
          .arg(theme_.raised.name(), lines);
  return *this;
}
Page& Page::space(int pixels) {
  out_ += QStringLiteral("<p style=\"margin:0; font-size:%1px\">&nbsp;</p>").arg(pixels);
  return *this;
}

// What begins a line follows the direction of the page (PageBrowser turns it and what ends a line).
static QString at_end(bool end) { return end ? QStringLiteral(" align=\"right\"") : QString(); }

// Pages break long names anywhere, so that a narrow column would break any word.
static QString unbroken(bool whole) {
  return whole ? QStringLiteral("; white-space:nowrap") : QString();
}

Page& Page::table(const QStringList& header, const std::vector<std::vector<Cell>>& rows) {
  out_ += QStringLiteral(
      "<table width=\"100%\" cellpadding=\"5\" cellspacing=\"0\" style=\"margin-top:4px; "
      "margin-bottom:6px\">");
  const QString line = QStringLiteral("border-bottom:1px solid ") + theme_.border.name();
  if (!header.isEmpty()) {
    out_ += QStringLiteral("<tr>");
    for (qsizetype i = 0; i < header.size(); ++i) {
      const auto column = static_cast<std::size_t>(i);
      const Cell first = !rows.empty() && column < rows[0].size() ? rows[0][column] : Cell{};
      out_ += QStringLiteral("<td%1 style=\"%2; color:%3; font-size:small%5\">%4</td>")
                  .arg(at_end(first.right), line, theme_.dim_text.name(), header[i],
                       unbroken(first.whole));
    }
    out_ += QStringLiteral("</tr>");
  }
  for (const auto& row : rows) {
    out_ += QStringLiteral("<tr>");
    for (const auto& cell : row) {
      const QString width =
          cell.percent > 0 ? QStringLiteral(" width=\"%1%\"").arg(cell.percent) : QString();
      out_ += QStringLiteral("<td%1 style=\"%2\">%3</td>")
                  .arg(at_end(cell.right) + width, line + unbroken(cell.whole),
                       cell.html.isEmpty() ? QStringLiteral("&nbsp;") : cell.html);
    }
    out_ += QStringLiteral("</tr>");
  }
  out_ += QStringLiteral("</table>");
  return *this;
}

QString Page::take() {
  return QStringLiteral("<html><body style=\"color:%1\">%2</body></html>")
      .arg(theme_.text.name(), std::exchange(out_, {}));
}

}  // namespace rnnadvisor::gui
