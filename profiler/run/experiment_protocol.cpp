#include "profiler/run/experiment_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/config/read_config.h"
#include "profiler/run/json_numbers.h"

namespace rnnadvisor {
namespace {

using nlohmann::json;

// Thrown and caught in this file only, beside the exceptions of the JSON library.
struct Unreadable {
  std::string message;
};

template <class Enum>
Enum word(const json& value, int count) {
  const auto text = value.get<std::string>();
  for (int i = 0; i < count; ++i) {
    if (to_string(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  }
  throw Unreadable{fmt::format("'{}' is no word of the protocol", to_valid_utf8(text))};
}
ExperimentScope scope(const json& value) { return word<ExperimentScope>(value, 3); }

Outcome outcome(const json& value) {
  const int number = integer<int>(value);
  if (number < 0 || number > static_cast<int>(Outcome::interrupted))
    throw Unreadable{fmt::format("there is no outcome {}", number)};
  return static_cast<Outcome>(number);
}

double number(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}
std::vector<double> numbers(const json& value) {
  std::vector<double> list;
  for (const json& each : value) list.push_back(number(each));
  return list;
}

json write(const RnnConfig& config) { return json::parse(to_json_line(config)); }
RnnConfig read_config(const json& object) {
  const auto input = read_json_line(object.dump(), "job", 1);
  if (!input) throw Unreadable{input.error().message};
  return input->config;
}

json write(const MedianInterval& interval) {
  return {{"median", interval.median},
          {"low", interval.low},
          {"high", interval.high},
          {"confidence", interval.confidence},
          {"count", interval.count}};
}
MedianInterval read_interval(const json& object) {
  return {number(object.at("median")), number(object.at("low")), number(object.at("high")),
          number(object.at("confidence")), integer<int>(object.at("count"))};
}

json write(const ExperimentTiming& timing) {
  return {{"scope", to_string(timing.scope)},
          {"before_ms", write(timing.before_ms)},
          {"after_ms", write(timing.after_ms)},
          {"speedup", timing.speedup},
          {"speedup_low", timing.speedup_low},
          {"speedup_high", timing.speedup_high},
          {"control_low", timing.control_low},
          {"control_high", timing.control_high},
          {"before_samples_ms", timing.before_samples_ms},
          {"after_samples_ms", timing.after_samples_ms},
          {"control_samples_ms", timing.control_samples_ms}};
}
ExperimentTiming read_timing(const json& object) {
  ExperimentTiming timing;
  timing.scope = scope(object.at("scope"));
  timing.before_ms = read_interval(object.at("before_ms"));
  timing.after_ms = read_interval(object.at("after_ms"));
  timing.speedup = number(object.at("speedup"));
  timing.speedup_low = number(object.at("speedup_low"));
  timing.speedup_high = number(object.at("speedup_high"));
  timing.control_low = number(object.at("control_low"));
  timing.control_high = number(object.at("control_high"));
  timing.before_samples_ms = numbers(object.at("before_samples_ms"));
  timing.after_samples_ms = numbers(object.at("after_samples_ms"));
  timing.control_samples_ms = numbers(object.at("control_samples_ms"));
  return timing;
}

json write(const GpuClocks& clocks) {
  return {{"sm_mhz", clocks.sm_mhz},
          {"memory_mhz", clocks.memory_mhz},
          {"temperature_c", clocks.temperature_c},
          {"power_mw", clocks.power_mw},
          {"event_reasons", clocks.event_reasons}};
}
// Of a worker that sent none they are unknown; so is what cannot be.
GpuClocks read_clocks(const json& variant, const char* key) {
  const auto found = variant.find(key);
  if (found == variant.end() || !found->is_object()) return {};
  const auto of = [&](const char* name) {
    const auto value = found->find(name);
    return value == found->end() ? 0 : std::max(0, integer<int>(*value));
  };
  GpuClocks clocks;
  clocks.sm_mhz = of("sm_mhz");
  clocks.memory_mhz = of("memory_mhz");
  clocks.temperature_c = of("temperature_c");
  clocks.power_mw = of("power_mw");
  if (const auto reasons = found->find("event_reasons"); reasons != found->end())
    clocks.event_reasons = std::max<std::int64_t>(-1, integer<std::int64_t>(*reasons));
  return clocks;
}

json write(const VariantResult& variant) {
  json timings = json::array();
  for (const auto& timing : variant.timings) timings.push_back(write(timing));
  json shifts = json::array();
  for (const auto& shift : variant.shifts) {
    shifts.push_back({{"tensor", to_valid_utf8(shift.tensor)},
                      {"from_before", shift.from_before},
                      {"before_error", shift.before_error},
                      {"after_error", shift.after_error}});
  }
  return {{"outcome", static_cast<int>(variant.outcome)},
          {"message", to_valid_utf8(variant.message)},
          {"timings", std::move(timings)},
          {"shifts", std::move(shifts)},
          {"memory_bytes", variant.memory_bytes},
          {"clocks_before", write(variant.clocks_before)},
          {"clocks_after", write(variant.clocks_after)}};
}
VariantResult read_variant(const json& object) {
  VariantResult variant;
  variant.outcome = outcome(object.at("outcome"));
  variant.message = object.at("message").get<std::string>();
  for (const json& timing : object.at("timings")) variant.timings.push_back(read_timing(timing));
  for (const json& shift : object.at("shifts")) {
    variant.shifts.push_back({shift.at("tensor").get<std::string>(),
                              number(shift.at("from_before")), number(shift.at("before_error")),
                              number(shift.at("after_error"))});
  }
  variant.memory_bytes = integer<std::int64_t>(object.at("memory_bytes"));
  variant.clocks_before = read_clocks(object, "clocks_before");
  variant.clocks_after = read_clocks(object, "clocks_after");
  return variant;
}

json write(const ExperimentVariant& variant) {
  json calls = json::array();
  for (const auto& call : variant.calls) calls.push_back(write(call));
  return {{"composition", to_string(variant.composition)},
          {"calls", std::move(calls)},
          {"rows", variant.rows},
          {"cuda_graph", variant.cuda_graph}};
}

ExperimentRequest read_request(const json& object) {
  ExperimentRequest request;
  request.before = read_config(object.at("before"));
  for (const json& each : object.at("variants")) {
    ExperimentVariant variant;
    variant.composition = word<Composition>(each.at("composition"), 5);
    for (const json& call : each.at("calls")) variant.calls.push_back(read_config(call));
    for (const json& row : each.at("rows")) {
      auto& indices = variant.rows.emplace_back();
      for (const json& index : row) indices.push_back(integer<int>(index));
    }
    variant.cuda_graph = each.at("cuda_graph").get<bool>();
    request.variants.push_back(std::move(variant));
  }
  for (const json& each : object.at("scopes")) request.scopes.push_back(scope(each));
  request.budget_seconds = object.at("budget_seconds").get<double>();
  request.warmup = integer<int>(object.at("warmup"));
  request.min_rounds = integer<int>(object.at("min_rounds"));
  request.max_rounds = integer<int>(object.at("max_rounds"));
  request.target_interval = object.at("target_interval").get<double>();
  request.seed = integer<unsigned long long>(object.at("seed"));
  request.reference = object.at("reference").get<bool>();
  request.compare = object.at("compare").get<bool>();
  return request;
}

// Whatever `read` throws becomes an Error that begins with `what`.
template <class T, class Read>
Result<T> guarded(std::string_view what, const Read& read) {
  try {
    return read();
  } catch (const json::exception& exception) {
    return fail(ErrorCode::parse,
                fmt::format("{} is incomplete: {}", what, to_valid_utf8(exception.what())));
  } catch (const Unreadable& unreadable) {
    return fail(ErrorCode::parse, fmt::format("{} cannot be read: {}", what, unreadable.message));
  }
}

std::optional<int> number_after(std::string_view line, std::string_view beginning) {
  if (line.substr(0, beginning.size()) != beginning) return std::nullopt;
  line.remove_prefix(beginning.size());
  int value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || end != line.data() + line.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string write_experiment_job(const ExperimentJob& job) {
  const ExperimentRequest& r = job.request;
  json variants = json::array();
  for (const auto& variant : r.variants) variants.push_back(write(variant));
  json scopes = json::array();
  for (const auto each : r.scopes) scopes.push_back(to_string(each));
  const json object = {{"index", job.index},
                       {"experiment",
                        {{"before", write(r.before)},
                         {"variants", std::move(variants)},
                         {"scopes", std::move(scopes)},
                         {"budget_seconds", r.budget_seconds},
                         {"warmup", r.warmup},
                         {"min_rounds", r.min_rounds},
                         {"max_rounds", r.max_rounds},
                         {"target_interval", r.target_interval},
                         {"seed", r.seed},
                         {"reference", r.reference},
                         {"compare", r.compare}}}};
  return object.dump();
}

bool is_experiment_job(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  return object.is_object() && object.contains("experiment");
}

Result<ExperimentJob> read_experiment_job(std::string_view line) {
  return guarded<ExperimentJob>("an experiment for the worker", [&] {
    const json object = json::parse(line);
    return ExperimentJob{integer<int>(object.at("index")), read_request(object.at("experiment"))};
  });
}

std::string write_experiment_result(const ExperimentResult& result) {
  json variants = json::array();
  for (const auto& variant : result.variants) variants.push_back(write(variant));
  const json object = {{"outcome", static_cast<int>(result.outcome)},
                       {"message", to_valid_utf8(result.message)},
                       {"memory_bytes", result.memory_bytes},
                       {"variants", std::move(variants)},
                       {"seconds", result.seconds},
                       {"context_lost", result.context_lost}};
  return object.dump();
}

Result<ExperimentResult> read_experiment_result(std::string_view text, std::size_t variants) {
  return guarded<ExperimentResult>("the result of an experiment", [&] {
    const json object = json::parse(text);
    ExperimentResult result;
    result.outcome = outcome(object.at("outcome"));
    result.message = object.at("message").get<std::string>();
    result.memory_bytes = integer<std::int64_t>(object.at("memory_bytes"));
    for (const json& variant : object.at("variants"))
      result.variants.push_back(read_variant(variant));
    if (result.variants.size() != variants) {
      throw Unreadable{fmt::format("{} variants instead of {}", result.variants.size(), variants)};
    }
    result.seconds = number(object.at("seconds"));
    result.context_lost = object.at("context_lost").get<bool>();
    return result;
  });
}

std::string write_progress(const ExperimentProgress& progress) {
  switch (progress.kind) {
    case ExperimentProgress::Kind::trying:
      return fmt::format("at trying {}", progress.variant);
    case ExperimentProgress::Kind::timing:
      return "at timing";
    case ExperimentProgress::Kind::round:
      break;
  }
  return fmt::format("at round {}", progress.round);
}

std::optional<ExperimentProgress> read_progress(std::string_view line) {
  using Kind = ExperimentProgress::Kind;
  if (line == "at timing") return ExperimentProgress{Kind::timing, -1, 0};
  if (const auto variant = number_after(line, "at trying "))
    return ExperimentProgress{Kind::trying, *variant, 0};
  if (const auto round = number_after(line, "at round "))
    return ExperimentProgress{Kind::round, -1, *round};
  return std::nullopt;
}

std::string experiment_result_path(const std::string& directory, int index) {
  return fmt::format("{}/{}.experiment.json", directory, index);
}

}  // namespace rnnadvisor
