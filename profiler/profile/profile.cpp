#include "profiler/profile/profile.h"

#include <algorithm>

namespace rnnadvisor {
namespace {

constexpr std::array<std::string_view, 4> origins = {"checked", "run", "captured", "imported"};
constexpr std::array<std::string_view, 9> outcomes = {
    "not_run", "completed", "refused",    "out_of_memory_predicted", "out_of_memory", "failed",
    "crashed", "timed_out", "interrupted"};
constexpr std::array<std::string_view, 13> roles = {
    "recurrent_gemm", "layer_gemm", "weight_gemm",   "gemm",       "pointwise",
    "persistent",     "reduction",  "layout_change", "conversion", "initialisation",
    "copy",           "other",      "unknown"};
constexpr std::array<std::string_view, 3> note_severities = {"info", "warning", "error"};

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

const std::string& Profile::text(int string_index) const {
  static const std::string none;
  const auto index = static_cast<std::size_t>(string_index);
  return string_index >= 0 && index < strings.size() ? strings[index] : none;
}

std::string_view to_string(KernelRole role) { return spelling(role, roles); }
std::string_view to_string(Origin origin) { return spelling(origin, origins); }
std::string_view to_string(Outcome outcome) { return spelling(outcome, outcomes); }
std::string_view to_string(MemoryOperation operation) {
  return operation == MemoryOperation::copy ? "copy" : "set";
}
std::string_view to_string(NoteSeverity severity) { return spelling(severity, note_severities); }

std::optional<Outcome> parse_outcome(std::string_view text) {
  const auto found = std::find(outcomes.begin(), outcomes.end(), text);
  if (found == outcomes.end()) return std::nullopt;
  return static_cast<Outcome>(found - outcomes.begin());
}

}  // namespace rnnadvisor
