#include "advisor/cli/trying_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/cli/help.h"
#include "advisor/facts/experiments.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor::cli {
namespace {

using advisor::Fit;
using advisor::Style;
namespace words = advisor::words;

// So many are read one by one; of more the counts say more.
constexpr std::size_t listed_plans = 3;
constexpr std::size_t most_changes = 20, most_reasons = 12;

std::string in_words(const std::vector<advisor::Transform>& transforms) {
  return words::clean(advisor::change_in_words(advisor::to_json(transforms)));
}

std::string as_option(const std::vector<advisor::Transform>& transforms) {
  return advisor::change_words(advisor::to_json(transforms));
}

// The word hangs before the text, which goes on below itself.
std::string hanging(std::string_view word, const std::string& text, int width) {
  std::string wrapped = wrap(text, width, 8);
  wrapped.replace(0, 8, fmt::format("  {:<6}", word));
  return wrapped;
}

std::string listed(const TryingPlan& plan, int width, bool verbose) {
  std::string out = plan.python.empty()
                        ? fmt::format("{} on {}\n", plan.name, plan.device)
                        : fmt::format("{} in PyTorch, by {}\n", plan.name, plan.python);
  out = words::clean_lines(out);
  if (!plan.nothing.empty())
    return out + hanging("not", "at all: " + words::clean(plan.nothing), width);
  if (plan.tried.empty()) out += "  nothing to try\n";
  for (const auto& change : plan.tried) {
    std::string text =
        fmt::format("{} ({})", in_words(change.transforms), advisor::to_string(change.meaning));
    if (change.expected > 0)
      text += fmt::format(": {:.2f}x, {}", change.expected, change.expected_by);
    if (!change.rule.empty()) text += fmt::format("; suggested by {}", words::clean(change.rule));
    if (!change.note.empty()) text += "; " + words::clean(change.note);
    if (verbose) text += fmt::format("; --change '{}'", as_option(change.transforms));
    out += hanging("try", text, width);
  }
  for (const auto& dropped : plan.not_tried)
    out += hanging(
        "not", fmt::format("{}: {}", in_words(dropped.transforms), words::clean(dropped.reason)),
        width);
  return out;
}

// What reasons of one kind have in common: what comes before the colon, else before a number.
std::string kind_of(const std::string& reason) {
  std::string kind = reason.substr(0, reason.find(": "));
  if (const auto digit = kind.find_first_of("0123456789"); digit != std::string::npos && digit > 8)
    kind = kind.substr(0, kind.find_last_not_of(" (", digit - 1) + 1) + " …";
  return words::clean(kind);
}

std::string summary_of(const std::vector<TryingPlan>& plans, const advisor::TextOptions& options) {
  struct ChangeUse {
    std::string meaning, rule;
    std::size_t count = 0;
    double least = 0, most = 0;
  };
  std::map<std::string, ChangeUse> uses;
  std::map<std::string, std::size_t> reasons;
  std::size_t tries = 0, nots = 0, without = 0;
  for (const auto& plan : plans) {
    if (plan.tried.empty()) ++without;
    if (!plan.nothing.empty()) ++reasons[kind_of(plan.nothing)];
    for (const auto& change : plan.tried) {
      ++tries;
      auto& use = uses[in_words(change.transforms)];
      ++use.count;
      use.meaning = advisor::to_string(change.meaning);
      if (use.rule.empty()) use.rule = change.rule;
      if (change.expected <= 0) continue;
      use.least = use.most > 0 ? std::min(use.least, change.expected) : change.expected;
      use.most = std::max(use.most, change.expected);
    }
    for (const auto& dropped : plan.not_tried) {
      ++nots;
      ++reasons[kind_of(dropped.reason)];
    }
  }
  advisor::Terminal terminal(options);
  const auto plural = [](std::size_t count, std::string_view what) {
    return words::plural(static_cast<long long>(count), what);
  };
  terminal.paragraph(fmt::format(
      "{} would be tried for {}{}; --verbose lists each.", plural(tries, "change"),
      plural(plans.size() - without, "configuration"),
      without > 0 ? fmt::format(" ({} of {} have none)", without, plans.size()) : std::string()));
  std::vector<std::pair<std::string, ChangeUse>> sorted(uses.begin(), uses.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.count != b.second.count ? a.second.count > b.second.count
                                            : a.second.most > b.second.most;
  });
  std::vector<std::vector<advisor::Cell>> rows;
  for (const auto& [change, use] : sorted) {
    if (rows.size() == most_changes) break;
    const std::string expected =
        use.most <= 0 ? std::string(terminal.symbol("–", "-"))
        : use.most - use.least < 0.005
            ? words::times(use.most)
            : fmt::format("{} to {}", words::number(use.least), words::times(use.most));
    rows.push_back({{format_count(static_cast<std::int64_t>(use.count)), Style::bold},
                    {change},
                    {use.meaning, Style::dim},
                    {expected},
                    {words::clean(use.rule), Style::dim}});
  }
  if (!rows.empty()) {
    terminal.line();
    terminal.table({{"Times", true},
                    {"Change", false, Fit::wrap, 30},
                    {""},
                    {"Expected", true},
                    {"Suggested by", false, Fit::clip, 20, 1}},
                   std::move(rows));
  }
  if (sorted.size() > most_changes)
    terminal.paragraph(fmt::format("and {}", plural(sorted.size() - most_changes, "other change")),
                       0, {}, Style::dim, Style::dim);
  if (nots == 0 && reasons.empty()) return terminal.take();
  std::vector<std::pair<std::string, std::size_t>> why(reasons.begin(), reasons.end());
  std::stable_sort(why.begin(), why.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  rows.clear();
  for (const auto& [reason, count] : why) {
    if (rows.size() == most_reasons) break;
    rows.push_back({{format_count(static_cast<std::int64_t>(count)), Style::bold}, {reason}});
  }
  terminal.line();
  terminal.table({{"Times", true}, {"Not tried, because", false, Fit::wrap, 30}}, std::move(rows));
  if (why.size() > most_reasons)
    terminal.paragraph(fmt::format("and {}", plural(why.size() - most_reasons, "other reason")), 0,
                       {}, Style::dim, Style::dim);
  return terminal.take();
}

std::string plan_text(const Context& context, const std::vector<TryingPlan>& plans, bool verbose) {
  if (plans.empty()) return "the profile has no configuration to try\n";
  advisor::TextOptions options;
  options.width = context.terminal.width;
  options.color = context.color_output();
  options.ascii = !context.terminal.utf8;
  if (plans.size() > listed_plans && !verbose) return summary_of(plans, options);
  std::string text;
  for (const auto& plan : plans) text += listed(plan, options.width, verbose);
  return text;
}

std::string plan_json(const Profile& profile, const std::vector<TryingPlan>& plans) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const auto& plan : plans) {
    if (!plan.python.empty() || plan.device.empty()) continue;
    const auto& config =
        profile.configurations[static_cast<std::size_t>(plan.configuration)].config;
    Json tried = Json::array(), dropped = Json::array();
    for (const auto& change : plan.tried) {
      tried.push_back(
          {{"change", as_option(change.transforms)},
           {"transforms", Json::parse(advisor::to_json(change.transforms))},
           {"meaning", advisor::to_string(change.meaning)},
           {"expected_speedup", change.expected > 0 ? Json(change.expected) : Json(nullptr)},
           {"expected_by", to_valid_utf8(change.expected_by)},
           {"rule", to_valid_utf8(change.rule)},
           {"note", to_valid_utf8(change.note)}});
    }
    for (const auto& each : plan.not_tried) {
      dropped.push_back({{"change", as_option(each.transforms)},
                         {"transforms", Json::parse(advisor::to_json(each.transforms))},
                         {"reason", to_valid_utf8(each.reason)}});
    }
    list.push_back({{"configuration", plan.configuration},
                    {"id", to_valid_utf8(config.id)},
                    {"summary", to_valid_utf8(summary(config))},
                    {"device", to_valid_utf8(plan.device)},
                    {"try", std::move(tried)},
                    {"not", std::move(dropped)}});
  }
  const Json json = {{"schema", 1}, {"configurations", std::move(list)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void add_proposal(TryingPlan& plan, const advisor::Proposal& proposal) {
  for (const auto& candidate : proposal.candidates)
    plan.tried.push_back({candidate.transforms, candidate.meaning, candidate.expected,
                          candidate.expected_by, candidate.rule, candidate.note});
  plan.not_tried = proposal.dropped;
}

void write_plans(const Context& context, const Profile& profile,
                 const std::vector<TryingPlan>& plans, bool json, bool verbose) {
  context.out << (json ? plan_json(profile, plans) : plan_text(context, plans, verbose));
}

}  // namespace rnnadvisor::cli
