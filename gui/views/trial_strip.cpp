#include "gui/views/trial_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/models/run_progress.h"
#include "gui/models/trial_run.h"
#include "gui/views/motion.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {

TrialStrip::TrialStrip(QWidget* parent)
    : QFrame(parent),
      text_(make_label({}, "")),
      elapsed_(make_label({}, "dim")),
      bar_(new QProgressBar),
      cancel_(new QPushButton(tr("Cancel"))) {
  setObjectName(QStringLiteral("trial_strip"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  // How much is left is not known: the budget is what it may take at most, and starting comes on
  // top.
  show_busy(bar_);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("A change is being tried"));
  column->addWidget(bar_);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(18, 8, 12, 8);
  row->setSpacing(12);
  text_->setWordWrap(true);
  text_->setAccessibleName(tr("What is being tried"));
  elapsed_->setAccessibleName(tr("Time since the start"));
  cancel_->setAccessibleName(tr("End the trial"));
  row->addWidget(text_, 1);
  row->addWidget(elapsed_);
  row->addWidget(cancel_);
  column->addLayout(row);
  // Stays enabled while it ends: a button that is disabled loses the keyboard focus.
  connect(cancel_, &QPushButton::clicked, this, &TrialStrip::cancelled);
  hide();
}

void TrialStrip::set_state(const TrialState& state) {
  const bool running = state.is == TrialState::Is::running;
  budget_ = state.subject.torch ? TrialRun::torch_budget_seconds : TrialRun::budget_seconds;
  if (running && isHidden()) show_progress(tr("starting rnnadvisor…"), 0);
  if (running) show_busy(bar_);
  setVisible(running);
}

void TrialStrip::show_progress(const QString& text, qint64 elapsed_ms) {
  text_->setText(tr("Trying on the GPU: %1").arg(text));
  elapsed_->setText(tr("%1, budget %2 s").arg(elapsed_text(elapsed_ms)).arg(budget_));
}

}  // namespace rnnadvisor::gui
