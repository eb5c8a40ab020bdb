// What is known of a thing on the timeline.
#include <array>
#include <ranges>

#include "advisor/report/content.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/overview_charts.h"
#include "gui/models/pages.h"
#include "gui/models/render_page.h"
#include "gui/texts.h"
#include "profiler/classify/gaps.h"
#include "profiler/classify/program_steps.h"
#include "profiler/kernels/classify.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

// "7 (copies)": with the name that the program gave it, if any.
QString named(std::int64_t number, const std::string& name) {
  const QString plain = QString::number(number);
  return name.empty() ? plain : Texts::tr("%1 (%2)").arg(plain, Page::escape(name));
}

class ItemPage {
 public:
  ItemPage(const Document& document, Item item, const Theme& theme)
      : document_(document), profile_(document.profile()), item_(item), page_(theme) {}

  QString write() {
    const auto i = static_cast<std::size_t>(item_.index);
    switch (item_.kind) {
      case ItemKind::call:
        call(i);
        break;
      case ItemKind::kernel:
        kernel(i);
        break;
      case ItemKind::transfer:
        transfer(i);
        break;
      case ItemKind::api:
        api(i);
        break;
      case ItemKind::nvtx:
        nvtx(i);
        break;
      case ItemKind::allocation:
        allocation(i);
        break;
      case ItemKind::gap:
        gap(*gap_before(profile_, item_.index));
        break;
      default:
        break;
    }
    return page_.take();
  }

 private:
  void row(const QString& name, const QString& html) {
    if (!html.isEmpty()) rows_.push_back({{page_.dim(name)}, {html}});
  }
  void flush() {
    if (!rows_.empty()) page_.table({}, rows_);
    rows_.clear();
  }
  void times() {
    const auto range = document_.range_of(item_);
    row(Texts::tr("Begins"), exact_text(range.begin_ns - document_.extent().begin_ns));
    if (range.length() <= 0) return;
    const QString length = page_.strong(exact_text(range.length()));
    if (item_.kind == ItemKind::call)
      row(Texts::tr("Host and GPU"),
          Texts::tr("%1 from the call to the end of its last kernel").arg(length));
    else
      row(Texts::tr("Takes"), length);
  }
  QString call_link(int call) const {
    if (!document_.holds({ItemKind::call, call})) return {};
    const auto& c = profile_.calls[static_cast<std::size_t>(call)];
    return page_.link(Link::to({ItemKind::call, call}),
                      Page::escape(words::phase(c.phase)) + Texts::tr(", call %1").arg(call));
  }
  QString site_text(int index) {
    if (index < 0) return {};
    const auto& site = profile_.call_sites[static_cast<std::size_t>(index)];
    if (site.file < 0) return {};
    return page_.link(Link::to_source(index),
                      Page::escape(profile_.text(site.file) +
                                   (site.line > 0 ? ":" + std::to_string(site.line) : "")));
  }
  static QString size(const std::array<int, 3>& s) {
    return QStringLiteral("%1 × %2 × %3").arg(s[0]).arg(s[1]).arg(s[2]);
  }

  void call(std::size_t i) {
    const auto& c = profile_.calls[i];
    page_.small(Texts::tr("RNN call %1").arg(item_.index));
    page_.title(Page::escape(words::phase(c.phase)));
    const auto& reports = document_.report().configurations;
    const auto own = static_cast<std::size_t>(c.configuration);
    if (c.configuration >= 0 && own < reports.size())
      page_.paragraph(page_.link(Link::to({ItemKind::configuration, c.configuration}),
                                 Page::escape(reports[own].name)));
    times();
    std::int64_t count = 0, busy = 0;
    for (std::size_t k = 0; k < profile_.kernels.size(); ++k) {
      if (profile_.kernels.call[k] != item_.index) continue;
      ++count;
      busy += profile_.kernels.end_ns[k] - profile_.kernels.start_ns[k];
    }
    const auto host = document_.host_range_of_call(item_.index),
               gpu = document_.gpu_range_of_call(item_.index);
    if (host.length() > 0)
      row(Texts::tr("On the host"),
          Texts::tr("%1, until the call returned").arg(format_ns(host.length())));
    if (gpu.length() > 0 && count > 0)
      row(Texts::tr("On the GPU"),
          Texts::tr("%1 from the first kernel to the last, %2 of it in kernels")
              .arg(format_ns(gpu.length()), format_ns(busy)));
    else if (gpu.length() > 0)
      row(Texts::tr("On the GPU"),
          Texts::tr("%1, by events around it").arg(format_ns(gpu.length())));
    if (count > 0) row(Texts::tr("Kernels"), QString::number(count));
    if (c.stream >= 0)
      row(Texts::tr("Stream"),
          named(c.stream, profile_.stream_name(c.process, c.device, c.stream)));
    if (c.workspace_bytes >= 0)
      row(Texts::tr("Workspace"), to_qt(format_bytes(static_cast<double>(c.workspace_bytes))));
    if (c.reserve_bytes >= 0)
      row(Texts::tr("Reserve"), to_qt(format_bytes(static_cast<double>(c.reserve_bytes))));
    if (c.nvtx_path >= 0) row(Texts::tr("NVTX"), Page::escape(profile_.text(c.nvtx_path)));
    row(Texts::tr("Called from"), site_text(c.site));
    if (c.status != 0)
      row(Texts::tr("Status"),
          page_.colored(QString::number(c.status), page_.theme().error) +
              (c.reason >= 0 ? QLatin1Char(' ') + Page::escape(profile_.text(c.reason))
                             : QString()));
    row(Texts::tr("Known by"), Page::escape(to_string(c.source)));
    flush();
    findings(c.configuration);
  }

