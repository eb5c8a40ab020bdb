// Findings that a project has accepted: they are shown, and only new ones fail a run. A text file
// to be kept with the project, one finding a line.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/report/report.h"
#include "core/base/result.h"

namespace rnnadvisor::advisor {

// "launch/gpu-idle encoder": the rule, and the name of the configuration.
std::string baseline_key(const Report& report, const Finding& finding);

// The lines of a baseline; empty ones and those that begin with '#' are left out. A line that is
// none is an error with its place in `file`.
Result<std::set<std::string>> read_baseline(std::string_view text, std::string_view file);
// All findings of the report, sorted, below two lines of comment.
std::string write_baseline(const Report& report);

// Sets Finding::in_baseline in `findings`, to which the report points. Returns the entries that
// fired in none.
std::vector<std::string> mark_baseline(const std::set<std::string>& baseline, const Report& report,
                                       std::vector<Finding>& findings);

}  // namespace rnnadvisor::advisor
