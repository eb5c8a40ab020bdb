// Where things are in the picture, and what tracks are called.
#include "gui/timeline/scene.h"

#include "gui/texts.h"
#include "gui/timeline/counter_unit.h"
#include "gui/timeline/idle.h"

namespace rnnadvisor::gui::timeline {

QString with_name(const QString& number, const std::string& name) {
  return name.empty() ? number : Texts::tr("%1 (%2)").arg(number, to_qt(name).simplified());
}

const Row* Scene::row_at(int y, int* top) const {
  if (y < top_height()) return nullptr;
  for (const auto& row : layout.pinned) {
    const int from = top_of(row, true);
    if (y < from || y >= from + row.height) continue;
    if (top != nullptr) *top = from;
    return &row;
  }
  if (y < rows_top()) return nullptr;
  const std::size_t found = layout.row_at(y - rows_top() + scroll);
  if (found >= layout.rows.size()) return nullptr;
  const Row& row = layout.rows[found];
  const int from = top_of(row, false);
  if (y < from) return nullptr;  // between two rows
  if (top != nullptr) *top = from;
  return &row;
}

std::optional<QRectF> Scene::rect_of(const Place& place) const {
  const Row* row = layout.row_of(place.track);
  if (row == nullptr) return std::nullopt;
  const auto index = static_cast<std::size_t>(place.track);
  const auto& track = timeline->tracks[index];
  const TrackState state = index < states.size() ? states[index] : TrackState{};
  const int lane = std::min(place.lane, row->lanes - 1);
  const auto range = [&]() -> TimeRange {
    if (track.kind == TrackKind::busy) return range_of_gap(*timeline, place);
    const Spans& spans = track.lanes[static_cast<std::size_t>(place.lane)].spans;
    return {spans.start_of(place.span), spans.end_of(place.span)};
  }();
  const double begin = x_of(range.begin_ns), end = x_of(range.end_ns);
  return QRectF(begin, top_of(*row, state.pinned) + lane * row->lane_height,
                std::max(end - begin, 1.0), row->lane_height - 1);
}

std::optional<QRectF> Scene::rect_of(Item item) const {
  if (timeline == nullptr) return std::nullopt;
  const auto place = place_of(*timeline, item);
  if (!place) return std::nullopt;
  return rect_of(*place);
}

Under under(const Scene& scene, QPointF position, const QFont& font) {
  Under found;
  const int y = static_cast<int>(position.y());
  found.header = position.x() < scene.header_width;
  found.overview = y < scene.overview();
  found.ruler = !found.overview && y < scene.top_height();
  found.time = scene.time_at(position.x());
  if (scene.timeline == nullptr) return found;
  if (found.ruler && !found.header && !scene.marks.empty()) {
    for (const auto& flag : flags_of(scene, QFontMetricsF(small_font(font)))) {
      if (flag.box.contains(position)) found.mark = flag.mark;
    }
  }
  int top = 0;
  found.row = scene.row_at(y, &top);
  if (found.row == nullptr || found.header) return found;
  const auto& track = scene.timeline->tracks[static_cast<std::size_t>(found.row->track)];
  if (track.lanes.empty()) return found;
  found.lane = std::min((y - top) / std::max(1, found.row->lane_height), found.row->lanes - 1);
  const auto slack = static_cast<std::int64_t>(3 / scene.scale().pixels_per_ns());
  if (track.kind == TrackKind::busy) {
    const Spans& spans = track.lanes.front().spans;
    // Where a kernel runs, the lane of what runs means it and no gap near it.
    const bool of_gaps = found.lane == idle_lane;
    if (const auto gap = gap_span_at(spans, found.time, of_gaps ? slack : 0))
      found.item = gap_before_span(*scene.timeline, track, *gap);
    if (found.item.empty()) found.gap = gap_at(spans, found.time, scene.timeline->range);
    return found;
  }
  const Lane& lane = track.lanes[static_cast<std::size_t>(found.lane)];
  if (const auto span = span_at(lane.spans, found.time, slack))
    found.item = item_of(track, lane, *span);
  return found;
}

QString track_title(const Timeline& timeline, const Track& track) {
  const Profile& p = *timeline.profile;
  if (track.kind == TrackKind::process) {
    const auto& process = p.processes[static_cast<std::size_t>(track.key.process)];
    QString name = to_qt(process.executable);
    name = name.mid(name.lastIndexOf(QLatin1Char('/')) + 1);
    if (name.isEmpty()) name = Texts::tr("Process");
    return process.pid >= 0 ? Texts::tr("%1  %2").arg(name).arg(process.pid) : name;
  }
  if (track.kind == TrackKind::counter) return counter_title(timeline, track);
  const QString title = Texts::tr(traits_of(track.kind).title);
  return title.contains(QLatin1String("%1")) ? title.arg(std::max(0, track.key.device)) : title;
}

QString counter_title(const Timeline& timeline, const Track& track) {
  const std::string& metric = timeline.profile->text(track.key.metric);
  const auto counts = [&](std::string_view counter) { return metric.starts_with(counter); };
  // Those that the mode `full` samples; CUPTI's names are known to few.
  if (counts("sm__pipe_tensor_cycles_active.")) return Texts::tr("Tensor cores active");
  if (counts("sm__cycles_active.")) return Texts::tr("SMs active");
  if (counts("sm__inst_executed_realtime.")) return Texts::tr("Instructions issued");
  if (counts("dram__bytes.sum.per_second")) return Texts::tr("DRAM traffic");
  if (counts("gr__cycles_active.")) return Texts::tr("GPU engine active");
  if (counts("gpc__cycles_elapsed.avg.per_second")) return Texts::tr("GPU clock");
  return to_qt(metric);
}

QString track_subtitle(const Timeline& timeline, const Track& track) {
  const Profile& p = *timeline.profile;
  switch (track.kind) {
    case TrackKind::process: {
      const auto& process = p.processes[static_cast<std::size_t>(track.key.process)];
      return process.rank >= 0 ? Texts::tr("rank %1").arg(process.rank) : QString();
    }
    case TrackKind::busy: {
      const auto device = static_cast<std::size_t>(std::max(0, track.key.device));
      if (device >= p.devices.size()) return {};
      return with_name(to_qt(p.devices[device].name),
                       p.device_name(track.key.process, track.key.device));
    }
    case TrackKind::memory:
      return Texts::tr("peak %1").arg(to_qt(bytes_text(track.area.peak())));
    case TrackKind::counter: {
      const auto unit = counter_unit(p.text(track.key.metric));
      const QString peak =
          Texts::tr("peak %1").arg(to_qt(counter_text(unit, track.samples.peak())));
      return p.devices.size() > 1
                 ? Texts::tr("GPU %1, %2").arg(std::max(0, track.key.device)).arg(peak)
                 : peak;
    }
    default:
      break;
  }
  switch (traits_of(track.kind).of) {
    case TrackTraits::Of::thread:
      return with_name(Texts::tr("thread %1").arg(track.key.thread),
                       p.thread_name(track.key.process, track.key.thread));
    case TrackTraits::Of::stream:
      if (track.first_stream >= 0 && track.first_stream != track.key.stream)
        return Texts::tr("stream %1, for calls on %2")
            .arg(track.key.stream)
            .arg(track.first_stream);
      return with_name(
          p.devices.size() > 1
              ? Texts::tr("GPU %1, stream %2").arg(track.key.device).arg(track.key.stream)
              : Texts::tr("stream %1").arg(track.key.stream),
          p.stream_name(track.key.process, track.key.device, track.key.stream));
    case TrackTraits::Of::device:
      return p.devices.size() > 1 ? Texts::tr("GPU %1").arg(track.key.device) : QString();
    case TrackTraits::Of::process:
      break;
  }
  return {};
}

QString brief_subtitle(const Timeline& timeline, const Track& track) {
  const Profile& p = *timeline.profile;
  // Tracks of one kind are told apart by it: it must not be left out for want of room.
  if (traits_of(track.kind).of == TrackTraits::Of::stream)
    return p.devices.size() > 1
               ? Texts::tr("GPU %1 · %2").arg(track.key.device).arg(track.key.stream)
               : Texts::tr("stream %1").arg(track.key.stream);
  if (track.kind != TrackKind::counter) return {};
  QStringList parts;
  if (p.devices.size() > 1) parts << Texts::tr("GPU %1").arg(std::max(0, track.key.device));
  const auto unit = unit_text(counter_unit(p.text(track.key.metric)), track.samples.peak());
  if (!unit.empty()) parts << to_qt(unit);
  return parts.join(QStringLiteral(", "));
}

}  // namespace rnnadvisor::gui::timeline