  void kernel(std::size_t i) {
    const auto& k = profile_.kernels;
    page_.small(Texts::tr("Kernel %1").arg(item_.index));
    page_.title(Page::breakable(short_kernel_name(profile_.text(k.name[i]))));
    times();
    row(Texts::tr("Role"), role_word(k.role[i]).toHtmlEscaped());
    row(Texts::tr("Implementation"), Page::escape(words::implementation(k.family[i])));
    row(Texts::tr("Launched by"), call_link(k.call[i]));
    row(Texts::tr("Device, stream"),
        QStringLiteral("%1, %2").arg(
            named(k.device[i], profile_.device_name(k.process[i], k.device[i])),
            named(k.stream[i], profile_.stream_name(k.process[i], k.device[i], k.stream[i]))));
    row(Texts::tr("Grid"), size(k.grid[i]));
    row(Texts::tr("Block"), size(k.block[i]));
    row(Texts::tr("Registers"), Texts::tr("%1 per thread").arg(k.registers[i]));
    const auto shared = k.shared_static[i] + k.shared_dynamic[i];
    row(Texts::tr("Shared memory"),
        Texts::tr("%1 per block").arg(to_qt(format_bytes(static_cast<double>(shared)))));
    row(Texts::tr("Full name"), page_.dim(Page::breakable(profile_.text(k.name[i]))));
    flush();
    if (k.call[i] >= 0) findings(profile_.calls[static_cast<std::size_t>(k.call[i])].configuration);
  }

  void transfer(std::size_t i) {
    const auto& t = profile_.transfers;
    page_.small(Texts::tr("Transfer %1").arg(item_.index));
    page_.title(t.operation[i] == MemoryOperation::copy ? Texts::tr("Memory copy")
                                                        : Texts::tr("Memory set"));
    times();
    row(Texts::tr("Bytes"), to_qt(format_bytes(static_cast<double>(t.bytes[i]))));
    const auto range = document_.range_of(item_);
    if (range.length() > 0)
      row(Texts::tr("Rate"),
          Texts::tr("%1 GB/s").arg(
              static_cast<double>(t.bytes[i]) / static_cast<double>(range.length()), 0, 'g', 3));
    row(Texts::tr("In"), call_link(t.call[i]));
    flush();
  }

  void api(std::size_t i) {
    const auto& a = profile_.api;
    page_.small(Texts::tr("CUDA call %1").arg(item_.index));
    page_.title(Page::escape(profile_.text(a.name[i])));
    times();
    row(Texts::tr("Thread"), named(a.thread[i], profile_.thread_name(a.process[i], a.thread[i])));
    if (a.result[i] != 0) row(Texts::tr("Result"), QString::number(a.result[i]));
    row(Texts::tr("In"), call_link(a.call[i]));
    flush();
  }

  void nvtx(std::size_t i) {
    const auto& n = profile_.nvtx;
    page_.small(Texts::tr("NVTX range"));
    page_.title(Page::escape(profile_.text(n.name[i])));
    times();
    row(Texts::tr("Thread"), named(n.thread[i], profile_.thread_name(n.process[i], n.thread[i])));
    flush();
  }

  void allocation(std::size_t i) {
    const auto& a = profile_.allocations;
    page_.small(Texts::tr("Device memory"));
    page_.title(a.release[i] ? Texts::tr("Release") : Texts::tr("Allocation"));
    times();
    row(Texts::tr("Bytes"), to_qt(format_bytes(static_cast<double>(a.bytes[i]))));
    row(Texts::tr("In"), call_link(a.call[i]));
    flush();
  }

