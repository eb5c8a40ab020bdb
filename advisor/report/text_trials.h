// "Tried and measured" on a terminal.
#pragma once

#include "advisor/report/terminal.h"

namespace rnnadvisor::advisor {

// The heading, a table of what was tried, and the best of each meaning. Nothing where nothing was
// tried.
void draw_trials(Terminal& terminal, const ConfigurationReport& each, bool verbose);

// Code as it is, below a suggestion or a change.
void draw_code(Terminal& terminal, std::string_view text);

// Lines below a suggestion: why the framework cannot express it, and what came of trying it.
void draw_outcome(Terminal& terminal, const Suggestion& suggestion);
// The same of a finding whose trial is of none of its suggestions.
void draw_outcome(Terminal& terminal, const Finding& finding);

}  // namespace rnnadvisor::advisor
