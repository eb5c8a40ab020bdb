// The details of an item or a range: a title and lines of a name and a value. Painted beside the
// pointer, read by screen readers, copied as text.
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "gui/timeline/statistics.h"
#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

struct Details {
  QString title;
  std::vector<std::pair<QString, QString>> lines;

  bool empty() const { return title.isEmpty() && lines.empty(); }
  QString text() const;  // one line each, tabs between; for the clipboard
};

Details details_of(const Timeline& timeline, Item item);
// Of a device before its first kernel or after its last.
Details details_of_idle(const Timeline& timeline, TimeRange range);
Details details_of_range(const Timeline& timeline, const RangeStatistics& statistics);
// Of memory at a moment.
Details details_of_memory(const Track& track, std::int64_t time);
// Of a hardware counter at a moment.
Details details_of_counter(const Timeline& timeline, const Track& track, std::int64_t time);
// The keys and what they do.
Details shortcut_sheet();

QString role_name(KernelRole role);

}  // namespace rnnadvisor::gui::timeline
