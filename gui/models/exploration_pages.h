// What an exploration says, as pages; with `held` beside the configuration it is compared with.
#pragma once

#include "gui/models/exploration.h"
#include "gui/models/pages.h"

namespace rnnadvisor::gui {

QString exploration_verdict(const Exploration& now, const Exploration* held, const Theme& theme);
QString exploration_gemms(const Exploration& now, const Theme& theme);
QString exploration_limits(const Exploration& now, const Theme& theme);
// "rnnadvisor check --cell lstm --hidden-size 1000 --device nvidia-h200"
QString command_of(const ConfigInput& input, const DeviceSpec& device, const QString& command);

}  // namespace rnnadvisor::gui
