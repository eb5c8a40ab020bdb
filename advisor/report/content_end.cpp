// How a program ended that an exception ended: what Python printed, what it means, the last calls.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/content.h"
#include "advisor/report/program_end.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::document {
namespace {

Table last_calls_of(const Content& content, const std::vector<LastCall>& calls) {
  const auto has = [&](auto member) {
    return std::any_of(calls.begin(), calls.end(),
                       [&](const LastCall& call) { return !(call.*member).empty(); });
  };
  Table table;
  table.title = "The last RNN calls";
  table.columns = {
      {.title = "Call"},
      {.title = "Configuration", .narrow = Narrow::wrap},
      {.title = "Status", .narrow = Narrow::wrap, .least = 16},
      {.title = "GPU memory free",
       .number = true,
       .shown = std::any_of(calls.begin(), calls.end(),
                            [](const LastCall& call) { return call.memory_free_bytes >= 0; })},
      {.title = "Reason", .shown = has(&LastCall::reason), .narrow = Narrow::wrap},
      {.title = "From", .shown = has(&LastCall::place), .narrow = Narrow::clip, .drop = 1}};
  const auto& all = content.report.configurations;
  for (const LastCall& call : calls) {
    const auto index = static_cast<std::size_t>(call.configuration);
    const bool known = call.configuration >= 0 && index < all.size();
    table.rows.push_back(
        {{{Text(call.function)},
          {known ? Text(all[index].summary) : dim("not known")},
          {call.status == 0 ? Text("succeeded") : Text(call.status_name, Tone::bad)},
          {Text(call.memory_free_bytes < 0
                    ? "–"
                    : format_bytes(static_cast<double>(call.memory_free_bytes)))},
          {Text(call.reason)},
          {Text(call.place)}}});
  }
  return table;
}

std::string memory_of(const ProgramEnd& end) {
  if (end.memory_free_bytes < 0) return {};
  std::string text = fmt::format("{} of GPU memory were free then.",
                                 format_bytes(static_cast<double>(end.memory_free_bytes)));
  if (end.short_of_memory()) text += " cuDNN needs memory beside the framework's.";
  if (end.fits_batch > 0 && end.fits_seq_length > 0)
    text += fmt::format(
        " With at most {} or {} in the last RNN call, all else equal, {} would be left for it.",
        words::plural(end.fits_batch, "sequence"), words::plural(end.fits_seq_length, "time step"),
        format_bytes(static_cast<double>(little_memory)));
  return text;
}

}  // namespace

std::optional<Section> end_of(const Content& content) {
  const auto& end = content.report.end;
  if (!end) return std::nullopt;
  Section section{"end", "How the program ended"};
  const bool brief_one = content.in(brief);
  const std::size_t most = brief_one ? 1 : 4;  // exceptions: of a job's ranks, mostly the same
  std::size_t errors = 0;
  for (std::size_t i = 0; i < std::min(most, end->exceptions.size()); ++i) {
    const auto& each = end->exceptions[i];
    section.blocks.push_back(Code{std::string(last_lines(each.text, brief_one ? 4 : 24))});
    // What is surest says what to do.
    auto explained = std::span(each.explained);
    if (brief_one) explained = explained.first(std::min<std::size_t>(1, explained.size()));
    for (auto& block : errors_of(explained)) {
      if (auto* card = std::get_if<Card>(&block.is)) {
        card->remark = true;  // its number is no finding's
        card->number = ++errors;
        card->id = fmt::format("e{}", errors);
        std::erase_if(card->entries, [](const Entry& entry) { return entry.label == "Line"; });
      }
      section.blocks.push_back(std::move(block));
    }
    if (explained.empty())
      section.blocks.push_back(Paragraph{
          prose("None of the errors that `rnnadvisor explain-error --list` names."), Look::note});
  }
  if (end->exceptions.size() > most)
    section.blocks.push_back(Paragraph{
        fmt::format(
            "{} of other processes: see the JSON report.",
            words::plural(static_cast<long long>(end->exceptions.size() - most), "more exception")),
        Look::note});
  if (const std::string text = memory_of(*end); !text.empty())
    section.blocks.push_back(Paragraph{Text(text)});
  if (!end->calls.empty()) section.blocks.push_back(last_calls_of(content, end->calls));
  return section;
}

}  // namespace rnnadvisor::advisor::document
