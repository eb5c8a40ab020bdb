// The exception that ends a Python program.
#pragma once

namespace rnnadvisor::plugin {

// Before the interpreter is initialised: has it tell us of exceptions that its sys.excepthook gets.
// Nothing where the program is no Python, its Python is older than 3.8, or is a library that the
// program loads later.
void watch_exceptions();

}  // namespace rnnadvisor::plugin
