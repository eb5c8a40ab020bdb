#include "gui/views/timeline_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/timeline/palette.h"
#include "gui/timeline/timeline_widget.h"

namespace rnnadvisor::gui {
namespace {

constexpr int swatch_size = 10;

// From left to right, and on in the next line.
class WrappedLayout : public QLayout {
 public:
  explicit WrappedLayout(QWidget* parent) : QLayout(parent) {}
  ~WrappedLayout() override { qDeleteAll(items_); }
  void addItem(QLayoutItem* item) override {
    items_ << item;
    invalidate();
  }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int i) const override { return items_.value(i); }
  QLayoutItem* takeAt(int i) override {
    return i >= 0 && i < items_.size() ? items_.takeAt(i) : nullptr;
  }
  // Not as layouts mean it, for whom such a height is also the least one: see Legend.
  bool hasHeightForWidth() const override { return false; }
  int heightForWidth(int width) const override { return place({0, 0, width, 0}, false); }
  QSize sizeHint() const override { return minimumSize(); }
  QSize minimumSize() const override {
    QSize least;
    for (const auto* item : items_) least = least.expandedTo(item->minimumSize());
    return least;
  }
  void setGeometry(const QRect& box) override {
    QLayout::setGeometry(box);
    place(box, true);
  }

 private:
  int place(const QRect& box, bool move) const {
    const QMargins around = contentsMargins();
    const int left = box.x() + around.left();
    int x = left, y = box.y() + around.top(), line = 0;
    for (auto* item : items_) {
      const QSize size = item->sizeHint();
      if (x > left && x + size.width() > box.right() - around.right()) {
        x = left;
        y += line;
        line = 0;
      }
      if (move) item->setGeometry({QPoint(x, y), size});
      x += size.width() + 2;
      line = std::max(line, size.height());
    }
    return y + line + around.bottom() - box.y();
  }
  QList<QLayoutItem*> items_;
};

// As high as its lines, and lower where the tracks need the room.
class Legend : public QWidget {
 public:
  using QWidget::QWidget;
  QSize sizeHint() const override { return {200, layout()->heightForWidth(width())}; }
  QSize minimumSizeHint() const override { return {0, 0}; }

 protected:
  bool event(QEvent* event) override {
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest ||
        event->type() == QEvent::Show) {
      setMaximumHeight(layout()->heightForWidth(width()));
      updateGeometry();
    }
    return done;
  }
};

}  // namespace

