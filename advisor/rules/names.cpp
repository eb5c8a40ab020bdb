#include "advisor/rules/names.h"

#include <fmt/format.h>

#include "advisor/facts/fact.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {

std::string suggest_fact(std::string_view name) {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const auto& fact : fact_catalogue()) list.push_back(fact.name);
    return list;
  }();
  auto hint = did_you_mean(name, names);
  return hint.empty() ? "see 'rnnadvisor rules facts' for all facts" : hint;
}

std::string suggest_word(std::string_view word, std::span<const std::string_view> words) {
  auto hint = did_you_mean(word, words);
  return hint.empty() ? "one of " + quoted_list(words) : hint;
}

std::string quoted_list(std::span<const std::string_view> words) {
  std::string text;
  for (const auto word : words) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", word);
  return text;
}

}  // namespace rnnadvisor::advisor
