// The definitions of a finding in docs/schema/report.schema.json are those of finding_fields.h.
#include "advisor/report/finding_fields.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace rnnadvisor::advisor::fields {
namespace {

constexpr const char* schema_path = RNNADVISOR_SOURCE_DIR "/docs/schema/report.schema.json";

template <class T>
Json reference() {
  return {{"$ref", "#/definitions/" + std::string(Fields<T>::name)}};
}

template <class T>
Json schema_of() {
  if constexpr (std::is_same_v<T, Json>) {
    return {{"type", "object"}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<T>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return {{"type", "string"}};
  } else if constexpr (std::is_enum_v<T>) {
    Json words = Json::array();
    for (int i = 0; to_string(static_cast<T>(i)) != "?"; ++i)
      words.push_back(to_string(static_cast<T>(i)));
    return {{"enum", words}};
  } else if constexpr (is_vector<T>) {
    return {{"type", "array"}, {"items", schema_of<typename T::value_type>()}};
  } else if constexpr (is_optional<T>) {
    Json schema = schema_of<typename T::value_type>();
    if (schema.contains("$ref"))
      return {{"oneOf", Json::array({std::move(schema), Json{{"type", "null"}}})}};
    if (schema.contains("enum")) {
      schema["enum"].push_back(nullptr);
    } else {
      schema["type"] = Json::array({schema["type"], "null"});
    }
    return schema;
  } else {
    return reference<T>();
  }
}

template <class T>
Json definition() {
  Json required = Json::array(), properties = Json::object();
  visit_fields<T>([&](const auto& field) {
    using Value = std::decay_t<decltype(std::invoke(field.of, std::declval<const T&>()))>;
    Json schema = schema_of<Value>();
    if (!field.meaning.empty()) schema["description"] = field.meaning;
    if (!field.unit.empty()) schema["unit"] = field.unit;
    required.push_back(field.name);
    properties[std::string(field.name)] = std::move(schema);
  });
  return {{"type", "object"},
          {"description", Fields<T>::meaning},
          {"additionalProperties", false},
          {"required", std::move(required)},
          {"properties", std::move(properties)}};
}

template <class... T>
Json definitions() {
  Json all = Json::object();
  ((all[std::string(Fields<T>::name)] = definition<T>()), ...);
  return all;
}

// Objects down to `depth` have a line for each of their members, as in the rest of the file.
std::string written(const Json& value, int depth, const std::string& indent) {
  if (!value.is_structured()) return value.dump();
  const bool broken = depth > 0 && value.is_object();
  const std::string inner = broken ? indent + "  " : indent;
  std::string out;
  for (const auto& [key, each] : value.items()) {
    if (!out.empty()) out += broken ? ",\n" + inner : ", ";
    if (value.is_object()) out += Json(key).dump() + ": ";
    out += written(each, depth - 1, inner);
  }
  if (broken) out = "\n" + inner + out + "\n" + indent;
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

TEST(FindingFields, AreThoseOfTheSchema) {
  const Json made = definitions<Comparison, Transform, Gain, StepSaving, TrialOutcome, SuggestionOf,
                                Citation, ValidityRecord, Evidence, Finding>();
  std::ifstream file(schema_path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr) {
    const std::string begin = "\n    \"comparison\": {", end = "\n    \"configuration\": {";
    const auto from = text.find(begin), to = text.find(end, from);
    ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
    std::string all = "\n";
    for (const auto& [name, each] : made.items())
      all += "    \"" + name + "\": " + written(each, 2, "    ") + ",\n";
    all.pop_back();
    text.replace(from, to - from, all);
    std::ofstream(schema_path) << text;
  }
  const auto schema = Json::parse(text);
  for (const auto& [name, each] : made.items())
    EXPECT_EQ(nlohmann::json(schema["definitions"][name]), nlohmann::json(each))
        << name << ": RNNADVISOR_UPDATE_GOLDEN=1 writes " << schema_path;
}

}  // namespace
}  // namespace rnnadvisor::advisor::fields
