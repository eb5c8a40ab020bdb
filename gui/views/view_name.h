// The names of views: what deep links and settings call them. "recurrence" is a dock of the
// timeline.
#pragma once

#include <QLatin1String>

namespace rnnadvisor::gui::view_name {

inline constexpr QLatin1String start("start"), overview("overview"), timeline("timeline"),
    recurrence("recurrence"), findings("findings"), explorer("explorer"), compare("compare"),
    rules("rules"), configuration("configuration");

}  // namespace rnnadvisor::gui::view_name
