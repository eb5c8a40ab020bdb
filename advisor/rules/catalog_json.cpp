// The JSON of `rnnadvisor rules list | explain | facts | check`. Keys follow the names in the
// cards.
#include <nlohmann/json.hpp>

#include "advisor/change/transform.h"
#include "advisor/change/transform_code.h"
#include "advisor/rules/catalog.h"
#include "advisor/rules/describe.h"
#include "advisor/rules/rule_files.h"

namespace rnnadvisor::advisor {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;

// Text comes from cards and file names: what is not UTF-8 is replaced, never thrown at.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_json(const Condition& condition) {
  Json json = {{"fact", fact_definition(condition.fact).name},
               {"operator", to_string(condition.op)},
               {"threshold", condition.threshold},
               {"unit", fact_definition(condition.fact).unit}};
  if (condition.other_fact >= 0) json["other_fact"] = fact_definition(condition.other_fact).name;
  return json;
}

Json to_json(const ConditionSet& set) {
  Json all = Json::array(), any = Json::array();
  for (const auto& condition : set.all) all.push_back(to_json(condition));
  for (const auto& group : set.any) {
    Json list = Json::array();
    for (const auto& condition : group) list.push_back(to_json(condition));
    any.push_back(std::move(list));
  }
  return {{"all", std::move(all)}, {"any_of", std::move(any)}};
}

Json to_json(const SuggestionTemplate& suggestion) {
  Json json = {{"text", suggestion.text}};
  if (!suggestion.code.empty()) json["code"] = suggestion.code;
  if (!suggestion.framework.empty()) json["framework"] = suggestion.framework;
  if (!suggestion.applies_when.empty()) json["applies_when"] = to_json(suggestion.applies_when);
  if (suggestion.transform) {
    Json parameters = Json::parse(suggestion.transform->json, nullptr, false);
    for (const auto& by_fact : suggestion.transform_facts) {
      parameters[by_fact.parameter] = {{"fact", fact_definition(by_fact.fact).name}};
    }
    json["transform"] = {{"kind", suggestion.transform->kind},
                         {"parameters", std::move(parameters)},
                         {"meaning", to_string(suggestion.transform->meaning)}};
    // As in the text: of the framework that the suggestion is for, else of each.
    const auto framework = parse_enum<Framework>(suggestion.framework);
    Json write = Json::object();
    for (const auto& column : code_columns()) {
      if (framework && &code_column(*framework) != &column) continue;
      const auto code = code_for(*suggestion.transform, column);
      write[std::string(column.key)] =
          code.can() ? Json{{"language", column.language}, {"code", code.code}}
                     : Json{{"cannot", code.cannot}};
    }
    json["transform"]["write"] = std::move(write);
    for (const auto& each : suggestion.with) {
      json["with"].push_back({{"kind", each.kind},
                              {"parameters", Json::parse(each.json, nullptr, false)},
                              {"meaning", to_string(each.meaning)}});
    }
  }
  return json;
}

Json to_json(const GainSource& gain) {
  Json json = {{"scope", gain.scope}};
  if (gain.fact.empty()) {
    json["speedup"] = gain.speedup;
  } else {
    json["fact"] = gain.fact;
    if (!gain.low.empty()) json["low"] = gain.low;
    if (!gain.high.empty()) json["high"] = gain.high;
  }
  if (!gain.source.empty()) json["source"] = gain.source;
  if (!gain.once.empty()) json["once"] = gain.once;
  if (!gain.applies_when.empty()) json["applies_when"] = to_json(gain.applies_when);
  return json;
}

Json to_json(const Citation& citation) {
  return {{"source", citation.source},   {"section", citation.section},
          {"version", citation.version}, {"url", citation.url},
          {"quote", citation.quote},     {"tag", std::string(1, citation.tag)}};
}

