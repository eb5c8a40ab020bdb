#include "gui/views/style.h"

#include <QApplication>
#include <QRegularExpression>

namespace rnnadvisor::gui {

QPalette palette_of(const Theme& t) {
  QPalette p;
  p.setColor(QPalette::Window, t.window);
  p.setColor(QPalette::WindowText, t.text);
  p.setColor(QPalette::Base, t.panel);
  p.setColor(QPalette::AlternateBase, t.window);
  p.setColor(QPalette::Text, t.text);
  p.setColor(QPalette::PlaceholderText, t.dim_text);
  p.setColor(QPalette::Button, t.raised);
  p.setColor(QPalette::ButtonText, t.text);
  p.setColor(QPalette::BrightText, t.text);
  p.setColor(QPalette::Highlight, t.selection);
  p.setColor(QPalette::HighlightedText, t.text_on_selection);
  p.setColor(QPalette::Link, t.accent);
  p.setColor(QPalette::LinkVisited, t.accent);
  p.setColor(QPalette::ToolTipBase, t.raised);
  p.setColor(QPalette::ToolTipText, t.text);
  p.setColor(QPalette::Light, t.raised);
  p.setColor(QPalette::Midlight, t.raised);
  p.setColor(QPalette::Mid, t.border);
  p.setColor(QPalette::Dark, t.border);
  p.setColor(QPalette::Shadow, t.border);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, t.disabled_text);
  return p;
}

bool system_is_dark() {
  QApplication::setPalette(QPalette());  // ours hides what the desktop gives
  return QApplication::palette().color(QPalette::Window).lightness() < 128;
}

