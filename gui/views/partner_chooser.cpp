#include "gui/views/partner_chooser.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "gui/models/session.h"

namespace rnnadvisor::gui {

PartnerChooser::PartnerChooser(QWidget* parent)
    : QWidget(parent), delegate_(new TitleDelegate(this)), list_(new QListView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  auto* search = new QLineEdit;
  search->setPlaceholderText(tr("Search these"));
  search->setAccessibleName(tr("Search the recordings"));
  search->setClearButtonEnabled(true);
  row->addWidget(search, 1);
  other_ = new QPushButton(tr("Open another file…"));
  set_look(other_, "primary");
  row->addWidget(other_);
  column->addLayout(row);
  filter_.setSourceModel(&model_);
  list_->setModel(&filter_);
  list_->setAccessibleName(tr("Recordings to compare with"));
  list_->setItemDelegate(delegate_);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setResizeMode(QListView::Adjust);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setMouseTracking(true);
  column->addWidget(list_, 1);
  const auto choose = [this](const QModelIndex& index) {
    if (!index.isValid()) return;
    const auto at = static_cast<std::size_t>(filter_.mapToSource(index).row());
    emit chosen(model_.rows()[at].path);
  };
  // Some styles activate on a click already.
  connect(list_, &QListView::clicked, this, choose);
  connect(list_, &QListView::activated, this, [this, choose](const QModelIndex& index) {
    if (!list_->underMouse()) choose(index);
  });
  connect(search, &QLineEdit::textChanged, &filter_, &WordsFilter::set_words);
  connect(search, &QLineEdit::returnPressed, this, [this, choose] { choose(filter_.index(0, 0)); });
  connect(other_, &QPushButton::clicked, this, &PartnerChooser::file_requested);
}

void PartnerChooser::set_theme(const Theme& theme) {
  delegate_->set_theme(theme);
  list_->viewport()->update();
}

QWidget* PartnerChooser::first_focus() {
  return filter_.rowCount() > 0 ? static_cast<QWidget*>(list_) : other_;
}

void PartnerChooser::set_document(const DocumentPointer& document) {
  work_.cancel();
  path_ = document ? document->path() : QString();
  command_.clear();
  other_->setEnabled(document != nullptr);
  if (!document) return model_.set_partners({});
  show_partners({});
  command_ = document->profile().environment.command_line;
  if (isVisible()) look_for_others();
}

void PartnerChooser::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  look_for_others();
}

void PartnerChooser::look_for_others() {
  const std::string command = std::exchange(command_, {});
  if (command.empty()) return;
  work_.start(
      this,
      [path = path_, command](const std::stop_token& stop) {
        return of_same_command(path, command, [&] { return !stop.stop_requested(); });
      },
      [this](const std::vector<Partner>& beside) {
        if (!beside.empty()) show_partners(beside);
      },
      [] {});  // what is known already stays
}

void PartnerChooser::show_partners(const std::vector<Partner>& beside) {
  const QModelIndex current = list_->currentIndex();
  const QString path =
      current.isValid()
          ? model_.rows()[static_cast<std::size_t>(filter_.mapToSource(current).row())].path
          : QString();
  model_.set_partners(partners_of(path_, beside, recent_files()));
  int row = 0;
  for (int i = 0; i < filter_.rowCount(); ++i) {
    const auto at = static_cast<std::size_t>(filter_.mapToSource(filter_.index(i, 0)).row());
    if (model_.rows()[at].path == path) row = i;
  }
  list_->setCurrentIndex(filter_.index(row, 0));
  list_->scrollToTop();
}

}  // namespace rnnadvisor::gui
