// The report as JSON, for programs: docs/schema/report.schema.json describes it. Keys keep their
// meaning within a major schema version; null means not known. Times are milliseconds, sizes bytes,
// rates FLOP per second as named.
#include <nlohmann/json.hpp>

#include "advisor/facts/experiments.h"
#include "advisor/report/config_json.h"
#include "advisor/report/errors_json.h"
#include "advisor/report/figure_claims.h"
#include "advisor/report/finding_fields.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/products.h"
#include "advisor/report/report.h"
#include "advisor/report/trial_samples.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/fields.h"
#include "core/config/read_config.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor::advisor {
namespace {

using fields::Json;
using fields::to_value;

// docs/schema/report.schema.json says which changes raise which number.
constexpr std::string_view schema_version = "1.11";

std::string str(std::string_view text) { return to_valid_utf8(text); }

template <class Number>
Json positive(Number value) {
  return value > 0 ? Json(value) : Json(nullptr);
}
Json known(double value) { return value >= 0 ? Json(value) : Json(nullptr); }
Json whole_or_null(std::int64_t value) { return value >= 0 ? Json(value) : Json(nullptr); }
Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(str(text)); }

template <class Range, class Function>
Json list_of(const Range& range, Function&& function) {
  Json list = Json::array();
  for (const auto& each : range) list.push_back(function(each));
  return list;
}

template <class T>
Json field_value(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return str(value);
  } else if constexpr (std::is_enum_v<T>) {
    const auto index = static_cast<std::size_t>(value);
    const auto& spellings = Spellings<T>::values;
    return index < spellings.size() ? Json(spellings[index]) : Json(nullptr);
  } else {
    return Json(value);
  }
}

Json program_json(const ProgramContext& program) {
  Json out = Json::object();
  visit_context_fields([&](std::string_view key, auto member, std::string_view) {
    if (const auto& value = program.*member) out[std::string(key)] = field_value(*value);
  });
  return out;
}

Json device_json(const DeviceSpec& d) {
  return {{"id", str(d.id)},
          {"name", str(d.name)},
          {"architecture", str(d.architecture)},
          {"compute_capability",
           std::to_string(d.compute_major) + "." + std::to_string(d.compute_minor)},
          {"sm_count", d.sm_count},
          {"memory_bytes", d.memory_bytes},
          {"live", d.live},
          {"uuid", text_or_null(d.uuid)}};
}

Json environment_json(const Environment& e) {
  Json out = Json::object();
  for (const auto& [key, text] : columns::environment_texts)
    if (!std::string_view(key).ends_with("_path")) out[key] = str(e.*text);
  for (const auto& [key, flag] : columns::environment_flags) out[key] = e.*flag;
  out["clocks"] = list_of(e.clocks, [](const auto& c) -> Json {
    return {{"when", str(c.when)},
            {"device", c.device},
            {"sm_mhz", c.sm_mhz},
            {"memory_mhz", c.memory_mhz},
            {"temperature_c", c.temperature_c},
            {"power_mw", c.power_mw}};
  });
  return out;
}

Json phase_json(const PhaseRow& p) {
  Json timing = nullptr;
  if (p.timing != nullptr) {
    const auto& ms = p.timing->ms;
    timing = {{"median_ms", ms.median}, {"low_ms", ms.low},
              {"high_ms", ms.high},     {"confidence", ms.confidence},
              {"samples", ms.count},    {"converged", p.timing->converged}};
  }
  Json bound = nullptr;
  if (p.bound.bound_ms > 0) {
    bound = {{"bound_ms", p.bound.bound_ms},
             {"roofline_ms", p.bound.roofline_ms},
             {"sequential_ms", positive(p.bound.sequential_ms)},
             {"limited_by", p.bound.sequential_ms >= p.bound.bound_ms ? "sequential steps"
                            : p.bound.memory_bound                    ? "memory"
                                                                      : "compute"},
             {"estimate", p.bound.estimate},
             {"basis", str(p.bound.basis)}};
  }
  return {{"phase", to_string(p.phase)},
          {"timing", timing},
          {"kernel_ms", known(p.kernel_ms)},
          {"gpu_busy", known(p.busy)},
          {"gpu_busy_of",
           p.busy < 0 ? Json(nullptr) : Json(p.busy_of_traced_call ? "traced call" : "median")},
          {"implementation",
           p.implementation ? Json(model::to_string(*p.implementation)) : Json(nullptr)},
          {"tensor_cores", str(p.tensor_cores)},
          {"flops", p.cost.flops},
          {"minimum_bytes", p.cost.minimum_bytes},
          {"intensity", positive(p.cost.intensity)},
          {"tflops", positive(p.tflops)},
          {"bound", bound}};
}

