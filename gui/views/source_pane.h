// The file of a line of the program, with the time that the recorded calls of each line took.
#pragma once

#include <QPlainTextEdit>
#include <QWidget>
#include <map>

#include "gui/models/source_file.h"
#include "gui/theme.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace rnnadvisor::gui {

// A text to be read, with numbers and times at its left.
class SourceText : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit SourceText(QWidget* parent = nullptr);
  void set_theme(const Theme& theme);
  void show_lines(const QStringList& lines, std::map<int, LineTime> times);
  void go_to(int line);
  // What stands beside a line: "12.3 ms  20 calls", empty where no call was made.
  QString beside(int line) const;
  void paint_margin(QPaintEvent* event);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  int margin_width() const;
  void lay_out();

  QWidget* margin_;
  Theme theme_ = light_theme();
  std::map<int, LineTime> times_;
  int line_ = 0;
};

class SourcePane : public QWidget {
  Q_OBJECT
 public:
  explicit SourcePane(QWidget* parent = nullptr);
  void set_theme(const Theme& theme);
  // Of this document, with the file at `path`; an empty one: it is not on this machine.
  void show_source(const DocumentPointer& document, const SourceLine& line, const QString& path);
  void clear();
  const SourceLine& line() const { return line_; }
  SourceText* text() { return text_; }
  QLabel* problem() { return problem_; }

 signals:
  // The user knows where the file is.
  void file_requested(const rnnadvisor::gui::SourceLine& line);

 private:
  SourceLine line_;
  QLabel *title_, *path_, *problem_;
  SourceText* text_;
  QStackedWidget* stack_;
  QPushButton* choose_;
};

}  // namespace rnnadvisor::gui
