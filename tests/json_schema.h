// Documents against JSON Schemas of the tree, by valijson. A program that includes this needs
// valijson's include folder (VALIJSON_INCLUDE_DIR).
#pragma once

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace rnnadvisor {

// What is wrong with the document by the schema at `path` (from the top of the tree), a line each;
// empty when it is valid.
inline std::string violations(const std::string& path, const nlohmann::json& document) {
  std::ifstream file(std::string(RNNADVISOR_SOURCE_DIR) + "/" + path);
  if (!file) throw std::runtime_error("there is no schema " + path);
  const auto schema_json = nlohmann::json::parse(file);
  valijson::Schema schema;
  valijson::SchemaParser parser;
  const valijson::adapters::NlohmannJsonAdapter schema_adapter(schema_json);
  parser.populateSchema(schema_adapter, schema);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter document_adapter(document);
  if (validator.validate(schema, document_adapter, &results)) return {};
  std::string text;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    for (const auto& part : error.context) text += part;
    text += ": " + error.description + "\n";
  }
  return text.empty() ? "invalid" : text;
}

// Of SARIF, by the official schema that tools/validators.sh gets; empty, and said on standard
// error, where it is not there.
inline std::string sarif_violations(const nlohmann::json& log) {
  const std::string schema =
      "build/validators/node_modules/@microsoft/sarif-multitool-linux/sarif-2.1.0.json";
  if (std::ifstream(std::string(RNNADVISOR_SOURCE_DIR) + "/" + schema))
    return violations(schema, log);
  std::cerr << "SKIPPED: SARIF is not compared with its official schema: there is no " << schema
            << " (tools/validators.sh gets it)\n";
  return {};
}

}  // namespace rnnadvisor
