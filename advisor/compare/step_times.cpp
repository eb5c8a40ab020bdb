#include "advisor/compare/step_times.h"

#include <algorithm>
#include <cctype>

namespace rnnadvisor::compare {
namespace {

std::string without_numbers(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      result += c;
    } else if (result.empty() || result.back() != '#') {
      result += '#';
    }
  }
  return result;
}

}  // namespace

int StepMarks::periods() const {
  int count = 0;
  for (const auto& [process, starts] : starts_ns) count += static_cast<int>(starts.size()) - 1;
  return count;
}

std::vector<double> StepMarks::periods_ms() const {
  std::vector<double> result;
  for (const auto& [process, starts] : starts_ns) {
    for (std::size_t i = 1; i < starts.size(); ++i)
      result.push_back(static_cast<double>(starts[i] - starts[i - 1]) / 1e6);
  }
  return result;
}

std::map<std::string, StepMarks> step_marks(const Profile& profile) {
  std::map<int, std::vector<std::int64_t>> calls;  // by process, when they began
  for (const auto& call : profile.calls) calls[call.process].push_back(call.host_start_ns);
  for (auto& [process, starts] : calls) std::sort(starts.begin(), starts.end());
  std::map<int, std::string> names;  // by string
  std::map<std::string, StepMarks> result;
  for (std::size_t i = 0; i < profile.nvtx.size(); ++i) {
    const auto begin = profile.nvtx.start_ns[i], end = profile.nvtx.end_ns[i];
    const auto of = calls.find(profile.nvtx.process[i]);
    if (of == calls.end()) continue;
    const auto first = std::lower_bound(of->second.begin(), of->second.end(), begin);
    if (first == of->second.end() || *first > end) continue;
    const int text = profile.nvtx.name[i];
    auto name = names.find(text);
    if (name == names.end()) name = names.emplace(text, without_numbers(profile.text(text))).first;
    auto& marks = result[name->second];
    // Of ranges inside their like, the outer ones count.
    if (marks.starts_ns.empty() || profile.nvtx.depth[i] < marks.depth) {
      marks = {};
      marks.depth = profile.nvtx.depth[i];
    }
    if (profile.nvtx.depth[i] == marks.depth) marks.starts_ns[of->first].push_back(begin);
  }
  std::erase_if(result, [](const auto& each) { return each.second.periods() < least_steps; });
  return result;
}

std::optional<std::string> common_step(const std::map<std::string, StepMarks>& before,
                                       const std::map<std::string, StepMarks>& after) {
  std::optional<std::string> best;
  int least = 0;
  for (const auto& [name, marks] : before) {
    const auto other = after.find(name);
    if (other == after.end()) continue;
    const int depth = marks.depth + other->second.depth;
    if (best && depth >= least) continue;
    best = name;
    least = depth;
  }
  return best;
}

std::vector<int> step_of_calls(const Profile& profile, const StepMarks* marks) {
  std::vector<int> result(profile.calls.size(), 0);
  if (marks == nullptr) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto& call = profile.calls[i];
    const auto starts = marks->starts_ns.find(call.process);
    if (starts == marks->starts_ns.end()) continue;
    const auto after =
        std::upper_bound(starts->second.begin(), starts->second.end(), call.host_start_ns);
    result[i] = static_cast<int>(after - starts->second.begin()) - 1;
  }
  return result;
}

}  // namespace rnnadvisor::compare
