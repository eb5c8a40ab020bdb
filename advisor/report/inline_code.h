// Code in the prose of rule cards: what stands between two backticks, as Markdown has it. Nothing
// else of Markdown is interpreted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rnnadvisor::advisor {

struct TextRun {
  std::string_view text;  // into the text that was given
  bool code = false;
  bool operator==(const TextRun&) const = default;
};

// The runs of `text` in order, never empty ones. A backtick without a partner and two with nothing
// between them stay what they are. Nothing is escaped: that is for who writes the runs.
std::vector<TextRun> inline_code(std::string_view text);

// For where code does not look different from prose (lists, tooltips, what is read out): the
// same without the backticks around code.
std::string without_code_marks(std::string_view text);

}  // namespace rnnadvisor::advisor
