// Marks of the ruler: steps of 1, 2 or 5 times a power of ten, with labels that say no more than
// they can.
#pragma once

#include <string>
#include <vector>

#include "gui/timeline/scale.h"

namespace rnnadvisor::gui::timeline {

struct Tick {
  std::int64_t time = 0;
  std::string label;  // empty: a mark between
};

// Labels are times since `origin`; marks with labels are at least `spacing` pixels apart.
std::vector<Tick> ticks(const Scale& scale, std::int64_t origin, double spacing);
// The time since `origin` with as many digits as `step` needs: "12.345 ms".
std::string tick_label(std::int64_t since_origin, std::int64_t step);

}  // namespace rnnadvisor::gui::timeline
