// What calls did on the device, and what they and other items are called.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/timeline/counter_unit.h"
#include "gui/timeline/idle.h"
#include "gui/timeline/track.h"
#include "profiler/classify/gaps.h"
#include "profiler/kernels/classify.h"

namespace rnnadvisor::gui::timeline {
namespace {

std::string_view type_name(DataType type) {
  constexpr std::array<std::string_view, 4> names = {"fp32", "fp64", "fp16", "bf16"};
  return names[static_cast<std::size_t>(type)];
}

std::string_view cell_name(Cell cell) {
  constexpr std::array<std::string_view, 4> names = {"RNN relu", "RNN tanh", "LSTM", "GRU"};
  return names[static_cast<std::size_t>(cell)];
}

std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, 4> names = {"", "", " backward data", " backward weights"};
  return names[static_cast<std::size_t>(phase)];
}

std::string_view implementation_name(model::Implementation implementation) {
  constexpr std::array<std::string_view, 5> names = {
      "", "standard", "persistent", "persistent (dynamic)", "persistent (small hidden size)"};
  return names[static_cast<std::size_t>(implementation)];
}

template <class Table>
TimeRange row_range(const Table& table, int index) {
  const auto i = static_cast<std::size_t>(index);
  return {table.start_ns[i], table.end_ns[i]};
}

std::string text_at(const Profile& profile, const std::vector<int>& column, int row) {
  const int string = column[static_cast<std::size_t>(row)];
  return string < 0 ? std::string() : profile.text(string);
}

}  // namespace

std::vector<CallSpan> find_call_spans(const Profile& profile) {
  std::vector<CallSpan> spans(profile.calls.size());
  // The implementation with most of the time; kernels that several share say nothing.
  std::vector<std::array<std::int64_t, 5>> time(spans.size());
  const auto& k = profile.kernels;
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (k.call[i] < 0) continue;
    const auto call = static_cast<std::size_t>(k.call[i]);
    auto& span = spans[call];
    const std::int64_t duration = k.end_ns[i] - k.start_ns[i];
    if (span.first_kernel < 0) {
      span.first_kernel = static_cast<int>(i);
      span.begin_ns = k.start_ns[i];
      span.stream = k.stream[i];
    }
    span.last_kernel = static_cast<int>(i);
    span.end_ns = std::max(span.end_ns, k.end_ns[i]);
    span.busy_ns += duration;
    ++span.kernels;
    time[call][static_cast<std::size_t>(k.family[i])] += duration + 1;
  }
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto most = std::max_element(time[i].begin() + 1, time[i].end());
    if (*most > 0)
      spans[i].implementation = static_cast<model::Implementation>(most - time[i].begin());
    const auto& call = profile.calls[i];
    if (spans[i].known()) continue;
    spans[i].stream = call.stream;
    if (call.device_start_ns < 0) continue;
    spans[i].begin_ns = call.device_start_ns;
    spans[i].end_ns = call.device_start_ns + call.device_duration_ns;
  }
  return spans;
}

std::string duration_text(std::int64_t ns) {
  const double value = static_cast<double>(ns);
  if (std::abs(value) < 1e3) return fmt::format("{} ns", ns);
  if (std::abs(value) < 999.5e3) return short_number(value / 1e3) + " \u00b5s";
  if (std::abs(value) < 999.5e6) return short_number(value / 1e6) + " ms";
  return short_number(value / 1e9) + " s";
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<std::string_view, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", short_number(value), units[unit]);
}

std::string call_name(const Profile& profile, int call, const CallSpan& span) {
  const auto& c = profile.calls[static_cast<std::size_t>(call)];
  std::string label = "recurrent network";
  if (c.configuration >= 0) {
    const auto& configuration = profile.configurations[static_cast<std::size_t>(c.configuration)];
    if (configuration.described()) {
      const auto& config = configuration.config;
      label =
          fmt::format("{} {}x{}", cell_name(config.cell), config.num_layers, config.hidden_size);
      if (config.direction == Direction::bidirectional) label += " bidirectional";
      label += fmt::format(" {} B{} T{}", type_name(config.data_type), config.batch_size,
                           config.seq_length);
    }
  }
  label += phase_name(c.phase);
  if (span.implementation != model::Implementation::none)
    label += fmt::format(", {}", implementation_name(span.implementation));
  return label;
}

