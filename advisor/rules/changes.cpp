#include <algorithm>

#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {
namespace {

template <class Whose>
std::vector<Transform> all_of(const Whose& suggestion) {
  std::vector<Transform> changes;
  if (!suggestion.transform) return changes;
  changes.push_back(*suggestion.transform);
  changes.insert(changes.end(), suggestion.with.begin(), suggestion.with.end());
  return changes;
}

}  // namespace

std::vector<Transform> changes_of(const Suggestion& suggestion) { return all_of(suggestion); }
std::vector<Transform> changes_of(const SuggestionTemplate& suggestion) {
  return all_of(suggestion);
}

Meaning widest_meaning(std::span<const Transform> changes) {
  Meaning widest = Meaning::exact;
  for (const auto& change : changes) widest = std::max(widest, change.meaning);
  return widest;
}

}  // namespace rnnadvisor::advisor
