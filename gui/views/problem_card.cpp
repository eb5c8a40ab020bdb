#include "gui/views/problem_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include "gui/models/pages.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {

ProblemCard::ProblemCard(QWidget* parent)
    : QFrame(parent),
      mark_(make_label({}, "title")),
      title_(make_label({}, "headline")),
      path_(make_label({}, "small")),
      text_(make_label({}, "")),
      remedy_(make_label({}, "dim")),
      state_(make_label({}, "dim")),
      collect_(new QPushButton(tr("Make a profile of it"))),
      again_(new QPushButton(tr("Try again"))),
      dismiss_(new QPushButton(tr("Dismiss"))) {
  setObjectName(QStringLiteral("problem_card"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(18, 16, 18, 16);
  row->setSpacing(14);
  mark_->setAlignment(Qt::AlignTop);
  row->addWidget(mark_);
  auto* column = new QVBoxLayout;
  column->setSpacing(4);
  row->addLayout(column, 1);
  for (auto* label : {title_, path_, text_, remedy_, state_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(label);
  }
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  set_look(collect_, "primary");
  for (auto* button : {collect_, again_, dismiss_}) buttons->addWidget(button);
  buttons->addStretch();
  column->addSpacing(6);
  column->addLayout(buttons);
  connect(collect_, &QPushButton::clicked, this, [this] {
    if (problem_) emit collect_requested(problem_->path);
  });
  connect(again_, &QPushButton::clicked, this, [this] {
    if (problem_) emit again_requested(problem_->path);
  });
  connect(dismiss_, &QPushButton::clicked, this, [this] {
    set_problem(std::nullopt);
    emit dismissed();
  });
  hide();
}

void ProblemCard::set_problem(const std::optional<OpenProblem>& problem) {
  problem_ = problem;
  setVisible(problem.has_value());
  if (!problem) return;
  // Something that goes on is no failure.
  const bool goes_on = problem->may_become_whole() || problem->can_be_collected();
  setProperty("goes_on", goes_on);
  style()->unpolish(this);
  style()->polish(this);
  set_look(mark_, goes_on ? "mark_opportunity" : "mark_error");
  mark_->style()->polish(mark_);
  mark_->setText(mark(goes_on ? advisor::Severity::opportunity : advisor::Severity::error));
  title_->setText(problem->title);
  path_->setText(problem->path);
  text_->setText(problem->text);
  remedy_->setText(problem->remedy);
  remedy_->setVisible(!problem->remedy.isEmpty());
  collect_->setVisible(problem->can_be_collected());
  dismiss_->setText(problem->may_become_whole() ? tr("Stop waiting") : tr("Dismiss"));
  again_->setVisible(!problem->may_become_whole() && problem->kind != ProblemKind::newer_version);
  set_state({});
  set_busy(false);
  setAccessibleName(title_->text() + QStringLiteral(". ") + text_->text() + QLatin1Char(' ') +
                    remedy_->text());
}

void ProblemCard::set_state(const QString& text) {
  state_->setText(text);
  state_->setVisible(!text.isEmpty());
}

void ProblemCard::set_busy(bool busy) {
  for (auto* button : {collect_, again_}) button->setEnabled(!busy);
}

}  // namespace rnnadvisor::gui