Json step_json(const StepAccount& step) {
  return {{"device", step.device},
          {"step_ms", positive(step.step_ns / 1e6)},
          {"low_ms", positive(step.low_ns / 1e6)},
          {"high_ms", positive(step.high_ns / 1e6)},
          {"untraced_steps", step.untraced},
          {"traced_ms", positive(step.traced_ns / 1e6)},
          {"traced_steps", step.traced},
          {"idle", step.idle()},
          {"parts", list_of(words::parts_of(step), [](const auto& part) -> Json {
             return {{"name", part.name}, {"idle", !part.part}, {"share", part.share}};
           })}};
}

Json why_not_json(const model::WhyNot& table) {
  Json clauses = Json::array();
  for (const auto& c : table.clauses) {
    clauses.push_back({{"id", c.id},
                       {"title", str(c.title)},
                       {"required", c.required},
                       {"holds", c.holds == model::Holds::yes  ? "yes"
                                 : c.holds == model::Holds::no ? "no"
                                                               : "unknown"},
                       {"observed", str(c.observed)},
                       {"documented_by", str(c.documented_by)}});
  }
  return {{"algo", to_string(table.algo)},
          {"eligible", table.eligible},
          {"fast", table.fast},
          {"clauses", clauses},
          {"reachable", table.has_nearest},
          {"refused", text_or_null(table.refused)},
          {"changes", to_value(table.changes)}};
}

Json memory_json(const ConfigurationReport& each) {
  const auto& m = each.memory;
  return {{"weights", m.weights},
          {"weight_gradients", m.weight_gradients},
          {"x", m.x},
          {"y", m.y},
          {"dx", m.dx},
          {"dy", m.dy},
          {"states", m.states},
          {"workspace", m.workspace},
          {"reserve", m.reserve},
          {"dropout_states", m.dropout_states},
          {"total", m.total},
          {"exactness", model::to_string(m.exactness)},
          {"measured_peak", whole_or_null(each.configuration->memory_peak_used)},
          {"free_before", whole_or_null(each.configuration->memory_free_before)},
          {"program_peak", whole_or_null(each.program_memory.peak)},
          {"reserve_held", whole_or_null(each.program_memory.reserve_held)}};
}

// The keys that the user gave, as written; null where that is not known.
Json given_json(const Configuration& c) {
  if (c.given.empty()) return nullptr;
  return Json::parse(to_json_line(c.written.value_or(c.config), c.given), nullptr, false);
}

// Null where the framework chooses, and how is not known.
Json expected_json(const ConfigurationReport& each) {
  if (!each.has_device || (!each.expected && !each.framework.empty())) return nullptr;
  return model::to_string(each.expected.value_or(each.predicted.implementation));
}