std::string call_label(const Profile& profile, int call, const CallSpan& span) {
  const auto& c = profile.calls[static_cast<std::size_t>(call)];
  return call_name(profile, call, span) + ", " +
         duration_text(span.known() ? span.end_ns - span.begin_ns
                                    : c.host_end_ns - c.host_start_ns);
}

std::size_t transfer_number(const TransferTable& transfers, std::size_t row) {
  if (transfers.operation[row] == MemoryOperation::set) return transfer_numbers - 1;
  switch (transfers.kind[row]) {  // CUpti_ActivityMemcpyKind
    case 1:
    case 2:
    case 8:
    case 10:
      return static_cast<std::size_t>(transfers.kind[row]);
    default:
      return 0;
  }
}

std::string_view transfer_name(const TransferTable& transfers, int row) {
  switch (transfer_number(transfers, static_cast<std::size_t>(row))) {
    case transfer_numbers - 1:
      return "memset";
    case 1:
      return "memcpy host to device";
    case 2:
      return "memcpy device to host";
    case 8:
      return "memcpy device to device";
    case 10:
      return "memcpy peer to peer";
    default:
      return "memcpy";
  }
}

std::string item_name(const Timeline& timeline, Item item) {
  const Profile& p = *timeline.profile;
  switch (item.kind) {
    case ItemKind::call:
      return call_label(p, item.index, timeline.calls[static_cast<std::size_t>(item.index)]);
    case ItemKind::kernel:
      return short_kernel_name(text_at(p, p.kernels.name, item.index));
    case ItemKind::transfer:
      return std::string(transfer_name(p.transfers, item.index));
    case ItemKind::api:
      return text_at(p, p.api.name, item.index);
    case ItemKind::nvtx:
      return text_at(p, p.nvtx.name, item.index);
    case ItemKind::gap: {
      const TimeRange gap = item_range(timeline, item);
      return (any_within(timeline.untraced, gap.begin_ns, gap.end_ns) ? "Not recorded, "
                                                                      : "GPU idle, ") +
             duration_text(gap.length());
    }
    default:
      return {};
  }
}

ColorId color_of(const Timeline& timeline, Item item) {
  const auto i = static_cast<std::size_t>(item.index);
  switch (item.kind) {
    case ItemKind::call:
      return timeline.call_color[i];
    case ItemKind::kernel:
      return color_id(timeline.profile->kernels.role[i]);
    case ItemKind::transfer:
      return timeline.transfer_color[i];
    case ItemKind::api:
      return timeline.api_color[i];
    case ItemKind::nvtx:
      return timeline.nvtx_color[i];
    case ItemKind::gap:
      return idle_color;
    default:
      return color_id(KernelRole::unknown);
  }
}

TimeRange item_range(const Timeline& timeline, Item item) {
  const Profile& p = *timeline.profile;
  switch (item.kind) {
    case ItemKind::call: {
      const auto& span = timeline.calls[static_cast<std::size_t>(item.index)];
      const auto& call = p.calls[static_cast<std::size_t>(item.index)];
      if (span.known()) return {span.begin_ns, span.end_ns};
      return {call.host_start_ns, call.host_end_ns};
    }
    case ItemKind::kernel:
      return row_range(p.kernels, item.index);
    case ItemKind::transfer:
      return row_range(p.transfers, item.index);
    case ItemKind::api:
      return row_range(p.api, item.index);
    case ItemKind::nvtx:
      return row_range(p.nvtx, item.index);
    case ItemKind::gap: {
      const auto place = place_of_gap(timeline, item);
      return place ? range_of_gap(timeline, *place) : TimeRange{};
    }
    case ItemKind::allocation: {
      const auto time = p.allocations.time_ns[static_cast<std::size_t>(item.index)];
      return {time, time};
    }
    default:
      return {};
  }
}

}  // namespace rnnadvisor::gui::timeline
