// The Python program that measures a change in PyTorch itself and writes the changed code. It
// travels in this binary as text and needs the standard library and PyTorch 1.13 or later, of the
// interpreter in which the user's program runs. Here is only what a caller needs to start it; the
// request and the answers are described in README.md of this folder.
//
// To run it: start `PYTHON -c torch_bootstrap()`, write torch_input(request) to its stdin, close
// stdin, read JSON lines from its stdout. Its stderr is whatever PyTorch prints. Exit status: 0
// done, 1 a defect of the program, 2 a wrong request, 3 no PyTorch or no device; with 1 to 3 the
// last line has the type "error". The budget of the request counts from the start of the program;
// a caller should end it by force only well after that.
//
// Pure functions, callable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnnadvisor::advisor {

// The version that a request must name in "protocol".
inline constexpr int torch_protocol = 1;

// The text for `python3 -c`: about 2 kB, below every limit on one argument. Valid for the life of
// the program.
std::string_view torch_bootstrap();

// What goes to stdin: the scripts in one line of JSON, then `request`, which is one JSON object in
// UTF-8, on as many lines as it likes. It is not checked here: the program answers with an error
// that names the place.
std::string torch_input(std::string_view request);

// The same scripts as files, path and text, to be used inside a user's program:
// in_program/sitecustomize.py, whose folder belongs on its PYTHONPATH, and the package that it
// loads.
std::vector<std::pair<std::string_view, std::string_view>> torch_modules();

}  // namespace rnnadvisor::advisor
