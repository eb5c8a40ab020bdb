// Rules for people to read, from the content that the window shows too (content.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/report/report.h"
#include "core/base/result.h"

namespace rnnadvisor::advisor {

// `rules explain ID`: the whole card, in words. An unknown id is an error that names the nearest.
Result<std::string> explain_rule_text(const RuleSet& rules, std::string_view id,
                                      const TextOptions& options = {});

// `rules docs DIR`: Markdown pages by path below DIR
// ("alignment/hidden-multiple-of-8.md"), and "README.md" as their index. The same input gives the
// same bytes.
std::vector<std::pair<std::string, std::string>> rule_pages(const RuleSet& rules);
std::string write_rule_page(const Rule& rule);
std::string write_rule_index(const RuleSet& rules);

}  // namespace rnnadvisor::advisor
