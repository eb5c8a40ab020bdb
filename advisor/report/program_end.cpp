#include "advisor/report/program_end.h"

#include <algorithm>
#include <tuple>

#include "advisor/report/places.h"
#include "advisor/report/words.h"
#include "profiler/profile/cudnn_status.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::size_t most_last_calls = 5;

bool ended_well(const Process& process) {
  return process.end == ProcessEnd::running ||
         (process.end == ProcessEnd::exited && process.exit_status == 0);
}

LastCall last_call_of(const Profile& p, const RnnCall& call) {
  LastCall last;
  last.function = words::phase(call.phase);
  last.configuration = call.configuration;
  last.status = call.status;
  last.workspace_bytes = call.workspace_bytes;
  last.reserve_bytes = call.reserve_bytes;
  if (call.reason >= 0) last.reason = p.text(call.reason);
  if (call.site >= 0) last.place = place_of(p, call.site).name;
  return last;
}

LastCall last_call_of(const Profile& p, const SetupCall& call) {
  LastCall last;
  if (call.function >= 0) last.function = p.text(call.function);
  last.configuration = call.configuration;
  last.status = call.status;
  if (call.reason >= 0) last.reason = p.text(call.reason);
  return last;
}

std::vector<LastCall> last_calls(const Profile& p) {
  const auto counts = [&](int process) {
    return process < 0 || static_cast<std::size_t>(process) >= p.processes.size() ||
           !ended_well(p.processes[static_cast<std::size_t>(process)]);
  };
  // The latest of both kinds, by when they began; `setup` at equal times first.
  std::vector<std::tuple<std::int64_t, bool, std::size_t>> latest;
  const auto consider = [&](std::int64_t start_ns, bool runs, std::size_t index) {
    const std::tuple one(start_ns, runs, index);
    if (latest.size() == most_last_calls) {
      if (one < latest.front()) return;
      latest.erase(latest.begin());
    }
    latest.insert(std::upper_bound(latest.begin(), latest.end(), one), one);
  };
  for (std::size_t i = 0; i < p.calls.size(); ++i)
    if (counts(p.calls[i].process)) consider(p.calls[i].host_start_ns, true, i);
  for (std::size_t i = 0; i < p.setup_calls.size(); ++i)
    if (counts(p.setup_calls[i].process)) consider(p.setup_calls[i].host_start_ns, false, i);
  std::vector<LastCall> calls;
  for (const auto& [start_ns, runs, index] : latest) {
    calls.push_back(runs ? last_call_of(p, p.calls[index]) : last_call_of(p, p.setup_calls[index]));
    calls.back().status_name = status_name(calls.back().status);
  }
  return calls;
}

}  // namespace

std::optional<ProgramEnd> end_of_program(const Profile& profile) {
  ProgramEnd end;
  for (const auto& note : profile.notes)
    if (note.code == program_exception)
      end.exceptions.push_back({note.text, explain_errors(note.text)});
  if (end.exceptions.empty()) return std::nullopt;
  end.calls = last_calls(profile);
  return end;
}

std::string_view last_lines(std::string_view text, std::size_t most) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (; most > 0 && begin != 0 && begin != std::string_view::npos; --most)
    begin = text.rfind('\n', begin - 1);
  return begin == 0 || begin == std::string_view::npos ? text : text.substr(begin + 1);
}

}  // namespace rnnadvisor::advisor
