// ProcessSpool: what a reader must know before believing the records of a process.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "profiler/launch/exception_text.h"
#include "profiler/launch/process_spool.h"
#include "profiler/spool/settings.h"

namespace rnnadvisor::launch {
namespace {

// By spool::Loss: what was lost, and the reason where the recording itself had room for it.
struct Lost {
  std::string_view what, otherwise;
};
constexpr std::array<Lost, static_cast<std::size_t>(spool::Loss::count)> losses = {{
    {"RNN calls were lost", "they were too long for a record"},
    {"kernels were lost", "CUPTI gave no time for them"},
    {"memory copies and sets were lost", ""},
    {"CUDA API calls were lost", ""},
    {"memory events were lost", ""},
    {"NVTX events were lost", ""},
    {"texts were lost, and names are missing", "their table was full"},
    {"records were lost", "hardware counters were not read in time"},
    {"CUPTI dropped records", ""},
}};

// Why a recording could not grow, as the process saw it.
std::string reason_of(const spool::Failure& failure, std::uint64_t max_bytes) {
  const auto because = [&](std::string_view what) {
    return fmt::format("{}: {}", what, std::strerror(failure.error));
  };
  switch (failure.step) {
    case spool::Step::limit:
      return fmt::format("the recording had reached its limit of {} bytes (--max-size)", max_bytes);
    case spool::Step::open:
      return because("its file could not be opened again");
    case spool::Step::allocate:
      return because("its file could not grow");
    case spool::Step::map:
      return because("its file could not be mapped");
    case spool::Step::truncated:
      return "its file was cut off by another process or could not be written";
    case spool::Step::threads:
      return "more threads at a time than can be recorded";
    case spool::Step::none:
      break;
  }
  return {};
}

std::string reasons_of(const spool::Header& header) {
  std::string all;
  for (const auto& failure : header.failures) {
    if (!all.empty()) all += "; ";
    all += reason_of(failure, header.max_bytes);
  }
  return all;
}

constexpr std::size_t most_notes = 1000;  // different ones, of the plugin in one process

std::int64_t bounded_count(std::uint64_t count) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;
  return static_cast<std::int64_t>(count < most ? count : most);
}

// What the plugin noted of the GPU at the exception; nothing else changes the process.
void take_state_of_gpu(const std::string& text, Process& process) {
  std::uint64_t bytes = 0;
  int answer = 0;
  const char* const last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, bytes);
  if (status != std::errc{} || end == last || *end != ' ') return;
  const auto [rest, again] = std::from_chars(end + 1, last, answer);
  if (again != std::errc{} || rest != last) return;
  process.memory_free_bytes = bytes > 0 ? bounded_count(bytes) : -1;
  process.cuda_status = std::max(answer, 0);
}

}  // namespace

void ProcessSpool::note(NoteSeverity severity, std::string code, std::string text,
                        std::int64_t count) {
  builder_.add_note({severity, std::move(code), std::move(text), count});
}

void ProcessSpool::add_notes() {
  const auto& header = reader_.header();
  const std::string reasons = reasons_of(header);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (header.lost[i] == 0) continue;
    const bool by_cupti = i == static_cast<std::size_t>(spool::Loss::cupti);
    const std::string_view reason =
        by_cupti || reasons.empty() ? losses[i].otherwise : std::string_view(reasons);
    note(NoteSeverity::warning, "records-dropped",
         fmt::format("{}{}{}", losses[i].what, reason.empty() ? "" : ": ", reason),
         bounded_count(header.lost[i]));
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> distinct;
  const spool::Note *exception = nullptr, *memory = nullptr;
  const auto later = [](const spool::Note* one, const spool::Note& other) {
    return one == nullptr || one->time_ns <= other.time_ns;
  };
  for (const auto& record : notes_) {
    if (tables_.text(record.code) == spool::program_exception) {
      if (later(exception, record)) exception = &record;
    } else if (tables_.text(record.code) == spool::gpu_at_exception) {
      if (later(memory, record)) memory = &record;
    } else if (distinct.size() < most_notes || distinct.contains({record.code, record.text}))
      ++distinct[{record.code, record.text}];
  }
  for (const auto& [texts, count] : distinct) {
    const auto& code = tables_.text(texts.first);
    note(NoteSeverity::warning, code.empty() ? "plugin" : code, tables_.text(texts.second), count);
  }
  // What a process that ended well has caught or shown ended nothing.
  const auto& process = builder_.profile().processes[static_cast<std::size_t>(process_)];
  if (exception != nullptr && !(process.end == ProcessEnd::exited && process.exit_status == 0)) {
    if (auto text = exception_text(tables_.text(exception->text)); !text.empty())
      note(NoteSeverity::warning, program_exception, std::move(text));
    if (memory != nullptr)
      take_state_of_gpu(tables_.text(memory->text),
                        builder_.profile().processes[static_cast<std::size_t>(process_)]);
  }
  if (header.mode < header.asked_mode) {
    note(NoteSeverity::warning, "mode-reduced",
         fmt::format("the mode '{}' was asked for, but from some moment on '{}' was all that could "
                     "be recorded",
                     spool::mode_words[static_cast<std::size_t>(header.asked_mode)],
                     spool::mode_words[static_cast<std::size_t>(header.mode)]));
  }
  const auto lost_calls = header.lost[static_cast<std::size_t>(spool::Loss::calls)];
  const auto recorded = static_cast<std::uint64_t>(executions_ + earlier_);
  const bool choices_only = recorded == 0 && !accelerations_.empty();
  if (!choices_only && header.calls > recorded && header.calls - recorded > lost_calls) {
    note(NoteSeverity::info, "calls-outside",
         fmt::format("RNN calls were made outside what was to be recorded ({}capture range, delay, "
                     "calls skipped)",
                     accelerations_.empty() ? "" : "to try an algorithm, "),
         bounded_count(header.calls - recorded - lost_calls));
  }
  if (earlier_ > 0) {
    note(NoteSeverity::info, "calls-earlier",
         "RNN calls began before what was to be collected (--since)", earlier_);
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
  if (untraced_ > 0 && header.asked_mode != spool::Mode::calls) {
    note(NoteSeverity::info, "untraced-steps",
         "RNN calls were timed without CUPTI, so that tracing does not slow them, and have no "
         "kernels "
         "(--no-untraced-steps traces all)",
         untraced_);
  }
  if (!searches_.empty()) {
    note(NoteSeverity::info, "algorithm-search",
         "the program searched for an RNN algorithm (cudnnFindRNN…); their kernels are listed "
         "separately and belong to no call of the program",
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
  if (damage.unfinished > 0) {
    note(NoteSeverity::info, "records-unfinished",
         "records were begun and not finished: a signal handler of the program left in the middle "
         "of them and did not come back, or the process ended there",
         bounded_count(damage.unfinished));
  }
  if (damage.unknown > 0) {
    note(NoteSeverity::info, "records-unknown",
         "records are of a kind that this version does not know", bounded_count(damage.unknown));
  }
}

}  // namespace rnnadvisor::launch
