#include "advisor/compare/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::compare {
namespace causes {
namespace {

namespace words = advisor::words;

// What explains less of the step's change is not named. Our choice.
constexpr double least_part = 0.2;
constexpr double least_launches = 0.05;  // of those before
constexpr double least_work = 0.1;       // of the same kernels before,
constexpr double least_of_step = 0.005;  // and of the step

bool changed(Change change) { return change == Change::faster || change == Change::slower; }

// By how much a part of the step changed, ms.
double change_of(const Comparison& comparison, std::initializer_list<std::string_view> names) {
  double sum = 0;
  for (const auto& part : comparison.parts)
    if (std::find(names.begin(), names.end(), part.name) != names.end())
      sum += part.after_ms - part.before_ms;
  return sum;
}

bool is_idle(const StepPartComparison& part) {
  return part.name == words::idle_in_rnn || part.name == words::idle_for_host ||
         part.name == words::idle_elsewhere;
}

const std::string& name_of(const advisor::Report& report, int configuration) {
  return report.configurations[static_cast<std::size_t>(configuration)].name;
}

// Keys of a configuration with another value, by pairs of configurations: the commonest is named.
class Differences {
 public:
  void add(const advisor::Report& before, int b, const advisor::Report& after, int a) {
    const auto& left = before.profile->configurations[static_cast<std::size_t>(b)];
    const auto& right = after.profile->configurations[static_cast<std::size_t>(a)];
    if (!left.described() || !right.described()) return;
    const auto old_values = words::all_parameters(left.config);
    const auto new_values = words::all_parameters(right.config);
    const std::map<std::string, std::string> now(new_values.begin(), new_values.end());
    for (const auto& [key, value] : old_values) {
      const auto found = now.find(key);
      if (key == "id" || found == now.end() || found->second == value) continue;
      auto& entry = found_[key];
      if (entry.layers.empty()) {
        entry.text = fmt::format("{} {} → {}", key, value, found->second);
        order_.push_back(key);
      }
      entry.layers.insert(name_of(before, b));
    }
  }
  std::vector<Cause> list() const {
    std::vector<Cause> result;
    // Sizes that follow from another one.
    const auto follows = [&](const std::string& key) {
      return (key == "proj_size" && found_.contains("hidden_size")) ||
             (key == "seq_lengths" && found_.contains("layout")) ||
             (key == "math_precision" && found_.contains("data_type")) ||
             (key == "padded_io" && found_.contains("layout")) || key == "dropout_seed";
    };
    for (const auto& key : order_) {
      if (follows(key)) continue;
      const auto& entry = found_.at(key);
      const std::string more =
          entry.layers.size() > 1 ? fmt::format(" and {} more", entry.layers.size() - 1) : "";
      result.push_back({key, fmt::format("{} ({}{})", entry.text, *entry.layers.begin(), more), 0});
    }
    return result;
  }

