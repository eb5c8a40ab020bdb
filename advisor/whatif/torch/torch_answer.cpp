// Answers of the PyTorch program, read and judged.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "advisor/facts/experiments.h"
#include "advisor/whatif/torch/torch_request.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using Json = nlohmann::json;
using Status = TorchResult::Status;

constexpr std::size_t most_samples = 10000, most_text = 4 << 20;
constexpr std::size_t least_rounds = 6;  // core/base/statistics.h: fewer have no interval of 95 %

struct Wrong {
  std::string what;
};

std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  auto value = to_valid_utf8(found->get_ref<const std::string&>());
  if (value.size() > most_text) throw Wrong{fmt::format("'{}' is {} bytes", key, value.size())};
  return value;
}

double number(const Json& value, const char* what) {
  if (!value.is_number()) throw Wrong{fmt::format("{} is no number", what)};
  const double got = value.get<double>();
  if (!std::isfinite(got)) throw Wrong{fmt::format("{} is not finite", what)};
  return got;
}

// -1: absent or null.
std::int64_t bytes(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return -1;
  const double value = number(*found, key);
  if (value < 0 || value > 1e18) throw Wrong{fmt::format("{} is {}", key, value)};
  return static_cast<std::int64_t>(value);
}

int whole(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return 0;
  const double value = found->get<double>();
  return value >= 0 && value < 1e9 ? static_cast<int>(value) : 0;
}

const Json& part(const Json& object, const char* key) {
  static const Json nothing = Json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : nothing;
}

// Seconds to milliseconds; all above zero.
std::vector<double> samples(const Json& phase, const char* way, const char* clock) {
  const auto& columns = part(part(phase, "samples"), way);
  const auto found = columns.find(clock);
  if (found == columns.end() || !found->is_array()) return {};
  if (found->size() > most_samples) throw Wrong{"more samples than any measurement has"};
  std::vector<double> list;
  for (const auto& each : *found) {
    const double ms = 1e3 * number(each, "a sample");
    // No clock is finer, and no run waits longer; ratios of what is between are finite.
    if (ms < 1e-9 || ms > 1e12) throw Wrong{fmt::format("a sample is {} s", ms / 1e3)};
    list.push_back(ms);
  }
  return list;
}

ExperimentTiming timing(const Json& phase, ExperimentScope scope) {
  ExperimentTiming made;
  made.scope = scope;
  made.before_samples_ms = samples(phase, "before", "wall_s");
  made.after_samples_ms = samples(phase, "after", "wall_s");
  made.control_samples_ms = samples(phase, "control", "wall_s");
  const auto rounds = made.before_samples_ms.size();
  if (rounds == 0 || made.after_samples_ms.size() != rounds ||
      made.control_samples_ms.size() != rounds)
    throw Wrong{"samples of before, after and control are not as many"};
  made.before_ms = median_interval(made.before_samples_ms);
  made.after_ms = median_interval(made.after_samples_ms);
  const auto gain = bootstrap_median_ratio(made.before_samples_ms, made.after_samples_ms, 1);
  const auto control = bootstrap_median_ratio(made.before_samples_ms, made.control_samples_ms, 1);
  made.speedup = gain.median;
  made.speedup_low = gain.low;
  made.speedup_high = gain.high;
  made.control_low = control.low;
  made.control_high = control.high;
  return made;
}

// "GPU 3.10 ms, then 1.02 ms; host 0.80 ms, then 1.61 ms"
std::string beside(const Json& phase) {
  std::string words;
  for (const auto& [clock, name] : {std::pair("gpu_s", "GPU"), std::pair("host_s", "host")}) {
    const auto before = samples(phase, "before", clock), after = samples(phase, "after", clock);
    if (before.empty() || after.empty()) continue;
    words += fmt::format("{}{} {}, then {}", words.empty() ? "" : "; ", name,
                         format_milliseconds(median_interval(before).median),
                         format_milliseconds(median_interval(after).median));
  }
  return words;
}

std::string cudnn_name(const std::string& torch_name) {
  if (torch_name == "h_n") return "hy";
  if (torch_name == "c_n") return "cy";
  if (torch_name == "dh0") return "dhx";
  if (torch_name == "dc0") return "dcx";
  return torch_name;  // y, dx, and dweight_ih_l0 and the like
}

