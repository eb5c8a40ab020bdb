#include "advisor/report/program_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "advisor/report/places.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/model/memory.h"
#include "profiler/profile/cudnn_status.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::size_t most_last_calls = 5;

// What helps before a smaller layer does, where other things hold the memory.
constexpr std::array<std::string_view, 2> fixes_beside = {
    "Free what the program itself keeps on the GPU: losses that are summed with their graph "
    "(`total += loss.item()` keeps none), outputs of an evaluation in lists (`torch.no_grad()`, "
    "then `.cpu()`).",
    "End other processes on the GPU: `nvidia-smi` names them."};

// What was free at the end, and what its process took since, less what it gave back.
std::int64_t free_after(const Profile& p, int process, int device, std::int64_t time_ns) {
  if (process < 0 || static_cast<std::size_t>(process) >= p.processes.size()) return -1;
  std::int64_t free = p.processes[static_cast<std::size_t>(process)].memory_free_bytes;
  if (free < 0) return -1;
  const auto& a = p.allocations;
  const auto later = std::upper_bound(a.time_ns.begin(), a.time_ns.end(), time_ns);
  for (auto i = static_cast<std::size_t>(later - a.time_ns.begin()); i < a.size(); ++i)
    if (a.process[i] == process && a.device[i] == device)
      free += a.release[i] ? -a.bytes[i] : a.bytes[i];
  return std::max<std::int64_t>(free, -1);
}

// An error of a kernel as PyTorch would say it: what a program calls after it may end with another
// one that says nothing.
std::string_view cuda_error(int status) {
  switch (status) {
    case 700:
      return "\nCUDA error: an illegal memory access was encountered";
    case 710:
      return "\nCUDA error: device-side assert triggered";
    case 719:
      return "\nCUDA error: unspecified launch failure";
    default:
      return "";
  }
}

LastCall last_call_of(const Profile& p, const RnnCall& call) {
  LastCall last;
  last.memory_free_bytes = call.memory_free_bytes >= 0
                               ? call.memory_free_bytes
                               : free_after(p, call.process, call.device, call.host_end_ns);
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
           !p.processes[static_cast<std::size_t>(process)].ended_well();
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

// Of the last call that has one.
const Configuration* last_configuration(const Profile& p, const ProgramEnd& end) {
  const auto last = std::find_if(end.calls.rbegin(), end.calls.rend(),
                                 [](const LastCall& call) { return call.configuration >= 0; });
  if (last == end.calls.rend()) return nullptr;
  const auto& configuration = p.configurations[static_cast<std::size_t>(last->configuration)];
  return configuration.described() ? &configuration : nullptr;
}

// How large the configuration of the last call may be for `little_memory` to be free beside it.
void find_what_fits(const RnnConfig& config, std::int64_t need, ProgramEnd& end) {
  const std::int64_t room = need + end.memory_free_bytes - little_memory;
  if (room <= 0) return;
  end.fits_batch = model::largest_batch(config, config.mode, room);
  end.fits_seq_length = model::largest_seq_length(config, config.mode, room);
}

// Where the last call needs less than half of the GPU, and what was free is less still, a smaller
// call is not the first thing to do about memory.
void find_what_is_beside(std::int64_t need, std::int64_t device_bytes, ProgramEnd& end) {
  if (end.memory_free_bytes < 0 || need >= device_bytes / 2 ||
      end.memory_free_bytes >= device_bytes / 2)
    return;
  const auto size = [](std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  for (auto& exception : end.exceptions)
    for (auto& each : exception.explained) {
      if (!each.error->lacks_memory) continue;
      each.cause += fmt::format(
          " The last RNN call needs {}, and {} of {} were free: other tensors of the program or "
          "other processes hold the rest. A smaller batch of this layer frees at most {}.",
          size(need), size(end.memory_free_bytes), size(device_bytes), size(need));
      auto& fixes = each.fixes;
      for (const auto& fix : fixes_beside) std::erase(fixes, fix);
      fixes.insert(fixes.begin(), fixes_beside.begin(), fixes_beside.end());
    }
}

void look_at_memory(const Profile& p, ProgramEnd& end) {
  const Configuration* const configuration = last_configuration(p, end);
  if (configuration == nullptr) return;
  const RnnConfig& config = configuration->config;
  const std::int64_t need = model::memory_need(config, config.mode).total;
  if (end.short_of_memory()) find_what_fits(config, need, end);
  const auto device = static_cast<std::size_t>(configuration->device);
  if (configuration->device >= 0 && device < p.devices.size())
    find_what_is_beside(need, p.devices[device].memory_bytes, end);
}

// "ValueError: …" with the first line of its message: the first that is not indented behind the
// last traceback's heading.
std::string_view exception_line(std::string_view text) {
  constexpr std::string_view heading = "Traceback (most recent call last):";
  if (const auto last = text.rfind(heading); last != text.npos)
    text.remove_prefix(last + heading.size());
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (!line.empty() && line.front() != ' ') return line;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

}  // namespace

std::optional<ProgramEnd> end_of_program(const Profile& profile) {
  ProgramEnd end;
  for (const auto& process : profile.processes) {
    const std::int64_t free = process.memory_free_bytes;
    if (!process.ended_well() && free >= 0 &&
        (end.memory_free_bytes < 0 || free < end.memory_free_bytes))
      end.memory_free_bytes = free;
  }
  std::string met;
  for (const auto& process : profile.processes)
    if (!process.ended_well()) met += cuda_error(process.cuda_status);
  for (const auto& note : profile.notes)
    if (note.code == program_exception)
      end.exceptions.push_back(
          {note.text, explain_errors(note.text + met, known_errors(), end.short_of_memory())});
  if (end.exceptions.empty()) return std::nullopt;
  end.calls = last_calls(profile);
  look_at_memory(profile, end);
  return end;
}

bool ProgramEnd::short_of_memory() const {
  return memory_free_bytes >= 0 && memory_free_bytes < little_memory;
}

std::string in_short(const ProgramEnd& end) {
  constexpr std::size_t most_columns = 160;
  const auto& first = end.exceptions.front();
  return words::shorten(
      words::clean(first.explained.empty() ? exception_line(first.text)
                                           : first.explained.front().error->title),
      most_columns);
}

std::string ended_with(const ProgramEnd& end) {
  std::string text = in_short(end);
  if (text.empty()) return "The program ended with an exception.";
  if (!text.ends_with('.')) text += '.';
  return "The program ended with an exception: " + text;
}

std::string_view last_lines(std::string_view text, std::size_t most) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (; most > 0 && begin != 0 && begin != std::string_view::npos; --most)
    begin = text.rfind('\n', begin - 1);
  return begin == 0 || begin == std::string_view::npos ? text : text.substr(begin + 1);
}

}  // namespace rnnadvisor::advisor
