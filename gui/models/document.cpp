#include "gui/models/document.h"

#include <QFileInfo>
#include <QThreadPool>
#include <algorithm>

#include "advisor/rules/rule_files.h"
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

}  // namespace

Document::Document(Profile profile, std::shared_ptr<const advisor::RuleSet> rules, QString path,
                   bool outline, const std::function<bool(double)>& keep_going)
    : profile_(std::move(profile)),
      rules_(std::move(rules)),
      judgement_(advisor::judge(profile_, *rules_, {{}, true, keep_going})),
      report_(advisor::make_report(profile_, judgement_, *rules_)),
      path_(std::move(path)),
      extent_(extent_of(profile_)),
      outline_(outline) {}

QString Document::name() const {
  return path_.startsWith(QLatin1String("sample:")) ? path_.mid(7) : QFileInfo(path_).fileName();
}

bool Document::holds(Item item) const {
  const auto below = [&](std::size_t size) {
    return item.index >= 0 && static_cast<std::size_t>(item.index) < size;
  };
  switch (item.kind) {
    case ItemKind::none:
      return false;
    case ItemKind::call:
      return below(profile_.calls.size());
    case ItemKind::kernel:
      return below(profile_.kernels.size());
    case ItemKind::transfer:
      return below(profile_.transfers.size());
    case ItemKind::api:
      return below(profile_.api.size());
    case ItemKind::nvtx:
      return below(profile_.nvtx.size());
    case ItemKind::allocation:
      return below(profile_.allocations.size());
    case ItemKind::finding:
      return below(judgement_.findings.size());
    case ItemKind::configuration:
      return below(profile_.configurations.size());
  }
  return false;
}

TimeRange Document::range_of(Item item) const {
  if (!holds(item)) return {};
  const auto i = static_cast<std::size_t>(item.index);
  switch (item.kind) {
    case ItemKind::call:
      return {profile_.calls[i].host_start_ns, profile_.calls[i].host_end_ns};
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
    case ItemKind::none:
    case ItemKind::finding:
    case ItemKind::configuration:
      break;
  }
  return {};
}

void let_go(DocumentPointer document) {
  if (document == nullptr) return;
  QThreadPool::globalInstance()->start([held = std::move(document)]() mutable { held.reset(); });
}

tl::expected<std::shared_ptr<const advisor::RuleSet>, std::vector<Error>> load_rules(
    const QString& user_folder) {
  auto rules = std::make_shared<advisor::RuleSet>(advisor::builtin_rules());
  if (!user_folder.isEmpty()) {
    auto read = advisor::read_rule_directory(user_folder.toStdString());
    if (!read) return tl::unexpected(std::move(read.error()));
    for (auto& rule : *read) {
      if (rules->find(rule.id) == nullptr) rules->rules.push_back(std::move(rule));
    }
    advisor::sort_rules(rules->rules);
  }
  return rules;
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
      return read_profile(path.toStdString(), reading);
    }
    const QString name = path.mid(7);
    const auto& all = samples();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Sample& s) { return s.name == name; });
    if (found == all.end())
      return fail(ErrorCode::not_found, "there is no sample '" + name.toStdString() + "'");
    return read_profile_bytes(found->bytes, path.toStdString());
  }();
  if (!profile) return fail(std::move(profile.error()));
  if (stop(read_share)) return interrupted();
  if (options.judging) options.judging();
  bool stopped = false;
  const auto judging = [&](double share) {
    stopped = stopped || stop(read_share + share * (1 - read_share));
    return !stopped;
  };
  auto document =
      std::make_shared<const Document>(std::move(*profile), std::move(rules), path, false, judging);
  if (stopped || stop(1)) return interrupted();
  return document;
}

}  // namespace rnnadvisor::gui
