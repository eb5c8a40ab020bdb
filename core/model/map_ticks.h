// Which sizes and types stand on the axes of a map.
#pragma once

#include "core/model/map.h"

namespace rnnadvisor::model {

MapAxis map_axis(MapDimension dimension, const RnnConfig& here, const DeviceSpec& device);

// `config` with the value of a tick.
void apply_tick(RnnConfig& config, const RnnConfig& here, MapDimension dimension,
                const MapTick& tick);

}  // namespace rnnadvisor::model
