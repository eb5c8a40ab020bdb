#include <algorithm>
#include <map>
#include <set>

#include "gui/timeline/build_parts.h"
#include "profiler/classify/gaps.h"
#include "profiler/kernels/classify.h"

namespace rnnadvisor::gui::timeline {
namespace {

bool waits(std::string_view api) { return api.find("Synchronize") != std::string_view::npos; }

ColorId transfer_color(const TransferTable& t, std::size_t i) {
  if (t.operation[i] == MemoryOperation::set) return memset_color;
  switch (t.kind[i]) {  // CUpti_ActivityMemcpyKind
    case 1:
      return copy_to_device_color;
    case 2:
      return copy_to_host_color;
    case 8:
      return copy_on_device_color;
    default:
      return copy_other_color;
  }
}

class Builder {
 public:
  Builder(std::shared_ptr<const Profile> profile, const BuildOptions& options)
      : options_(options), timeline_(std::make_shared<Timeline>()) {
    timeline_->profile = std::move(profile);
  }

  std::shared_ptr<const Timeline> build() {
    timeline_->calls = find_call_spans(p());
    timeline_->untraced = untraced_times(p());
    find_kept_names();
    for (const auto part : {&Builder::calls, &Builder::host_calls, &Builder::kernels,
                            &Builder::transfers, &Builder::api, &Builder::nvtx, &Builder::memory}) {
      if (options_.stop.stop_requested()) return nullptr;
      (this->*part)();
    }
    add_busy_tracks(*timeline_, options_);
    add_counter_tracks(*timeline_, options_);
    if (options_.stop.stop_requested()) return nullptr;
    find_range(*timeline_);
    order_tracks(*timeline_);
    return timeline_;
  }

 private:
  const Profile& p() const { return *timeline_->profile; }

  void find_kept_names() {
    if (!options_.keep) return;
    kept_.reserve(p().strings.size());
    for (const auto& text : p().strings) kept_.push_back(options_.keep(text));
  }
  bool kept(int string) const { return string >= 0 && kept_[static_cast<std::size_t>(string)]; }

  // `input` without the filter; tracks and lanes of it go to the timeline.
  void add(TrackKind kind, const LaneInput& input, const ColorId* color, ColorId one_color = 0) {
    auto laned = lay_out_lanes(input, options_.stop);
    timeline_->rows.push_back(std::move(laned.rows));
    const std::uint32_t* rows =
        timeline_->rows.back().empty() ? nullptr : timeline_->rows.back().data();
    for (auto& from : laned.tracks) {
      Track track{kind, from.key, -1, {}, {}};
      for (const auto& lane : from.lanes) {
        if (options_.stop.stop_requested()) return;
        const Spans spans{
            input.start, input.end,  color,    lane.consecutive ? nullptr : rows + lane.offset,
            lane.first,  lane.count, one_color};
        track.lanes.push_back({spans, std::make_shared<const Pyramid>(spans)});
      }
      timeline_->tracks.push_back(std::move(track));
    }
  }

  static std::vector<std::uint32_t> by_start(const std::vector<std::int64_t>& start) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < start.size(); ++i) {
      if (start[i] >= 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return start[a] < start[b]; });
    return order;
  }

  std::function<bool(std::uint32_t)> keep_calls() const {
    if (!options_.keep) return {};
    if (!options_.keeps(ItemKind::call)) return [](std::uint32_t) { return false; };
    return [this](std::uint32_t i) {
      return options_.keep(call_label(p(), static_cast<int>(i), timeline_->calls[i]));
    };
  }

  LaneInput call_input(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end,
                       std::vector<std::uint32_t>& order) {
    order = by_start(begin);
    LaneInput input;
    input.count = static_cast<std::uint32_t>(order.size());
    input.start = begin.data();
    input.end = end.data();
    input.order = order.data();
    input.keep = keep_calls();
    return input;
  }

  void calls() {
    auto& t = *timeline_;
    for (std::size_t i = 0; i < p().calls.size(); ++i) {
      t.call_begin.push_back(t.calls[i].begin_ns);
      t.call_end.push_back(t.calls[i].end_ns);
      t.call_color.push_back(p().calls[i].status != 0 ? failed_color
                                                      : color_id(p().calls[i].phase));
    }
    std::vector<std::uint32_t> order;
    auto input = call_input(t.call_begin, t.call_end, order);
    input.key = [this](std::uint32_t i) {
      const auto& call = p().calls[i];
      return TrackKey{call.process, call.device, -1, -1};  // a call may use several streams
    };
    add(TrackKind::calls, input, t.call_color.data());
  }

  void host_calls() {
    auto& t = *timeline_;
    for (const auto& call : p().calls) {
      // What has no time was not seen on the host: a call that only its kernels tell of.
      const bool seen = call.host_end_ns > 0;
      t.host_begin.push_back(seen ? call.host_start_ns : -1);
      t.host_end.push_back(seen ? call.host_end_ns : -1);
    }
    std::vector<std::uint32_t> order;
    auto input = call_input(t.host_begin, t.host_end, order);
    input.key = [this](std::uint32_t i) {
      return TrackKey{p().calls[i].process, -1, -1, p().calls[i].thread};
    };
    add(TrackKind::host_calls, input, t.call_color.data());
  }

