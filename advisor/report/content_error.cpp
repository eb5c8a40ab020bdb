// Errors that programs end with: what they mean and what to do (advisor/errors).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advisor/report/content.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::document {

Blocks errors_of(std::span<const ExplainedError> errors) {
  Blocks blocks;
  std::size_t number = 0;
  for (const ExplainedError& each : errors) {
    const KnownError& error = *each.error;
    Card card;
    card.mark = error.warning ? Mark::warning : Mark::error;
    card.word = error.warning ? "warning" : "error";
    card.number = ++number;
    card.title = prose(error.title);
    card.message = prose(each.cause);
    for (const auto& fix : each.fixes) card.entries.emplace_back("Do", prose(fix));
    if (!each.code.empty()) card.entries.back().more.push_back(Code{each.code});
    card.entries.emplace_back("Line",
                              dim(fmt::format("{}: {}", each.line, words::clean(each.text))));
    if (!error.rule.empty())
      card.entries.emplace_back("See",
                                prose(fmt::format("`rnnadvisor rules explain {}`", error.rule)));
    card.entries.emplace_back("Source", Text(error.source, Tone::dim, error.source));
    blocks.emplace_back(std::move(card));
  }
  return blocks;
}

Table known_errors_of(std::span<const KnownError> errors) {
  Table table;
  table.columns = {{.title = "Error", .head = true},
                   {.title = "Seen in", .narrow = Narrow::wrap},
                   {.title = "What happened", .narrow = Narrow::wrap}};
  for (const KnownError& error : errors)
    table.rows.push_back({{{as_name(error.id)},
                           {Text(fmt::format("{}", fmt::join(error.frameworks, ", ")))},
                           {prose(error.title)}}});
  return table;
}

}  // namespace rnnadvisor::advisor::document
