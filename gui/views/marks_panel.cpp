#include "gui/views/marks_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

#include "gui/models/link.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

QIcon swatch(const QColor& color) {
  QPixmap pixmap(28, 28);
  pixmap.setDevicePixelRatio(2);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawRoundedRect(QRectF(1, 1, 12, 12), 3, 3);
  return pixmap;
}

}  // namespace

MarksPanel::MarksPanel(Marks* marks, QWidget* parent)
    : QWidget(parent),
      marks_(marks),
      empty_(make_label(tr("M on the timeline marks a place, or the range that is measured. Marks "
                           "are kept in a file beside the profile."),
                        "dim")),
      list_(new QListWidget),
      rename_(new QPushButton(tr("Rename"))),
      recolor_(new QPushButton(tr("Next colour"))),
      remove_(new QPushButton(tr("Delete"))) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 8, 10, 8);
  layout->setSpacing(8);
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  list_->setAccessibleName(tr("Marks"));
  list_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  layout->addWidget(empty_, 1);
  layout->addWidget(list_, 1);
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  auto* add = new QPushButton(tr("Mark"));
  add->setToolTip(tr("Marks what is measured or selected, else the middle of what is seen"));
  for (auto* button : {add, rename_, recolor_, remove_}) {
    set_look(button, "small");
    row->addWidget(button);
  }
  row->addStretch();
  layout->addLayout(row);
  connect(marks_, &Marks::changed, this, &MarksPanel::fill);
  connect(add, &QPushButton::clicked, this, &MarksPanel::add_requested);
  connect(rename_, &QPushButton::clicked, this, [this] {
    if (auto* item = list_->currentItem()) list_->editItem(item);
  });
  connect(recolor_, &QPushButton::clicked, this, &MarksPanel::recolor);
  connect(remove_, &QPushButton::clicked, this, &MarksPanel::remove);
  connect(list_, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { emit chosen(list_->row(item)); });
  connect(list_, &QListWidget::itemClicked, this,
          [this](QListWidgetItem* item) { emit chosen(list_->row(item)); });
  connect(list_, &QListWidget::itemChanged, this, &MarksPanel::rename);
  auto* del = new QShortcut(QKeySequence::Delete, list_);
  del->setContext(Qt::WidgetShortcut);
  connect(del, &QShortcut::activated, this, &MarksPanel::remove);
  fill();
}

void MarksPanel::set_origin(std::int64_t origin) {
  origin_ = origin;
  fill();
}

void MarksPanel::set_theme(const Theme& theme) {
  theme_ = theme;
  fill();
}

void MarksPanel::fill() {
  filling_ = true;
  const int current = list_->currentRow();
  list_->clear();
  for (const auto& mark : marks_->all()) {
    QString when = format_ns(mark.range.begin_ns - origin_);
    if (!mark.moment()) when = tr("%1, for %2").arg(when, format_ns(mark.range.length()));
    auto* item = new QListWidgetItem(swatch(theme_.series(mark.color)),
                                     mark.text.isEmpty() ? when : mark.text, list_);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    item->setToolTip(when);
    item->setData(Qt::AccessibleDescriptionRole, when);
  }
  list_->setCurrentRow(std::min(current, list_->count() - 1));
  filling_ = false;
  const bool any = list_->count() > 0;
  empty_->setVisible(!any);
  list_->setVisible(any);
  for (auto* button : {rename_, recolor_, remove_}) button->setEnabled(any);
}

void MarksPanel::rename(QListWidgetItem* item) {
  const int index = list_->row(item);
  if (filling_ || !marks_->holds(index)) return;
  Mark mark = marks_->all()[static_cast<std::size_t>(index)];
  mark.text = item->text().trimmed();
  // The list is filled anew by that: not while it is edited.
  QMetaObject::invokeMethod(
      this, [this, index, mark] { marks_->change(index, mark); }, Qt::QueuedConnection);
}

void MarksPanel::recolor() {
  const int index = list_->currentRow();
  if (!marks_->holds(index)) return;
  Mark mark = marks_->all()[static_cast<std::size_t>(index)];
  mark.color = (mark.color + 1) % mark_colors;
  marks_->change(index, mark);
}

void MarksPanel::remove() { marks_->remove(list_->currentRow()); }

}  // namespace rnnadvisor::gui
