// Taking kernel names apart: a matcher without regular expressions, template arguments, the name
// proper.
#pragma once

#include <string>
#include <string_view>

namespace rnnadvisor::classify {

// Whether `pattern` matches all of `text`: '*' any text, '?' one character, '#' one or more decimal
// digits. Linear in the text for every '*', no recursion.
bool matches(std::string_view pattern, std::string_view text);

// The n-th template argument (from 1) of the outermost name, trimmed; empty when there is none.
// Names that were cut off are fine as long as the argument is whole.
std::string_view template_argument(std::string_view name, int n);

// Without the return type "void " in front.
std::string_view without_return_type(std::string_view name);

}  // namespace rnnadvisor::classify
