// What the framework around a configuration asks of cuDNN: verdicts and "Why not" tables go by that
// and not by the algorithm that the configuration names.
#pragma once

#include "advisor/report/report.h"
#include "advisor/rules/evaluate.h"

namespace rnnadvisor::advisor {

// Fills in what ConfigurationReport says of the call that the framework makes (no_call, stops,
// refusal, expected, framework, framework_choice, predicted, why_not), of a configuration with a
// device; `facts` is moved to it. Where PyTorch or JAX picks the algorithm, `predicted` is of the
// one it picks, and the table of each other algorithm has a condition more: that the framework asks
// for it. Where no call is made, the memory of one is taken out. Sources:
// advisor/facts/framework_model.h. Call from one thread.
void follow_framework(ConfigurationReport& report, const ModelAnswers& model, FactMemo& facts);

}  // namespace rnnadvisor::advisor