// Other kernels draw other dropout masks: numbers of two layers with dropout say nothing.
bool with_dropout(const Json& comparison) {
  const auto dropout = comparison.find("dropout");
  return dropout != comparison.end() && dropout->is_number() && dropout->get<double>() != 0;
}

void read_comparison(const Json& comparison, TorchResult& result) {
  if (with_dropout(comparison)) return;
  const auto error_of = [&](const char* which, const std::string& tensor) {
    const auto& errors = part(comparison, which);
    const auto found = errors.find(tensor);
    if (found == errors.end()) return -1.0;
    return found->is_null() ? std::nan("") : number(*found, "an error");
  };
  for (const auto& [tensor, value] : part(comparison, "against_original").items()) {
    TensorShift shift;
    shift.tensor = to_valid_utf8(cudnn_name(tensor));
    shift.from_before = value.is_null() ? std::nan("") : number(value, "a shift");
    shift.before_error = error_of("original_against_reference", tensor);
    shift.after_error = error_of("changed_against_reference", tensor);
    result.shifts.push_back(std::move(shift));
  }
  const auto agrees = comparison.find("agrees");
  if (agrees != comparison.end() && agrees->is_boolean()) result.agrees = agrees->get<bool>();
  if (result.agrees == false) {
    const auto worst = [&](const char* key) {
      const auto found = comparison.find(key);
      return found != comparison.end() && found->is_number()
                 ? fmt::format("{:.2g}", found->get<double>())
                 : std::string("not a number");
    };
    result.disagreement = fmt::format("an error of {} against float64, where the original has {}",
                                      worst("worst_changed"), worst("worst_original"));
  }
}

void read_code(const Json& emitted, TorchResult& result) {
  const auto module = text(emitted, "text"), file = text(emitted, "file");
  if (!module.empty() && !file.empty()) result.code.push_back({file, "python", module});
  const auto snippets = emitted.find("snippets");
  if (snippets != emitted.end() && snippets->is_array()) {
    std::string lines;
    for (const auto& one : *snippets) {
      if (!one.is_object()) continue;
      lines += fmt::format("{}# {}\n{}", lines.empty() ? "" : "\n", text(one, "title"),
                           text(one, "code"));
    }
    if (!lines.empty()) result.code.push_back({"around_the_layer.py", "python", lines});
  }
  if (const auto diff = text(emitted, "diff"); !diff.empty()) {
    const auto name = std::filesystem::path(text(emitted, "diff_file")).filename().string();
    result.code.push_back({(name.empty() ? "program.py" : name) + ".diff", "diff", diff});
  }
  result.no_diff = text(emitted, "no_diff");
}

void read_memory(const Json& phase, TorchResult& result) {
  const auto& memory = part(phase, "memory");
  const auto of = [&](const char* way) -> std::int64_t {
    const auto kept = bytes(part(memory, way), "resident_bytes");
    const auto peak = bytes(part(memory, way), "step_peak_bytes");
    return kept < 0 || peak < 0 ? -1 : kept + peak;
  };
  result.memory_before = of("before");
  result.memory_after = of("after");
  if (result.memory_before >= 0 && result.memory_after >= 0 &&
      text(part(memory, "before"), "of") == "reserved")
    result.memory_note = "memory is what PyTorch's allocator has reserved, a graph's pool included";
}

// What nvidia-smi said to the program; what is no such number stays unknown.
GpuClocks read_clocks(const Json& clocks) {
  const auto of = [&](const char* key, double scale) {
    const auto found = clocks.find(key);
    if (found == clocks.end() || !found->is_number()) return 0;
    const double value = found->get<double>() * scale;
    return value > 0 && value < 1e9 ? static_cast<int>(std::lround(value)) : 0;
  };
  GpuClocks made;
  made.sm_mhz = of("sm_mhz", 1);
  made.memory_mhz = of("memory_mhz", 1);
  made.temperature_c = of("celsius", 1);
  made.power_mw = of("watts", 1000);
  const auto reasons = clocks.find("event_reasons");
  if (reasons != clocks.end() && reasons->is_number_integer())
    made.event_reasons = std::max<std::int64_t>(-1, reasons->get<std::int64_t>());
  return made;
}