 private:
  struct Entry {
    std::string text;
    std::set<std::string> layers;
  };
  std::map<std::string, Entry> found_;
  std::vector<std::string> order_;
};

std::vector<Cause> of_calls(const Comparison& comparison, const advisor::Report& before,
                            const advisor::Report& after) {
  std::vector<Cause> result;
  Differences differences;
  std::set<std::pair<int, int>> seen;
  std::set<std::string> gone, fresh;
  const auto calls = [](const advisor::Report& report, int configuration) {
    return report.configurations[static_cast<std::size_t>(configuration)].recorded_calls > 0;
  };
  for (const auto& match : comparison.matches) {
    if (!seen.insert({match.before, match.after}).second) continue;
    if (match.sets.split()) {
      const bool joined = ConfigurationPair::calls(match.sets.before) > 1;
      result.push_back(
          {joined ? "joined" : "split",
           match.name + (joined ? ": one call of the stack, and before one of each layer"
                                : ": one call of each layer, and before one of the stack"),
           0});
    } else if (match.before >= 0 && match.after >= 0) {
      differences.add(before, match.before, after, match.after);
    } else if (match.before >= 0 && calls(before, match.before)) {
      gone.insert(match.name);
    } else if (match.after >= 0 && calls(after, match.after)) {
      fresh.insert(match.name);
    }
  }
  auto keys = differences.list();
  result.insert(result.end(), keys.begin(), keys.end());
  const auto some = [&](const char* key, const char* text, const std::set<std::string>& names) {
    if (names.empty()) return;
    const std::string more = names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "";
    result.push_back({key, fmt::format("{}: {}{}", text, *names.begin(), more), 0});
  };
  // Without cuDNN, its calls are gone.
  const bool none_left = std::none_of(after.configurations.begin(), after.configurations.end(),
                                      [](const auto& each) { return each.recorded_calls > 0; });
  const bool none_before = std::none_of(before.configurations.begin(), before.configurations.end(),
                                        [](const auto& each) { return each.recorded_calls > 0; });
  const double native = change_of(comparison, {to_string(StepPart::native_cells)});
  const double rnn =
      change_of(comparison, {to_string(StepPart::rnn_forward), to_string(StepPart::rnn_backward)});
  const bool without = none_left || (rnn < 0 && native > 0);
  const bool with = none_before || (rnn > 0 && native < 0);
  some(without ? "without_cudnn" : "only_before",
       without ? "cuDNN is no longer called for" : "called only before", gone);
  some(with ? "with_cudnn" : "only_after", with ? "cuDNN is called now for" : "called only after",
       fresh);
  return result;
}

// Parts of a step that changed by much of what it changed, or against it.
std::vector<Cause> of_step(const Comparison& comparison, bool calls_differ) {
  const auto& step = comparison.step;
  if (!step || step->change == Change::unclear || comparison.parts.empty()) return {};
  const double all = step->after_ms.median - step->before_ms.median;
  const bool slower_or_faster = changed(step->change);
  double idle_before = 0, idle_after = 0;
  for (const auto& part : comparison.parts) {
    if (!is_idle(part)) continue;
    idle_before += part.before_ms;
    idle_after += part.after_ms;
  }
  const double idle = std::max(idle_before, idle_after);
  std::vector<Cause> result;
  double launches = 0;
  for (const auto& part : comparison.parts) {
    const double ms = part.after_ms - part.before_ms;
    // More launches leave more gaps between kernels.
    const double more = step->after_launches - step->before_launches;
    if (is_idle(part) && part.name != words::idle_for_host && step->before_launches > 0 &&
        more * ms > 0 && std::fabs(more) >= least_launches * step->before_launches) {
      if (!calls_differ || part.name != words::idle_in_rnn) launches += ms;
      continue;
    }
    const bool much = slower_or_faster && std::fabs(ms) >= least_part * std::fabs(all);
    // Kernels take the same from run to run, unlike copies and the waits between them.
    const bool copies = part.name == to_string(StepPart::transfers);
    if (is_idle(part) || copies) {
      const double of = copies ? std::max(part.before_ms, part.after_ms) : idle;
      if (!much || std::fabs(ms) <= between_runs * of) continue;
    } else if (!much && (std::fabs(ms) < least_work * part.before_ms ||
                         std::fabs(ms) < least_of_step * step->before_ms.median)) {
      continue;
    }
    const bool rnn = part.name == to_string(StepPart::rnn_forward) ||
                     part.name == to_string(StepPart::rnn_backward);
    if (calls_differ && (rnn || part.name == words::idle_in_rnn)) continue;  // what differs has it
    const std::string key = rnn                                               ? "rnn_kernels"
                            : part.name == to_string(StepPart::native_cells)  ? "native_cells"
                            : part.name == to_string(StepPart::other_kernels) ? "other_kernels"
                            : part.name == to_string(StepPart::transfers)     ? "copies"
                            : part.name == words::idle_for_host               ? "host_wait"
                            : part.name == words::idle_in_rnn                 ? "idle_in_rnn"
                                                                              : "idle";
    result.push_back(
        {key,
         fmt::format("{}: {} → {} a step", part.name, format_milliseconds(part.before_ms),
                     format_milliseconds(part.after_ms)),
         ms});
  }
  if (launches != 0)
    result.push_back(
        {"launches",
         fmt::format("kernels and copies: {:.0f} → {:.0f} a step; the GPU is idle between them for "
                     "{} {}",
                     step->before_launches, step->after_launches,
                     format_milliseconds(std::fabs(launches)), launches > 0 ? "more" : "less"),
         launches});
  return result;
}

}  // namespace
}  // namespace causes

std::vector<Cause> causes_of(const Comparison& comparison, const advisor::Report& before,
                             const advisor::Report& after) {
  auto result = causes::of_calls(comparison, before, after);
  // What differs in the calls explains what the calls take of a step.
  const double rnn = causes::change_of(
      comparison, {to_string(StepPart::rnn_forward), to_string(StepPart::rnn_backward),
                   advisor::words::idle_in_rnn});
  for (auto& cause : result) cause.ms = rnn;
  const bool differ = !result.empty();
  for (auto& part : causes::of_step(comparison, differ)) result.push_back(std::move(part));
  std::stable_sort(result.begin(), result.end(), [](const Cause& a, const Cause& b) {
    return std::fabs(a.ms) > std::fabs(b.ms);
  });
  return result;
}

}  // namespace rnnadvisor::compare
