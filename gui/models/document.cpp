#include "gui/models/document.h"

#include <QFileInfo>
#include <algorithm>

#include "advisor/judge/judge.h"
#include "advisor/rules/rule_files.h"
#include "advisor/samples/samples.h"
#include "core/base/output_file.h"
#include "gui/models/background.h"
#include "gui/models/link.h"
#include "profiler/classify/gaps.h"
#include "profiler/import/open_recording.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::gui {
namespace {

// Of opening; the rest is judging. Of ten million kernels in one configuration reading takes more,
// of a sweep of ten thousand judging does.
constexpr double read_share = 0.8;

class Extent {
 public:
  void add(std::int64_t begin, std::int64_t end) {
    if (begin < 0 || end < begin) return;
    if (empty_ || begin < range_.begin_ns) range_.begin_ns = begin;
    if (empty_ || end > range_.end_ns) range_.end_ns = end;
    empty_ = false;
  }
  template <class Table>
  void add_table(const Table& table) {
    if (table.size() == 0) return;
    add(table.start_ns.front(), table.start_ns.front());
    for (const auto end : table.end_ns) add(range_.begin_ns, end);
  }
  TimeRange range() const { return range_; }

 private:
  TimeRange range_;
  bool empty_ = true;
};

TimeRange extent_of(const Profile& profile) {
  Extent extent;
  for (const auto& call : profile.calls)
    if (call.host_end_ns > 0) extent.add(call.host_start_ns, call.host_end_ns);
  extent.add_table(profile.kernels);
  extent.add_table(profile.transfers);
  extent.add_table(profile.api);
  extent.add_table(profile.nvtx);
  if (profile.allocations.size() > 0)
    extent.add(profile.allocations.time_ns.front(), profile.allocations.time_ns.back());
  for (std::size_t i = 0; i < profile.counters.size(); ++i)
    extent.add(profile.counters.start_ns[i], profile.counters.end_ns[i]);
  return extent.range();
}

template <class Table>
TimeRange row(const Table& table, std::size_t index) {
  return {table.start_ns[index], table.end_ns[index]};
}

// Of each call, from the start of its first kernel to the end of its last.
std::vector<TimeRange> gpu_ranges(const Profile& profile) {
  std::vector<TimeRange> ranges(profile.calls.size());
  const auto& k = profile.kernels;
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (k.call[i] < 0) continue;
    TimeRange& range = ranges[static_cast<std::size_t>(k.call[i])];
    range = range.length() <= 0 ? TimeRange{k.start_ns[i], k.end_ns[i]}
                                : TimeRange{std::min(range.begin_ns, k.start_ns[i]),
                                            std::max(range.end_ns, k.end_ns[i])};
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& call = profile.calls[i];
    if (ranges[i].length() <= 0 && call.device_start_ns >= 0 && call.device_duration_ns > 0)
      ranges[i] = {call.device_start_ns, call.device_start_ns + call.device_duration_ns};
  }
  return ranges;
}

// Of what is still being read nothing can be said: a rule that passes now may fire in the end.
const advisor::RuleSet& no_rules() {
  static const advisor::RuleSet none;
  return none;
}

}  // namespace

Document::Document(Profile profile, std::shared_ptr<const advisor::RuleSet> rules, QString path,
                   bool outline, const std::function<bool(double)>& keep_going,
                   const advisor::PredictFor& predict_for)
    : profile_(std::move(profile)),
      rules_(std::move(rules)),
      judgement_(advisor::judge(profile_, outline ? no_rules() : *rules_,
                                {{}, true, keep_going, predict_for})),
      report_(advisor::make_report(profile_, judgement_, *rules_)),
      path_(std::move(path)),
      written_(QFileInfo(path_).lastModified()),
      extent_(extent_of(profile_)),
      gpu_ranges_(gpu_ranges(profile_)),
      // Configurations that were run one after the other are no steps.
      steps_(outline || judgement_.steps.empty() ? RecordedSteps{}
                                                 : rnnadvisor::recorded_steps(profile_)),
      recurrences_(steps_.processes.empty() ? std::vector<NativeRecurrence>{}
                                            : rnnadvisor::native_recurrences(profile_)),
      outline_(outline) {}

bool Document::is_as_on_disk() const { return QFileInfo(path_).lastModified() == written_; }

QString Document::name() const {
  return path_.startsWith(QLatin1String("sample:")) ? path_.mid(7) : QFileInfo(path_).fileName();
}

Result<void> Document::check_output(const QString& path) const {
  if (!is_same_file(path.toStdString(), path_.toStdString())) return {};
  return fail(
      ErrorCode::invalid_argument,
      "'" + path.toStdString() + "' is the profile that is shown: writing it would destroy it",
      "write to another file");
}

std::size_t Document::count_of(ItemKind kind) const {
  switch (kind) {
    case ItemKind::none:
      return 0;
    case ItemKind::call:
      return profile_.calls.size();
    case ItemKind::kernel:
    case ItemKind::gap:
      return profile_.kernels.size();
    case ItemKind::transfer:
      return profile_.transfers.size();
    case ItemKind::api:
      return profile_.api.size();
    case ItemKind::nvtx:
      return profile_.nvtx.size();
    case ItemKind::allocation:
      return profile_.allocations.size();
    case ItemKind::finding:
      return judgement_.findings.size();
    case ItemKind::configuration:
      return profile_.configurations.size();
  }
  return 0;
}

