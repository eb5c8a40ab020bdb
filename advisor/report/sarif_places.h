// What a SARIF log can point to beside the configurations' own positions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "advisor/report/report.h"
#include "core/base/result.h"

namespace rnnadvisor::advisor {

struct SarifPlaces {
  // The profile that was read; empty where there is none. It has no lines.
  std::string artifact;
  // By configuration and key (core/config/key_positions.h): a finding points to the key that it is
  // about.
  std::vector<std::map<std::string, SourcePosition>> keys;
};

std::string write_sarif(const Report& report, const SarifPlaces& places);

}  // namespace rnnadvisor::advisor
