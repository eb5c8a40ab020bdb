// The sentences that sum up: how a configuration stands, and all of them together.
#pragma once

#include <string>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// Each needs findings, verdict counts and phases, verdict_of also the standing; they set nothing.
Standing standing_of(const ConfigurationReport& report);
std::string verdict_of(const ConfigurationReport& report);
std::string headline_of(const Report& report);

}  // namespace rnnadvisor::advisor
