#include "gui/views/style.h"

#include <QApplication>
#include <QStyle>

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
  static const bool dark =
      QApplication::style()->standardPalette().color(QPalette::Window).lightness() < 128;
  return dark;
}

QString style_sheet_of(const Theme&) { return {}; }

}  // namespace rnnadvisor::gui