Json configuration_json(const ConfigurationReport& each) {
  const Configuration& c = *each.configuration;
  Json stages = Json::array();
  for (const auto& s : c.stages) {
    stages.push_back({{"stage", model::to_string(s.stage)},
                      {"attempted", s.attempted},
                      {"status", s.status},
                      {"status_name", str(s.status_name)},
                      {"reason", str(s.reason)}});
  }
  Json predicted = nullptr;
  if (each.has_device) {
    predicted = Json::object();
    for (const auto stage : model::all_stages)
      predicted[std::string(model::to_string(stage))] = each.predicted.at(stage);
    predicted["implementation"] = model::to_string(each.predicted.implementation);
    predicted["measured_basis"] = each.predicted.measured_basis;
  }
  Json kernels = Json::array();
  for (const auto& k : each.kernels) {
    kernels.push_back({{"name", str(k.name)},
                       {"phase", to_string(k.phase)},
                       {"family", model::to_string(k.family)},
                       {"role", to_string(k.role)},
                       {"count", k.count},
                       {"total_us", k.total_us},
                       {"share", k.share}});
  }
  const Json call_sites = list_of(each.call_sites, [](const auto& site) -> Json {
    return {{"file", str(site.file)},
            {"line", positive(site.line)},
            {"function", str(site.function)},
            {"calls", site.calls},
            {"gpu_ms", known(site.gpu_ms)}};
  });
  const Json nvtx_ranges = list_of(each.nvtx_ranges, [](const auto& range) -> Json {
    return {{"name", str(range.name)}, {"calls", range.calls}, {"gpu_ms", known(range.gpu_ms)}};
  });
  Json products = Json::array();
  for (const auto& row : product_rows(each)) {
    const bool between = row.product.path == model::Path::layer_to_layer;
    const auto recorded =
        between ? recorded_unrolling(each, row.product.phase) : RecordedUnrolling();
    products.push_back({{"phase", to_string(row.product.phase)},
                        {"path", model::to_string(row.product.path)},
                        {"first_layer", row.first_layer},
                        {"last_layer", row.last_layer},
                        {"m", row.product.m},
                        {"n", row.product.n},
                        {"k", row.product.k},
                        {"count", row.product.count},
                        {"recorded_unrolling", positive(recorded.steps)}});
  }
  Json correctness = Json::array();
  for (const auto& r : c.correctness) {
    correctness.push_back({{"tensor", str(r.tensor)},
                           {"relative_error", r.relative_error},
                           {"tolerance", r.tolerance},
                           {"passed", r.passed}});
  }
  Json best = Json::object();
  for (const auto meaning : {Meaning::exact, Meaning::padded, Meaning::numerics, Meaning::model}) {
    const auto* row = each.best_trial(meaning);
    best[std::string(to_string(meaning))] = row != nullptr ? Json(row->index) : Json(nullptr);
  }
  Json verdicts = Json::array();
  for (const Verdict* v : each.verdicts) {
    Json entry = {{"rule", str(v->rule_id)}, {"verdict", to_string(v->kind)}};
    if (!v->missing.empty()) entry["missing"] = to_value(v->missing);
    if (!v->message.empty()) entry["message"] = str(v->message);
    verdicts.push_back(entry);
  }
  Json position = nullptr;
  if (each.position) {
    const SourcePosition& p = *each.position;
    position = {{"file", str(p.file)}, {"line", positive(p.line)}, {"column", positive(p.column)}};
  }
  return {{"index", each.index},
          {"name", each.name},
          {"summary", each.summary},
          {"position", position},
          {"config", config_json(c.config)},
          {"given", given_json(c)},
          {"framework", program_json(c.program)},
          {"origin", to_string(c.origin)},
          {"added_by_experiment", each.tried},
          {"experiments", list_of(each.trials, [](const auto& row) { return row.index; })},
          {"best_experiments", best},
          {"outcome", to_string(c.outcome)},
          {"message", str(c.message)},
          {"standing", to_string(each.standing)},
          {"verdict", each.verdict},
          {"device", each.has_device ? Json(c.device) : Json(nullptr)},
          {"stages", stages},
          {"predicted", predicted},
          {"calls_cudnn", each.calls_cudnn ? Json(*each.calls_cudnn) : Json(nullptr)},
          {"expected", expected_json(each)},
          {"ran", each.ran ? Json(model::to_string(*each.ran)) : Json(nullptr)},
          {"step_ms", positive(each.step_ms())},
          {"step_tflops", positive(each.step_tflops())},
          {"best_gain", each.best_gain() > 1.0005 ? Json(each.best_gain()) : Json(nullptr)},
          {"model_gain", each.model_gain() > 1.0005 ? Json(each.model_gain()) : Json(nullptr)},
          {"phases", list_of(each.phases, phase_json)},
          {"kernels", kernels},
          {"recorded_calls", each.recorded_calls},
          {"call_sites", call_sites},
          {"nvtx_ranges", nvtx_ranges},
          {"products", products},
          {"memory", memory_json(each)},
          {"why_not", list_of(each.why_not, why_not_json)},
          {"correctness", correctness},
          {"findings", list_of(each.findings, [](const auto* f) { return str(f->rule_id); })},
          {"verdicts", verdicts}};
}

