#include "gui/recurrence/recurrence_widget.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "advisor/report/words.h"
#include "gui/models/link.h"
#include "gui/models/tables.h"
#include "gui/recurrence/canvas.h"
#include "gui/texts.h"
#include "gui/timeline/track.h"

namespace rnnadvisor::gui {

using namespace recurrence;

RecurrenceWidget::RecurrenceWidget(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      title_(new QLabel(this)),
      by_time_(new QToolButton(this)),
      by_step_(new QToolButton(this)),
      keep_(new QToolButton(this)),
      area_(new QScrollArea(this)),
      canvas_(new Canvas) {
  setAccessibleName(tr("Recurrence"));
  const auto button = [](QToolButton* of, const QString& text, const QString& tip) {
    of->setText(text);
    of->setToolTip(tip);
    of->setAccessibleName(tip);
    of->setCheckable(true);
    of->setAutoRaise(true);
    of->setObjectName(QStringLiteral("choice"));
    of->setToolButtonStyle(Qt::ToolButtonTextOnly);
  };
  button(by_time_, tr("In time"), tr("Steps where they lie in time"));
  button(by_step_, tr("By step"), tr("A column for each time step, as tall as it took"));
  button(keep_, tr("Keep to compare"), tr("Keep this call and show the next one below it"));
  auto* group = new QButtonGroup(this);
  group->addButton(by_time_);
  group->addButton(by_step_);
  by_time_->setChecked(true);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(14, 6, 10, 4);
  row->addWidget(title_, 1);
  row->addWidget(by_time_);
  row->addWidget(by_step_);
  row->addSpacing(18);  // no third of the two before it
  row->addWidget(keep_);
  area_->setWidget(canvas_);
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(area_, 1);
  title_->setTextFormat(Qt::PlainText);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  connect(by_step_, &QToolButton::toggled, canvas_, &Canvas::set_by_step);
  connect(by_step_, &QToolButton::toggled, this, &RecurrenceWidget::height_changed);
  connect(keep_, &QToolButton::toggled, this, &RecurrenceWidget::keep);
  connect(keep_, &QToolButton::toggled, this, [this](bool on) {
    const QString tip =
        on ? tr("Show one call again") : tr("Keep this call and show the next one below it");
    keep_->setText(on ? tr("Stop comparing") : tr("Keep to compare"));
    keep_->setToolTip(tip);
    keep_->setAccessibleName(tip);
  });
  connect(canvas_, &Canvas::chosen, this, [this](int kernel) {
    if (state_ != nullptr && kernel >= 0) state_->select({ItemKind::kernel, kernel});
  });
  rebuild();
}

void RecurrenceWidget::focus_steps() { canvas_->setFocus(); }

void RecurrenceWidget::set_document(DocumentPointer document, ViewState* state) {
  if (state_ != nullptr) disconnect(state_, nullptr, this, nullptr);
  document_ = std::move(document);
  state_ = state;
  shown_ = kept_ = -1;
  keep_->setChecked(false);
  if (state_ != nullptr)
    connect(state_, &ViewState::selection_changed, this, &RecurrenceWidget::take_selection);
  rebuild();
  take_selection();
}

void RecurrenceWidget::set_theme(const Theme& theme) {
  theme_ = theme;
  canvas_->set_theme(theme);
  rebuild();
}

void RecurrenceWidget::set_by_step(bool by_step) {
  (by_step ? by_step_ : by_time_)->setChecked(true);
}

void RecurrenceWidget::keep(bool on) {
  kept_ = on ? shown_ : -1;
  keep_->setChecked(on);
  rebuild();
}

const std::vector<Unrolled>& RecurrenceWidget::calls() const { return canvas_->calls(); }

QSize RecurrenceWidget::sizeHint() const {
  const int above = layout()->itemAt(0)->sizeHint().height();
  return {canvas_->sizeHint().width(), above + canvas_->sizeHint().height()};
}

QString RecurrenceWidget::table_text() const {
  if (document_ == nullptr) return {};
  TableText table;
  const auto origin = document_->extent().begin_ns;
  const auto known = [](int n) { return n < 0 ? QString() : QString::number(n); };
  // As the picture counts them.
  const auto from_one = [&](int n) { return n < 0 ? QString() : known(n + 1); };
  const auto us = [](std::int64_t ns) {
    return QString::number(static_cast<double>(ns) / 1e3, 'f', 3);
  };
  for (const auto& call : calls()) {
    for (const auto& row : call.rows) {
      if (table.empty())
        table.row({tr("call"), tr("phase"), tr("layer"), tr("direction"), tr("stream"), tr("step"),
                   tr("start (µs)"), tr("duration (µs)"), tr("products (µs)"), tr("pointwise (µs)"),
                   tr("gaps (µs)"), tr("kernels")});
      int number = 0;
      for (const auto& step : row.steps)
        table.row({known(call.call), to_qt(advisor::words::phase(call.phase)), from_one(row.layer),
                   from_one(row.direction), known(row.stream), QString::number(++number),
                   us(step.begin_ns - origin), us(step.end_ns - step.begin_ns), us(step.gemm_ns),
                   us(step.pointwise_ns), us(step.inner_gap_ns()), QString::number(step.kernels)});
    }
  }
  return table.text();
}

void RecurrenceWidget::take_selection() {
  if (document_ == nullptr || state_ == nullptr) return;
  const Item item = state_->selection();
  const Profile& p = document_->profile();
  int call = -1, kernel = -1;
  if (item.kind == ItemKind::call) call = item.index;
  if (item.kind == ItemKind::kernel) {
    kernel = item.index;
    call = p.kernels.call[static_cast<std::size_t>(kernel)];
  }
  if (item.kind == ItemKind::gap) call = p.kernels.call[static_cast<std::size_t>(item.index)];
  if (kernel >= 0) {
    const auto i = static_cast<std::size_t>(kernel);
    canvas_->set_marked(p.kernels.stream[i], p.kernels.start_ns[i]);
  } else {
    canvas_->set_marked(-1, -1);
  }
  // What belongs to no call leaves the last one on the screen.
  if (call < 0 || call == shown_ || call == kept_) return;
  shown_ = call;
  rebuild();
}

void RecurrenceWidget::rebuild() {
  std::vector<Block> blocks;
  if (document_ != nullptr) {
    const Profile& p = document_->profile();
    for (const int call : {kept_, shown_}) {
      if (call < 0 || (call == shown_ && shown_ == kept_ && !blocks.empty())) continue;
      timeline::CallSpan span;
      Unrolled unrolled = unroll(p, call);
      std::array<std::int64_t, 5> time{};
      if (unrolled.length_ns() > 0) {
        span.begin_ns = unrolled.begin_ns;
        span.end_ns = unrolled.end_ns;
      }
      for (std::size_t i = 0; i < p.kernels.size(); ++i) {
        if (p.kernels.call[i] == call)
          time[static_cast<std::size_t>(p.kernels.family[i])] +=
              1 + p.kernels.end_ns[i] - p.kernels.start_ns[i];
      }
      const auto most = std::max_element(time.begin() + 1, time.end());
      if (*most > 0) span.implementation = static_cast<model::Implementation>(most - time.begin());
      QString title = with_times_sign(to_qt(timeline::call_name(p, call, span)));
      if (span.known())
        title +=
            tr(", %1 on the GPU").arg(to_qt(timeline::duration_text(span.end_ns - span.begin_ns)));
      blocks.push_back({std::move(unrolled), std::move(title)});
    }
  }
  canvas_->set_blocks(std::move(blocks));
  keep_->setEnabled(shown_ >= 0);
  title_->setText(heading());
  updateGeometry();
  emit height_changed();
}

// What the picture comes to, in one line.
QString RecurrenceWidget::heading() const {
  const auto& all = canvas_->calls();
  if (all.empty()) return {};
  const auto& last = all.back();
  if (all.size() == 2) {
    const auto &a = all.front(), &b = last;
    if (a.length_ns() > 0 && b.length_ns() > 0) {
      const double ratio = static_cast<double>(a.length_ns()) / static_cast<double>(b.length_ns());
      return ratio >= 1
                 ? tr("The lower call took a %L1th of the upper one's time").arg(ratio, 0, 'f', 2)
                 : tr("The lower call took %L1 times the upper one's time")
                       .arg(1 / ratio, 0, 'f', 2);
    }
  }
  if (last.told == Told::steps && last.rows.size() > 1) {
    const double share = side_by_side(last);
    if (share < 0.005) {
      return tr("%1 rows of %2 steps that take turns: a row's gap holds the steps of the others")
          .arg(last.rows.size())
          .arg(last.rows.front().steps.size());
    }
    return tr("%1 rows of %2 steps; steps of several rows run side by side %3 of the time")
        .arg(last.rows.size())
        .arg(last.rows.front().steps.size())
        .arg(to_qt(advisor::words::percent(share)));
  }
  if (last.told == Told::steps)
    return tr("%n step(s), one after the other", nullptr, many(last.time_steps));
  return {};
}

}  // namespace rnnadvisor::gui