Json head(const Rule& rule) {
  return {{"id", rule.id},
          {"criterion", rule.criterion},
          {"title", rule.title},
          {"severity", to_string(rule.severity)},
          {"confidence", to_string(rule.confidence)},
          {"consequence", rule.consequence},
          {"builtin", rule.builtin}};
}

Json to_json(const Rule& rule) {
  Json json = head(rule);
  json["title_passed"] = rule.title_passed;
  json["applies_when"] = to_json(rule.applies_when);
  json["when"] = to_json(rule.when);
  json["message"] = rule.message;
  json["explanation"] = rule.explanation;
  for (const auto* key : {"suggestions", "gains", "citations"}) json[key] = Json::array();
  for (const auto& suggestion : rule.suggestions)
    json["suggestions"].push_back(to_json(suggestion));
  for (const auto& gain : rule.gains) json["gains"].push_back(to_json(gain));
  for (const auto& citation : rule.citations) json["citations"].push_back(to_json(citation));
  Json records = Json::array();
  for (const auto& record : rule.validity) {
    records.push_back({{"device", record.device},
                       {"cudnn", record.cudnn},
                       {"date", record.date},
                       {"effect", record.effect},
                       {"evidence", record.evidence},
                       {"agree", record.agree},
                       {"refute", record.refute}});
  }
  json["valid"] = {{"cudnn", rule.cudnn_range},
                   {"architectures", rule.architectures},
                   {"devices", rule.devices},
                   {"records", std::move(records)}};
  json["file"] = rule.file;
  return json;
}

}  // namespace

std::string list_rules_json(const RuleSet& rules) {
  Json list = Json::array();
  for (const auto& rule : rules.rules) list.push_back(head(rule));
  return dump({{"schema", schema_version}, {"rules", std::move(list)}});
}

Result<std::string> explain_rule_json(const RuleSet& rules, std::string_view id) {
  const Rule* rule = rules.find(id);
  if (!rule) return fail(unknown_rule(rules, id));
  return dump({{"schema", schema_version}, {"rule", to_json(*rule)}});
}

std::string list_facts_json() {
  Json facts = Json::array();
  for (const auto& fact : fact_catalogue()) {
    Json json = {{"name", fact.name},
                 {"type", to_string(fact.type)},
                 {"unit", fact.unit},
                 {"description", fact.description}};
    if (!fact.values.empty()) json["values"] = fact.values;
    facts.push_back(std::move(json));
  }
  Json transforms = Json::array();
  for (const auto& kind : transform_kinds()) {
    Json parameters = Json::array();
    for (const auto& parameter : kind.parameters) {
      Json json = {{"name", parameter.name},
                   {"type", to_string(parameter.type)},
                   {"description", parameter.description}};
      if (parameter.type == ParameterType::text) {
        json["values"] = Json::array();
        for (const auto value : parameter.values) json["values"].push_back(value);
      } else if (parameter.type != ParameterType::boolean) {
        json["least"] = parameter.least;
        json["most"] = parameter.most;
      }
      parameters.push_back(std::move(json));
    }
    transforms.push_back({{"name", kind.name},
                          {"meaning", to_string(kind.meaning)},
                          {"description", kind.description},
                          {"configuration", kind.configurations},
                          {"parameters", std::move(parameters)}});
  }
  return dump({{"schema", schema_version},
               {"facts", std::move(facts)},
               {"transforms", std::move(transforms)}});
}

std::string check_rules_json(const CheckResult& result) {
  Json errors = Json::array();
  for (const auto& error : result.errors) {
    Json json = {
        {"code", to_string(error.code)}, {"message", error.message}, {"remedy", error.remedy}};
    if (error.where) {
      json["file"] = error.where->file;
      json["line"] = error.where->line;
      json["column"] = error.where->column;
    }
    json["notes"] = error.notes;
    errors.push_back(std::move(json));
  }
  return dump({{"schema", schema_version}, {"cards", result.cards}, {"errors", std::move(errors)}});
}

}  // namespace rnnadvisor::advisor
