// Theme: colours by what they mean. Text colours have a contrast of at least 4.5 to 1 (WCAG AA) on
// every surface; what has to be told apart can be told apart by people with any of the common kinds
// of colour blindness (Okabe and Ito, "Color Universal Design", 2008, and lighter and darker
// steps). Colours of implementations and kernel roles are the same in every panel.
#pragma once

#include <QColor>

#include "advisor/report/report.h"
#include "core/model/eligibility.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::gui {

struct Theme {
  bool dark = false;
  // Surfaces, from the back to the front.
  QColor window;  // behind everything; the ground of the timeline
  QColor panel;   // cards, lists, docks
  QColor raised;  // hovered rows, fields, buttons
  QColor border;
  QColor grid;  // lines of charts and tracks
  // Text.
  QColor text, dim_text, disabled_text;
  QColor accent, text_on_accent;  // accent is also the colour of links
  QColor selection, text_on_selection;
  QColor evidence;  // outline of what a finding points to
  QColor error, warning, opportunity, info, good;
  QColor idle;  // a GPU with nothing to do

  QColor color_of(advisor::Severity severity) const;
  QColor color_of(advisor::Standing standing) const;
  QColor color_of(model::Implementation implementation) const;
  QColor color_of(KernelRole role) const;
  QColor color_of(Phase phase) const;
  // The n-th of several series, in the order in which they can be told apart best.
  QColor series(int n) const;
};

Theme light_theme();
Theme dark_theme();

// Contrast ratio as WCAG 2.1 defines it, 1 to 21.
double contrast(const QColor& a, const QColor& b);
// Black or white, whichever can be read better on `ground`.
QColor text_on(const QColor& ground);
// `share` of the way from `a` to `b`.
QColor mix(const QColor& a, const QColor& b, double share);

}  // namespace rnnadvisor::gui
