// Result<T>: what every library function that can fail returns. Libraries never print, never exit
// and never throw across their interface; the command line turns an Error into text and an exit
// status.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace rnnadvisor {

enum class ErrorCode {
  invalid_argument,  // a value that can never be right
  parse,             // text that is not what its format demands
  not_found,         // a file, a rule, a device, a library
  io,                // the operating system refused
  unsupported,       // legal, but not on this machine or with this version
  out_of_memory,     // device or host memory, predicted or met
  cuda,              // a CUDA status other than success
  cudnn,             // a cuDNN status other than success
  cupti,             // a CUPTI status other than success
  database,          // SQLite refused
  newer_version,     // a file written by a later rnnadvisor
  damaged,           // a file that is not whole
  interrupted,       // the user or a signal ended the work
  internal,          // a broken promise of ours: a defect
};

// A place in a text the user wrote. Line and column count from 1; 0 means not known.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourcePosition&) const = default;
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;                  // what happened, one sentence without a full stop
  std::string remedy;                   // what to do about it; may be empty
  std::optional<SourcePosition> where;  // where in the user's input
  std::vector<std::string> notes;       // further facts, one a line

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

// return fail(ErrorCode::io, "cannot open 'x': No such file", "check the path");
inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string remedy = {}) {
  return tl::unexpected<Error>(
      Error{code, std::move(message), std::move(remedy), std::nullopt, {}});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

// "file:line:column: message" and the remedy and notes on lines of their own, for people.
std::string to_text(const Error& error);

// "parse", "not_found", …: stable words for JSON.
std::string_view to_string(ErrorCode code);

}  // namespace rnnadvisor
