// The documents that are installed with the program, to be read in the window.
#pragma once

#include <QDialog>
#include <QString>

class QListWidget;
class QTextBrowser;

namespace rnnadvisor::gui {

// The folder with guide.md: of the installation, or of the tree that the program was built in.
// Empty: it is not on this machine.
QString documents_folder();

class HelpWindow : public QDialog {
  Q_OBJECT
 public:
  explicit HelpWindow(const QString& folder, QWidget* parent = nullptr);
  // "guide.md"; false: there is no such page.
  bool show_page(const QString& name);
  QListWidget* pages() { return pages_; }
  QTextBrowser* text() { return text_; }

 private:
  QString folder_;
  QListWidget* pages_;
  QTextBrowser* text_;
};

}  // namespace rnnadvisor::gui
