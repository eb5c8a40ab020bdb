// What tests of the report's formats share: their words for what a text has to hold, and the
// documents that are JSON, parsed and held against their schemas.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/advisor/report/fixture.h"
#include "tests/json_schema.h"

namespace rnnadvisor::advisor {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

inline Json json_of(const Report& report) {
  Json document = Json::parse(write_json(report));
  EXPECT_EQ(violations("docs/schema/report.schema.json", document), "");
  return document;
}

// The only run of the log.
inline Json sarif_of(const Report& report) {
  Json log = Json::parse(write_sarif(report));
  EXPECT_EQ(sarif_violations(log), "");
  EXPECT_EQ(log["runs"].size(), 1U);
  return log["runs"][0];
}

}  // namespace rnnadvisor::advisor
