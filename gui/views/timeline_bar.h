// The bar above the timeline: search, zoom, filter, legend, empty tracks. Its buttons do what keys
// of the timeline do.
#pragma once

#include <QWidget>
#include <vector>

#include "gui/theme.h"
#include "gui/timeline/legend.h"

class QLabel;
class QToolButton;

namespace rnnadvisor::gui {

class TimelineWidget;

class TimelineBar : public QWidget {
  Q_OBJECT
 public:
  explicit TimelineBar(TimelineWidget* timeline, QWidget* parent = nullptr);
  void set_theme(const Theme& theme);

 private:
  QToolButton* add(const QString& text, const QString& tip, const char* name);
  void follow();  // what the timeline shows
  void fill_legend();
  void paint_legend();  // swatches, in the colours of the theme

  TimelineWidget* timeline_;
  Theme theme_;
  QToolButton *filter_ = nullptr, *legend_ = nullptr, *hide_empty_ = nullptr;
  QLabel* hits_ = nullptr;
  QWidget* entries_ = nullptr;  // the legend
  std::vector<std::pair<timeline::LegendEntry, QToolButton*>> buttons_;
  std::vector<QLabel*> captions_;
  const timeline::Timeline* shown_ = nullptr;  // of which the legend is
};

}  // namespace rnnadvisor::gui
