// The command palette (Ctrl+Shift+P) and the sheet of shortcuts (?): both list the same actions.
#pragma once

#include <QAction>
#include <QDialog>
#include <QList>
#include <vector>

class QLineEdit;
class QListWidget;

namespace rnnadvisor::gui {

struct KeyHelp {
  QString group, keys, what;
};

// How well `words` fit `text`: 0 not at all; letters in their order fit, at the beginning of words
// best.
int match_score(const QString& typed, const QString& text);

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  explicit CommandPalette(const QList<QAction*>& actions, QWidget* parent = nullptr);
  // Others than commands, such as tracks.
  void set_actions(const QList<QAction*>& actions, const QString& placeholder);
  QLineEdit* line() { return line_; }
  QListWidget* list() { return list_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill(const QString& typed);
  QPoint place_over(const QWidget& parent) const;
  void run_current();

  QList<QAction*> actions_;
  QLineEdit* line_;
  QListWidget* list_;
};

class ShortcutSheet : public QDialog {
  Q_OBJECT
 public:
  ShortcutSheet(const QList<QAction*>& actions, const std::vector<KeyHelp>& more,
                QWidget* parent = nullptr);
};

}  // namespace rnnadvisor::gui
