#include "profiler/kernels/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "profiler/kernels/classify.h"

namespace rnnadvisor {
namespace classify {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the template arguments of the outermost name begin: the first '<' that is not part of
// "operator<".
std::size_t arguments_begin(std::string_view name) {
  const auto open = name.find('<');
  const auto parameters = name.find('(');
  if (open == std::string_view::npos) return open;
  // "(anonymous namespace)::" may stand before the name proper
  if (parameters != std::string_view::npos && parameters < open &&
      name.substr(parameters, 11) != "(anonymous ") {
    return std::string_view::npos;
  }
  return open;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  // Where to resume after a mismatch: behind the last '*', one character further in the text.
  std::size_t star = std::string_view::npos, resume = 0;
  for (;;) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      resume = t;
      if (p == pattern.size()) return true;
      continue;
    }
    if (p == pattern.size() && t == text.size()) return true;
    bool step = false;
    if (p < pattern.size() && t < text.size()) {
      if (pattern[p] == '#') {
        if (is_digit(text[t])) {
          while (t < text.size() && is_digit(text[t])) ++t;
          ++p;
          step = true;
        }
      } else if (pattern[p] == '?' || pattern[p] == text[t]) {
        ++p;
        ++t;
        step = true;
      }
    }
    if (step) continue;
    if (star == std::string_view::npos || resume >= text.size()) return false;
    p = star;
    t = ++resume;
  }
}

std::string_view template_argument(std::string_view name, int n) {
  const auto open = arguments_begin(name);
  if (open == std::string_view::npos) return {};
  int depth = 0, index = 1;
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(') ++depth;
    const bool closes = c == '>' && depth == 0;
    if ((c == ',' && depth == 0) || closes) {
      if (index == n) {
        auto argument = name.substr(begin, i - begin);
        while (!argument.empty() && argument.front() == ' ') argument.remove_prefix(1);
        while (!argument.empty() && argument.back() == ' ') argument.remove_suffix(1);
        return argument;
      }
      if (closes) return {};
      ++index;
      begin = i + 1;
    }
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  return {};  // cut off before the argument ended
}

std::string_view without_return_type(std::string_view name) {
  return name.starts_with("void ") ? name.substr(5) : name;
}

}  // namespace classify

std::string demangle_kernel(std::string_view name) {
  // Very long names are nothing a compiler made for a kernel; the demangler's time and memory are
  // not spent on them.
  if (!name.starts_with("_Z") || name.size() > 65536) return std::string(name);
  int status = 0;
  const std::string terminated(name);
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : terminated;
}

std::string short_kernel_name(std::string_view name) {
  const std::string demangled = demangle_kernel(name);
  const auto text = classify::without_return_type(demangled);
  if (text.starts_with("cutlass::Kernel")) {
    auto product = classify::template_argument(text, 1);
    if (product.empty()) {  // cut off inside the argument
      const auto open = text.find('<');
      if (open != std::string_view::npos) product = text.substr(open + 1);
    }
    if (!product.empty()) return std::string(product);
  }
  // Cut at the first '<' or '(' that is not part of "(anonymous namespace)", "<unnamed>" or
  // "<lambda…".
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto rest = text.substr(i);
    bool kept = false;
    for (const std::string_view piece : {"(anonymous namespace)", "<unnamed>"}) {
      if (rest.starts_with(piece)) {
        result += piece;
        i += piece.size() - 1;
        kept = true;
      }
    }
    if (kept) continue;
    if (text[i] == '<' || text[i] == '(') break;
    result += text[i];
  }
  return result.empty() ? std::string(text) : result;
}

}  // namespace rnnadvisor