TimelineBar::TimelineBar(TimelineWidget* timeline, QWidget* parent)
    : QWidget(parent), timeline_(timeline), theme_(light_theme()), entries_(new Legend(this)) {
  setAccessibleName(tr("Timeline tools"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(10, 3, 10, 3);
  row->setSpacing(2);
  column->addLayout(row);
  const auto put = [&](QToolButton* button) {
    row->addWidget(button);
    return button;
  };
  auto* search = put(add(tr("Search"), tr("Search kernels, ranges and calls (/)"), "search"));
  filter_ = put(add(tr("Filter"), tr("Show only what matches a text"), "filter"));
  row->addSpacing(12);
  auto* out = put(add(QStringLiteral("−"), tr("Zoom out (S)"), "zoom_out"));
  auto* in = put(add(QStringLiteral("+"), tr("Zoom in (W)"), "zoom_in"));
  auto* all = put(add(tr("All"), tr("Show the whole recording (0)"), "show_all"));
  row->addSpacing(12);
  hide_empty_ = put(add(tr("Hide empty tracks"),
                        tr("Hide tracks that have nothing in the visible range"), "hide_empty"));
  legend_ = put(add(tr("Legend"), tr("What the colours stand for"), "legend"));
  hits_ = new QLabel(this);
  hits_->setObjectName(QStringLiteral("dim"));
  hits_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  hits_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(hits_, 1);
  for (auto* button : {filter_, hide_empty_, legend_}) button->setCheckable(true);
  entries_->setAccessibleName(tr("Legend"));
  auto* entries = new WrappedLayout(entries_);
  entries->setContentsMargins(10, 0, 10, 3);
  column->addWidget(entries_);
  legend_->setChecked(true);
  connect(search, &QToolButton::clicked, timeline_, [this] { timeline_->show_search(); });
  connect(in, &QToolButton::clicked, timeline_, [this] { timeline_->zoom(0.5); });
  connect(out, &QToolButton::clicked, timeline_, [this] { timeline_->zoom(2); });
  connect(all, &QToolButton::clicked, timeline_, &TimelineWidget::show_all);
  // What is filtered already is shown whole again.
  connect(filter_, &QToolButton::clicked, timeline_, [this](bool on) {
    if (on)
      timeline_->show_search(true);
    else
      timeline_->filter_by({}, false);
    follow();
  });
  connect(hide_empty_, &QToolButton::clicked, timeline_, &TimelineWidget::set_hide_empty);
  connect(legend_, &QToolButton::toggled, entries_, &QWidget::setVisible);
  connect(timeline_, &TimelineWidget::bar_changed, this, &TimelineBar::follow);
  connect(timeline_, &TimelineWidget::search_changed, this, &TimelineBar::follow);
  connect(timeline_, &TimelineWidget::ready_changed, this, &TimelineBar::follow);
  follow();
}

QToolButton* TimelineBar::add(const QString& text, const QString& tip, const char* name) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setAutoRaise(true);
  button->setObjectName(QStringLiteral("choice"));
  button->setProperty("does", QString::fromLatin1(name));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  return button;
}

void TimelineBar::set_theme(const Theme& theme) {
  theme_ = theme;
  paint_legend();
}

void TimelineBar::follow() {
  const auto* now = timeline_->scene().timeline.get();
  if (now != shown_) {
    shown_ = now;
    fill_legend();
  }
  filter_->setChecked(!timeline_->filter().isEmpty());
  hide_empty_->setChecked(timeline_->hides_empty());
  hits_->setText(timeline_->hits_text());
  for (const auto& [entry, button] : buttons_)
    button->setChecked(timeline_->shown_color() == entry.color);
}

void TimelineBar::fill_legend() {
  for (const auto& [entry, button] : buttons_) button->deleteLater();
  for (auto* caption : captions_) caption->deleteLater();
  buttons_.clear();
  captions_.clear();
  if (shown_ == nullptr) return;
  QString of;
  for (const auto& entry : timeline::legend_of(*shown_)) {
    // A colour stands for one thing among kernels, and for another among calls.
    if (std::exchange(of, entry.of) != entry.of) {
      auto* caption = new QLabel(entry.of, entries_);
      caption->setObjectName(QStringLiteral("legend_caption"));
      entries_->layout()->addWidget(caption);
      captions_.push_back(caption);
    }
    auto* button =
        add(entry.name,
            tr("%1: %2. Click to dim everything else, again to undo it").arg(entry.of, entry.name),
            "legend_entry");
    button->setObjectName(QStringLiteral("legend"));
    button->setCheckable(true);
    connect(button, &QToolButton::clicked, timeline_, [this, color = entry.color](bool on) {
      timeline_->show_only(on ? std::optional(color) : std::nullopt);
    });
    entries_->layout()->addWidget(button);
    buttons_.emplace_back(entry, button);
  }
  paint_legend();
  // What was not shown yet has no size for a layout.
  for (auto* caption : captions_) caption->show();
  for (const auto& [entry, button] : buttons_) button->show();
  entries_->updateGeometry();
}

void TimelineBar::paint_legend() {
  const auto palette = timeline::make_palette(theme_, {});
  for (const auto& [entry, button] : buttons_) {
    QPixmap swatch(QSize(swatch_size, swatch_size) * devicePixelRatioF());
    swatch.setDevicePixelRatio(devicePixelRatioF());
    swatch.fill(QColor::fromRgb(palette.fill[entry.color]));
    button->setIcon(swatch);
    button->setIconSize({swatch_size, swatch_size});
  }
}

}  // namespace rnnadvisor::gui
