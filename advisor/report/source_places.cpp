#include "advisor/report/source_places.h"

#include <filesystem>

namespace rnnadvisor::advisor {
namespace {

// Where the first of these keys stands that the user wrote.
const SourcePosition* first_written(const std::vector<std::string>& keys,
                                    const std::map<std::string, SourcePosition>& written) {
  for (const auto& key : keys)
    if (const auto found = written.find(key); found != written.end()) return &found->second;
  return nullptr;
}

// Where the value stands that a finding is about: of the comparisons with keys that the user wrote
// the first that measures something, for the others say when the rule applies at all.
const SourcePosition* key_position(const Finding& finding, const SourcePlaces& places) {
  const auto index = static_cast<std::size_t>(finding.configuration);
  if (finding.configuration < 0 || index >= places.keys.size()) return nullptr;
  const SourcePosition* first = nullptr;
  for (const auto* comparisons : {&finding.comparisons, &finding.context}) {
    for (const auto& comparison : *comparisons) {
      if (!comparison.holds || comparison.fact == "program.name") continue;
      const SourcePosition* own = first_written(comparison.keys, places.keys[index]);
      if (own == nullptr) continue;
      if (first == nullptr) first = own;
      const bool selects =
          comparison.op == "is" || comparison.op == "is_not" || comparison.op == "one_of";
      if (!selects && comparisons == &finding.comparisons) return own;
    }
  }
  if (first == nullptr) first = first_written({"framework.name"}, places.keys[index]);
  return first;
}

// "src/train.py" of "/home/me/project/src/train.py" in "/home/me/project", and of itself where it
// is there; empty: not below it.
std::string below(const std::string& file, const std::string& folder) {
  if (folder.empty() || file.empty()) return {};
  const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  std::error_code error;
  if (path.is_relative() && !std::filesystem::exists(folder / path, error)) return {};
  const auto relative = path.is_relative() ? path : path.lexically_relative(folder);
  const std::string text = relative.generic_string();
  return text.starts_with("..") || text == "." ? std::string() : text;
}

}  // namespace

SourcePosition source_of(const Report& report, const Finding& finding, const SourcePlaces& places) {
  if (const auto* key = key_position(finding, places)) return *key;
  const auto& each = report.configurations[static_cast<std::size_t>(finding.configuration)];
  if (each.position) return *each.position;
  for (const auto& site : each.call_sites)
    if (const auto file = below(site.file, places.folder); !file.empty() && site.line > 0)
      return {file, site.line, 0};
  return {places.artifact, 0, 0};
}

}  // namespace rnnadvisor::advisor
