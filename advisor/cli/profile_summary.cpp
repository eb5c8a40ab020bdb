#include "advisor/cli/profile_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "advisor/facts/experiments.h"
#include "advisor/report/program_end.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

using advisor::Fit;
using advisor::Style;
namespace words = advisor::words;

// What the calls of one configuration took.
struct Use {
  std::int64_t calls = 0, replays = 0;
  double kernel_ms = 0, host_ms = 0;
  double event_ms = 0;                // of calls without kernels
  std::map<int, std::int64_t> sites;  // calls from each
};

struct Totals {
  std::vector<Use> uses;  // by configuration; the last for calls of none
  double kernel_ms = 0;   // of all kernels, the RNNs' and others
  // What tells the time of calls: their kernels, CUDA events around those without, else the host's.
  bool kernels = false, events = false;
};

Totals add_up(const Profile& p) {
  Totals totals;
  totals.uses.resize(p.configurations.size() + 1);
  const auto use_of = [&](const RnnCall& call) -> Use& {
    return call.configuration < 0 ? totals.uses.back()
                                  : totals.uses[static_cast<std::size_t>(call.configuration)];
  };
  std::vector<bool> traced(p.calls.size(), false);
  for (std::size_t i = 0; i < p.kernels.size(); ++i) {
    const double ms = static_cast<double>(p.kernels.end_ns[i] - p.kernels.start_ns[i]) / 1e6;
    totals.kernel_ms += ms;
    if (p.kernels.call[i] < 0) continue;
    const auto call = static_cast<std::size_t>(p.kernels.call[i]);
    use_of(p.calls[call]).kernel_ms += ms;
    traced[call] = totals.kernels = true;
  }
  for (std::size_t i = 0; i < p.calls.size(); ++i) {
    const auto& call = p.calls[i];
    Use& use = use_of(call);
    ++use.calls;
    if (call.graph == GraphState::replayed) ++use.replays;
    use.host_ms += static_cast<double>(call.host_end_ns - call.host_start_ns) / 1e6;
    if (call.device_duration_ns >= 0 && !traced[i]) {
      use.event_ms += static_cast<double>(call.device_duration_ns) / 1e6;
      totals.events = true;
    }
    if (call.site >= 0) ++use.sites[call.site];
  }
  return totals;
}

double measured_ms(const Totals& totals, const Use& use) {
  return totals.kernels || totals.events ? use.kernel_ms + use.event_ms : use.host_ms;
}

std::string how_it_ended(const Process& process) {
  switch (process.end) {
    case ProcessEnd::exited:
      return fmt::format("exit status {}", process.exit_status);
    case ProcessEnd::signalled:
      return fmt::format("ended by signal {}", process.signal);
    case ProcessEnd::killed:
      return fmt::format("ended at once by rnnadvisor (signal {})", process.signal);
    case ProcessEnd::running:
      return process.mode == "run" ? "rnnadvisor itself" : "still running";
    case ProcessEnd::unknown:
      break;
  }
  return "of unknown end";
}

std::string process_line(const Profile& p) {
  if (p.processes.empty()) return "none recorded";
  if (p.processes.size() == 1) {
    const auto& process = p.processes.front();
    std::string line = fmt::format("{}, {}", process.pid, how_it_ended(process));
    if (process.start_ns >= 0 && process.end_ns >= process.start_ns) {
      line += fmt::format(
          ", {}",
          format_milliseconds(static_cast<double>(process.end_ns - process.start_ns) / 1e6));
    }
    return line;
  }
  std::set<std::string> hosts;
  std::map<std::string, int> ends;
  for (const auto& process : p.processes) {
    hosts.insert(process.host);
    ++ends[(process.end == ProcessEnd::exited ? "with " : "") + how_it_ended(process)];
  }
  std::vector<std::string> parts;
  for (const auto& [how, count] : ends) parts.push_back(fmt::format("{} {}", count, how));
  return fmt::format("{}{}: {}", p.processes.size(),
                     hosts.size() > 1 ? fmt::format(" on {} hosts", hosts.size()) : "",
                     fmt::join(parts, ", "));
}

