#include "gui/recurrence/canvas.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "gui/texts.h"
#include "gui/timeline/track.h"

namespace rnnadvisor::gui::recurrence {
namespace {

constexpr int margin = 14, title_height = 24, note_height = 22, gap = 6, axis_height = 26,
              statistics_width = 268, block_gap = 14;

QString time(std::int64_t ns) { return to_qt(timeline::duration_text(ns)); }

}  // namespace

Canvas::Canvas(QWidget* parent) : QWidget(parent), theme_(light_theme()) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  Described::install();
  setAccessibleName(tr("Time steps of the call"));
}

void Canvas::set_blocks(std::vector<Block> blocks) {
  blocks_ = std::move(blocks);
  calls_.clear();
  longest_call_ns_ = longest_step_ns_ = 1;
  most_steps_ = 1;
  hovered_ = current_ = {};
  for (const auto& block : blocks_) {
    calls_.push_back(block.call);
    longest_call_ns_ = std::max(longest_call_ns_, block.call.length_ns());
    if (block.call.told == Told::one_kernel)
      most_steps_ = std::max(most_steps_, block.call.time_steps);
    std::vector<std::int64_t> lengths;
    for (const auto& row : block.call.rows) {
      most_steps_ = std::max(most_steps_, static_cast<int>(row.steps.size()));
      if (block.call.told == Told::one_kernel) {
        longest_step_ns_ =
            std::max(longest_step_ns_, (row.steps[0].end_ns - row.steps[0].begin_ns) /
                                           std::max(1, block.call.time_steps));
        continue;
      }
      for (std::size_t i = 0; i + 1 < row.steps.size(); ++i)
        lengths.push_back(row.steps[i + 1].begin_ns - row.steps[i].begin_ns);
    }
    if (lengths.empty()) continue;
    // Steps that waited for another layer must not flatten all others, however many there are:
    // the 90th of 100, at most four times the median, and what is taller is cut and marked.
    std::sort(lengths.begin(), lengths.end());
    longest_step_ns_ = std::max(longest_step_ns_, std::min(lengths[lengths.size() * 9 / 10] * 5 / 4,
                                                           lengths[lengths.size() / 2] * 4));
  }
  updateGeometry();
  setMinimumHeight(minimumSizeHint().height());
  resizeEvent(nullptr);
  update();
}

void Canvas::set_theme(const Theme& theme) {
  theme_ = theme;
  update();
}

void Canvas::set_by_step(bool by_step) {
  by_step_ = by_step;
  resizeEvent(nullptr);
  update();
}

void Canvas::set_marked(int stream, std::int64_t begin_ns) {
  marked_stream_ = stream;
  marked_ns_ = begin_ns;
  update();
}

// Two calls are compared: on a small screen both are seen at once.
int Canvas::row_height() const { return !by_step_ ? 28 : blocks_.size() > 1 ? 34 : 54; }
int Canvas::left() const { return std::clamp(width() / 7, 110, 170); }
int Canvas::cells() const {
  const int right = width() > 760 ? statistics_width : margin;
  return std::max(50, width() - left() - right);
}

Canvas::Place Canvas::place(std::size_t block) const {
  Place at;
  int y = margin / 2;
  for (std::size_t i = 0; i <= block && i < blocks_.size(); ++i) {
    const auto& call = blocks_[i].call;
    at.top = y;
    at.note = y + title_height;
    at.rows = at.note + (note(call).isEmpty() ? 4 : note_height);
    const int rows = static_cast<int>(call.rows.size()) * (row_height() + gap);
    const int others = !by_step_ && !call.others.empty() ? 16 + gap : 0;
    at.axis = at.rows + rows + others;
    y = at.axis + axis_height + block_gap;
  }
  return at;
}

QSize Canvas::sizeHint() const {
  if (blocks_.empty()) return {600, 120};
  return {600, place(blocks_.size() - 1).axis + axis_height + margin};
}

void Canvas::resizeEvent(QResizeEvent*) { setMinimumHeight(sizeHint().height()); }

QString Canvas::row_name(const Unrolled& call, const UnrolledRow& row) const {
  if (row.layer < 0) return tr("stream %1").arg(row.stream);
  if (call.directions < 2) return tr("layer %1").arg(row.layer + 1);
  return tr("layer %1, dir. %2").arg(row.layer + 1).arg(row.direction + 1);
}

