// Samples of hardware counters, by device and metric.
#include <map>

#include "gui/timeline/build_parts.h"

namespace rnnadvisor::gui::timeline {

// Whose plugin took a sample does not matter: it is of the whole device.
void add_counter_tracks(Timeline& timeline, const BuildOptions& options) {
  const auto& c = timeline.profile->counters;
  std::map<TrackKey, SampleSeries> found;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if ((i & 0xffff) == 0 && options.stop.stop_requested()) return;
    const TrackKey key{-1, c.device[i], -1, -1, c.metric[i]};
    found[key].add(c.start_ns[i], c.end_ns[i], c.value[i]);
  }
  for (auto& [key, samples] : found) {
    if (samples.empty() || (options.keep && !options.keep(timeline.profile->text(key.metric))))
      continue;
    samples.finish();
    Track track{TrackKind::counter, key, -1, {}, {}};
    track.samples = std::move(samples);
    timeline.tracks.push_back(std::move(track));
  }
}

}  // namespace rnnadvisor::gui::timeline
