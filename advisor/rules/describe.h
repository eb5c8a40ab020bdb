// Conditions and cards in words: shared by the texts of the command line and the generated pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {

// "is not a multiple of" for "not_multiple_of", an operator as cards spell it; empty for any other
// word.
std::string_view operator_words(std::string_view op);
// "call.hidden_size is not a multiple of 8"
std::string describe(const Condition& condition);
// One line per condition; groups as "one of: …".
std::vector<std::string> describe(const ConditionSet& set);
// "NVIDIA, Optimizing Recurrent Layers User's Guide, Quick Start Checklist (2023)"
std::string describe(const Citation& citation);
// "stated in the document", "measured", …
std::string_view describe_tag(char tag);
// "2.80x in forward training (measured elsewhere: …)", "what sibling.x says, in training step"
std::string describe(const GainSource& gain);
// Lines that say where the card is valid; empty: everywhere.
std::vector<std::string> describe_validity(const Rule& rule);

}  // namespace rnnadvisor::advisor
