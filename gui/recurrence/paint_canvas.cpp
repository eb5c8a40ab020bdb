// Cells of unrolled calls. Products, pointwise kernels and gaps keep their colours in both
// pictures.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "advisor/report/words.h"
#include "gui/recurrence/canvas.h"
#include "gui/texts.h"
#include "gui/timeline/ticks.h"
#include "gui/timeline/track.h"

namespace rnnadvisor::gui::recurrence {
namespace {

// A whole number of steps at least `pixels` apart.
int step_between_labels(int steps, int width, int pixels) {
  for (int power = 1;; power *= 10) {
    for (const int factor : {1, 2, 5}) {
      if (static_cast<std::int64_t>(width) * power * factor >= std::int64_t{pixels} * steps)
        return power * factor;
    }
  }
}

}  // namespace

void Canvas::paint_in_time(QPainter& painter, const Unrolled& call, const UnrolledRow& row,
                           QRect box) {
  // What a pixel holds is added up, so that thousands of steps do not hide each other.
  const auto pixels = static_cast<std::size_t>(box.width());
  std::vector<float> gemm(pixels), pointwise(pixels);
  const double per_ns = box.width() / static_cast<double>(longest_call_ns_);
  const auto spread = [&](std::vector<float>& into, double from, double length) {
    const double to = std::min(from + length, static_cast<double>(pixels));
    for (auto x = static_cast<std::size_t>(std::max(0.0, from));
         x < pixels && static_cast<double>(x) < to; ++x) {
      const double part =
          std::min(to, static_cast<double>(x) + 1) - std::max(from, static_cast<double>(x));
      into[x] += static_cast<float>(part);
    }
  };
  const bool backward = call.phase == Phase::backward_data;
  for (const auto& step : row.steps) {
    const double at = static_cast<double>(step.begin_ns - call.begin_ns) * per_ns;
    const double end = static_cast<double>(step.end_ns - call.begin_ns) * per_ns;
    const double product = static_cast<double>(step.gemm_ns) * per_ns,
                 rest = static_cast<double>(step.pointwise_ns) * per_ns;
    // Forward a product comes first and the pointwise kernel last; going back the other way round.
    spread(gemm, backward ? end - product : at, product);
    spread(pointwise, backward ? at : end - rest, rest);
  }
  const QColor of_gemm = call.told == Told::one_kernel
                             ? theme_.color_of(KernelRole::persistent)
                             : theme_.color_of(KernelRole::recurrent_gemm);
  const QColor of_rest = theme_.color_of(KernelRole::pointwise);
  for (std::size_t x = 0; x < pixels; ++x) {
    const double a = std::min(1.0, static_cast<double>(gemm[x]));
    const double b = std::min(1.0 - a, static_cast<double>(pointwise[x]));
    if (a + b <= 0) continue;
    const QColor color = mix(of_gemm, of_rest, b / (a + b));
    const double strength = 0.35 + 0.65 * (a + b);
    painter.fillRect(box.left() + static_cast<int>(x), box.top(), 1, box.height(),
                     mix(theme_.idle, color, strength));
  }
}

// Of the step under the pointer and of the one that is selected.
void Canvas::paint_frames(QPainter& painter, std::size_t block, std::size_t r, QRect box) {
  const auto& call = calls_[block];
  const auto& row = call.rows[r];
  const double per_ns = box.width() / static_cast<double>(longest_call_ns_);
  const auto frame = [&](std::size_t i, const QColor& color) {
    const auto& step = row.steps[i];
    double x = box.left() + static_cast<double>(step.begin_ns - call.begin_ns) * per_ns;
    double width = static_cast<double>(step.end_ns - step.begin_ns) * per_ns;
    if (by_step_) {
      const bool whole = call.told == Told::one_kernel;
      x = step_x(static_cast<int>(i));
      width = step_x(whole ? call.time_steps : static_cast<int>(i) + 1) - x;
    }
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(x, box.top() - 1, std::max(2.0, width), box.height() + 1));
  };
  if (row.stream == marked_stream_ && marked_ns_ >= 0) {
    const auto after =
        std::upper_bound(row.steps.begin(), row.steps.end(), marked_ns_,
                         [](std::int64_t at, const Step& step) { return at < step.begin_ns; });
    if (after != row.steps.begin() && std::prev(after)->end_ns >= marked_ns_)
      frame(static_cast<std::size_t>(after - row.steps.begin()) - 1, theme_.text);
  }
  if (hovered_.block == static_cast<int>(block) && hovered_.row == static_cast<int>(r) &&
      hovered_.step >= 0) {
    frame(static_cast<std::size_t>(hovered_.step), theme_.dim_text);
  }
}

