#include "gui/views/text_size.h"

#include <QApplication>
#include <QEvent>
#include <QFont>
#include <QSettings>
#include <QWidget>
#include <algorithm>
#include <cmath>

namespace rnnadvisor::gui {
namespace {

class FontFollower : public QObject {
 public:
  FontFollower(QWidget* widget, std::function<void()> run) : QObject(widget), run_(std::move(run)) {
    widget->installEventFilter(this);
  }
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::FontChange) run_();
    return false;
  }

 private:
  std::function<void()> run_;
};

}  // namespace

int text_percent() {
  bool good = false;
  const int kept = QSettings().value(QStringLiteral("text_percent")).toInt(&good);
  return good ? std::clamp(kept, text_percents.front(), text_percents.back()) : 100;
}

int next_text_percent(int percent, int direction) {
  if (direction > 0) {
    const auto next = std::upper_bound(text_percents.begin(), text_percents.end(), percent);
    return next == text_percents.end() ? text_percents.back() : *next;
  }
  const auto at = std::lower_bound(text_percents.begin(), text_percents.end(), percent);
  return at == text_percents.begin() ? text_percents.front() : *(at - 1);
}

void apply_text_size() {
  static const QFont given = QApplication::font();
  QFont font = given;
  const double factor = text_percent() / 100.0;
  if (font.pixelSize() > 0)
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(font.pixelSize() * factor))));
  else
    font.setPointSizeF(font.pointSizeF() * factor);
  if (QApplication::font() != font) QApplication::setFont(font);
}

void set_text_percent(int percent) {
  QSettings().setValue(QStringLiteral("text_percent"), percent);
  apply_text_size();
}

void with_font_of(QWidget* widget, std::function<void()> run) {
  run();
  new FontFollower(widget, std::move(run));  // the widget's child
}

}  // namespace rnnadvisor::gui