QString style_sheet_of(const Theme& t, double text_scale) {
  // @name stands for a colour. What Fusion draws well by the palette alone (combo boxes, spin
  // boxes, check boxes) is left to it.
  QString sheet = QStringLiteral(R"(
QMainWindow, QDialog, QScrollArea, QScrollArea > QWidget > QWidget { background: @window; }
QFrame#card { background: @panel; border: 1px solid @border; border-radius: 10px; }
QFrame#card[severity="error"] { border-color: @error; }
QFrame#card[severity="warning"] { border-color: @warning; }
QFrame#card QLabel, QFrame#card QWidget { background: transparent; }
QFrame#rail { background: @panel; border: none; border-right: 1px solid @border; }
QFrame#header { background: @panel; border: none; border-bottom: 1px solid @border; }
QDialog#palette { background: @panel; border: 1px solid @border; }
QFrame#side { background: @panel; border: none; }
QWidget#map_page, QScrollArea > QWidget > QWidget#map_page { background: @panel; }
QFrame#notice { background: @raised; border: none; border-bottom: 1px solid @border; }
QFrame#note_bar { background: @panel; border: none; border-top: 1px solid @border; }
QFrame#trial_strip { background: @raised; border: none; border-top: 1px solid @border; }
QFrame#problem_card { background: @panel; border: 1px solid @error; border-radius: 10px; }
QFrame#problem_card[goes_on="true"] { border-color: @accent; }
QFrame#problem_card QLabel { background: transparent; }
QLabel[look="mark_error"] { color: @error; font-size: 15pt; }
QLabel[look="mark_opportunity"] { color: @accent; font-size: 15pt; }
QLabel[look="display"] { font-size: 22pt; font-weight: 600; }
QLabel[look="title"] { font-size: 15pt; font-weight: 600; }
QLabel[look="headline"] { font-size: 13pt; font-weight: 500; }
QLabel[look="heading"] { font-weight: 600; }
QLabel[look="figure"] { font-size: 17pt; font-weight: 600; }
QLabel[look="dim"] { color: @dim; }
QLabel[look="small"] { color: @dim; font-size: 9pt; }
QLabel[look="error"] { color: @error; }
QToolButton#rail_button { border: none; border-radius: 8px; padding: 7px 4px 6px 4px; color: @dim; font-size: 8.5pt; }
QToolButton#rail_button:hover { background: @raised; color: @text; }
QToolButton#rail_button:checked { background: @selection; color: @on_selection; }
QToolButton#rail_button:disabled { color: @disabled; }
QToolButton#rail_button:focus { border: 2px solid @accent; padding: 5px 2px 4px 2px; }
QToolButton#tool { border: none; border-radius: 6px; padding: 5px; }
QToolButton#tool:hover { background: @raised; }
QToolButton#tool:focus { border: 2px solid @accent; padding: 3px; }
QToolButton#tool::menu-indicator { image: none; }
QToolButton#choice { border: 1px solid transparent; border-radius: 6px; padding: 4px 10px; color: @dim; }
QToolButton#choice:hover { background: @raised; color: @text; }
QToolButton#choice:checked { background: @selection; color: @on_selection; }
QToolButton#choice:focus { border-color: @accent; }
QToolButton#legend { border: 1px solid transparent; border-radius: 4px; padding: 1px 4px; color: @text; font-size: 8.5pt; }
QToolButton#legend:hover { background: @raised; }
QToolButton#legend:checked { background: @selection; color: @on_selection; }
QToolButton#legend:focus { border-color: @accent; }
QLabel#legend_caption { color: @dim; font-size: 8.5pt; padding: 2px 2px 2px 6px; }
QToolButton#disclosure { border: none; color: @dim; padding: 2px 0; }
QToolButton#disclosure:focus { color: @accent; }
QPushButton { background: @raised; border: 1px solid @border; border-radius: 6px; padding: 6px 14px; }
QPushButton:hover { border-color: @accent; }
QPushButton:focus { border: 2px solid @accent; padding: 5px 13px; }
QPushButton:disabled { color: @disabled; }
QPushButton[look="primary"] { background: @accent; color: @on_accent; border-color: @accent; font-weight: 600; }
QPushButton[look="small"] { padding: 3px 9px; font-size: 9pt; }
QPushButton[look="small"]:focus { padding: 2px 8px; }
QPushButton[look="chip"] { border-radius: 10px; padding: 3px 10px; background: transparent; }
QPushButton[look="chip"]:checked { background: @selection; color: @on_selection; border-color: @accent; }
QPushButton[look="tile"] { text-align: left; padding: 10px 14px; background: @panel; border-radius: 8px; }
QLineEdit, QPlainTextEdit { background: @panel; border: 1px solid @border; border-radius: 6px; padding: 5px 8px; selection-background-color: @selection; selection-color: @on_selection; }
QLineEdit:focus, QPlainTextEdit:focus { border: 1px solid @accent; }
QAbstractItemView { background: @panel; border: none; outline: 0; selection-background-color: @selection; selection-color: @on_selection; }
QTableView::item { padding: 0 8px; border: none; border-bottom: 1px solid @grid; }
QTableView::item:selected { background: @selection; color: @on_selection; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @dim; border: none; border-bottom: 1px solid @border; padding: 6px 11px; font-size: 9pt; }
QTextBrowser { background: @panel; border: none; }
QTabWidget::pane { border: none; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @dim; padding: 7px 14px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:focus { color: @accent; }
QSplitter::handle { background: @border; }
QSplitter::handle:horizontal { width: 1px; } QSplitter::handle:vertical { height: 1px; }
QMainWindow::separator { background: @border; width: 1px; height: 1px; }
QDockWidget { color: @dim; }
QDockWidget::title { background: @panel; padding: 7px 12px; border-bottom: 1px solid @border; }
QMenuBar { background: @panel; border-bottom: 1px solid @border; padding: 1px 6px; }
QMenuBar::item { padding: 4px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @raised; }
QMenu { background: @panel; border: 1px solid @border; padding: 5px; }
QMenu::item { padding: 5px 26px 5px 14px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @on_selection; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @grid; margin: 4px 8px; }
QStatusBar { background: @panel; border-top: 1px solid @border; color: @dim; }
QStatusBar::item { border: none; }
QToolTip { background: @raised; color: @text; border: 1px solid @border; padding: 4px 6px; }
QProgressBar { border: none; background: @raised; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSlider::groove:horizontal { height: 4px; background: @border; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider::handle:horizontal { width: 12px; height: 12px; margin: -4px 0; border-radius: 6px; background: @accent; }
QSlider::handle:horizontal:focus { border: 2px solid @text; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: @border; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; } QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: @disabled; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)");
  // Longer names first: @on_selection must not be taken for @on.
  const std::pair<const char*, QColor> names[] = {{"@on_selection", t.text_on_selection},
                                                  {"@on_accent", t.text_on_accent},
                                                  {"@selection", t.selection},
                                                  {"@disabled", t.disabled_text},
                                                  {"@window", t.window},
                                                  {"@accent", t.accent},
                                                  {"@border", t.border},
                                                  {"@raised", t.raised},
                                                  {"@panel", t.panel},
                                                  {"@error", t.error},
                                                  {"@warning", t.warning},
                                                  {"@grid", t.grid},
                                                  {"@text", t.text},
                                                  {"@dim", t.dim_text}};
  for (const auto& [name, color] : names) sheet.replace(QString::fromUtf8(name), color.name());
  if (text_scale == 1) return sheet;
  static const QRegularExpression size(QStringLiteral("font-size: ([0-9.]+)pt"));
  QString scaled;
  qsizetype from = 0;
  for (auto found = size.globalMatch(sheet); found.hasNext();) {
    const auto match = found.next();
    scaled += sheet.mid(from, match.capturedStart(1) - from) +
              QString::number(match.captured(1).toDouble() * text_scale, 'f', 2);
    from = match.capturedEnd(1);
  }
  return scaled + sheet.mid(from);
}

}  // namespace rnnadvisor::gui
