// Changes of layers in the report of `try`.
#pragma once

#include <string>
#include <vector>

#include "advisor/change/in_words.h"
#include "advisor/cli/program_changes.h"
#include "advisor/report/terminal.h"
#include "profiler/launch/collect.h"

namespace rnnadvisor::cli {

struct TryVerdict {
  std::string text;
  bool good = false;
};

// "the program ended with exit status 1"; empty: it did not fail, or that is not known.
std::string how_it_failed(const launch::Collected& collected);

int count_layers(const std::vector<ChangedLayer>& layers, bool changed_alone);
// Whether whole steps are faster with the change alone, or why nothing was changed.
TryVerdict change_verdict(const launch::Collected& collected,
                          const std::vector<ChangedLayer>& layers);
// "2 of 3 RNN layers changed (hidden size padded to a multiple of 128)". One must be.
std::string change_in_words(const std::vector<ChangedLayer>& layers);
// `changed_alone`: without those that kept their own code. `gains`: a whole step is faster with
// them.
void draw_changed_layers(advisor::Terminal& terminal, const std::vector<ChangedLayer>& layers,
                         bool changed_alone, bool gains);
// What to do to keep the change.
std::string keep_change(const std::vector<ChangedLayer>& layers, const std::string& code_folder);

}  // namespace rnnadvisor::cli