void Canvas::paint_by_step(QPainter& painter, const Unrolled& call, const UnrolledRow& row,
                           QRect box) {
  painter.fillRect(box, theme_.window);
  const double per_ns = (box.height() - 2) / static_cast<double>(longest_step_ns_);
  if (call.told == Told::one_kernel) {
    const auto& step = row.steps.front();
    const double each =
        static_cast<double>(step.end_ns - step.begin_ns) / std::max(1, call.time_steps) * per_ns;
    const int height = std::max(2, static_cast<int>(std::lround(each)));
    painter.fillRect(
        QRect(box.left(), box.bottom() + 1 - height, step_x(call.time_steps) - box.left(), height),
        theme_.color_of(KernelRole::persistent));
    return;
  }
  // Several steps in a pixel: the mean of their parts.
  const auto count = static_cast<int>(row.steps.size());
  for (int i = 0; i < count;) {
    const int x = step_x(i);
    int last = i + 1;
    while (last < count && step_x(last) <= x) ++last;
    double gemm = 0, pointwise = 0, wait = 0;
    for (int s = i; s < last; ++s) {
      const auto& step = row.steps[static_cast<std::size_t>(s)];
      const auto next =
          s + 1 < count ? row.steps[static_cast<std::size_t>(s) + 1].begin_ns : step.end_ns;
      gemm += static_cast<double>(step.gemm_ns);
      pointwise += static_cast<double>(step.pointwise_ns);
      wait += static_cast<double>(
          std::max<std::int64_t>(0, next - step.begin_ns - step.gemm_ns - step.pointwise_ns));
    }
    const double scale = per_ns / (last - i);
    const int width = std::max(1, step_x(last) - x - (step_x(last) - x > 3 ? 1 : 0));
    double y = box.bottom() + 1;
    const auto part = [&](double ns, const QColor& color) {
      const double top = std::max<double>(box.top(), y - ns * scale);
      painter.fillRect(QRectF(x, top, width, y - top), color);
      y = top;
    };
    part(gemm, theme_.color_of(KernelRole::recurrent_gemm));
    part(pointwise, theme_.color_of(KernelRole::pointwise));
    part(wait, mix(theme_.idle, theme_.dim_text, 0.25));
    if ((gemm + pointwise + wait) * scale > box.height() + 1)
      painter.fillRect(QRect(x, box.top(), width, 2), theme_.text);
    i = last;
  }
}

int Canvas::paint_legend(QPainter& painter, const Unrolled& call, int y) {
  struct Entry {
    QColor color;
    QString text;
  };
  std::vector<Entry> entries;
  if (call.told == Told::one_kernel) {
    entries.push_back({theme_.color_of(KernelRole::persistent), tr("persistent kernel")});
  } else {
    entries.push_back({theme_.color_of(KernelRole::recurrent_gemm), tr("products")});
    entries.push_back({theme_.color_of(KernelRole::pointwise), tr("pointwise")});
    entries.push_back({mix(theme_.idle, theme_.dim_text, by_step_ ? 0.25 : 0.0), tr("gap")});
  }
  painter.setFont(font());
  const QFontMetrics metrics(font());
  int x = width() - 14;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const int wide = metrics.horizontalAdvance(entry->text) + 2;
    x -= wide;
    painter.setPen(theme_.dim_text);
    painter.drawText(QRect(x, y, wide, 24), Qt::AlignLeft | Qt::AlignVCenter, entry->text);
    painter.fillRect(QRect(x - 16, y + 7, 10, 10), entry->color);
    x -= 30;
  }
  return width() - x;
}

