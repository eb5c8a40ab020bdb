// A map of configurations as a chart.
#pragma once

#include <array>
#include <memory>

#include "advisor/report/map_view.h"
#include "gui/charts/heat_map.h"

namespace rnnadvisor::gui {

// From the least to the most. Lightness alone tells them apart, so that they can be read by people
// with any kind of colour blindness; most is what stands out most from the ground of the theme.
std::array<QColor, 8> map_shades(advisor::MapLayer layer, const Theme& theme);

// The link of a cell is "cell/<row>/<column>".
std::unique_ptr<HeatMap> map_chart(const model::ConfigurationMap& map, advisor::MapLayer layer,
                                   const Theme& theme);
std::optional<HeatMap::Place> cell_of(const QString& link);

}  // namespace rnnadvisor::gui