std::string software_line(const Profile& p) {
  std::vector<std::string> parts;
  for (auto& device : words::devices(p, false)) parts.push_back(std::move(device));
  const auto& e = p.environment;
  if (!e.framework.empty()) parts.push_back(e.framework + " " + e.framework_version);
  if (!e.cudnn_version.empty()) parts.push_back("cuDNN " + e.cudnn_version);
  if (!e.driver_version.empty()) parts.push_back("driver " + e.driver_version);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string calls_line(const Profile& p, const Totals& totals) {
  std::int64_t calls = 0, replays = 0;
  double ms = 0, kernel_ms = 0;
  for (const auto& use : totals.uses) {
    calls += use.calls;
    replays += use.replays;
    kernel_ms += use.kernel_ms;
    ms += measured_ms(totals, use);
  }
  if (calls == 0) return "none";
  const auto tried = advisor::tried_configurations(p);
  const auto own = std::count(tried.begin(), tried.end(), false);
  std::string line = fmt::format("{} in {}", format_count(calls),
                                 words::plural(static_cast<long long>(own), "configuration"));
  if (replays > 0) line += fmt::format(", {} of them in CUDA graphs", format_count(replays));
  if (totals.kernels) {
    // Where some calls were not traced, the share is that of the others.
    line += fmt::format("; {} {}, {} of all kernel time", format_milliseconds(ms),
                        totals.events ? "on the GPU" : "in kernels",
                        words::percent(totals.kernel_ms > 0 ? kernel_ms / totals.kernel_ms : 0));
  } else if (totals.events) {
    line += fmt::format("; {} on the GPU, by CUDA events", format_milliseconds(ms));
  } else {
    line += fmt::format("; {} on the host, GPU time was not recorded", format_milliseconds(ms));
  }
  return line;
}

// "train.py:31 +2": the line most calls come from, and how many more lines there are.
std::string site_text(const Profile& p, const Use& use) {
  if (use.sites.empty()) return "";
  const auto most =
      std::max_element(use.sites.begin(), use.sites.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto& site = p.call_sites[static_cast<std::size_t>(most->first)];
  const std::string& file = p.text(site.file);
  std::string text = words::clean(file.substr(file.rfind('/') + 1));
  if (site.line > 0) text += fmt::format(":{}", site.line);
  if (use.sites.size() > 1) text += fmt::format(" +{}", use.sites.size() - 1);
  return text;
}

void configurations(advisor::Terminal& terminal, const advisor::Report& report,
                    const Totals& totals) {
  const Profile& p = *report.profile;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.configurations.size(); ++i) {
    if (totals.uses[i].calls > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return measured_ms(totals, totals.uses[a]) > measured_ms(totals, totals.uses[b]);
  });
  if (order.empty()) return;
  const auto left_out = order.size() > summary_rows ? order.size() - summary_rows : 0;
  order.resize(order.size() - left_out);
  std::vector<std::vector<advisor::Cell>> rows;
  for (const std::size_t i : order) {
    const Use& use = totals.uses[i];
    rows.push_back({{format_count(use.calls)},
                    {format_milliseconds(measured_ms(totals, use))},
                    {report.configurations[i].name},
                    {site_text(p, use)}});
  }
  terminal.line();
  terminal.table({{"Calls", true},
                  {totals.kernels || totals.events ? "GPU time" : "Host time", true},
                  {"Configuration", false, Fit::clip, 24},
                  {"From", false, Fit::clip, 8, 1}},
                 std::move(rows), 2);
  if (left_out > 0)
    terminal.line(fmt::format("  and {} more, which took less", left_out), Style::dim);
}

void findings(advisor::Terminal& terminal, const advisor::Report& report) {
  terminal.line();
  std::vector<std::string> counts;
  for (const auto& [count, severity] : {std::pair(report.errors, advisor::Severity::error),
                                        {report.warnings, advisor::Severity::warning},
                                        {report.opportunities, advisor::Severity::opportunity},
                                        {report.infos, advisor::Severity::info}}) {
    if (count > 0)
      counts.push_back(fmt::format("{} {}", count, words::severity_plural(severity, count)));
  }
  terminal.paragraph(
      counts.empty() ? std::string("none") : fmt::format("{}", fmt::join(counts, ", ")), 13,
      "  Findings", Style::bold);
  for (std::size_t i = 0; i < std::min(report.actions.size(), summary_rows); ++i) {
    const auto& group = report.actions[i];
    const auto& finding = group.first();
    std::string text = words::clean(finding.title);
    if (const auto gain = words::gain(finding.gain); !gain.empty())
      text += fmt::format(" ({}, {})", gain, in_words(finding.gain->basis));
    if (group.findings.size() > 1)
      text += ", " + words::plural(static_cast<long long>(group.findings.size()), "configuration");
    terminal.paragraph(text, 15, fmt::format("  {:<11}", to_string(finding.severity)));
  }
  if (report.actions.size() > summary_rows)
    terminal.line(fmt::format("  and {} more", report.actions.size() - summary_rows), Style::dim);
}

void notes(advisor::Terminal& terminal, const Profile& p) {
  std::vector<const Note*> list;
  for (const auto& note : p.notes) {
    if (note.severity != NoteSeverity::info && note.code != program_exception)
      list.push_back(&note);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Note* a, const Note* b) { return a->severity > b->severity; });
  if (list.empty()) return;
  terminal.line();
  for (std::size_t i = 0; i < std::min(list.size(), summary_rows); ++i) {
    std::string text = words::clean(list[i]->text);
    if (list[i]->count > 1) text += fmt::format(" ({})", format_count(list[i]->count));
    terminal.paragraph(text, 13, "  Note", Style::yellow);
  }
  if (list.size() > summary_rows)
    terminal.line("  and " + words::plural(static_cast<long long>(list.size() - summary_rows),
                                           "more note", "more notes"),
                  Style::dim);
}

}  // namespace

std::string profile_summary(const advisor::Report& report, const advisor::TextOptions& options) {
  const Profile& p = *report.profile;
  const Totals totals = add_up(p);
  advisor::Terminal terminal(options);
  terminal.paragraph(process_line(p), 13, p.processes.size() > 1 ? "  Processes" : "  Process",
                     Style::bold);
  if (report.end)
    terminal.paragraph(words::shorten(advisor::in_short(*report.end),
                                      static_cast<std::size_t>(terminal.width()) - 13),
                       13, "  Ended with", Style::red);
  if (const auto software = software_line(p); !software.empty())
    terminal.paragraph(words::clean(software), 13, "  On", Style::bold);
  terminal.paragraph(calls_line(p, totals), 13, "  RNN calls", Style::bold);
  configurations(terminal, report, totals);
  if (!p.configurations.empty()) findings(terminal, report);
  notes(terminal, p);
  return terminal.take();
}

}  // namespace rnnadvisor::cli