bool Document::holds(Item item) const {
  if (item.kind == ItemKind::gap) return gap_before(profile_, item.index).has_value();
  return item.index >= 0 && static_cast<std::size_t>(item.index) < count_of(item.kind);
}

Result<void> Document::check(Item item) const {
  if (item.empty() || holds(item)) return {};
  if (item.kind == ItemKind::gap)
    return fail(ErrorCode::not_found,
                "there is no gap/" + std::to_string(item.index) + " in " + name().toStdString(),
                "the number is that of a kernel before which its GPU ran none");
  const std::size_t count = count_of(item.kind);
  const std::string kind = to_string(item.kind).toStdString();
  return fail(
      ErrorCode::not_found,
      "there is no " + kind + '/' + std::to_string(item.index) + " in " + name().toStdString(),
      count == 0 ? "it has none of that kind"
                 : "it has " + kind + "/0 to " + kind + '/' + std::to_string(count - 1));
}

TimeRange Document::range_of(Item item) const {
  if (!holds(item)) return {};
  const auto i = static_cast<std::size_t>(item.index);
  switch (item.kind) {
    case ItemKind::call: {
      const TimeRange host = host_range_of_call(item.index), gpu = gpu_range_of_call(item.index);
      if (gpu.length() <= 0) return host;
      if (host.begin_ns <= 0) return gpu;  // not seen itself: its kernels show it
      return {std::min(host.begin_ns, gpu.begin_ns), std::max(host.end_ns, gpu.end_ns)};
    }
    case ItemKind::kernel:
      return row(profile_.kernels, i);
    case ItemKind::transfer:
      return row(profile_.transfers, i);
    case ItemKind::api:
      return row(profile_.api, i);
    case ItemKind::nvtx:
      return row(profile_.nvtx, i);
    case ItemKind::allocation:
      return {profile_.allocations.time_ns[i], profile_.allocations.time_ns[i]};
    case ItemKind::gap: {
      const auto gap = gap_before(profile_, item.index);
      return {gap->begin_ns, gap->end_ns};
    }
    case ItemKind::none:
    case ItemKind::finding:
    case ItemKind::configuration:
      break;
  }
  return {};
}

TimeRange Document::host_range_of_call(int call) const {
  if (!holds({ItemKind::call, call})) return {};
  const auto& one = profile_.calls[static_cast<std::size_t>(call)];
  return {one.host_start_ns, one.host_end_ns};
}

TimeRange Document::gpu_range_of_call(int call) const {
  return holds({ItemKind::call, call}) ? gpu_ranges_[static_cast<std::size_t>(call)] : TimeRange{};
}

int Document::typical_call(int configuration, std::optional<Phase> phase) const {
  std::vector<std::pair<std::int64_t, int>> traced;
  for (std::size_t i = 0; i < profile_.calls.size(); ++i) {
    const auto& call = profile_.calls[i];
    if ((configuration < 0 || call.configuration == configuration) &&
        (!phase || call.phase == *phase) && gpu_ranges_[i].length() > 0)
      traced.emplace_back(gpu_ranges_[i].length(), static_cast<int>(i));
  }
  if (traced.empty()) return -1;
  const auto middle = traced.begin() + static_cast<std::ptrdiff_t>((traced.size() - 1) / 2);
  std::nth_element(traced.begin(), middle, traced.end());
  return middle->second;
}

void let_go(DocumentPointer document) {
  if (document == nullptr) return;
  in_background([held = std::move(document)]() mutable { held.reset(); });
}

tl::expected<std::shared_ptr<const advisor::RuleSet>, std::vector<Error>> load_rules(
    const QString& user_folder) {
  std::vector<std::string> folders;
  if (!user_folder.isEmpty()) folders.push_back(user_folder.toStdString());
  auto rules = advisor::load_rules(folders);
  if (!rules) return tl::unexpected(std::move(rules.error()));
  std::vector<Error> twice;
  for (const auto& rule : rules->rules)
    if (!advisor::shipped_id(rule).empty()) twice.push_back(advisor::shipped_twice(rule));
  if (!twice.empty()) return tl::unexpected(std::move(twice));
  return std::make_shared<const advisor::RuleSet>(std::move(*rules));
}

Result<DocumentPointer> open_document(const QString& path,
                                      std::shared_ptr<const advisor::RuleSet> rules,
                                      const OpenOptions& options) {
  const auto stop = [&](double share) { return options.keep_going && !options.keep_going(share); };
  const auto interrupted = [] { return fail(ErrorCode::interrupted, "opening was cancelled"); };
  if (stop(0)) return interrupted();
  auto profile = [&]() -> Result<Profile> {
    if (!path.startsWith(QLatin1String("sample:"))) {
      ProfileReadOptions reading;
      reading.keep_going = [&](double share) { return !stop(share * read_share); };
      if (options.outline)
        reading.outline = [&](const Profile& outline) {
          options.outline(std::make_shared<const Document>(outline, rules, path, true));
        };
      return import_trace::open_recording(path.toStdString(), reading);
    }
    return advisor::load_profile(path.toStdString());
  }();
  if (!profile) return fail(std::move(profile.error()));
  if (stop(read_share)) return interrupted();
  if (options.judging) options.judging();
  bool stopped = false;
  const auto judging = [&](double share) {
    stopped = stopped || stop(read_share + share * (1 - read_share));
    return !stopped;
  };
  auto document = std::make_shared<const Document>(std::move(*profile), std::move(rules), path,
                                                   false, judging, options.predict_for);
  if (stopped || stop(1)) return interrupted();
  return document;
}

}  // namespace rnnadvisor::gui
