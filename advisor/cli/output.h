// Where reports go: --format (repeatable), -o, --force.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advisor/cli/context.h"
#include "core/base/result.h"

namespace rnnadvisor::cli {

enum class Format { text, markdown, json, html, sarif, junit, csv };
std::string_view to_string(Format format);
std::string_view file_ending(Format format);  // ".html"
const std::vector<std::string>& format_names();

struct OutputOptions {
  std::vector<std::string> formats;  // "html", "html:report.html"
  std::string output;                // -o
  bool json = false;                 // --json
  bool force = false;
};

struct OutputTarget {
  Format format = Format::text;
  std::string path;  // empty: standard output

  bool operator==(const OutputTarget&) const = default;
};

// Every format gets a place:
//   FORMAT:PATH      that file ("-" is standard output)
//   one FORMAT       -o PATH, else standard output
//   several FORMATs  -o DIR/ (or an existing folder): DIR/report.<ending>; -o PREFIX:
//   PREFIX.<ending>
// No format is text. Two results for one place, or several for standard output, are errors.
// `prefix` stands in for a missing -o when there are several formats; empty: that is an error.
Result<std::vector<OutputTarget>> resolve_outputs(const OutputOptions& options,
                                                  std::string_view prefix = {});

// Refuses to overwrite: an error for the first file that exists, unless `force`. Call before long
// work.
Result<void> check_writable(const std::string& path, bool force);
Result<void> check_writable(const std::vector<OutputTarget>& targets, bool force);

// Writes a file through a temporary one beside it, so that an interrupted write leaves the previous
// file whole. Devices and pipes
// (/dev/stdout) are written directly.
Result<void> write_file(const std::string& path, std::string_view text);

}  // namespace rnnadvisor::cli