  QString kernel_link(int kernel) const {
    const auto& name = profile_.text(profile_.kernels.name[static_cast<std::size_t>(kernel)]);
    return page_.link(Link::to({ItemKind::kernel, kernel}),
                      Page::breakable(words::shorten(words::clean(short_kernel_name(name)), 60)));
  }
  // Of the part that gaps have of the step they lie in: from its first kernel to that of the next.
  QString share_of_step(const GpuGap& gap) const {
    std::int64_t begin = -1;
    for (const int call : step_beginnings(profile_, gap.device)) {
      const TimeRange work = document_.gpu_range_of_call(call);
      if (work.length() <= 0) continue;
      if (begin >= 0 && begin <= gap.begin_ns && gap.end_ns <= work.begin_ns)
        return Texts::tr("%1 of %2")
            .arg(Page::escape(words::percent(static_cast<double>(gap.length()) /
                                             static_cast<double>(work.begin_ns - begin))),
                 format_ns(work.begin_ns - begin));
      begin = work.begin_ns;
    }
    return {};
  }

  void gap(const GpuGap& gap) {
    page_.small(Texts::tr("GPU %1").arg(gap.device));
    const bool recorded = !any_within(untraced_times(profile_), gap.begin_ns, gap.end_ns);
    page_.title(recorded ? Texts::tr("GPU idle") : Texts::tr("Not recorded"));
    times();
    if (!recorded) {
      row(Texts::tr("The GPU"),
          Texts::tr("worked for RNN calls that were timed without tracing, so "
                    "that their kernels are not in the profile"));
      row(Texts::tr("After"), kernel_link(gap.before));
      row(Texts::tr("Before"), kernel_link(gap.after));
      return flush();
    }
    row(Texts::tr("Of the step"), share_of_step(gap));
    row(Texts::tr("After"), kernel_link(gap.before));
    row(Texts::tr("Before"), kernel_link(gap.after));
    const auto host = host_during(profile_, gap);
    constexpr std::size_t most = 5;
    QStringList calls;
    for (const auto& each : host.api | std::views::take(most))
      calls << Texts::tr("%1, %2 in %3 call(s)", nullptr, many(each.count))
                   .arg(Page::escape(profile_.text(each.name)), format_ns(each.ns),
                        to_qt(format_count(each.count)));
    if (host.api.size() > most)
      calls << Texts::tr("%n other(s)", nullptr, many(host.api.size() - most));
    if (calls.isEmpty())
      calls << (profile_.api.size() > 0
                    ? Texts::tr("made no CUDA call: it ran code of the program, or waited")
                    : Texts::tr("is not known: no CUDA calls were recorded"));
    row(Texts::tr("The host"), calls.join(QStringLiteral("<br>")));
    QStringList ranges;
    for (const int range : host.ranges)
      ranges << page_.link(
          Link::to({ItemKind::nvtx, range}),
          Page::escape(profile_.text(profile_.nvtx.name[static_cast<std::size_t>(range)])));
    row(Texts::tr("Within"), ranges.join(QStringLiteral(" › ")));
    const auto cause = cause_of(profile_, gap);
    if (cause.api >= 0)
      row(Texts::tr("Longest"),
          page_.link(
              Link::to({ItemKind::api, cause.api}),
              Page::escape(profile_.text(profile_.api.name[static_cast<std::size_t>(cause.api)]))) +
              Texts::tr(", %1 of the gap").arg(format_ns(cause.api_ns)));
    const int call = profile_.kernels.call[static_cast<std::size_t>(gap.after)];
    row(Texts::tr("Ended by"), call_link(call));
    row(Texts::tr("Called from"), site_text(cause.site));
    if (cause.next_call >= 0)
      row(Texts::tr("Next RNN call"),
          Texts::tr("%1, called from %2")
              .arg(call_link(cause.next_call),
                   site_text(profile_.calls[static_cast<std::size_t>(cause.next_call)].site)));
    flush();
    if (call >= 0) findings(profile_.calls[static_cast<std::size_t>(call)].configuration);
  }

  void findings(int configuration) {
    const auto& reports = document_.report().configurations;
    const auto own = static_cast<std::size_t>(configuration);
    if (configuration < 0 || own >= reports.size() || reports[own].findings.empty()) return;
    page_.heading(Texts::tr("Findings about it"));
    namespace content = advisor::document;
    draw(page_, {content::findings_of({document_.report(), content::window}, reports[own])});
  }

  const Document& document_;
  const Profile& profile_;
  Item item_;
  Page page_;
  std::vector<std::vector<Page::Cell>> rows_;
};

}  // namespace

QString item_page(const Document& document, Item item, const Theme& theme) {
  if (!document.holds(item)) return {};
  if (item.kind == ItemKind::finding) return finding_page(document, item.index, theme);
  if (item.kind == ItemKind::configuration) return configuration_page(document, item.index, theme);
  return ItemPage(document, item, theme).write();
}

}  // namespace rnnadvisor::gui
