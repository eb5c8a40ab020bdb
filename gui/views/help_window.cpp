#include "gui/views/help_window.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPushButton>
#include <QSplitter>
#include <QStandardPaths>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace rnnadvisor::gui {
namespace {

constexpr int levels_above_program = 4;  // of a build folder within the tree

const QString& first_page() {
  static const QString name = QStringLiteral("guide.md");
  return name;
}

// Its first heading, else its name.
QString title_of(const QString& path) {
  QFile file(path);
  if (file.open(QIODevice::ReadOnly)) {
    const QString line = QString::fromUtf8(file.readLine(400)).trimmed();
    if (line.startsWith(QLatin1String("# "))) return line.mid(2);
  }
  return QFileInfo(path).completeBaseName();
}

// Documents lead to one another; anything else is for the desktop.
class Documents : public QTextBrowser {
 public:
  explicit Documents(QString folder) : folder_(std::move(folder)) {}

 protected:
  void doSetSource(const QUrl& name, QTextDocument::ResourceType) override {
    const QUrl url = source().isEmpty() ? name : source().resolved(name);
    const bool ours = url.isLocalFile() &&
                      QDir::cleanPath(url.toLocalFile()).startsWith(folder_ + QLatin1Char('/')) &&
                      url.path().endsWith(QLatin1String(".md"));
    if (ours && QFileInfo::exists(url.toLocalFile()))
      QTextBrowser::doSetSource(url, QTextDocument::HtmlResource);
    else
      QDesktopServices::openUrl(url);
  }
  // Qt reads a table of Markdown row by row, and a browser lays out all of it after each: a page
  // with hundreds of rows would take half a minute. A document that is not shown has no layout.
  QVariant loadResource(int type, const QUrl& name) override {
    if (type != QTextDocument::HtmlResource) return QTextBrowser::loadResource(type, name);
    QFile file(name.toLocalFile());
    if (!file.open(QIODevice::ReadOnly)) return {};
    QTextDocument read;
    read.setDefaultFont(font());
    read.setMarkdown(QString::fromUtf8(file.readAll()));
    return read.toHtml();
  }

 private:
  QString folder_;
};

}  // namespace

QString documents_folder() {
  const auto has_pages = [](const QString& folder) {
    return QFileInfo(QDir(folder).filePath(first_page())).isFile();
  };
  QDir above(QCoreApplication::applicationDirPath());
  QStringList folders = {above.filePath(QStringLiteral("../share/doc/rnnadvisor"))};
  folders << QStandardPaths::locateAll(QStandardPaths::GenericDataLocation,
                                       QStringLiteral("doc/rnnadvisor"),
                                       QStandardPaths::LocateDirectory);
  for (int i = 0; i < levels_above_program && above.cdUp(); ++i)
    folders << above.filePath(QStringLiteral("docs"));
  for (const auto& folder : folders)
    if (has_pages(folder)) return QDir::cleanPath(QDir(folder).absolutePath());
  return {};
}

HelpWindow::HelpWindow(const QString& folder, QWidget* parent)
    : QDialog(parent), folder_(folder), pages_(new QListWidget), text_(new Documents(folder)) {
  setWindowTitle(tr("Documentation"));
  resize(980, 680);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 8, 12, 0);
  auto* back = new QPushButton(tr("Back"));
  auto* forward = new QPushButton(tr("Forward"));
  row->addWidget(back);
  row->addWidget(forward);
  row->addStretch();
  layout->addLayout(row);
  auto* splitter = new QSplitter;
  splitter->addWidget(pages_);
  splitter->addWidget(text_);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({230, 750});
  layout->addWidget(splitter, 1);
  pages_->setAccessibleName(tr("Documents"));
  text_->setAccessibleName(tr("Document"));
  text_->document()->setDocumentMargin(18);
  QStringList names = QDir(folder).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
  names.removeAll(first_page());
  names.prepend(first_page());
  for (const auto& name : names) {
    auto* item = new QListWidgetItem(title_of(QDir(folder).filePath(name)), pages_);
    item->setData(Qt::UserRole, name);
  }
  connect(pages_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
    if (item != nullptr) show_page(item->data(Qt::UserRole).toString());
  });
  connect(text_, &QTextBrowser::sourceChanged, this, [this](const QUrl& url) {
    const QString name = url.fileName();
    for (int i = 0; i < pages_->count(); ++i) {
      if (pages_->item(i)->data(Qt::UserRole).toString() != name) continue;
      const QSignalBlocker quiet(pages_);
      pages_->setCurrentRow(i);
    }
  });
  back->setEnabled(false);
  forward->setEnabled(false);
  connect(text_, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
  connect(text_, &QTextBrowser::forwardAvailable, forward, &QWidget::setEnabled);
  connect(back, &QPushButton::clicked, text_, &QTextBrowser::backward);
  connect(forward, &QPushButton::clicked, text_, &QTextBrowser::forward);
  show_page(first_page());
}

bool HelpWindow::show_page(const QString& name) {
  const QString path = QDir(folder_).filePath(name);
  if (!QFileInfo(path).isFile()) return false;
  text_->setSource(QUrl::fromLocalFile(path));
  return true;
}

}  // namespace rnnadvisor::gui
