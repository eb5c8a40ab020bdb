// Colours of spans: every ColorId as pixels, ready to be blended.
#pragma once

#include <QColor>
#include <array>
#include <vector>

#include "gui/theme.h"
#include "gui/timeline/color_id.h"

namespace rnnadvisor::gui::timeline {

struct SpanPalette {
  std::array<QRgb, 256> fill{};
  std::array<QRgb, 256> edge{};  // between spans that touch
  std::array<QRgb, 256> text{};
  QRgb ground = 0;   // of lanes
  QRgb heading = 0;  // of process rows
};

// `own` are Timeline::own_colors.
SpanPalette make_palette(const Theme& theme, const std::vector<std::uint32_t>& own);

// `share` of 256 of `over` on `under`.
inline QRgb blend(QRgb under, QRgb over, unsigned share) {
  const auto part = [&](unsigned shift) {
    const unsigned a = (under >> shift) & 0xff, b = (over >> shift) & 0xff;
    return ((a * (256 - share) + b * share) >> 8) << shift;
  };
  return 0xff000000U | part(0) | part(8) | part(16);
}

}  // namespace rnnadvisor::gui::timeline
