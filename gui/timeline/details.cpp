#include "gui/timeline/details.h"

#include <QLocale>
#include <algorithm>

#include "advisor/report/words.h"
#include "core/config/rnn_config.h"
#include "gui/models/link.h"
#include "gui/models/overview_charts.h"
#include "gui/texts.h"
#include "gui/timeline/counter_unit.h"
#include "gui/timeline/scene.h"
#include "profiler/classify/gaps.h"
#include "profiler/kernels/classify.h"

namespace rnnadvisor::gui::timeline {
namespace {

QString time(std::int64_t ns) { return to_qt(duration_text(ns)); }
QString count(std::int64_t number) { return QLocale().toString(static_cast<qlonglong>(number)); }
QString percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return {};
  return to_qt(advisor::words::percent(static_cast<double>(part) / static_cast<double>(whole)));
}

// After the begin of the recording, to the nanosecond.
QString moment(const Timeline& timeline, std::int64_t at) {
  return exact_text(at - timeline.range.begin_ns);
}

class Writer {
 public:
  explicit Writer(const Timeline& timeline) : t_(timeline), p_(*timeline.profile) {}

  Details of(Item item) {
    const auto i = static_cast<std::size_t>(item.index);
    // A call has several times, and each has a line of its own.
    found_.title = to_qt(item.kind == ItemKind::call ? call_name(p_, item.index, t_.calls[i])
                                                     : item_name(t_, item));
    const TimeRange range = item.kind == ItemKind::call ? whole_call(i) : item_range(t_, item);
    line(Texts::tr("Begins"), moment(t_, range.begin_ns));
    line(item.kind == ItemKind::call ? Texts::tr("Host and GPU") : Texts::tr("Takes"),
         exact_text(range.length()));
    if (item.kind == ItemKind::call) call(i);
    if (item.kind == ItemKind::kernel) kernel(i);
    if (item.kind == ItemKind::transfer) transfer(i);
    if (item.kind == ItemKind::api) api(i);
    if (item.kind == ItemKind::nvtx) nvtx(i);
    if (item.kind == ItemKind::gap) gap(item.index);
    return std::move(found_);
  }

 private:
  void line(const QString& name, const QString& value) {
    if (!value.isEmpty()) found_.lines.emplace_back(name, value);
  }
  QString text(int string) const { return string < 0 ? QString() : to_qt(p_.text(string)); }

  // As Document::range_of() has it: from where the host made it to the end of its last kernel.
  TimeRange whole_call(std::size_t i) const {
    const auto& c = p_.calls[i];
    const auto& span = t_.calls[i];
    if (!span.known()) return {c.host_start_ns, c.host_end_ns};
    if (c.host_end_ns <= 0) return {span.begin_ns, span.end_ns};
    return {std::min(c.host_start_ns, span.begin_ns), std::max(c.host_end_ns, span.end_ns)};
  }

  void call(std::size_t i) {
    const auto& c = p_.calls[i];
    const auto& span = t_.calls[i];
    line(Texts::tr("Phase"), to_qt(advisor::words::phase(c.phase)));
    if (c.configuration >= 0) {
      const auto& configuration = p_.configurations[static_cast<std::size_t>(c.configuration)];
      if (configuration.described())
        line(Texts::tr("Asked for"), to_qt(summary(configuration.config)));
    }
    if (span.kernels > 0) {
      line(Texts::tr("Kernels"), Texts::tr("%1, running %2 of the time")
                                     .arg(count(span.kernels))
                                     .arg(percent(span.busy_ns, span.end_ns - span.begin_ns)));
    }
    if (c.host_end_ns > 0) line(Texts::tr("On the host"), time(c.host_end_ns - c.host_start_ns));
    if (span.known()) line(Texts::tr("On the GPU"), time(span.end_ns - span.begin_ns));
    if (c.status != 0) line(Texts::tr("Status"), c.reason < 0 ? count(c.status) : text(c.reason));
    if (c.workspace_bytes >= 0) line(Texts::tr("Workspace"), to_qt(bytes_text(c.workspace_bytes)));
    if (c.reserve_bytes >= 0) line(Texts::tr("Reserve"), to_qt(bytes_text(c.reserve_bytes)));
    if (c.site >= 0) {
      const auto& site = p_.call_sites[static_cast<std::size_t>(c.site)];
      line(Texts::tr("Called from"), Texts::tr("%1:%2").arg(text(site.file)).arg(site.line));
    }
    line(Texts::tr("NVTX"), text(c.nvtx_path));
  }

