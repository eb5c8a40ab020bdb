// Where reports go: --format (repeatable), -o, --force.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advisor/cli/context.h"
#include "core/base/output_file.h"
#include "core/base/result.h"

namespace rnnadvisor::cli {

enum class Format { text, markdown, json, html, sarif, junit, csv, github };
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
// No format is that of the ending of -o (.html, .md, .json, .sarif, .xml, .csv), else text. Two
// results for one place, or several for standard output, are errors. `prefix` stands in for a
// missing -o when there are several formats; empty: that is an error.
Result<std::vector<OutputTarget>> resolve_outputs(const OutputOptions& options,
                                                  std::string_view prefix = {});

// The files among the targets, and another output of the same command where it has one.
std::vector<std::string> paths_of(const std::vector<OutputTarget>& targets,
                                  const std::string& another = {});

// What can be known before long work about the outputs of a command: none of them is one of its
// inputs ("-": standard input), whatever `force` says, no two are one file, an existing file is
// replaced only with `force`, and each lies in a folder that exists (or can be made, where the
// command names the folder that it fills: `makes_folders`). Empty paths are passed over.
Result<void> check_writable(const std::vector<std::string>& paths, bool force,
                            const std::vector<std::string>& inputs, bool makes_folders = false);

}  // namespace rnnadvisor::cli
