// The report as JSON, for programs: docs/schema/report.schema.json describes it. Keys keep their
// meaning within a major schema version; null means not known. Times are milliseconds, sizes bytes,
// rates FLOP per second as named.
#include <nlohmann/json.hpp>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/facts/experiments.h"
#include "advisor/report/config_json.h"
#include "advisor/report/figure_claims.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/products.h"
#include "advisor/report/report.h"
#include "advisor/report/trial_samples.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/fields.h"
#include "core/config/read_config.h"

namespace rnnadvisor::advisor {
namespace {

using Json = nlohmann::ordered_json;

// docs/schema/report.schema.json says which changes raise which number.
constexpr std::string_view schema_version = "1.7";

std::string str(std::string_view text) { return to_valid_utf8(text); }

Json positive(double value) { return value > 0 ? Json(value) : Json(nullptr); }
Json known(double value) { return value >= 0 ? Json(value) : Json(nullptr); }
Json bytes_or_null(std::int64_t value) { return value >= 0 ? Json(value) : Json(nullptr); }

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
          {"uuid", d.uuid.empty() ? Json(nullptr) : Json(str(d.uuid))}};
}

Json environment_json(const Environment& e) {
  Json clocks = Json::array();
  for (const auto& c : e.clocks) {
    clocks.push_back({{"when", str(c.when)},
                      {"device", c.device},
                      {"sm_mhz", c.sm_mhz},
                      {"memory_mhz", c.memory_mhz},
                      {"temperature_c", c.temperature_c},
                      {"power_mw", c.power_mw}});
  }
  return {{"rnnadvisor_version", str(e.rnnadvisor_version)},
          {"command_line", str(e.command_line)},
          {"host", str(e.host)},
          {"operating_system", str(e.operating_system)},
          {"cpu", str(e.cpu)},
          {"created", str(e.created)},
          {"driver_version", str(e.driver_version)},
          {"cuda_driver_version", str(e.cuda_driver_version)},
          {"cuda_runtime_version", str(e.cuda_runtime_version)},
          {"cudnn_version", str(e.cudnn_version)},
          {"cupti_version", str(e.cupti_version)},
          {"framework", str(e.framework)},
          {"framework_version", str(e.framework_version)},
          {"tracing", e.tracing},
          {"counters", e.counters},
          {"clocks", clocks}};
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

Json comparisons_json(const std::vector<Comparison>& comparisons) {
  Json out = Json::array();
  for (const auto& c : comparisons) {
    out.push_back({{"fact", str(c.fact)},
                   {"op", str(c.op)},
                   {"threshold", str(c.threshold)},
                   {"observed", str(c.observed)},
                   {"unit", str(c.unit)},
                   {"provenance", to_string(c.provenance)},
                   {"holds", c.holds}});
  }
  return out;
}

Json change_json(const Transform& change) {
  Json parameters = Json::parse(change.json, nullptr, false);
  if (!parameters.is_object()) parameters = Json::object();
  return Json{{"kind", str(change.kind)},
              {"parameters", parameters},
              {"meaning", to_string(change.meaning)}};
}

Json changes_json(std::span<const Transform> changes) {
  Json out = Json::array();
  for (const auto& change : changes) out.push_back(change_json(change));
  return out;
}

Json gain_json(const Gain& g) {
  const bool interval = g.high > 0;
  return {{"speedup", g.speedup},
          {"low", interval ? Json(g.low) : Json(nullptr)},
          {"high", interval ? Json(g.high) : Json(nullptr)},
          {"saved_bytes", g.saved_bytes},
          {"basis", to_string(g.basis)},
          {"estimate", g.basis != GainBasis::measured_here},
          {"scope", str(g.scope)},
          {"source", str(g.source)},
          {"another_model", g.another_model},
          {"change", str(g.change)},
          {"changes", changes_json(g.changes)}};
}

Json possible_json(const Gain& g) {
  return {{"speedup", g.speedup}, {"low", positive(g.low)},   {"high", positive(g.high)},
          {"scope", str(g.scope)}, {"source", str(g.source)}, {"once", str(g.once)}};
}

Json saving_json(const std::optional<StepSaving>& saving) {
  if (!saving) return nullptr;
  return {{"share", saving->share},
          {"low", saving->low},
          {"high", saving->high},
          {"step_ms", positive(saving->step_ms)},
          {"outside", saving->outside}};
}

Json step_json(const StepAccount& step) {
  Json parts = Json::array();
  for (const auto& part : words::parts_of(step))
    parts.push_back({{"name", part.name}, {"idle", !part.part}, {"share", part.share}});
  return {{"device", step.device},
          {"step_ms", positive(step.step_ns / 1e6)},
          {"low_ms", positive(step.low_ns / 1e6)},
          {"high_ms", positive(step.high_ns / 1e6)},
          {"untraced_steps", step.untraced},
          {"idle", step.idle()},
          {"parts", std::move(parts)}};
}

Json trial_json(const std::optional<TrialOutcome>& trial) {
  if (!trial) return nullptr;
  const bool timed = trial->speedup > 0;
  return {{"experiment", trial->experiment},
          {"verdict", to_string(trial->verdict)},
          {"meaning", to_string(trial->meaning)},
          {"scope", timed ? Json(str(trial->scope)) : Json(nullptr)},
          {"speedup", positive(trial->speedup)},
          {"low", timed ? Json(trial->low) : Json(nullptr)},
          {"high", timed ? Json(trial->high) : Json(nullptr)},
          {"control_low", positive(trial->control_low)},
          {"control_high", positive(trial->control_high)},
          {"message", str(trial->message)},
          {"device", trial->device.empty() ? Json(nullptr) : Json(str(trial->device))}};
}

Json finding_json(const Finding& f) {
  Json suggestions = Json::array();
  for (const auto& s : f.suggestions) {
    const Json transform = s.transform ? change_json(*s.transform) : Json(nullptr);
    const Json with = changes_json(s.with);
    const bool off = withdrawn(f, s);
    suggestions.push_back(
        {{"text", str(s.text)},
         {"refuted", off},
         {"code", off ? Json("") : Json(str(s.code))},
         {"framework", str(s.framework)},
         {"cannot", s.cannot.empty() ? Json(nullptr) : Json(str(s.cannot))},
         {"change",
          s.transform ? Json(str(change_in_words(to_json(changes_of(s))))) : Json(nullptr)},
         {"transform", transform},
         {"with", with},
         {"effort", s.transform ? Json(to_string(s.effort)) : Json(nullptr)},
         {"trial", trial_json(s.trial)}});
  }
  Json citations = Json::array();
  for (const auto& c : f.citations) {
    citations.push_back({{"source", str(c.source)},
                         {"section", str(c.section)},
                         {"version", str(c.version)},
                         {"url", str(c.url)},
                         {"quote", str(c.quote)},
                         {"known_by", words::citation_tag(c.tag)}});
  }
  Json validity = Json::array();
  for (const auto& v : f.validity) {
    validity.push_back({{"device", str(v.device)},
                        {"cudnn", str(v.cudnn)},
                        {"date", str(v.date)},
                        {"effect", str(v.effect)},
                        {"evidence", str(v.evidence)},
                        {"agree", v.agree},
                        {"refute", v.refute}});
  }
  return {{"rule", str(f.rule_id)},
          {"criterion", str(f.criterion)},
          {"title", str(f.title)},
          {"severity", to_string(f.severity)},
          {"section", is_remark(f) ? "remark" : "action"},
          {"confidence", to_string(f.confidence)},
          {"message", str(f.message)},
          {"configuration", f.configuration},
          {"gain", f.gain ? gain_json(*f.gain) : Json(nullptr)},
          {"possible_gain", f.possible ? possible_json(*f.possible) : Json(nullptr)},
          {"saving", saving_json(f.saving)},
          {"rule_saving", saving_json(f.rule_saving)},
          {"trial", trial_json(f.trial)},
          {"refuted", refuted(f) ? Json(words::refuted(f)) : Json(nullptr)},
          {"comparisons", comparisons_json(f.comparisons)},
          {"context", comparisons_json(f.context)},
          {"evidence",
           {{"calls", f.calls},
            {"kernels", f.kernels},
            {"all_calls", std::max(f.all_calls, static_cast<std::int64_t>(f.calls.size()))},
            {"all_kernels", std::max(f.all_kernels, static_cast<std::int64_t>(f.kernels.size()))}}},
          {"suggestions", suggestions},
          {"citations", citations},
          {"validity", validity}};
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
  Json changes = Json::array();
  for (const auto& change : table.changes) changes.push_back(str(change));
  return {{"algo", to_string(table.algo)},
          {"eligible", table.eligible},
          {"fast", table.fast},
          {"clauses", clauses},
          {"reachable", table.has_nearest},
          {"refused", table.refused.empty() ? Json(nullptr) : Json(str(table.refused))},
          {"changes", changes}};
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
          {"measured_peak", bytes_or_null(each.configuration->memory_peak_used)},
          {"free_before", bytes_or_null(each.configuration->memory_free_before)},
          {"program_peak", bytes_or_null(each.program_memory.peak)},
          {"reserve_held", bytes_or_null(each.program_memory.reserve_held)}};
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
  Json phases = Json::array();
  for (const auto& p : each.phases) phases.push_back(phase_json(p));
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
  Json call_sites = Json::array(), nvtx_ranges = Json::array();
  for (const auto& site : each.call_sites) {
    call_sites.push_back({{"file", str(site.file)},
                          {"line", site.line > 0 ? Json(site.line) : Json(nullptr)},
                          {"function", str(site.function)},
                          {"calls", site.calls},
                          {"gpu_ms", known(site.gpu_ms)}});
  }
  for (const auto& range : each.nvtx_ranges)
    nvtx_ranges.push_back(
        {{"name", str(range.name)}, {"calls", range.calls}, {"gpu_ms", known(range.gpu_ms)}});
  Json products = Json::array();
  for (const auto& row : product_rows(each)) {
    const bool between = row.product.path == model::Path::layer_to_layer;
    const auto recorded =
        between ? recorded_unrolling(each, row.product.phase) : RecordedUnrolling();
    products.push_back(
        {{"phase", to_string(row.product.phase)},
         {"path", model::to_string(row.product.path)},
         {"first_layer", row.first_layer},
         {"last_layer", row.last_layer},
         {"m", row.product.m},
         {"n", row.product.n},
         {"k", row.product.k},
         {"count", row.product.count},
         {"recorded_unrolling", recorded.steps > 0 ? Json(recorded.steps) : Json(nullptr)}});
  }
  Json why_not = Json::array();
  for (const auto& table : each.why_not) why_not.push_back(why_not_json(table));
  Json correctness = Json::array();
  for (const auto& r : c.correctness) {
    correctness.push_back({{"tensor", str(r.tensor)},
                           {"relative_error", r.relative_error},
                           {"tolerance", r.tolerance},
                           {"passed", r.passed}});
  }
  Json findings = Json::array();
  for (const Finding* f : each.findings) findings.push_back(str(f->rule_id));
  Json tried = Json::array();
  for (const auto& row : each.trials) tried.push_back(row.index);
  Json best = Json::object();
  for (const auto meaning : {Meaning::exact, Meaning::padded, Meaning::numerics, Meaning::model}) {
    const auto* row = each.best_trial(meaning);
    best[std::string(to_string(meaning))] = row != nullptr ? Json(row->index) : Json(nullptr);
  }
  Json verdicts = Json::array();
  for (const Verdict* v : each.verdicts) {
    Json missing = Json::array();
    for (const auto& fact : v->missing) missing.push_back(str(fact));
    Json entry = {{"rule", str(v->rule_id)}, {"verdict", to_string(v->kind)}};
    if (!missing.empty()) entry["missing"] = missing;
    if (!v->message.empty()) entry["message"] = str(v->message);
    verdicts.push_back(entry);
  }
  Json position = nullptr;
  if (each.position) {
    const SourcePosition& p = *each.position;
    position = {{"file", str(p.file)},
                {"line", p.line > 0 ? Json(p.line) : Json(nullptr)},
                {"column", p.column > 0 ? Json(p.column) : Json(nullptr)}};
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
          {"experiments", tried},
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
          {"phases", phases},
          {"kernels", kernels},
          {"recorded_calls", each.recorded_calls},
          {"call_sites", call_sites},
          {"nvtx_ranges", nvtx_ranges},
          {"products", products},
          {"memory", memory_json(each)},
          {"why_not", why_not},
          {"correctness", correctness},
          {"findings", findings},
          {"verdicts", verdicts}};
}

