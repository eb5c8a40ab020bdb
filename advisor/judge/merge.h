// One change is proposed once: rules that come to the same advice for one configuration do not
// repeat it.
#pragma once

#include <vector>

#include "advisor/facts/profile_index.h"
#include "advisor/rules/finding.h"
#include "core/model/eligibility.h"

namespace rnnadvisor::advisor {

// Of the findings of a configuration, which are in the order of advisor/judge/order.h, the first
// keeps a change that several propose; changes that make the same cuDNN calls of the configuration
// are the same. A remark, an opportunity or `not_asked_for_rule` whose every suggestion another one
// proposes is taken out and returned; any other names the rule that proposes it. A configuration is
// padded to one size in each direction, that of the first finding that pads it. Pure.
std::vector<LeftOut> merge_suggestions(std::vector<Finding>& findings, const ProfileIndex& index);

// The sizes that a suggestion pads the configuration to.
model::PaddedSizes padding_of(const Suggestion& suggestion, const RnnConfig& config);

}  // namespace rnnadvisor::advisor
