// Where findings stand in the user's files, for formats that lead a code host or an editor there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "advisor/report/report.h"
#include "core/base/result.h"

namespace rnnadvisor::advisor {

struct SourcePlaces {
  // The profile that was read; empty where there is none. It has no lines.
  std::string artifact;
  // The folder of the project, absolute: lines of a recorded program count that lie below it.
  // Empty: none do.
  std::string folder;
  // By configuration and key (core/config/key_positions.h): a finding points to the key that it is
  // about.
  std::vector<std::map<std::string, SourcePosition>> keys;
};

// The key of a configuration file that the finding is about, else where its configuration begins;
// of a recorded program the line that calls cuDNN most, relative to the folder; else the artifact.
// Without a file where there is none of these.
SourcePosition source_of(const Report& report, const Finding& finding, const SourcePlaces& places);

std::string write_sarif(const Report& report, const SourcePlaces& places);
// Annotations of GitHub's workflows: a line for each finding that asks for something and is not in
// the baseline, the headline last.
std::string write_github(const Report& report, const SourcePlaces& places);

}  // namespace rnnadvisor::advisor
