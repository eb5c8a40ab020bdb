#include "gui/timeline/palette.h"

namespace rnnadvisor::gui::timeline {

SpanPalette make_palette(const Theme& theme, const std::vector<std::uint32_t>& own) {
  SpanPalette palette;
  palette.ground = theme.panel.rgb();
  palette.heading = theme.window.rgb();
  const auto set = [&](std::size_t id, const QColor& color) {
    palette.fill[id] = color.rgb();
    palette.edge[id] = mix(color, theme.panel, 0.65).rgb();
    palette.text[id] = text_on(color).rgb();
  };
  for (std::size_t id = 0; id < 256; ++id) set(id, theme.color_of(KernelRole::unknown));
  for (int role = 0; role <= static_cast<int>(KernelRole::unknown); ++role)
    set(static_cast<std::size_t>(role), theme.color_of(static_cast<KernelRole>(role)));
  for (int i = 0; i <= static_cast<int>(Phase::backward_weights); ++i)
    set(color_id(static_cast<Phase>(i)), theme.color_of(static_cast<Phase>(i)));
  const QColor quiet = mix(theme.color_of(KernelRole::unknown), theme.panel, 0.45);
  set(copy_to_device_color, theme.series(4));
  set(copy_to_host_color, theme.series(3));
  set(copy_on_device_color, theme.series(6));
  set(copy_other_color, theme.series(7));
  set(memset_color, quiet);
  set(api_color, quiet);
  set(api_wait_color, mix(theme.warning, theme.panel, 0.35));
  set(busy_color, theme.good);
  set(memory_color, theme.series(0));
  set(counter_color, theme.series(2));
  set(idle_color, mix(theme.idle, theme.dim_text, 0.25));
  set(failed_color, theme.error);
  set(nvtx_color, mix(theme.accent, theme.panel, 0.55));
  for (std::size_t i = 0; i < own.size() && first_own_color + i < 256; ++i)
    set(first_own_color + i, QColor::fromRgb(own[i]));
  return palette;
}

}  // namespace rnnadvisor::gui::timeline
