#include "gui/views/run_page.h"

#include <QFontDatabase>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QScrollBar>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "advisor/report/words.h"
#include "gui/models/document.h"
#include "gui/models/run_problem.h"
#include "gui/views/motion.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

constexpr int bar_steps = 1000, most_log_lines = 5000;

}  // namespace

RunPage::RunPage(QWidget* parent)
    : QWidget(parent),
      title_(make_label({}, "title")),
      state_(make_label({}, "")),
      elapsed_(make_label({}, "dim")),
      told_(make_label({}, "heading")),
      problem_(make_label({}, "heading")),
      remedy_(make_label({}, "dim")),
      kept_(make_label({}, "dim")),
      bar_(new QProgressBar),
      card_(new QFrame),
      log_button_(new QToolButton),
      log_(new QPlainTextEdit) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(10);
  title_->setWordWrap(true);
  layout->addWidget(title_);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("How far it is"));
  layout->addWidget(bar_);
  auto* row = new QHBoxLayout;
  state_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  state_->setWordWrap(true);
  elapsed_->setAccessibleName(tr("Time since the start"));
  elapsed_->setAlignment(Qt::AlignTop | Qt::AlignRight);
  row->addWidget(state_, 1);
  row->addWidget(elapsed_);
  layout->addLayout(row);
  told_->setWordWrap(true);
  layout->addWidget(told_);

  card_->setObjectName(QStringLiteral("problem_card"));
  auto* card = new QVBoxLayout(card_);
  card->setContentsMargins(16, 12, 16, 12);
  card->setSpacing(4);
  for (auto* label : {problem_, remedy_, kept_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    card->addWidget(label);
  }
  layout->addWidget(card_);

  log_button_->setObjectName(QStringLiteral("disclosure"));
  log_button_->setText(tr("What rnnadvisor says"));
  log_button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  log_button_->setFocusPolicy(Qt::StrongFocus);
  log_button_->setCheckable(true);
  log_button_->setChecked(true);
  log_button_->setArrowType(Qt::DownArrow);
  layout->addWidget(log_button_);
  log_->setReadOnly(true);
  log_->setMaximumBlockCount(most_log_lines);
  log_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  log_->setAccessibleName(tr("What rnnadvisor says"));
  layout->addWidget(log_, 1);
  layout->addStretch();
  connect(log_button_, &QToolButton::toggled, this, [this](bool open) {
    log_->setVisible(open);
    log_button_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
  });
}

void RunPage::begin(const QString& title, const QString& command) {
  title_->setText(title);
  log_->clear();
  log_->appendPlainText(QStringLiteral("$ ") + command + QLatin1Char('\n'));
  card_->hide();
  show_busy(bar_);
  bar_->show();
  state_->setText(tr("Starting…"));
  elapsed_->setText(elapsed_text(0));
  told_->hide();
}

void RunPage::tell(const QString& text) {
  told_->setText(text);
  told_->show();
}

void RunPage::show_progress(const RunProgress& progress, qint64 elapsed_ms) {
  elapsed_->setText(elapsed_text(elapsed_ms));
  state_->setText(progress.text());
  if (const auto share = progress.share(); share && progress.total > 1) {
    bar_->setRange(0, bar_steps);
    bar_->setValue(static_cast<int>(*share * bar_steps));
  } else {
    show_busy(bar_);
  }
}

void RunPage::add_output(const QString& text) {
  log_->moveCursor(QTextCursor::End);
  log_->insertPlainText(to_qt(advisor::words::clean_lines(text.toStdString())));
  log_->verticalScrollBar()->setValue(log_->verticalScrollBar()->maximum());
}

void RunPage::stopping() {
  told_->hide();
  show_busy(bar_);
  state_->setText(tr("Ending it; what was recorded is kept…"));
}

void RunPage::end(Runner::End end, const QString& profile, const QString& message,
                  qint64 elapsed_ms) {
  bar_->hide();
  told_->hide();
  elapsed_->setText(elapsed_text(elapsed_ms));
  card_->setVisible(end != Runner::End::finished);
  state_->setText(end == Runner::End::finished    ? tr("Finished.")
                  : end == Runner::End::cancelled ? tr("Cancelled.")
                                                  : tr("It failed."));
  if (end == Runner::End::finished) return;
  // A run that the user ended is no failure.
  card_->setProperty("goes_on", end == Runner::End::cancelled);
  card_->style()->unpolish(card_);
  card_->style()->polish(card_);
  const RunProblem problem = parse_run_problem(message);
  if (end == Runner::End::failed && !problem.what.isEmpty()) {
    problem_->setText(problem.what);
    remedy_->setText(problem.remedy);
  } else {
    // The first line is the window's own, the rest what the program said.
    problem_->setText(message.section(QLatin1Char('\n'), 0, 0));
    remedy_->setText(message.section(QLatin1Char('\n'), 1).trimmed().right(600));
  }
  remedy_->setVisible(!remedy_->text().isEmpty());
  kept_->setText(profile.isEmpty() ? tr("Nothing was recorded.")
                                   : tr("What was recorded is in %1.").arg(profile));
  card_->setAccessibleName(problem_->text() + QLatin1Char(' ') + remedy_->text());
}

}  // namespace rnnadvisor::gui
