// Code of ours for the Python of the user's program, brought in by a sitecustomize on PYTHONPATH
// (advisor/whatif/torch/in_program/sitecustomize.py).
#pragma once

#include <string>

#include "core/base/result.h"

namespace rnnadvisor::cli {

// The variable for a program that is to load it from below `folder`, where it is written to.
// `python_path`: what PYTHONPATH is without us.
Result<std::string> write_program_python(const std::string& folder, const std::string& python_path);

}  // namespace rnnadvisor::cli