void Canvas::paint_others(QPainter& painter, const Unrolled& call, QRect box) {
  painter.fillRect(box, theme_.idle);
  const double per_ns = box.width() / static_cast<double>(longest_call_ns_);
  for (const auto& other : call.others) {
    const double x = box.left() + static_cast<double>(other.begin_ns - call.begin_ns) * per_ns;
    const double width = static_cast<double>(other.end_ns - other.begin_ns) * per_ns;
    painter.fillRect(QRectF(x, box.top(), std::max(1.0, width), box.height()),
                     theme_.color_of(other.role));
  }
}

void Canvas::paint_axis(QPainter& painter, const Unrolled& call, int y) {
  painter.setPen(theme_.dim_text);
  const QFontMetrics metrics(font());
  const auto label = [&](int x, const QString& text) {
    painter.setPen(theme_.border);
    painter.drawLine(x, y, x, y + 4);
    painter.setPen(theme_.dim_text);
    const int width = metrics.horizontalAdvance(text) + 2;
    if (x + width > left() + cells() + 40) return;
    painter.drawText(QRect(x + (x == left() ? 0 : -width / 2), y + 5, width, metrics.height()),
                     Qt::AlignCenter, text);
  };
  if (by_step_) {
    const int between = step_between_labels(most_steps_, cells(), 70);
    label(step_x(0), tr("step 1"));
    for (int step = between; step <= most_steps_; step += between) {
      if (step > 1) label((step_x(step - 1) + step_x(step)) / 2, QString::number(step));
    }
    return;
  }
  const timeline::Scale scale{{0, longest_call_ns_}, static_cast<double>(cells())};
  for (const auto& tick : timeline::ticks(scale, 0, 90)) {
    if (!tick.label.empty() && tick.time <= call.length_ns() + longest_call_ns_ / 50)
      label(left() + static_cast<int>(scale.x_of(tick.time)), to_qt(tick.label));
  }
}

void Canvas::paint_statistics(QPainter& painter, const UnrolledRow& row, const Unrolled& call,
                              QRect box) {
  const StepTimes times = step_times(row);
  QString first, second;
  if (call.told == Told::one_kernel) {
    const auto length = row.steps.front().end_ns - row.steps.front().begin_ns;
    first = tr("%1 a step on average")
                .arg(to_qt(timeline::duration_text(length / std::max(1, call.time_steps))));
    second = tr("%n step(s), %1", nullptr, many(call.time_steps))
                 .arg(to_qt(timeline::duration_text(length)));
  } else {
    first = tr("%1 a step (median)").arg(to_qt(timeline::duration_text(times.median_ns)));
    second = tr("products %1, pointwise %2, gap %3")
                 .arg(to_qt(advisor::words::percent(times.gemm_share)),
                      to_qt(advisor::words::percent(times.pointwise_share)),
                      to_qt(advisor::words::percent(times.gap_share)));
  }
  QFont small = font();
  if (small.pixelSize() > 0) {
    small.setPixelSize(small.pixelSize() * 9 / 10);
  } else {
    small.setPointSizeF(small.pointSizeF() * 0.9);
  }
  const QFontMetrics metrics(font()), fine(small);
  const int both = metrics.height() + fine.height();
  const int top = box.top() + (box.height() - both) / 2;
  painter.setPen(theme_.text);
  painter.drawText(QRect(box.left(), top, box.width(), metrics.height()), Qt::AlignLeft,
                   metrics.elidedText(first, Qt::ElideRight, box.width()));
  painter.setFont(small);
  painter.setPen(theme_.dim_text);
  painter.drawText(QRect(box.left(), top + metrics.height(), box.width(), fine.height()),
                   Qt::AlignLeft, fine.elidedText(second, Qt::ElideRight, box.width()));
  painter.setFont(font());
}

}  // namespace rnnadvisor::gui::recurrence