void append_sentence(std::string& message, const std::string& more) {
  if (!more.empty()) message += (message.empty() ? "" : "; ") + more;
}

std::string words_of(const Json& line) {
  auto words = text(line, "what");
  if (const auto remedy = text(line, "remedy"); !remedy.empty())
    words += fmt::format("{}{}", words.empty() ? "" : ": ", remedy);
  return words;
}

void read_measured(const Json& line, TorchResult& result) {
  result.status = Status::measured;
  const auto& phases = part(line, "phases");
  for (const auto& [name, scope] : {std::pair("training", ExperimentScope::training_step),
                                    std::pair("inference", ExperimentScope::inference)}) {
    const auto found = phases.find(name);
    if (found == phases.end() || !found->is_object()) continue;
    result.timings.push_back(timing(*found, scope));
    result.beside.push_back(beside(*found));
    if (result.memory_before < 0) read_memory(*found, result);
  }
  if (result.timings.empty()) throw Wrong{"it says measured, and has no samples"};
  const auto& clocks = part(line, "clocks");
  result.clocks_before = read_clocks(part(clocks, "before"));
  result.clocks_after = read_clocks(part(clocks, "after"));
  const auto& comparison = part(line, "comparison");
  read_comparison(comparison, result);
  if (result.shifts.empty())
    append_sentence(result.message,
                    "results were not compared: " + (text(comparison, "unknown").empty()
                                                         ? "nothing says why"
                                                         : text(comparison, "unknown")));
  for (const auto& [phase, failure] : part(line, "failures").items())
    if (failure.is_object())
      append_sentence(result.message,
                      fmt::format("{}: {}", to_valid_utf8(phase), words_of(failure)));
  append_sentence(result.message, text(line, "what"));
  append_sentence(result.message, result.memory_note);
  const auto flags = line.find("flags_changed");
  if (flags != line.end() && flags->is_boolean() && flags->get<bool>())
    append_sentence(result.message, "it left switches of torch.backends.cudnn changed");
}

TorchResult read_result(const Json& line) {
  TorchResult result;
  try {
    const auto status = text(line, "status");
    if (const auto seconds = line.find("seconds"); seconds != line.end())
      result.seconds = std::clamp(number(*seconds, "seconds"), 0.0, 1e6);
    read_code(part(line, "emitted"), result);
    if (const auto notes = line.find("notes"); notes != line.end() && notes->is_array()) {
      for (const auto& note : *notes)
        if (note.is_string())
          append_sentence(result.message, to_valid_utf8(note.get<std::string>()));
    }
    if (status == "measured") {
      read_measured(line, result);
      return result;
    }
    result.status = status == "emitted"          ? Status::emitted
                    : status == "not_applicable" ? Status::not_applicable
                    : status == "out_of_memory"  ? Status::out_of_memory
                    : status == "not_measured"   ? Status::none
                                                 : Status::failed;
    if (result.status != Status::emitted) result.message = words_of(line);
    if (result.status == Status::failed && status != "failed")
      throw Wrong{fmt::format("its status is '{}'", status)};
  } catch (const Wrong& wrong) {
    result = {};
    result.status = Status::failed;
    result.message = "its answer could not be read: " + wrong.what;
  }
  return result;
}

TorchEnvironment read_environment(const Json& line) {
  TorchEnvironment made;
  made.executable = text(line, "executable");
  made.python = text(line, "python");
  made.torch = text(line, "torch");
  made.cuda = text(line, "cuda");
  made.device = text(line, "name");
  if (const auto cudnn = whole(line, "cudnn"); cudnn > 0) made.cudnn = std::to_string(cudnn);
  made.multiprocessors = whole(line, "multiprocessors");
  const auto capability = text(line, "compute_capability");
  const auto dot = capability.find('.');
  if (dot != std::string::npos) {
    const char* begin = capability.data();
    std::from_chars(begin, begin + dot, made.compute_major);
    std::from_chars(begin + dot + 1, begin + capability.size(), made.compute_minor);
  }
  made.memory_bytes = std::max<std::int64_t>(0, bytes(line, "memory_bytes"));
  return made;
}

Error read_problem(const Json& line) {
  Error error;
  error.code = ErrorCode::unsupported;
  error.message = text(line, "what");
  if (const auto where = text(line, "where"); !where.empty())
    error.message += fmt::format(" ({})", where);
  error.remedy = text(line, "remedy");
  return error;
}

