#include "advisor/cli/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/shell_words.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {

int Context::report(const Error& error) const {
  err << fmt::format("{}rnnadvisor: {}{}", color_error() ? "\x1b[31m" : "",
                     printable_lines(to_text(error)), color_error() ? "\x1b[0m" : "");
  err << '\n';
  return exit_status(error);
}

int Context::report(std::span<const Error> errors) const {
  int status = exit_ok;
  for (const auto& error : errors) status = std::max(status, report(error));
  return status;
}

void Context::note(std::string_view text) const {
  if (!quiet) err << "rnnadvisor: " << printable_lines(text) << '\n';
}

Error usage(std::string message, std::string remedy) {
  return Error{
      ErrorCode::invalid_argument, std::move(message), std::move(remedy), std::nullopt, {}};
}

std::string shell_line(std::string_view program, std::span<const std::string> arguments) {
  std::string line(program);
  if (!arguments.empty()) line += " " + shell_words(arguments);
  return line;
}

}  // namespace rnnadvisor::cli