Json figure_json(const FigureReport& f, const std::vector<FigureReport>& all) {
  Json series = Json::array();
  for (const auto& s : f.series) {
    Json points = list_of(s.points, [](const auto& p) -> Json {
      return {{"x", p.x},
              {"y", p.y},
              {"low", p.low},
              {"high", p.high},
              {"configuration", p.configuration}};
    });
    series.push_back({{"name", s.name}, {"points", points}, {"missing", s.missing}});
  }
  Json claim = nullptr;
  if (const auto verdict = judge_claim(f, all))
    claim = {{"holds", verdict->holds}, {"text", str(verdict->text)}};
  return {{"id", str(f.figure->id)},
          {"title", str(f.figure->title)},
          {"x", f.x_label},
          {"y", f.y_label},
          {"statement", str(f.figure->statement)},
          {"source", str(f.figure->source)},
          {"claim", claim},
          {"series", series}};
}

Json end_json(const std::optional<ProgramEnd>& end) {
  if (!end) return nullptr;
  return {{"exceptions", list_of(end->exceptions,
                                 [](const auto& each) -> Json {
                                   return {{"text", str(each.text)},
                                           {"errors", errors_json(each.explained)}};
                                 })},
          {"last_calls", list_of(end->calls,
                                 [](const LastCall& call) -> Json {
                                   return {{"function", str(call.function)},
                                           {"configuration", whole_or_null(call.configuration)},
                                           {"status", call.status},
                                           {"status_name", call.status_name},
                                           {"reason", text_or_null(call.reason)},
                                           {"place", text_or_null(call.place)},
                                           {"workspace_bytes", whole_or_null(call.workspace_bytes)},
                                           {"reserve_bytes", whole_or_null(call.reserve_bytes)},
                                           {"memory_free_bytes",
                                            whole_or_null(call.memory_free_bytes)}};
                                 })},
          {"memory_free_bytes", whole_or_null(end->memory_free_bytes)},
          {"fits_batch", positive(end->fits_batch)},
          {"fits_seq_length", positive(end->fits_seq_length)}};
}

Json samples_or_null(const std::vector<double>& samples) {
  return samples.empty() ? Json(nullptr) : Json(samples);
}

Json interval_json(const MedianInterval& ms) {
  return {{"median", ms.median},
          {"low", ms.low},
          {"high", ms.high},
          {"confidence", ms.confidence},
          {"count", ms.count}};
}

Json clocks_json(const GpuClocks& clocks) {
  if (!clocks.known()) return nullptr;
  Json out = {{"sm_mhz", positive(clocks.sm_mhz)},
              {"memory_mhz", positive(clocks.memory_mhz)},
              {"temperature_c", positive(clocks.temperature_c)},
              {"power_mw", positive(clocks.power_mw)},
              {"event_reasons", nullptr},
              {"throttled", nullptr}};
  if (clocks.event_reasons >= 0) {
    out["event_reasons"] = clocks.event_reasons;
    out["throttled"] = throttle_words(clocks.event_reasons);
  }
  return out;
}

