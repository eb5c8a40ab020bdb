// ProcessSpool: what a reader must know before believing the records of a process.
#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "profiler/launch/process_spool.h"
#include "profiler/spool/settings.h"

namespace rnnadvisor::launch {
namespace {

// By spool::Loss.
constexpr std::array<std::string_view, static_cast<std::size_t>(spool::Loss::count)> losses = {
    "RNN calls were lost: the recording had reached its limit or the disk was full",
    "kernels were lost: the recording had reached its limit or the disk was full",
    "memory copies and sets were lost: the recording had reached its limit or the disk was full",
    "CUDA API calls were lost: the recording had reached its limit or the disk was full",
    "memory events were lost: the recording had reached its limit or the disk was full",
    "NVTX events were lost: the recording had reached its limit or the disk was full",
    "texts were lost: their table or the recording was full; names are missing",
    "records were lost: the recording had reached its limit or the disk was full",
    "CUPTI dropped records",
};

constexpr std::size_t most_notes = 1000;  // different ones, of the plugin in one process

std::int64_t bounded_count(std::uint64_t count) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;
  return static_cast<std::int64_t>(count < most ? count : most);
}

}  // namespace

void ProcessSpool::note(NoteSeverity severity, std::string code, std::string text,
                        std::int64_t count) {
  builder_.add_note({severity, std::move(code), std::move(text), count});
}

void ProcessSpool::add_notes() {
  const auto& header = reader_.header();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (header.lost[i] > 0)
      note(NoteSeverity::warning, "records-dropped", std::string(losses[i]),
           bounded_count(header.lost[i]));
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> distinct;
  for (const auto& record : notes_) {
    if (distinct.size() < most_notes || distinct.contains({record.code, record.text}))
      ++distinct[{record.code, record.text}];
  }
  for (const auto& [texts, count] : distinct) {
    const auto& code = tables_.text(texts.first);
    note(NoteSeverity::warning, code.empty() ? "plugin" : code, tables_.text(texts.second), count);
  }
  if (header.mode < header.asked_mode) {
    note(NoteSeverity::warning, "mode-reduced",
         fmt::format("the mode '{}' was asked for, but from some moment on '{}' was all that could "
                     "be recorded",
                     spool::mode_words[static_cast<std::size_t>(header.asked_mode)],
                     spool::mode_words[static_cast<std::size_t>(header.mode)]));
  }
  const auto lost_calls = header.lost[static_cast<std::size_t>(spool::Loss::calls)];
  const auto recorded = static_cast<std::uint64_t>(executions_);
  if (header.calls > recorded && header.calls - recorded > lost_calls) {
    note(NoteSeverity::info, "calls-outside",
         "RNN calls were made outside what was to be recorded (capture range, delay, calls "
         "skipped)",
         bounded_count(header.calls - recorded - lost_calls));
  }
  if (const auto legacy = header.entries[static_cast<std::size_t>(spool::Entry::legacy)];
      legacy > 0) {
    std::set<std::string> names;
    for (const auto& call : calls_)
      if (call.function != 0) names.insert(tables_.text(call.function));
    note(NoteSeverity::warning, "legacy-functions",
         fmt::format("the program calls RNN functions of cuDNN 8 that cuDNN 9 has no more{}{}",
                     names.empty() ? "" : "; what runs goes through ", fmt::join(names, ", ")),
         bounded_count(legacy));
  }
  if (!searches_.empty()) {
    note(NoteSeverity::info, "algorithm-search",
         "the program searched for an RNN algorithm (cudnnFindRNN…); what the searches launched is "
         "told as that and is no call of the program's",
         static_cast<std::int64_t>(searches_.size()));
  }
  if (!replays_.empty()) {
    note(NoteSeverity::info, "graph-replays",
         "RNN calls are launches of CUDA graphs that had captured one; cuDNN was not called for "
         "them, and their time on the host is that of the whole graph, where it is known",
         static_cast<std::int64_t>(replays_.size()));
  }
  const auto& damage = reader_.damage();
  if (damage.any()) {
    note(NoteSeverity::warning, "recording-damaged",
         "parts of a recording could not be read; what was in them is missing",
         bounded_count(damage.chunks + damage.records));
  }
  if (damage.unknown > 0) {
    note(NoteSeverity::info, "records-unknown",
         "records are of a kind that this version does not know", bounded_count(damage.unknown));
  }
}

}  // namespace rnnadvisor::launch
