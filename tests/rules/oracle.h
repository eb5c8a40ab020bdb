// A second, plainer reading of what a card says, to hold the engine's against: used by the boundary
// tests.
#pragma once

#include <functional>
#include <optional>

#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor::testing {

// The value of a fact, or nothing.
using Values = std::function<std::optional<FactValue>(int fact)>;

// What docs/writing-rules.md says the verdict must be, [valid] aside.
VerdictKind expected_verdict(const Rule& rule, const Values& values);

}  // namespace rnnadvisor::advisor::testing
