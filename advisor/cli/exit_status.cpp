#include "advisor/cli/exit_status.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace rnnadvisor::cli {

int exit_status(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::parse:
    case ErrorCode::not_found:
    case ErrorCode::newer_version:
    case ErrorCode::damaged:
      return exit_bad_input;
    case ErrorCode::interrupted:
      return exit_interrupted;
    case ErrorCode::io:
    case ErrorCode::unsupported:
    case ErrorCode::out_of_memory:
    case ErrorCode::cuda:
    case ErrorCode::cudnn:
    case ErrorCode::cupti:
    case ErrorCode::database:
    case ErrorCode::internal:
      return exit_environment;
  }
  return exit_environment;
}

Result<FailOn> parse_fail_on(std::string_view text) {
  if (text == "never") return FailOn{};
  if (const auto severity = advisor::parse_severity(text)) return FailOn{severity};
  static constexpr std::string_view words[] = {"error", "warning", "opportunity", "info", "never"};
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("--fail-on: '{}' is no severity", to_valid_utf8(text)),
      fmt::format("use error, warning, opportunity, info or never{}{}",
                  did_you_mean(text, words).empty() ? "" : "; ", did_you_mean(text, words)));
}

int exit_status(std::span<const advisor::Finding> findings, const FailOn& fail_on) {
  if (!fail_on.threshold) return exit_ok;
  const bool failed = std::any_of(findings.begin(), findings.end(), [&](const auto& finding) {
    return finding.severity >= *fail_on.threshold && !finding.in_baseline;
  });
  return failed ? exit_findings : exit_ok;
}

int exit_status(const advisor::Report& report, const FailOn& fail_on) {
  return fail_on.threshold && report.fails(*fail_on.threshold) ? exit_findings : exit_ok;
}

}  // namespace rnnadvisor::cli
