// rnnadvisor.toml: what a project has decided about judging, so that everybody and CI judge alike.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace rnnadvisor::cli {

// What was not given is empty. Options of the command line and RNNADVISOR_… variables come before.
struct ProjectFile {
  std::string path;  // of the file; empty: there is none
  std::string device, fail_on;
  std::vector<std::string> ignore;  // rules, or "topic/"
  // Relative to the current folder or absolute; in the file relative to itself.
  std::string baseline;
  std::vector<std::string> rules;
};

// "rnnadvisor.toml" in `folder` or the nearest folder above it; empty: there is none.
std::string find_project_file(const std::string& folder);

// All mistakes, each with its place: unknown keys, values of another type, a wrong severity.
tl::expected<ProjectFile, std::vector<Error>> read_project_file(const std::string& path);

}  // namespace rnnadvisor::cli
