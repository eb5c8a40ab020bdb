// One screen about a program that was recorded: who ran, what its RNN calls took, the findings that
// matter most, what a reader must know. The report has the rest.
#pragma once

#include <string>

#include "advisor/report/report.h"

namespace rnnadvisor::cli {

inline constexpr std::size_t summary_rows = 5;  // configurations, findings and notes, each at most

std::string profile_summary(const advisor::Report& report, const advisor::TextOptions& options);

}  // namespace rnnadvisor::cli
