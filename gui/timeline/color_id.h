// What a span is painted as: a byte, so that a pyramid can carry it. The theme turns it into a
// colour; NVTX ranges have their own.
#pragma once

#include <cstdint>

#include "profiler/profile/profile.h"

namespace rnnadvisor::gui::timeline {

using ColorId = std::uint8_t;

// 0 to 15: kernels by their KernelRole, as they stand in the profile.
inline constexpr ColorId first_call_color = 16;  // and on: calls by Phase
inline constexpr ColorId copy_to_device_color = 24;
inline constexpr ColorId copy_to_host_color = 25;
inline constexpr ColorId copy_on_device_color = 26;
inline constexpr ColorId copy_other_color = 27;
inline constexpr ColorId memset_color = 28;
inline constexpr ColorId api_color = 29;
inline constexpr ColorId api_wait_color = 30;  // the host waits for the device
inline constexpr ColorId busy_color = 31;
inline constexpr ColorId memory_color = 32;
inline constexpr ColorId failed_color = 33;  // a call with a status that is not success
inline constexpr ColorId nvtx_color = 34;    // of ranges that have no colour
inline constexpr ColorId counter_color = 35;
inline constexpr ColorId idle_color = 36;       // a device with nothing to do
inline constexpr ColorId first_own_color = 40;  // and on: Timeline::own_colors

inline ColorId color_id(KernelRole role) { return static_cast<ColorId>(role); }
inline ColorId color_id(Phase phase) {
  return static_cast<ColorId>(first_call_color + static_cast<ColorId>(phase));
}

}  // namespace rnnadvisor::gui::timeline
