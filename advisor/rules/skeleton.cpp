// `rnnadvisor rules new`: a card and cases that load and pass as they are, to be changed step by
// step.
#include <fmt/format.h>

#include "advisor/rules/catalog.h"
#include "advisor/rules/rule_files.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::string_view card_text =
    R"(# Reference: docs/writing-rules.md; facts: rnnadvisor rules facts
id          = "{id}"
title       = "Hidden size is not a multiple of 8"    # the finding as a headline
severity    = "warning"        # error | warning | opportunity | info
confidence  = "heuristic"      # documented | measured | heuristic
consequence = "slower"         # error | fallback | path | slower | memory | numerics | none

# Without these the rule is not applicable.
applies_when = [ {{ fact = "call.data_type", is = "half" }} ]
# With these it fires.
when    = {{ fact = "call.hidden_size", not_multiple_of = 8 }}
message = "The hidden size {{call.hidden_size}} is not a multiple of 8."

explanation = """
Why this matters, an example before and after, and what the rule does not see.
"""

[[suggestion]]
text      = "Pad the hidden size to the next multiple of 8."
transform = {{ pad_hidden = {{ multiple = 8 }} }}

[[citation]]
source  = "Title of the document, as a reader would look it up"
section = ""
version = ""
url     = ""
quote   = ""                   # at most 25 words, verbatim
tag     = "S"                  # S stated, C source code, O observed, M measured, I inferred
)";

constexpr std::string_view case_text = R"(# Cases of {id}; format: docs/writing-rules.md, "Cases"
device        = "nvidia-h200"
configuration = {{ cell = "lstm", data_type = "half" }}

[[case]]
name          = "hidden size 1001"
expect        = "fires"
configuration = {{ hidden_size = 1001 }}
message       = "1001"

[[case]]
name          = "hidden size 1000"
expect        = "silent"
configuration = {{ hidden_size = 1000 }}

[[case]]
name          = "float data"
expect        = "not_applicable"
configuration = {{ data_type = "float", hidden_size = 1001 }}
)";

}  // namespace

Result<Skeleton> new_rule(std::string_view id) {
  const auto plain = id.starts_with("user/") ? id.substr(5) : id;
  if (!is_rule_id(plain) || plain.find('/') == std::string_view::npos) {
    return fail(
        ErrorCode::invalid_argument, fmt::format("'{}' is no rule id", to_valid_utf8(id)),
        "topic/name in lower case letters, digits and hyphens: alignment/hidden-multiple-of-8");
  }
  Skeleton made;
  made.card_file = made.case_file = std::string(plain) + ".toml";
  made.card = fmt::format(fmt::runtime(card_text), fmt::arg("id", plain));
  made.cases = fmt::format(fmt::runtime(case_text), fmt::arg("id", plain));
  return made;
}

}  // namespace rnnadvisor::advisor