// What the reader has to know of the picture; empty where it says everything.
QString Canvas::note(const Unrolled& call) const {
  switch (call.why) {
    case Why::told:
      if (call.told == Told::one_kernel)
        return tr("Persistent: one kernel does all %1 steps of a row; the end of each step "
                  "is not visible")
            .arg(call.time_steps);
      if (!call.directions_told())
        return tr("Which direction of a layer runs forward in time is not known from kernels");
      return {};
    case Why::no_kernels:
      return tr("No kernels of this call were recorded");
    case Why::weights:
      return tr(
          "Gradients of the weights are computed for all time steps at once: there is "
          "nothing to unroll");
    case Why::no_description:
      return tr(
          "What this call was asked for is not known: steps are in the order in which they "
          "ran, by stream");
    case Why::counts_differ:
      return tr("The kernels do not come out even for %1 steps: they are in the order in which "
                "they ran, by stream")
          .arg(call.time_steps);
    case Why::shared_streams:
      return tr("Layers share streams: the layer of a step is not known from the kernels");
    case Why::no_steps:
      return tr("None of its kernels is known as part of a time step");
  }
  return {};
}

void Canvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  // Times run from left to right, whatever the direction of writing.
  painter.setLayoutDirection(Qt::LeftToRight);
  painter.fillRect(rect(), theme_.panel);
  for (std::size_t i = 0; i < blocks_.size(); ++i) paint_block(painter, i);
  if (blocks_.empty()) {
    painter.setPen(theme_.dim_text);
    painter.drawText(rect().adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Select an RNN call, or a kernel of one, to see its time steps"));
  }
  if (hasFocus()) {
    painter.setPen(theme_.accent);
    painter.drawLine(0, 0, width(), 0);
  }
}

void Canvas::paint_block(QPainter& painter, std::size_t block) {
  const auto& call = calls_[block];
  const Place at = place(block);
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(theme_.text);
  const QFontMetrics metrics(bold);
  const int legend = block == 0 && !call.rows.empty() ? paint_legend(painter, call, at.top) : 0;
  painter.setFont(bold);
  painter.setPen(theme_.text);
  const int room = width() - 2 * margin - legend;
  painter.drawText(QRect(margin, at.top, room, title_height), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(blocks_[block].label, Qt::ElideRight, room));
  painter.setFont(font());
  const QString hint = note(call);
  if (!hint.isEmpty()) {
    const QFontMetrics plain(font());
    painter.setPen(call.told == Told::steps || call.told == Told::one_kernel ? theme_.dim_text
                                                                             : theme_.warning);
    painter.drawText(QRect(margin, at.note, width() - 2 * margin, note_height - 4),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     plain.elidedText(hint, Qt::ElideRight, width() - 2 * margin));
  }
  int y = at.rows;
  for (std::size_t r = 0; r < call.rows.size(); ++r) {
    const auto& row = call.rows[r];
    const QRect box(left(), y, cells(), row_height());
    painter.setPen(theme_.text);
    painter.drawText(QRect(margin, y, left() - margin - 8, row_height()),
                     Qt::AlignLeft | Qt::AlignVCenter, row_name(call, row));
    painter.fillRect(box, theme_.idle);
    if (by_step_) {
      paint_by_step(painter, call, row, box);
    } else {
      paint_in_time(painter, call, row, box);
    }
    paint_frames(painter, block, r, box);
    if (width() > 760)
      paint_statistics(
          painter, row, call,
          QRect(box.right() + 14, y, width() - box.right() - 14 - margin, row_height()));
    y += row_height() + gap;
  }
  if (!by_step_ && !call.others.empty()) {
    painter.setPen(theme_.dim_text);
    painter.drawText(QRect(margin, y, left() - margin - 8, 16), Qt::AlignLeft | Qt::AlignVCenter,
                     call.rows.empty() ? tr("kernels") : tr("other kernels"));
    paint_others(painter, call, QRect(left(), y, cells(), 16));
  }
  if (call.length_ns() > 0) paint_axis(painter, call, at.axis);
}

int Canvas::step_x(int step) const {
  return left() + static_cast<int>(static_cast<std::int64_t>(cells()) * step / most_steps_);
}

void Canvas::choose(const Under& at) {
  if (at.block < 0 || at.row < 0 || at.step < 0) return;
  const auto& row =
      calls_[static_cast<std::size_t>(at.block)].rows[static_cast<std::size_t>(at.row)];
  current_ = at;
  setAccessibleDescription(describe(at));
  emit chosen(row.steps[static_cast<std::size_t>(at.step)].first_kernel);
  update();
}

