#include "advisor/report/inline_code.h"

namespace rnnadvisor::advisor {

std::vector<TextRun> inline_code(std::string_view text) {
  constexpr char mark = '`';
  std::vector<TextRun> runs;
  std::size_t begin = 0;  // of the prose that no run has yet
  std::size_t at = 0;
  while ((at = text.find(mark, at)) != std::string_view::npos) {
    const std::size_t end = text.find(mark, at + 1);
    if (end == std::string_view::npos) break;
    if (end == at + 1) {
      at = end + 1;
      continue;
    }
    if (at > begin) runs.push_back({text.substr(begin, at - begin), false});
    runs.push_back({text.substr(at + 1, end - at - 1), true});
    begin = at = end + 1;
  }
  if (begin < text.size()) runs.push_back({text.substr(begin), false});
  return runs;
}

std::string without_code_marks(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (const auto& run : inline_code(text)) plain += run.text;
  return plain;
}

}  // namespace rnnadvisor::advisor
