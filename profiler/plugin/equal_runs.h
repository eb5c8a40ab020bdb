// Whether the program asks for results that are equal in every run. A choice by timing can differ
// from run to run, so such a program gets choices from a plan alone.
#pragma once

namespace rnnadvisor::plugin {

// What asks for it, as its user calls it; null: nothing does. Not while the loader's lock is held.
const char* asks_for_equal_runs();

}  // namespace rnnadvisor::plugin
