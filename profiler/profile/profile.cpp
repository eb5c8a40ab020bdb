#include "profiler/profile/profile.h"

#include <algorithm>

namespace rnnadvisor {
namespace {

constexpr std::array<std::string_view, 5> origins = {"checked", "run", "captured", "imported",
                                                     "kernels"};
constexpr std::array<std::string_view, 9> outcomes = {
    "not_run", "completed", "refused",    "out_of_memory_predicted", "out_of_memory", "failed",
    "crashed", "timed_out", "interrupted"};
constexpr std::array<std::string_view, 3> note_severities = {"info", "warning", "error"};

constexpr std::array<std::string_view, 5> process_ends = {"unknown", "running", "exited",
                                                          "signalled", "killed"};
constexpr std::array<std::string_view, 3> call_sources = {"run", "hook", "kernels"};
constexpr std::array<std::string_view, 4> graph_states = {"unknown", "none", "captured",
                                                          "replayed"};
constexpr std::array<std::string_view, call_pointer_count> call_pointers = {
    "x",         "y",       "hx",         "hy",  "cx",  "cy",      "dx",
    "dy",        "dhx",     "dhy",        "dcx", "dcy", "weights", "weight_gradients",
    "workspace", "reserve", "seq_lengths"};

constexpr std::array<std::string_view, 4> verdicts = {"confirmed", "refuted", "inconclusive",
                                                      "not_run"};

template <class Enum, std::size_t N>
std::string_view spelling(Enum value, const std::array<std::string_view, N>& values) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? values[index] : std::string_view("?");
}

}  // namespace

const PhaseTiming* Configuration::timing(Phase phase) const {
  const auto found =
      std::find_if(timings.begin(), timings.end(), [&](const auto& t) { return t.phase == phase; });
  return found == timings.end() ? nullptr : &*found;
}

const StageResult* Configuration::stage(model::Stage stage) const {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [&](const auto& s) { return s.stage == stage; });
  return found == stages.end() ? nullptr : &*found;
}

const std::string& Profile::thread_name(int process, std::int64_t thread) const {
  for (const auto& known : thread_names)
    if (known.process == process && known.thread == thread) return text(known.name);
  return text(-1);
}

const std::string& Profile::stream_name(int process, int device, int stream) const {
  if (stream < 0) return text(-1);
  for (const auto& known : resource_names)
    if (known.process == process && known.device == device && known.stream == stream)
      return text(known.name);
  return text(-1);
}

const std::string& Profile::device_name(int process, int device) const {
  for (const auto& known : resource_names)
    if ((known.process == process || process < 0) && known.device == device && known.stream < 0)
      return text(known.name);
  return text(-1);
}

const std::string& Profile::text(int string_index) const {
  static const std::string none;
  const auto index = static_cast<std::size_t>(string_index);
  return string_index >= 0 && index < strings.size() ? strings[index] : none;
}

std::string_view to_string(Origin origin) { return spelling(origin, origins); }
std::string_view to_string(Outcome outcome) { return spelling(outcome, outcomes); }
std::string_view to_string(MemoryOperation operation) {
  return operation == MemoryOperation::copy ? "copy" : "set";
}
std::string_view to_string(NoteSeverity severity) { return spelling(severity, note_severities); }

std::string_view to_string(ProcessEnd end) { return spelling(end, process_ends); }
std::string_view to_string(CallSource source) { return spelling(source, call_sources); }
std::string_view to_string(GraphState state) { return spelling(state, graph_states); }
std::string_view to_string(CallPointer pointer) { return spelling(pointer, call_pointers); }
std::string_view to_string(ExperimentVerdict verdict) { return spelling(verdict, verdicts); }

std::int64_t CallArguments::least_alignment() const {
  std::int64_t least = -1;
  for (const std::int64_t bytes : alignment) {
    if (bytes > 0 && (least < 0 || bytes < least)) least = bytes;
  }
  return least;
}

std::optional<Outcome> parse_outcome(std::string_view text) {
  const auto found = std::find(outcomes.begin(), outcomes.end(), text);
  if (found == outcomes.end()) return std::nullopt;
  return static_cast<Outcome>(found - outcomes.begin());
}

}  // namespace rnnadvisor
