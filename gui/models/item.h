// What panels point at: a range of time, and one thing of a profile. No Qt, so that geometry can
// use it.
#pragma once

#include <cstdint>

namespace rnnadvisor::gui {

// Nanoseconds of the clock of the profile.
struct TimeRange {
  std::int64_t begin_ns = 0, end_ns = 0;

  std::int64_t length() const { return end_ns - begin_ns; }
  bool contains(std::int64_t time) const { return time >= begin_ns && time < end_ns; }
  bool operator==(const TimeRange&) const = default;
};

enum class ItemKind : std::uint8_t {
  none,
  call,
  kernel,
  transfer,
  api,
  nvtx,
  allocation,
  gap,  // of a GPU between two kernels, by the one that ends it
  finding,
  configuration
};

// `index` is one into the table of the profile that `kind` names; of a gap, into that of kernels;
// of a finding, into Judgement::findings.
struct Item {
  ItemKind kind = ItemKind::none;
  int index = -1;

  bool operator==(const Item&) const = default;
  bool empty() const { return kind == ItemKind::none || index < 0; }
};

}  // namespace rnnadvisor::gui
