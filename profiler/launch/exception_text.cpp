#include "profiler/launch/exception_text.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/secrets.h"
#include "core/base/text.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::launch {
namespace {

// Twice: as the script of a shell, with quotes, and then word by word, because a quotation mark in
// prose closes nothing.
std::string without_secrets_of_line(std::string_view line) {
  const std::string script = without_secret("", line);
  std::vector<std::string> words(1);
  for (const char c : script) {
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  }
  std::string clean;
  // An empty word, of two blanks, is not one that a secret can be.
  std::vector<std::string> spoken;
  for (const auto& word : words)
    if (!word.empty()) spoken.push_back(word);
  const auto replaced = without_secrets(spoken);
  std::size_t next = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) clean += ' ';
    if (!words[i].empty()) clean += replaced[next++];
  }
  return clean;
}

}  // namespace

std::string exception_text(std::string_view traceback) {
  std::string text;
  for (std::size_t at = 0; at < traceback.size();) {
    const auto end = std::min(traceback.find('\n', at), traceback.size());
    std::string line = to_valid_utf8(traceback.substr(at, end - at));
    for (char& c : line)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    text += without_secrets_of_line(line) + '\n';
    at = end + 1;
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() > spool::exception_bytes) {
    std::size_t begin = text.size() - spool::exception_bytes;
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0U) == 0x80U)
      ++begin;
    text.erase(0, begin);
  }
  return text;
}

}  // namespace rnnadvisor::launch
