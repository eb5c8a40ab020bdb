// RunProblem: what rnnadvisor wrote on standard error when it failed, taken apart: "rnnadvisor: …",
// and below it "remedy: …".
#pragma once

#include <QString>

namespace rnnadvisor::gui {

struct RunProblem {
  QString what, remedy;  // sentences; empty: rnnadvisor did not say
};

// The last error in `errors`.
RunProblem parse_run_problem(const QString& errors);

}  // namespace rnnadvisor::gui
