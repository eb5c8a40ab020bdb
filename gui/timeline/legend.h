// What the colours of a timeline stand for: of kernels their role, of calls their phase, whatever
// is in the profile. The colours are those of the palette that paints the tracks.
#pragma once

#include <QString>
#include <vector>

#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

struct LegendEntry {
  ColorId color = 0;
  QString name;
  QString of;  // what has it: "Kernels"
};
// Those that something in the timeline has, in an order that is the same for every profile.
std::vector<LegendEntry> legend_of(const Timeline& timeline);

}  // namespace rnnadvisor::gui::timeline