Json experiment_json(const Experiment& e) {
  Json timings = Json::array(), shifts = Json::array();
  for (const auto& t : e.timings) {
    const auto far = outliers(t);
    timings.push_back({{"scope", to_string(t.scope)},
                       {"before_ms", interval_json(t.before_ms)},
                       {"after_ms", interval_json(t.after_ms)},
                       {"speedup", t.speedup},
                       {"speedup_low", t.speedup_low},
                       {"speedup_high", t.speedup_high},
                       {"control_low", positive(t.control_low)},
                       {"control_high", positive(t.control_high)},
                       {"before_samples_ms", samples_or_null(t.before_samples_ms)},
                       {"after_samples_ms", samples_or_null(t.after_samples_ms)},
                       {"control_samples_ms", samples_or_null(t.control_samples_ms)},
                       {"outliers",
                        {{"before", far.before},
                         {"after", far.after},
                         {"control", far.control},
                         {"largest_ms", far.count() > 0 ? Json(far.largest_ms) : Json(nullptr)}}}});
  }
  for (const auto& s : e.shifts) {
    shifts.push_back({{"tensor", str(s.tensor)},
                      {"from_before", known(s.from_before)},
                      {"before_error", known(s.before_error)},
                      {"after_error", known(s.after_error)}});
  }
  // Ours as a rule; in a file that was changed by hand it may be anything.
  Json transforms = Json::parse(e.transforms, nullptr, false);
  if (!transforms.is_array()) transforms = Json::array();
  return {{"configuration", e.configuration},
          {"changed", e.changed},
          {"where", str(e.where)},
          {"rule", text_or_null(e.rule)},
          {"transforms", std::move(transforms)},
          {"meaning", str(e.meaning)},
          {"verdict", to_string(e.verdict)},
          {"message", str(e.message)},
          {"device", whole_or_null(e.device)},
          {"memory_before", whole_or_null(e.memory_before)},
          {"memory_after", whole_or_null(e.memory_after)},
          {"seconds", e.seconds},
          {"clocks_before", clocks_json(e.clocks_before)},
          {"clocks_after", clocks_json(e.clocks_after)},
          {"timings", std::move(timings)},
          {"shifts", std::move(shifts)},
          {"code", to_value(e.code)}};
}

}  // namespace

Json errors_json(std::span<const ExplainedError> errors) {
  return list_of(errors, [](const ExplainedError& each) -> Json {
    const KnownError& error = *each.error;
    return {{"id", error.id},
            {"title", error.title},
            {"severity", error.warning ? "warning" : "error"},
            {"frameworks", error.frameworks},
            {"line", each.line},
            {"text", each.text},
            {"values", each.values},
            {"cause", each.cause},
            {"fixes", each.fixes},
            {"code", each.code},
            {"rule", text_or_null(error.rule)},
            {"source", error.source}};
  });
}

std::string write_errors_json(std::span<const ExplainedError> errors) {
  const Json document = {{"schema", 1}, {"errors", errors_json(errors)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json config_json(const RnnConfig& config) {
  Json out = Json::object();
  visit_config_fields([&](std::string_view key, auto member, std::string_view) {
    const auto& value = config.*member;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::optional<Algo>>) {
      if (value) out[std::string(key)] = field_value(*value);
    } else {
      out[std::string(key)] = field_value(value);
    }
  });
  return out;
}

std::string write_json(const Report& report) {
  const Profile& profile = *report.profile;
  Json out = {{"schema_version", schema_version},
              {"headline", report.headline},
              {"assumption", text_or_null(report.assumption)},
              {"counts",
               {{"configurations", report.own_configurations()},
                {"errors", report.errors},
                {"warnings", report.warnings},
                {"opportunities", report.opportunities},
                {"infos", report.infos}}},
              {"environment", environment_json(profile.environment)},
              {"devices", list_of(profile.devices, device_json)},
              {"program_end", end_json(report.end)},
              {"steps", list_of(report.judgement->steps, step_json)},
              {"findings", list_of(report.findings, [](const auto* f) { return to_value(*f); })},
              {"configurations", list_of(report.configurations, configuration_json)},
              {"figures", list_of(report.figures,
                                  [&](const auto& f) { return figure_json(f, report.figures); })},
              {"experiments", list_of(profile.experiments, experiment_json)},
              {"notes", list_of(profile.notes,
                                [](const auto& n) -> Json {
                                  return {{"severity", to_string(n.severity)},
                                          {"code", str(n.code)},
                                          {"text", str(n.text)},
                                          {"count", n.count}};
                                })},
              {"ignored_rules", to_value(report.judgement->ignored)}};
  if (report.predicted != nullptr)
    out["predicted_times"] = Json::parse(predicted_json(*report.predicted));
  // Not-a-number values become null; invalid UTF-8 was replaced above and would be again.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rnnadvisor::advisor