  void kernel(std::size_t i) {
    const auto& k = p_.kernels;
    line(Texts::tr("Role"), role_name(k.role[i]));
    if (k.call[i] >= 0) {
      line(Texts::tr("Launched by"),
           to_qt(call_label(p_, k.call[i], t_.calls[static_cast<std::size_t>(k.call[i])])));
    }
    const auto size = [](const std::array<int, 3>& of) {
      return QStringLiteral("%1 × %2 × %3").arg(of[0]).arg(of[1]).arg(of[2]);
    };
    line(Texts::tr("Grid"), size(k.grid[i]));
    line(Texts::tr("Block"), size(k.block[i]));
    line(Texts::tr("Registers"), Texts::tr("%1 per thread").arg(k.registers[i]));
    const auto shared = k.shared_static[i] + k.shared_dynamic[i];
    if (shared > 0)
      line(Texts::tr("Shared memory"), Texts::tr("%1 per block").arg(to_qt(bytes_text(shared))));
    line(Texts::tr("Stream"), with_name(QString::number(k.stream[i]),
                                        p_.stream_name(k.process[i], k.device[i], k.stream[i])));
  }

  void transfer(std::size_t i) {
    const auto& t = p_.transfers;
    line(Texts::tr("Bytes"), to_qt(bytes_text(t.bytes[i])));
    const auto duration = t.end_ns[i] - t.start_ns[i];
    if (duration > 0) {
      const double rate = static_cast<double>(t.bytes[i]) / static_cast<double>(duration);
      line(Texts::tr("Rate"), Texts::tr("%1 GB/s").arg(QLocale().toString(rate, 'g', 3)));
    }
    line(Texts::tr("Stream"), with_name(QString::number(t.stream[i]),
                                        p_.stream_name(t.process[i], t.device[i], t.stream[i])));
  }

  void api(std::size_t i) {
    const auto& a = p_.api;
    line(Texts::tr("Thread"),
         with_name(QString::number(a.thread[i]), p_.thread_name(a.process[i], a.thread[i])));
    if (a.result[i] != 0) line(Texts::tr("Result"), QString::number(a.result[i]));
    if (a.call[i] >= 0) line(Texts::tr("In"), to_qt(item_name(t_, {ItemKind::call, a.call[i]})));
  }

  void nvtx(std::size_t i) {
    const auto& n = p_.nvtx;
    line(Texts::tr("Thread"),
         with_name(QString::number(n.thread[i]), p_.thread_name(n.process[i], n.thread[i])));
    line(Texts::tr("Domain"), text(n.domain[i]));
    line(Texts::tr("Category"), text(n.category[i]));
    const TimeRange range{n.start_ns[i], n.end_ns[i]};
    const auto inside = quick_statistics(t_, range);
    if (inside.kernels > 0) line(Texts::tr("Kernels meanwhile"), count(inside.kernels));
    if (inside.devices.size() == 1)
      line(Texts::tr("GPU busy"), percent(inside.devices[0].busy_ns, range.length()));
  }

  void gap(int after) {
    found_.title = Texts::tr("GPU idle");
    const auto around = gap_before(p_, after);
    if (!around) return;
    if (any_within(t_.untraced, around->begin_ns, around->end_ns)) {
      found_.title = Texts::tr("Not recorded");
      return line(Texts::tr("The GPU"), Texts::tr("worked, and was not traced"));
    }
    const auto kernel = [&](int row) {
      return to_qt(advisor::words::shorten(
          short_kernel_name(p_.text(p_.kernels.name[static_cast<std::size_t>(row)])), 60));
    };
    line(Texts::tr("After"), kernel(around->before));
    line(Texts::tr("Before"), kernel(around->after));
    const auto cause = cause_of(p_, *around);
    if (cause.api >= 0)
      line(Texts::tr("The host"), Texts::tr("%1, %2 of it")
                                      .arg(text(p_.api.name[static_cast<std::size_t>(cause.api)]),
                                           percent(cause.api_ns, around->length())));
    else if (p_.api.size() > 0)
      line(Texts::tr("The host"), Texts::tr("made no CUDA call"));
    if (cause.site >= 0) {
      const auto& site = p_.call_sites[static_cast<std::size_t>(cause.site)];
      line(Texts::tr("Called from"), Texts::tr("%1:%2").arg(text(site.file)).arg(site.line));
    }
  }

