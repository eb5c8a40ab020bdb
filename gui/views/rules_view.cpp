#include "gui/views/rules_view.h"

#include <QDirIterator>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include "gui/models/pages.h"

namespace rnnadvisor::gui {

RulesView::RulesView(QWidget* parent) : View(parent) {
  filter_.setSourceModel(&rules_);
  auto* side = new QFrame;
  side->setObjectName(QStringLiteral("side"));
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(10, 12, 4, 8);
  column->setSpacing(8);
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search titles, texts and sources"));
  search_->setAccessibleName(tr("Search rules"));
  search_->setClearButtonEnabled(true);
  column->addWidget(search_);
  list_ = new QListView;
  list_->setModel(&filter_);
  list_->setAccessibleName(tr("Rules"));
  list_->setMouseTracking(true);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setResizeMode(QListView::Adjust);
  list_->setFrameShape(QFrame::NoFrame);
  delegate_ = new TitleDelegate(list_);
  list_->setItemDelegate(delegate_);
  column->addWidget(list_, 1);
  errors_ = make_label({}, "error");
  errors_->setWordWrap(true);
  errors_->hide();
  column->addWidget(errors_);
  auto* row = new QHBoxLayout;
  count_ = make_label({}, "small");
  row->addWidget(count_, 1);
  auto* folder = new QPushButton(tr("Your rules…"));
  folder->setToolTip(tr("A folder of rule cards that are read with the shipped ones"));
  row->addWidget(folder);
  column->addLayout(row);
  page_ = new PageBrowser;
  page_->setAccessibleName(tr("Rule card"));
  auto* splitter = new QSplitter;
  splitter->addWidget(side);
  splitter->addWidget(page_);
  splitter->setSizes({380, 800});
  splitter->setStretchFactor(1, 1);
  splitter->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);

  connect(folder, &QPushButton::clicked, this, &RulesView::folder_requested);
  connect(page_, &PageBrowser::link_activated, this, &View::link_activated);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this] { show_current(); });
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_.set_words(text);
    count_->setText(tr("%1 of %n rule(s)", nullptr, rules_.rowCount()).arg(filter_.rowCount()));
    if (!list_->currentIndex().isValid()) list_->setCurrentIndex(filter_.index(0, 0));
  });
  // Editors write a file in several steps.
  auto* settle = new QTimer(this);
  settle->setSingleShot(true);
  settle->setInterval(200);
  connect(settle, &QTimer::timeout, this, &RulesView::folder_changed);
  const auto restart = [settle] { settle->start(); };
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, restart);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, restart);
}

void RulesView::set_rules(std::shared_ptr<const advisor::RuleSet> rules, const QString& folder) {
  const QString shown = list_->currentIndex().data(RuleRole).toString();
  rules_.set_rules(std::move(rules));
  errors_->hide();
  count_->setText(tr("%1 of %n rule(s)", nullptr, rules_.rowCount()).arg(filter_.rowCount()));
  if (!watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  if (!watcher_.directories().isEmpty()) watcher_.removePaths(watcher_.directories());
  if (!folder.isEmpty()) {
    QStringList paths{folder};
    QDirIterator all(folder, QDir::Dirs | QDir::Files | QDir::NoDotAndDotDot,
                     QDirIterator::Subdirectories);
    while (all.hasNext() && paths.size() < 2000) paths << all.next();
    watcher_.addPaths(paths);
  }
  if (rules_.row_of(shown) >= 0) {
    show_rule(shown);
  } else {
    list_->setCurrentIndex(filter_.index(0, 0));
  }
}

void RulesView::set_errors(const std::vector<Error>& errors) {
  errors_->setVisible(!errors.empty());
  if (errors.empty()) return;
  QStringList lines;
  for (const auto& error : errors) {
    lines << to_qt(to_text(error));
    if (lines.size() == 3) break;
  }
  if (errors.size() > 3) lines << tr("and %1 more").arg(static_cast<int>(errors.size() - 3));
  errors_->setText(lines.join(QLatin1Char('\n')));
}

void RulesView::set_document(DocumentPointer document) {
  document_ = std::move(document);
  show_current(true);
}

void RulesView::set_theme(const Theme& theme) {
  theme_ = theme;
  delegate_->set_theme(theme);
  show_current(true);
}

QWidget* RulesView::first_focus() { return search_; }
bool RulesView::search() {
  search_->setFocus();
  return true;
}
QString RulesView::table_text() const { return table_text_of(list_); }

QString RulesView::shown_rule() const {
  const QModelIndex index = list_->currentIndex();
  if (!index.isValid() || rules_.rule_set() == nullptr) return {};
  return to_qt(
      rules_.rule_set()->rules[static_cast<std::size_t>(index.data(ItemIndexRole).toInt())].id);
}

bool RulesView::show_rule(const QString& id) {
  const int row = rules_.row_of(id);
  if (row < 0) return false;
  QModelIndex index = filter_.mapFromSource(rules_.index(row));
  if (!index.isValid()) {
    search_->clear();
    index = filter_.mapFromSource(rules_.index(row));
  }
  list_->setCurrentIndex(index);
  list_->scrollTo(index, QAbstractItemView::PositionAtCenter);
  return true;
}

void RulesView::show_current(bool same) {
  const QModelIndex index = list_->currentIndex();
  if (!index.isValid() || rules_.rule_set() == nullptr) return;
  const auto row = static_cast<std::size_t>(index.data(ItemIndexRole).toInt());
  std::span<const DeviceSpec> devices;
  if (document_) devices = document_->profile().devices;
  page_->show_page(rule_page(rules_.rule_set()->rules[row], theme_, devices), same);
}

}  // namespace rnnadvisor::gui