Json figure_json(const FigureReport& f, const std::vector<FigureReport>& all) {
  Json series = Json::array();
  for (const auto& s : f.series) {
    Json points = Json::array();
    for (const auto& p : s.points)
      points.push_back({{"x", p.x},
                        {"y", p.y},
                        {"low", p.low},
                        {"high", p.high},
                        {"configuration", p.configuration}});
    Json missing = Json::array();
    for (const auto& m : s.missing) missing.push_back(m);
    series.push_back({{"name", s.name}, {"points", points}, {"missing", missing}});
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

Json error_or_null(double error) { return error < 0 ? Json(nullptr) : Json(error); }

Json clocks_json(const GpuClocks& clocks) {
  if (!clocks.known()) return nullptr;
  const auto of = [](int value) { return value > 0 ? Json(value) : Json(nullptr); };
  Json out = {{"sm_mhz", of(clocks.sm_mhz)},
              {"memory_mhz", of(clocks.memory_mhz)},
              {"temperature_c", of(clocks.temperature_c)},
              {"power_mw", of(clocks.power_mw)},
              {"event_reasons", nullptr},
              {"throttled", nullptr}};
  if (clocks.event_reasons >= 0) {
    out["event_reasons"] = clocks.event_reasons;
    out["throttled"] = throttle_words(clocks.event_reasons);
  }
  return out;
}

Json experiment_json(const Experiment& e) {
  Json timings = Json::array(), shifts = Json::array(), code = Json::array();
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
                      {"from_before", error_or_null(s.from_before)},
                      {"before_error", error_or_null(s.before_error)},
                      {"after_error", error_or_null(s.after_error)}});
  }
  for (const auto& c : e.code)
    code.push_back({{"name", str(c.name)}, {"language", str(c.language)}, {"text", str(c.text)}});
  // Ours as a rule; in a file that was changed by hand it may be anything.
  Json transforms = Json::parse(e.transforms, nullptr, false);
  if (!transforms.is_array()) transforms = Json::array();
  return {{"configuration", e.configuration},
          {"changed", e.changed},
          {"where", str(e.where)},
          {"rule", e.rule.empty() ? Json(nullptr) : Json(str(e.rule))},
          {"transforms", std::move(transforms)},
          {"meaning", str(e.meaning)},
          {"verdict", to_string(e.verdict)},
          {"message", str(e.message)},
          {"device", e.device < 0 ? Json(nullptr) : Json(e.device)},
          {"memory_before", e.memory_before < 0 ? Json(nullptr) : Json(e.memory_before)},
          {"memory_after", e.memory_after < 0 ? Json(nullptr) : Json(e.memory_after)},
          {"seconds", e.seconds},
          {"clocks_before", clocks_json(e.clocks_before)},
          {"clocks_after", clocks_json(e.clocks_after)},
          {"timings", std::move(timings)},
          {"shifts", std::move(shifts)},
          {"code", std::move(code)}};
}

}  // namespace

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
  Json devices = Json::array();
  for (const auto& d : profile.devices) devices.push_back(device_json(d));
  Json configurations = Json::array();
  for (const auto& each : report.configurations) configurations.push_back(configuration_json(each));
  Json findings = Json::array();
  for (const Finding* f : report.findings) findings.push_back(finding_json(*f));
  Json figures = Json::array();
  for (const auto& f : report.figures) figures.push_back(figure_json(f, report.figures));
  Json experiments = Json::array();
  for (const auto& e : profile.experiments) {
    experiments.push_back(experiment_json(e));
  }
  Json notes = Json::array();
  for (const auto& n : profile.notes) {
    notes.push_back({{"severity", to_string(n.severity)},
                     {"code", str(n.code)},
                     {"text", str(n.text)},
                     {"count", n.count}});
  }
  Json steps = Json::array();
  for (const auto& step : report.judgement->steps) steps.push_back(step_json(step));
  Json ignored = Json::array();
  for (const auto& rule : report.judgement->ignored) ignored.push_back(str(rule));
  Json out = {{"schema_version", schema_version},
              {"headline", report.headline},
              {"assumption", report.assumption.empty() ? Json(nullptr) : Json(report.assumption)},
              {"counts",
               {{"configurations", report.own_configurations()},
                {"errors", report.errors},
                {"warnings", report.warnings},
                {"opportunities", report.opportunities},
                {"infos", report.infos}}},
              {"environment", environment_json(profile.environment)},
              {"devices", devices},
              {"steps", steps},
              {"findings", findings},
              {"configurations", configurations},
              {"figures", figures},
              {"experiments", experiments},
              {"notes", notes},
              {"ignored_rules", ignored}};
  if (report.predicted != nullptr)
    out["predicted_times"] = Json::parse(predicted_json(*report.predicted));
  // Not-a-number values become null; invalid UTF-8 was replaced above and would be again.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rnnadvisor::advisor