  const Timeline& t_;
  const Profile& p_;
  Details found_;
};

}  // namespace

QString Details::text() const {
  QString all = title;
  for (const auto& [name, value] : lines)
    all += QLatin1Char('\n') + name + QLatin1Char('\t') + value;
  return all;
}

QString role_name(KernelRole role) { return role_word(role); }

Details details_of(const Timeline& timeline, Item item) {
  if (item.empty()) return {};
  return Writer(timeline).of(item);
}

Details details_of_idle(const Timeline& timeline, TimeRange range) {
  Details found;
  found.title = range.begin_ns <= timeline.range.begin_ns ? Texts::tr("Before the first kernel")
                                                          : Texts::tr("After the last kernel");
  found.lines.emplace_back(Texts::tr("Begins"), moment(timeline, range.begin_ns));
  found.lines.emplace_back(Texts::tr("Takes"), exact_text(range.length()));
  return found;
}

Details details_of_memory(const Track& track, std::int64_t at) {
  Details found;
  found.title = Texts::tr("Allocated while recording");
  found.lines.emplace_back(Texts::tr("Here"), to_qt(bytes_text(track.area.at(at))));
  found.lines.emplace_back(Texts::tr("Peak"), to_qt(bytes_text(track.area.peak())));
  return found;
}

Details details_of_counter(const Timeline& timeline, const Track& track, std::int64_t at) {
  const std::string& metric = timeline.profile->text(track.key.metric);
  const auto unit = counter_unit(metric);
  Details found;
  found.title = counter_title(timeline, track);
  if (const auto sample = track.samples.at(at)) {
    found.lines.emplace_back(Texts::tr("Here"), Texts::tr("%1 over %2")
                                                    .arg(to_qt(counter_text(unit, sample->value)),
                                                         time(sample->range.length())));
  } else {
    found.lines.emplace_back(Texts::tr("Here"), Texts::tr("not sampled"));
  }
  found.lines.emplace_back(Texts::tr("Peak"), to_qt(counter_text(unit, track.samples.peak())));
  found.lines.emplace_back(Texts::tr("Of the whole"),
                           Texts::tr("GPU %1").arg(std::max(0, track.key.device)));
  found.lines.emplace_back(Texts::tr("Counter"), to_qt(metric));
  return found;
}

