#include "gui/timeline/search_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace rnnadvisor::gui::timeline {

SearchBar::SearchBar(QWidget* parent)
    : QFrame(parent),
      field_(new QLineEdit(this)),
      expression_(new QToolButton(this)),
      filter_(new QToolButton(this)),
      result_(new QLabel(this)),
      theme_(light_theme()) {
  setObjectName(QStringLiteral("timelineSearch"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 6, 8, 6);
  row->setSpacing(4);
  field_->setPlaceholderText(tr("Search kernels, ranges, calls"));
  field_->setAccessibleName(tr("Search the timeline"));
  field_->setClearButtonEnabled(true);
  field_->setMinimumWidth(230);
  const auto button = [](QToolButton* of, const QString& text, const QString& tip) {
    of->setText(text);
    of->setToolTip(tip);
    of->setAccessibleName(tip);
    of->setAutoRaise(true);
  };
  button(expression_, QStringLiteral(".*"), tr("Regular expression"));
  button(filter_, tr("Filter"), tr("Show only what matches"));
  expression_->setCheckable(true);
  filter_->setCheckable(true);
  auto* previous = new QToolButton(this);
  auto* next = new QToolButton(this);
  auto* list = new QToolButton(this);
  auto* close = new QToolButton(this);
  button(previous, QStringLiteral("‹"), tr("Previous hit"));
  button(next, QStringLiteral("›"), tr("Next hit"));
  button(list, tr("List"), tr("List the hits in the table"));
  button(close, QStringLiteral("×"), tr("Close the search"));
  result_->setMinimumWidth(90);
  result_->setAlignment(Qt::AlignCenter);
  for (QWidget* part : {static_cast<QWidget*>(field_), static_cast<QWidget*>(expression_),
                        static_cast<QWidget*>(filter_), static_cast<QWidget*>(result_),
                        static_cast<QWidget*>(previous), static_cast<QWidget*>(next),
                        static_cast<QWidget*>(list), static_cast<QWidget*>(close)}) {
    row->addWidget(part);
  }
  connect(field_, &QLineEdit::textChanged, this, &SearchBar::changed);
  connect(expression_, &QToolButton::toggled, this, &SearchBar::changed);
  connect(filter_, &QToolButton::toggled, this, &SearchBar::changed);
  connect(previous, &QToolButton::clicked, this, [this] { emit stepped(-1); });
  connect(next, &QToolButton::clicked, this, [this] { emit stepped(1); });
  connect(list, &QToolButton::clicked, this, &SearchBar::listed);
  connect(close, &QToolButton::clicked, this, &SearchBar::closed);
  setFocusProxy(field_);
}

void SearchBar::open(bool filter) {
  if (filter) filter_->setChecked(true);
  show();
  raise();
  field_->setFocus();
  field_->selectAll();
}

void SearchBar::set_text(const QString& pattern, bool is_expression) {
  const QSignalBlocker quiet_field(field_), quiet_button(expression_);
  field_->setText(pattern);
  expression_->setChecked(is_expression);
}

void SearchBar::changed() {
  const bool is_expression = expression_->isChecked();
  emit filtered(filter_->isChecked() ? field_->text() : QString(), is_expression);
  emit searched(field_->text(), is_expression);
}

void SearchBar::set_result(const QString& text, bool wrong) {
  result_->setText(text);
  wrong_ = wrong;
  result_->setStyleSheet(
      QStringLiteral("color: %1;").arg((wrong ? theme_.error : theme_.dim_text).name()));
}

void SearchBar::set_theme(const Theme& theme) {
  theme_ = theme;
  set_result(result_->text(), wrong_);
  setStyleSheet(QStringLiteral("#timelineSearch { background: %1; border: 1px solid %2; "
                               "border-radius: 6px; }")
                    .arg(theme.panel.name(), theme.border.name()));
}

void SearchBar::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      emit stepped(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
      return;
    case Qt::Key_Escape:
      emit closed();
      return;
    default:
      QFrame::keyPressEvent(event);
  }
}

}  // namespace rnnadvisor::gui::timeline