  template <class Table>
  LaneInput table_input(const Table& table) {
    LaneInput input;
    input.count = static_cast<std::uint32_t>(table.size());
    input.start = table.start_ns.data();
    input.end = table.end_ns.data();
    return input;
  }

  template <class Table>
  LaneInput stream_input(const Table& table) {
    auto input = table_input(table);
    input.key = [&table](std::uint32_t i) {
      return TrackKey{table.process[i], table.device[i], table.stream[i], -1};
    };
    return input;
  }

  template <class Table>
  LaneInput thread_input(const Table& table, ItemKind kind) {
    auto input = table_input(table);
    input.key = [&table](std::uint32_t i) {
      return TrackKey{table.process[i], -1, -1, table.thread[i]};
    };
    if (options_.keep)
      input.keep = [this, &table, of_kind = options_.keeps(kind)](std::uint32_t i) {
        return of_kind && kept(table.name[i]);
      };
    return input;
  }

  void kernels() {
    const auto& k = p().kernels;
    auto input = stream_input(k);
    if (options_.keep)
      input.keep = [this, &k](std::uint32_t i) {
        return options_.keeps(ItemKind::kernel) && kept(k.name[i]) &&
               (!options_.role || k.role[i] == *options_.role);
      };
    // Roles are bytes, and so are colours: the profile's column serves as it is.
    static_assert(sizeof(KernelRole) == sizeof(ColorId));
    add(TrackKind::kernels, input, reinterpret_cast<const ColorId*>(k.role.data()));
  }

  void transfers() {
    const auto& t = p().transfers;
    for (std::size_t i = 0; i < t.size(); ++i)
      timeline_->transfer_color.push_back(transfer_color(t, i));
    auto input = stream_input(t);
    if (options_.keep) {
      input.keep = [this, &t](std::uint32_t i) {
        return options_.keeps(ItemKind::transfer) &&
               options_.keep(transfer_name(t, static_cast<int>(i)));
      };
    }
    add(TrackKind::transfers, input, timeline_->transfer_color.data());
  }

  void api() {
    const auto& a = p().api;
    std::vector<ColorId> by_name;
    for (const auto& text : p().strings)
      by_name.push_back(waits(text) ? api_wait_color : api_color);
    timeline_->api_color.reserve(a.size());
    for (const int name : a.name)
      timeline_->api_color.push_back(name < 0 ? api_color
                                              : by_name[static_cast<std::size_t>(name)]);
    add(TrackKind::api, thread_input(a, ItemKind::api), timeline_->api_color.data());
  }

  void nvtx() {
    const auto& n = p().nvtx;
    std::map<std::uint32_t, ColorId> own;
    timeline_->nvtx_color.reserve(n.size());
    for (const int color : n.color) {
      ColorId id = timeline::nvtx_color;
      if (color != 0) {
        const auto argb = static_cast<std::uint32_t>(color) | 0xff000000U;
        const std::size_t next = first_own_color + own.size();
        const auto found = own.find(argb);
        if (found != own.end()) {
          id = found->second;
        } else if (next <= 255) {  // more colours cannot be told apart
          id = own[argb] = static_cast<ColorId>(next);
          timeline_->own_colors.push_back(argb);
        }
      }
      timeline_->nvtx_color.push_back(id);
    }
    add(TrackKind::nvtx, thread_input(n, ItemKind::nvtx), timeline_->nvtx_color.data());
  }

  void memory() {
    const auto& m = p().allocations;
    std::map<TrackKey, StepArea> areas;
    std::map<TrackKey, std::int64_t> used;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const TrackKey key{m.process[i], m.device[i], -1, -1};
      auto& now = used[key];
      // What was allocated before the recording began may be released in it.
      now = m.release[i] ? std::max<std::int64_t>(0, now - m.bytes[i]) : now + m.bytes[i];
      areas[key].add(m.time_ns[i], now);
    }
    for (auto& [key, area] : areas) {
      area.finish();
      timeline_->tracks.push_back({TrackKind::memory, key, -1, {}, std::move(area)});
    }
  }

  const BuildOptions& options_;
  std::shared_ptr<Timeline> timeline_;
  std::vector<bool> kept_;  // by string; empty without a filter
};

}  // namespace

std::shared_ptr<const Timeline> build_timeline(std::shared_ptr<const Profile> profile,
                                               const BuildOptions& options) {
  if (profile == nullptr) return nullptr;
  return Builder(std::move(profile), options).build();
}

std::size_t Timeline::bytes() const {
  std::size_t sum = sizeof(*this);
  std::set<const Pyramid*> counted;
  for (const auto& track : tracks) {
    sum += sizeof(track) + track.lanes.capacity() * sizeof(Lane) + track.area.bytes() +
           track.samples.bytes();
    for (const auto& lane : track.lanes) {
      if (counted.insert(lane.pyramid.get()).second) sum += sizeof(Pyramid) + lane.pyramid->bytes();
    }
  }
  const auto columns = [&](const auto&... column) {
    ((sum += column.capacity() * sizeof(column[0])), ...);
  };
  columns(calls, call_begin, call_end, host_begin, host_end, call_color, transfer_color, api_color,
          nvtx_color, own_colors, untraced);
  for (const auto& column : busy_begin) columns(column);
  for (const auto& column : busy_end) columns(column);
  for (const auto& column : rows) columns(column);
  return sum;
}

}  // namespace rnnadvisor::gui::timeline