Details details_of_range(const Timeline& timeline, const RangeStatistics& s) {
  Details found;
  found.title = exact_text(s.range.length());
  const auto line = [&](const QString& name, const QString& value) {
    found.lines.emplace_back(name, value);
  };
  for (const auto& device : s.devices) {
    const QString name =
        s.devices.size() == 1 ? Texts::tr("GPU busy") : Texts::tr("GPU %1 busy").arg(device.device);
    QString value = percent(device.busy_ns, s.range.length());
    if (device.longest_gap_ns > 0)
      value = Texts::tr("%1, longest gap %2").arg(value, time(device.longest_gap_ns));
    line(name, value);
  }
  if (s.kernels > 0) {
    QString value = Texts::tr("%1, %2").arg(count(s.kernels), time(s.kernel_ns));
    if (s.median_kernel_ns >= 0)
      value = Texts::tr("%1, median %2").arg(value, time(s.median_kernel_ns));
    line(Texts::tr("Kernels"), value);
  }
  for (std::size_t role = 0; role < s.role_ns.size(); ++role) {
    if (s.role_ns[role] * 50 < s.kernel_ns || s.role_count[role] == 0) continue;
    line(QStringLiteral("  ") + role_name(static_cast<KernelRole>(role)),
         Texts::tr("%1, %2 time(s)", nullptr, many(s.role_count[role]))
             .arg(percent(s.role_ns[role], s.kernel_ns), count(s.role_count[role])));
  }
  if (s.calls > 0) line(Texts::tr("RNN calls"), count(s.calls));
  if (s.transfers > 0)
    line(Texts::tr("Copies and sets"),
         Texts::tr("%1, %2").arg(count(s.transfers), s.transfer_bytes > 0
                                                         ? to_qt(bytes_text(s.transfer_bytes))
                                                         : time(s.transfer_ns)));
  if (s.api_calls > 0)
    line(Texts::tr("CUDA API"), Texts::tr("%1, %2").arg(count(s.api_calls), time(s.api_ns)));
  if (s.most_memory >= 0) line(Texts::tr("Most memory"), to_qt(bytes_text(s.most_memory)));
  const bool devices = s.devices.size() > 1;
  for (const auto& [index, summary] : s.counters) {
    const auto& track = timeline.tracks[static_cast<std::size_t>(index)];
    const auto unit = counter_unit(timeline.profile->text(track.key.metric));
    const QString name =
        to_qt(advisor::words::shorten(counter_title(timeline, track).toStdString(), 30));
    QString value =
        Texts::tr("mean %1, most %2")
            .arg(to_qt(counter_text(unit, summary.mean)), to_qt(counter_text(unit, summary.most)));
    // A mean of a part is no mean of the range.
    if (summary.sampled_ns * 100 < s.range.length() * 99)
      value = Texts::tr("%1 (sampled %2 of it)")
                  .arg(value, percent(summary.sampled_ns, s.range.length()));
    line(devices ? Texts::tr("%1, GPU %2").arg(name).arg(std::max(0, track.key.device)) : name,
         value);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(3, s.names.size()); ++i) {
    const auto& name = s.names[i];
    const std::string shown = short_kernel_name(timeline.profile->text(name.name));
    line(to_qt(advisor::words::shorten(shown, 30)),
         Texts::tr("%1, %2 time(s)", nullptr, many(name.count))
             .arg(time(name.total_ns), count(name.count)));
  }
  return found;
}

Details shortcut_sheet() {
  Details sheet;
  sheet.title = Texts::tr("Keys and mouse");
  sheet.lines = {
      {Texts::tr("W  S  or  +  -"), Texts::tr("zoom in, out; Shift+W, Shift+S: faster")},
      {Texts::tr("A  D"), Texts::tr("move left, right; Shift+A, Shift+D: faster")},
      {Texts::tr("Ctrl+wheel"), Texts::tr("zoom at the pointer")},
      {Texts::tr("Shift+wheel, Shift+drag, right drag"), Texts::tr("move")},
      {Texts::tr("Drag"), Texts::tr("measure a range; its edges can be dragged")},
      {Texts::tr("Click, double click"), Texts::tr("select, zoom to")},
      {Texts::tr("F"), Texts::tr("zoom to the selection, again: show all")},
      {Texts::tr("0, Home"), Texts::tr("show all")},
      {Texts::tr("← →  or  , ."),
       Texts::tr("previous, next on the track; without a selection: move")},
      {Texts::tr("↑ ↓, Page Up, Page Down"), Texts::tr("track above, below; a page of tracks")},
      {Texts::tr("[  ]"), Texts::tr("to what caused it, to what it caused")},
      {Texts::tr("Ctrl+← Ctrl+→  or  < >"), Texts::tr("previous, next kernel of the same call")},
      {Texts::tr("/  or  Ctrl+F"), Texts::tr("search; N, Shift+N: next, previous hit")},
      {Texts::tr("R"), Texts::tr("measure the selection")},
      {Texts::tr("Ctrl+C"), Texts::tr("copy the measured range or the selection as text")},
      {Texts::tr("M"), Texts::tr("mark the place or the range; J, Shift+J: next, previous mark")},
      {Texts::tr("Ctrl+P"), Texts::tr("find a track")},
      {Texts::tr("P"), Texts::tr("pin the track")},
      {Texts::tr("Alt+↑ Alt+↓  or drag"), Texts::tr("move the track")},
      {Texts::tr("H, Shift+H, Ctrl+Shift+wheel"), Texts::tr("taller, lower tracks")},
      {Texts::tr("Enter"), Texts::tr("fold or unfold the track")},
      {Texts::tr("Backspace, Alt+←, Alt+→"),
       Texts::tr("back, back, forward; Shift+Backspace: forward")},
      {Texts::tr("Esc"), Texts::tr("close, clear")},
      {Texts::tr("?"), Texts::tr("this sheet")},
  };
  return sheet;
}

}  // namespace rnnadvisor::gui::timeline
