#include "gui/models/record_gaps.h"

#include <algorithm>
#include <csignal>
#include <map>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/document.h"
#include "gui/models/link.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

QString count_text(std::int64_t count) { return to_qt(format_count(count)); }

// What a loss means for what is shown.
struct KnownNote {
  const char* code;
  const char* consequence;
};
constexpr KnownNote known_notes[] = {
    {"records-dropped",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts",
                       "Counts and sums of what was lost are too small, and gaps on the "
                       "timeline may be where something ran.")},
    {"recording-damaged",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts",
                       "Counts and sums are those of the part that could be read.")},
    {"recording-unreadable",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Whole processes may be missing.")},
    {"mode-reduced", QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts",
                                       "From then on kernels, copies or API calls are missing, and "
                                       "rules that need them cannot judge.")}};

QString name_of(const Process& process) {
  QString name = to_qt(advisor::words::clean(process.executable));
  name = name.mid(name.lastIndexOf(QLatin1Char('/')) + 1);
  if (name.isEmpty()) name = Texts::tr("The program");
  return process.pid >= 0 ? Texts::tr("%1 (process %2)").arg(name).arg(process.pid) : name;
}

// Of each process that has kernels: how many of its last calls have none.
struct Tail {
  int calls = 0, without_kernels = 0;
};
std::vector<Tail> tails_of(const Profile& profile) {
  std::vector<char> has_kernels(profile.calls.size(), 0), traced(profile.processes.size(), 0);
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    if (profile.kernels.call[i] >= 0)
      has_kernels[static_cast<std::size_t>(profile.kernels.call[i])] = 1;
    if (profile.kernels.process[i] >= 0)
      traced[static_cast<std::size_t>(profile.kernels.process[i])] = 1;
  }
  std::vector<int> order(profile.calls.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return profile.calls[static_cast<std::size_t>(a)].host_start_ns <
           profile.calls[static_cast<std::size_t>(b)].host_start_ns;
  });
  std::vector<Tail> tails(profile.processes.size());
  for (const int index : order) {
    const auto call = static_cast<std::size_t>(index);
    if (profile.calls[call].process < 0) continue;
    const auto process = static_cast<std::size_t>(profile.calls[call].process);
    auto& tail = tails[process];
    ++tail.calls;
    tail.without_kernels = has_kernels[call] != 0 ? 0 : tail.without_kernels + 1;
    if (traced[process] == 0) tail.without_kernels = 0;  // it was recorded without kernels
  }
  return tails;
}

QString consequence_of(const Process& process, const Tail& tail) {
  QStringList sentences;
  if (tail.calls == 0) {
    sentences << Texts::tr("No RNN call of it was recorded.");
  } else {
    sentences << Texts::tr("The record has %1 RNN call(s) of it.", nullptr, many(tail.calls))
                     .arg(count_text(tail.calls));
    if (tail.without_kernels > 0)
      sentences << Texts::tr(
          "The last (one has|%n have) no kernels: what (it|they) ran on the GPU was not recorded "
          "yet.",
          nullptr, many(tail.without_kernels));
  }
  sentences << (process.end == ProcessEnd::running
                    ? Texts::tr("What it did afterwards is not in the record.")
                    : Texts::tr(
                          "What it would have done is not in the record, so that means and medians "
                          "are of its beginning only."));
  return sentences.join(QLatin1Char(' '));
}

void add_processes(const Profile& profile, std::vector<RecordGap>& gaps) {
  const auto tails = tails_of(profile);
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    const auto& process = profile.processes[i];
    QString what;
    auto severity = advisor::Severity::warning;
    switch (process.end) {
      case ProcessEnd::signalled:
        what = Texts::tr("%1 was ended by %2").arg(name_of(process), signal_name(process.signal));
        severity = advisor::Severity::error;
        break;
      case ProcessEnd::killed:
        what = Texts::tr("%1 was ended by rnnadvisor with %2: a time limit, or its user")
                   .arg(name_of(process), signal_name(process.signal));
        break;
      case ProcessEnd::running:
        // rnnadvisor itself, which has written the record when all was measured.
        if (process.mode == "run") break;
        what = Texts::tr("%1 still ran when the record was taken").arg(name_of(process));
        break;
      case ProcessEnd::unknown:
      case ProcessEnd::exited:
        break;
    }
    if (what.isEmpty()) continue;
    if (process.start_ns >= 0 && process.end_ns > process.start_ns)
      what += Texts::tr(", %1 after it began").arg(format_ns(process.end_ns - process.start_ns));
    gaps.push_back({severity, what + QLatin1Char('.'), consequence_of(process, tails[i])});
  }
}

void add_configurations(const Profile& profile, std::vector<RecordGap>& gaps) {
  std::int64_t interrupted = 0;
  for (const auto& each : profile.configurations)
    interrupted += each.outcome == Outcome::interrupted ? 1 : 0;
  if (interrupted == 0) return;
  gaps.push_back(
      {advisor::Severity::warning,
       Texts::tr("%1 of %2 configuration(s) (was|were) not finished: the run was interrupted.",
                 nullptr, many(profile.configurations.size()))
           .arg(count_text(interrupted),
                count_text(static_cast<std::int64_t>(profile.configurations.size()))),
       Texts::tr("They have no times. The same `rnnadvisor sweep` command goes on with them.")});
}

void add_notes(const Profile& profile, std::vector<RecordGap>& gaps) {
  for (const auto& note : profile.notes) {
    const auto* known = std::find_if(std::begin(known_notes), std::end(known_notes),
                                     [&](const KnownNote& each) { return note.code == each.code; });
    if (known == std::end(known_notes)) continue;
    QString what = to_qt(advisor::words::clean(note.text));
    if (!what.isEmpty()) what[0] = what[0].toUpper();
    if (note.count > 1) {
      // Records are counted as what they are, other events by how often they were.
      const QString records = QStringLiteral("dropped records");
      what =
          what.contains(records)
              ? what.replace(records, Texts::tr("dropped %1 record(s)", nullptr, many(note.count))
                                          .arg(count_text(note.count)))
              : Texts::tr("%1 (%2 time(s))", nullptr, many(note.count))
                    .arg(what, count_text(note.count));
    }
    gaps.push_back({note.severity == NoteSeverity::error ? advisor::Severity::error
                                                         : advisor::Severity::warning,
                    what + QLatin1Char('.'), Texts::tr(known->consequence)});
  }
}

}  // namespace

QString signal_name(int signal) {
  static const std::map<int, const char*> names = {
      {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
      {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"},
      {SIGPIPE, "SIGPIPE"}, {SIGTERM, "SIGTERM"}, {SIGBUS, "SIGBUS"},   {SIGXCPU, "SIGXCPU"},
      {SIGALRM, "SIGALRM"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}};
  const auto found = names.find(signal);
  if (found != names.end()) return QString::fromLatin1(found->second);
  return signal > 0 ? Texts::tr("signal %1").arg(signal) : Texts::tr("a signal");
}

std::vector<RecordGap> record_gaps(const Profile& profile) {
  std::vector<RecordGap> gaps;
  add_processes(profile, gaps);
  add_configurations(profile, gaps);
  add_notes(profile, gaps);
  std::stable_sort(gaps.begin(), gaps.end(), [](const RecordGap& a, const RecordGap& b) {
    return a.severity == advisor::Severity::error && b.severity != advisor::Severity::error;
  });
  return gaps;
}

}  // namespace rnnadvisor::gui
