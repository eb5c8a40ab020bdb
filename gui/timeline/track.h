// The tracks of a profile: what the timeline shows, before pixels and before any track is
// folded away.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/models/item.h"
#include "gui/timeline/lanes.h"
#include "gui/timeline/pyramid.h"
#include "gui/timeline/sample_series.h"
#include "gui/timeline/step_area.h"
#include "gui/timeline/track_kind.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::gui::timeline {

struct Lane {
  Spans spans;
  std::shared_ptr<const Pyramid> pyramid;
};

struct Track {
  TrackKind kind = TrackKind::process;
  TrackKey key;
  int parent = -1;  // the heading it stands under; -1: none
  std::vector<Lane> lanes;
  StepArea area;           // of memory
  SampleSeries samples{};  // of a counter
  int first_stream = -1;   // of those that RNN calls use together with this one, where they do
};

// What a call did on the device.
struct CallSpan {
  std::int64_t begin_ns = -1, end_ns = -1;  // of its kernels, or measured; -1: not known
  std::int64_t busy_ns = 0;                 // sum of its kernels
  int first_kernel = -1, last_kernel = -1;  // all its kernels lie between; others may too
  int kernels = 0;
  int stream = -1;
  model::Implementation implementation = model::Implementation::none;
  bool known() const { return begin_ns >= 0; }
};

// Holds on to the profile it was built from; its spans are that profile's columns.
struct Timeline {
  std::shared_ptr<const Profile> profile;
  std::vector<Track> tracks;                               // in the order in which they are shown
  std::map<std::pair<TrackKind, TrackKey>, int> track_of;  // index into `tracks`
  TimeRange range;                        // of everything in it; at least shortest_visible_ns long
  std::vector<std::uint32_t> own_colors;  // ARGB of ColorId first_own_color, …
  std::vector<CallSpan> calls;            // by Profile::calls

  // Columns that the profile does not have, and the rows of lanes: spans point into them.
  std::vector<std::int64_t> call_begin, call_end, host_begin, host_end;
  std::vector<std::vector<std::int64_t>> busy_begin, busy_end;
  std::vector<ColorId> call_color, transfer_color, api_color, nvtx_color;
  std::vector<std::vector<std::uint32_t>> rows;
  std::vector<std::int64_t> untraced;  // untraced_times()

  Timeline() = default;
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // What this costs beyond the profile.
  std::size_t bytes() const;
};

// What is looked for: items whose name matches (Timeline names them as BuildOptions::keep says), of
// one kind or of any, and of kernels those of one role or of any.
struct Wanted {
  std::function<bool(std::string_view)> matches;
  ItemKind kind = ItemKind::none;
  std::optional<KernelRole> role = std::nullopt;
  // Instead of all that: what is painted in a colour, the gaps of devices included.
  std::optional<ColorId> color = std::nullopt;

  bool of(ItemKind one) const { return kind == ItemKind::none || kind == one; }
};

struct BuildOptions {
  // Leaves out what has another name: kernels, NVTX ranges and API calls by their names, calls by
  // their labels, transfers by "memcpy" and "memset". Empty: everything stays.
  std::function<bool(std::string_view)> keep;
  std::stop_token stop;
  // With it, everything of another kind is left out, and kernels of another role.
  ItemKind only = ItemKind::none;
  std::optional<KernelRole> role = std::nullopt;
  bool keeps(ItemKind kind) const { return only == ItemKind::none || only == kind; }
};
// nullptr when it was stopped.
std::shared_ptr<const Timeline> build_timeline(std::shared_ptr<const Profile> profile,
                                               const BuildOptions& options = {});

// By Profile::calls, in one pass over the kernels.
std::vector<CallSpan> find_call_spans(const Profile& profile);

// "LSTM 2x1024 fp16 B64 T128, standard".
std::string call_name(const Profile& profile, int call, const CallSpan& span);
// With its time on the GPU, else on the host, for the bar that shows it: ", 14.2 ms".
std::string call_label(const Profile& profile, int call, const CallSpan& span);
// "14.2 ms", three significant digits; "0 ns".
std::string duration_text(std::int64_t ns);
// "1.50 GiB".
std::string bytes_text(std::int64_t bytes);
// Equal for transfers of equal names; below transfer_numbers.
inline constexpr std::size_t transfer_numbers = 17;
std::size_t transfer_number(const TransferTable& transfers, std::size_t row);
// Of a transfer: "memcpy host to device".
std::string_view transfer_name(const TransferTable& transfers, int row);
// The name of an item that stands in its span, short where it is a kernel.
std::string item_name(const Timeline& timeline, Item item);
// What an item is painted as; of what has no colour that of no role.
ColorId color_of(const Timeline& timeline, Item item);
// When an item happens, where the timeline shows it.
TimeRange item_range(const Timeline& timeline, Item item);

}  // namespace rnnadvisor::gui::timeline