Canvas::Under Canvas::under(QPointF position) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto& call = calls_[b];
    const int from = place(b).rows;
    const double x = position.x() - left();
    for (std::size_t r = 0; r < call.rows.size(); ++r) {
      const int top = from + static_cast<int>(r) * (row_height() + gap);
      if (position.y() < top || position.y() >= top + row_height() || x < 0 || x >= cells())
        continue;
      const auto& steps = call.rows[r].steps;
      Under found{static_cast<int>(b), static_cast<int>(r), -1};
      if (by_step_) {
        const int step = static_cast<int>(x * most_steps_ / cells());
        if (call.told == Told::one_kernel) {
          found.step = 0;
        } else if (step < static_cast<int>(steps.size())) {
          found.step = step;
        }
        return found;
      }
      const auto at = call.begin_ns + static_cast<std::int64_t>(
                                          x / cells() * static_cast<double>(longest_call_ns_));
      const auto after =
          std::upper_bound(steps.begin(), steps.end(), at,
                           [](std::int64_t t, const Step& s) { return t < s.begin_ns; });
      if (after != steps.begin() && at <= steps.back().end_ns)
        found.step = static_cast<int>(after - steps.begin()) - 1;
      return found;
    }
  }
  return {};
}

QString Canvas::describe(const Under& at) const {
  if (at.block < 0 || at.row < 0 || at.step < 0) return {};
  const auto& call = calls_[static_cast<std::size_t>(at.block)];
  const auto& row = call.rows[static_cast<std::size_t>(at.row)];
  const auto& step = row.steps[static_cast<std::size_t>(at.step)];
  const QString name = row_name(call, row);
  if (call.told == Told::one_kernel) {
    return tr("%1: all %2 steps in one kernel\n%3, %4 a step")
        .arg(name)
        .arg(call.time_steps)
        .arg(time(step.end_ns - step.begin_ns),
             time((step.end_ns - step.begin_ns) / std::max(1, call.time_steps)));
  }
  const bool last = at.step + 1 == static_cast<int>(row.steps.size());
  const auto next = last ? step.end_ns : row.steps[static_cast<std::size_t>(at.step) + 1].begin_ns;
  const auto wait = next - step.begin_ns - step.gemm_ns - step.pointwise_ns;
  return tr("%1, step %2 of %3 as they ran\n%4 until the next: products %5, pointwise %6, no "
            "kernel %7")
      .arg(name)
      .arg(at.step + 1)
      .arg(row.steps.size())
      .arg(time(next - step.begin_ns), time(step.gemm_ns), time(step.pointwise_ns), time(wait));
}

QString Canvas::described_content() const {
  if (calls_.empty()) return tr("No RNN call is selected: its time steps would be here.");
  QStringList lines;
  for (std::size_t b = 0; b < calls_.size(); ++b) {
    const auto& call = calls_[b];
    QString line = blocks_[b].label.isEmpty() ? tr("The call") : blocks_[b].label;
    line += tr(": %1 time steps in %n row(s) of layers and directions.", nullptr,
               many(call.rows.size()))
                .arg(call.time_steps);
    if (const QString more = note(call); !more.isEmpty()) line += QLatin1Char(' ') + more;
    lines << line;
  }
  return lines.join(QLatin1Char('\n'));
}

bool Canvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = describe(under(help->pos()));
    if (text.isEmpty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(), text, this);
    }
    return true;
  }
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() == Qt::NoModifier &&
        (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right || key->key() == Qt::Key_Up ||
         key->key() == Qt::Key_Down)) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
  const Under now = under(event->position());
  if (now == hovered_) return;
  hovered_ = now;
  update();
}

void Canvas::leaveEvent(QEvent*) {
  hovered_ = {};
  update();
}

void Canvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(under(event->position()));
}

void Canvas::keyPressEvent(QKeyEvent* event) {
  const auto move = [&](int rows, int steps) {
    Under to = current_;
    if (to.block < 0) to = {0, 0, 0};
    if (static_cast<std::size_t>(to.block) >= calls_.size()) return;
    const auto& call = calls_[static_cast<std::size_t>(to.block)];
    if (call.rows.empty()) return;
    if (current_.block >= 0) {
      to.row = std::clamp(to.row + rows, 0, static_cast<int>(call.rows.size()) - 1);
      const auto count = static_cast<int>(call.rows[static_cast<std::size_t>(to.row)].steps.size());
      to.step = std::clamp(to.step + steps, 0, count - 1);
    }
    choose(to);
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return move(0, -1);
    case Qt::Key_Right:
      return move(0, 1);
    case Qt::Key_Up:
      return move(-1, 0);
    case Qt::Key_Down:
      return move(1, 0);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace rnnadvisor::gui::recurrence
