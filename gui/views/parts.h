// Small parts that views are made of.
#pragma once

#include <QFrame>
#include <QIcon>
#include <QLabel>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "gui/models/link.h"
#include "gui/theme.h"

class QAbstractItemView;
class QPushButton;
class QTableView;

namespace rnnadvisor::gui {

// A framed group with a heading.
class Card : public QFrame {
  Q_OBJECT
 public:
  explicit Card(const QString& heading, QWidget* parent = nullptr);
  QVBoxLayout* body() { return body_; }

 private:
  QLabel* heading_;
  QVBoxLayout* body_;
};

// What a view shows where it has nothing to show: why, and what to do about it.
class EmptyState : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyState(QWidget* parent = nullptr);
  // An empty `command` has no line of its own; an empty `action` no button.
  void set_state(const QString& title, const QString& text, const QString& command = {},
                 const QString& action = {});
  // No profile is open: the button leads to where one is chosen.
  void set_no_profile(const QString& text);
  QPushButton* button() const { return button_; }

 signals:
  void chosen();

 private:
  QLabel *title_, *text_, *command_;
  QPushButton* button_;
};

// Text styles are chosen by the style sheet through the property "look": "title", "heading",
// "dim", "small".
QLabel* make_label(const QString& text, const char* look = "", QWidget* parent = nullptr);
void set_look(QWidget* widget, const char* look);

// Icons are drawn, so that they have the colours of the theme at every scale.
enum class Symbol {
  start,
  overview,
  timeline,
  recurrence,
  findings,
  explorer,
  compare,
  rules,
  open,
  run,
  save,
  search,
  theme,
  copy,
  back,
  forward,
  close
};
QIcon make_icon(Symbol symbol, const Theme& theme);

// Shows pages; links go out as Link, addresses are opened by the desktop.
class PageBrowser : public QTextBrowser {
  Q_OBJECT
 public:
  explicit PageBrowser(QWidget* parent = nullptr);
  // Keeps the scroll position where `same` says that it is the same page written anew.
  void show_page(const QString& html, bool same = false);
  // From now on as high as its text: what is around it scrolls.
  void grow_with_text();
  // Lines that are longer are harder to read: what is wider stays empty.
  static constexpr int widest_text = 1000;

 signals:
  void link_activated(const rnnadvisor::gui::Link& link);

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  void keep_narrow();
  void set_page();
  QString html_;  // as it was given, for either direction of writing
  bool grows_ = false;
};

// Two widgets side by side, or one below the other where there is no room for both.
class BesideOrBelow : public QSplitter {
  Q_OBJECT
 public:
  explicit BesideOrBelow(QList<int> sizes_beside, QWidget* parent = nullptr);
  // The width that both need; from it on they stand side by side.
  void set_needed(int width);
  bool beside() const { return orientation() == Qt::Horizontal; }

 signals:
  void turned();  // the sizes of before are gone

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void turn();

  QList<int> sizes_beside_;
  int needed_ = 0;
};

// Rows with a mark, a title in up to two lines, and a line of dim text with a gain at its right.
class TitleDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  // The width of a row's texts. The same with and without a scroll bar: heights are kept by the
  // list, and one that was taken without it is too low with it.
  static int text_width(const QStyleOptionViewItem& option);
  void set_theme(const Theme& theme) { theme_ = theme; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  // What is written above the row: its section, where the row before is of another.
  static QString heading(const QModelIndex& index);
  static int heading_height(const QStyleOptionViewItem& option, const QModelIndex& index);

  Theme theme_ = light_theme();
};

// Rows without a grid, of a comfortable height, sorted by a click on the header.
void make_plain_table(QTableView* table);
// Tab separated values with the header, as spreadsheets take them.
QString table_text_of(const QAbstractItemView* view);

}  // namespace rnnadvisor::gui
