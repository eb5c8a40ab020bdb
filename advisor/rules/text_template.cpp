#include "advisor/rules/text_template.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/rules/names.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

// Calls literal(text) and placeholder(name) in order; false at a brace that stands alone.
template <class Literal, class Placeholder>
bool walk(std::string_view text, Literal&& literal, Placeholder&& placeholder) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t brace = text.find_first_of("{}", at);
    if (brace == std::string_view::npos) {
      literal(text.substr(at));
      return true;
    }
    literal(text.substr(at, brace - at));
    if (brace + 1 < text.size() && text[brace + 1] == text[brace]) {
      literal(text.substr(brace, 1));
      at = brace + 2;
      continue;
    }
    if (text[brace] == '}') return false;
    const std::size_t end = text.find_first_of("{}\n", brace + 1);
    if (end == std::string_view::npos || text[end] != '}') return false;
    placeholder(text.substr(brace + 1, end - brace - 1));
    at = end + 1;
  }
  return true;
}

constexpr auto ignore_literal = [](std::string_view) {};

}  // namespace

std::vector<TemplateMistake> check_template(std::string_view text) {
  std::vector<TemplateMistake> mistakes;
  const bool closed = walk(text, ignore_literal, [&](std::string_view name) {
    if (find_fact(name) >= 0) return;
    mistakes.push_back(
        {fmt::format("'{{{}}}' names no fact", to_valid_utf8(name)), suggest_fact(name)});
  });
  if (!closed)
    mistakes.push_back(
        {"a brace stands alone", "write '{{' or '}}' for a brace, '{fact.name}' for a value"});
  return mistakes;
}

std::vector<int> template_facts(std::string_view text) {
  std::vector<int> facts;
  walk(text, ignore_literal, [&](std::string_view name) {
    const int fact = find_fact(name);
    if (fact >= 0 && std::find(facts.begin(), facts.end(), fact) == facts.end())
      facts.push_back(fact);
  });
  return facts;
}

std::string fill_template(std::string_view text, const FactLookup& lookup, bool* complete) {
  std::string filled;
  filled.reserve(text.size() + 32);
  walk(
      text, [&](std::string_view literal) { filled += literal; },
      [&](std::string_view name) {
        const int fact = find_fact(name);
        const Fact* value = fact >= 0 ? lookup(fact) : nullptr;
        if (value) {
          filled +=
              format_fact(value->value, fact_catalogue()[static_cast<std::size_t>(fact)].unit);
        } else {
          filled += "unknown";
          if (complete) *complete = false;
        }
      });
  return filled;
}

}  // namespace rnnadvisor::advisor
