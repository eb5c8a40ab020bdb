// The exit statuses of rnnadvisor: a documented contract, stated in the help, the man page and
// here.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "advisor/report/report.h"
#include "advisor/rules/finding.h"
#include "core/base/result.h"

namespace rnnadvisor::cli {

inline constexpr int exit_ok = 0;  // fine
inline constexpr int exit_findings =
    1;  // findings at or above --fail-on, or configurations that did not run
inline constexpr int exit_bad_input = 2;      // usage, or input that is wrong
inline constexpr int exit_environment = 3;    // no GPU, no library, no permission, disk full
inline constexpr int exit_interrupted = 130;  // Ctrl-C: the file holds what was finished

// The status of a command that failed with this error.
int exit_status(const Error& error);

// "error", "warning", "opportunity", "info": that severity; "never": nothing.
struct FailOn {
  std::optional<advisor::Severity> threshold;
};
Result<FailOn> parse_fail_on(std::string_view text);

// 1 when a finding is at or above the threshold, else 0.
int exit_status(std::span<const advisor::Finding> findings, const FailOn& fail_on);
// The same of all that the report counts: also an exception that ended the program, an error.
int exit_status(const advisor::Report& report, const FailOn& fail_on);

}  // namespace rnnadvisor::cli
