// The sentences that sum up: how a configuration stands, and all of them together.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// Each needs findings, verdict counts and phases, verdict_of also the standing; they set nothing.
Standing standing_of(const ConfigurationReport& report);
Standing standing_of(const Finding& finding);  // what it asks for; a remark leaves all fine
std::string verdict_of(const ConfigurationReport& report);
std::string headline_of(const Report& report);

// Whether it is expected to make a layer faster that computes what it does now (exactly, padded, or
// but for rounding). Another model, such as one with twice the batch, is a choice of its own and
// not what there is to gain here; remarks ask for nothing.
bool promises_speed(const Finding& finding);

// What following the finding's rule gains in the whole step of the program, of which the layer is a
// part (Finding::rule_saving); of calls outside of steps, in the recorded time. A program's verdict
// tells this. Nothing where the gain is of the step itself, or the layer's share is not known.
std::optional<Gain> step_gain(const Finding& finding);
// What stands beside the finding where findings are listed, so that their numbers compare: the gain
// in the program's step where that is known, else its own.
std::optional<Gain> gain_in_program(const Finding& finding);

// Of findings in their order the first that promises_speed(): the gain that a headline tells is of
// what the report says to do first. Null where there is none.
const Finding* first_gain(std::span<const Finding* const> findings);

}  // namespace rnnadvisor::advisor
