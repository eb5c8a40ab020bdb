// Axes of charts, painted.
#pragma once

#include "advisor/report/chart.h"
#include "gui/charts/chart.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

// Grid lines, ticks and titles around `plot`; the y title stands above it.
void paint_axes(QPainter& painter, const QRectF& plot, const advisor::chart::Axis& x,
                const advisor::chart::Axis& y, const QString& x_title, const QString& y_title,
                const ChartStyle& style);
double tick_width(const advisor::chart::Axis& axis, const ChartStyle& style);

}  // namespace rnnadvisor::gui
