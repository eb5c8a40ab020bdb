#include "gui/timeline/legend.h"

#include <array>

#include "advisor/report/words.h"
#include "gui/models/link.h"
#include "gui/texts.h"
#include "gui/timeline/details.h"

namespace rnnadvisor::gui::timeline {

std::vector<LegendEntry> legend_of(const Timeline& timeline) {
  const Profile& p = *timeline.profile;
  std::array<bool, 256> used{};
  for (const auto color : timeline.call_color) used[color] = true;
  for (const auto color : timeline.transfer_color) used[color] = true;
  for (const auto color : timeline.api_color) used[color] = true;
  for (const auto role : p.kernels.role) used[color_id(role)] = true;
  for (const auto& track : timeline.tracks)
    used[idle_color] = used[idle_color] || track.kind == TrackKind::busy;

  std::vector<LegendEntry> entries;
  const auto add = [&](ColorId color, const QString& name, const QString& of) {
    if (used[color]) entries.push_back({color, name, of});
  };
  add(idle_color, Texts::tr("GPU idle"), Texts::tr("GPU"));
  for (int i = 0; i <= static_cast<int>(Phase::backward_weights); ++i) {
    const auto phase = static_cast<Phase>(i);
    add(color_id(phase), to_qt(advisor::words::phase(phase)), Texts::tr("RNN calls"));
  }
  add(failed_color, Texts::tr("failed"), Texts::tr("RNN calls"));
  for (int i = 0; i <= static_cast<int>(KernelRole::unknown); ++i) {
    const auto role = static_cast<KernelRole>(i);
    add(color_id(role), role_name(role), Texts::tr("Kernels"));
  }
  add(copy_to_device_color, Texts::tr("copy to the GPU"), Texts::tr("Copies"));
  add(copy_to_host_color, Texts::tr("copy to the host"), Texts::tr("Copies"));
  add(copy_on_device_color, Texts::tr("copy on the GPU"), Texts::tr("Copies"));
  add(copy_other_color, Texts::tr("other copy"), Texts::tr("Copies"));
  add(memset_color, Texts::tr("memset"), Texts::tr("Copies"));
  add(api_wait_color, Texts::tr("the host waits"), Texts::tr("CUDA API"));
  return entries;
}

}  // namespace rnnadvisor::gui::timeline