TorchLine read_object(const Json& json) {
  TorchLine made;
  const auto type = text(json, "type");
  const auto numbered = [&](const char* key) {
    const auto id = text(json, key);
    const char* end = id.data() + id.size();
    return !id.empty() && std::from_chars(id.data(), end, made.candidate).ptr == end &&
           made.candidate >= 0;
  };
  if (type == "environment") {
    made.environment = read_environment(json);
    made.kind = TorchLine::Kind::environment;
  } else if (type == "progress" && numbered("candidate")) {
    made.kind = TorchLine::Kind::progress;
  } else if (type == "candidate" && numbered("id")) {
    made.result = read_result(json);
    made.kind = TorchLine::Kind::candidate;
  } else if (type == "done") {
    made.kind = TorchLine::Kind::done;
  } else if (type == "error") {
    made.error = read_problem(json);
    made.status = whole(json, "status");
    made.kind = TorchLine::Kind::error;
  }
  return made;
}

}  // namespace

TorchLine read_torch_line(std::string_view line) {
  const auto json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return {};
  try {
    return read_object(json);
  } catch (const Wrong&) {
    return {};
  }
}

Experiment torch_experiment(const TorchCandidate& candidate, const TorchResult& result,
                            const Profile& profile, int configuration) {
  const RnnConfig& before = profile.configurations[static_cast<std::size_t>(configuration)].config;
  Experiment made;
  made.configuration = configuration;
  made.where = "pytorch";
  made.rule = candidate.rule;
  made.transforms = to_json(candidate.transforms);
  made.meaning = to_string(candidate.meaning);
  made.seconds = result.seconds;
  made.code = result.code;
  if (result.status != Status::measured) {
    const std::string_view words =
        result.status == Status::out_of_memory ? "out of memory"
        : result.status == Status::crashed     ? "the process that ran it died"
        : result.status == Status::timed_out   ? "it did not answer in time"
                                               : "it failed";
    made.message = fmt::format("{}{}{}", words, result.message.empty() ? "" : ": ", result.message);
    return made;
  }
  made.timings = result.timings;
  made.shifts = result.shifts;
  made.memory_before = result.memory_before;
  made.memory_after = result.memory_after;
  made.clocks_before = result.clocks_before;
  made.clocks_after = result.clocks_after;
  made.message = candidate.note;
  append_sentence(made.message, result.message);
  const auto* decides = deciding_timing(made.timings, before.mode);
  const auto at = static_cast<std::size_t>(decides - made.timings.data());
  if (at < result.beside.size()) append_sentence(made.message, result.beside[at]);
  if (!result.no_diff.empty()) append_sentence(made.message, "no difference: " + result.no_diff);
  if (result.agrees == false) {
    made.verdict = ExperimentVerdict::refuted;
    append_sentence(made.message, "not the same results: " + result.disagreement);
    return made;
  }
  const RnnConfig& after = candidate.calls.empty() ? before : candidate.calls.front();
  if (const auto moved = moved_too_far(made.shifts, candidate.meaning, before, after)) {
    made.verdict = ExperimentVerdict::refuted;
    append_sentence(made.message, "not the same results: " + *moved);
    return made;
  }
  const auto captured = torch_request(profile, configuration).phases.front() == "training"
                            ? ExperimentScope::training_step
                            : ExperimentScope::inference;
  made.verdict = verdict_of(*decides);
  if (decides->before_samples_ms.size() < least_rounds) {
    made.verdict = ExperimentVerdict::inconclusive;
    append_sentence(made.message, fmt::format("{} rounds are too few for an interval of 95 %",
                                              decides->before_samples_ms.size()));
  } else if (made.verdict == ExperimentVerdict::confirmed && decides->scope != captured) {
    made.verdict = ExperimentVerdict::inconclusive;
    append_sentence(made.message,
                    fmt::format("what was captured, the {}, was not timed", scope_words(captured)));
  } else if (made.shifts.empty() && made.verdict == ExperimentVerdict::confirmed) {
    made.verdict = ExperimentVerdict::inconclusive;  // right comes before fast
  }
  return made;
}

}  // namespace rnnadvisor::advisor
