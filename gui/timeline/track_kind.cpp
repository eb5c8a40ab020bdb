#include "gui/timeline/track_kind.h"

#include <array>

namespace rnnadvisor::gui::timeline {
namespace {

using Of = TrackTraits::Of;
using Shape = TrackTraits::Shape;

constexpr std::array kinds = {
    TrackTraits{TrackKind::process, "process", "", Of::process, Shape::heading, ItemKind::none, 0},
    TrackTraits{TrackKind::busy, "busy", "GPU %1", Of::device, Shape::busy, ItemKind::none, -1},
    TrackTraits{TrackKind::nvtx, "nvtx", "NVTX", Of::thread, Shape::spans, ItemKind::nvtx, 1},
    TrackTraits{TrackKind::calls, "calls", "RNN calls, GPU", Of::device, Shape::spans,
                ItemKind::call, 2},
    TrackTraits{TrackKind::kernels, "kernels", "Kernels", Of::stream, Shape::spans,
                ItemKind::kernel, 2},
    TrackTraits{TrackKind::transfers, "transfers", "Copies", Of::stream, Shape::spans,
                ItemKind::transfer, 2},
    TrackTraits{TrackKind::memory, "memory", "Memory, GPU %1", Of::device, Shape::steps,
                ItemKind::allocation, 3},
    TrackTraits{TrackKind::host_calls, "host_calls", "RNN calls, CPU", Of::thread, Shape::spans,
                ItemKind::call, 4},
    TrackTraits{TrackKind::api, "api", "CUDA API", Of::thread, Shape::spans, ItemKind::api, 4},
    TrackTraits{TrackKind::counter, "counter", "", Of::device, Shape::samples, ItemKind::none, -1}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i].kind != static_cast<TrackKind>(i)) return false;
  return kinds.back().kind == TrackKind::counter;
}
static_assert(in_order());

}  // namespace

std::span<const TrackTraits> track_traits() { return kinds; }
const TrackTraits& traits_of(TrackKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

}  // namespace rnnadvisor::gui::timeline
