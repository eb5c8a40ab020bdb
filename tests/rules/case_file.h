// The cases beside a rule card: tests/rules/<topic>/<name>.toml. The format is documented in
// docs/writing-rules.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advisor/facts/fact.h"
#include "advisor/rules/finding.h"
#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor::testing {

struct RuleCase {
  std::string name;
  VerdictKind expect = VerdictKind::unknown;
  Profile profile;                                             // the subject is configuration 0
  std::vector<std::pair<int, std::optional<Fact>>> overrides;  // nothing: made unknown
  std::string message;               // must be part of the finding's message
  std::vector<std::string> missing;  // must be named by the verdict
  std::optional<int> suggestions;    // that many are shown
  bool still_fires = false;          // the rule may fire again after its own transform
  SourcePosition position;
};

// All cases of one file, with every mistake in it when there is one.
tl::expected<std::vector<RuleCase>, std::vector<Error>> read_case_file(const std::string& path);

}  // namespace rnnadvisor::advisor::testing
