#include "advisor/report/framework_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "advisor/facts/framework_call.h"
#include "advisor/facts/framework_model.h"
#include "advisor/facts/providers.h"
#include "core/config/key_scope.h"

namespace rnnadvisor::advisor {
namespace {

std::string text_fact(FactMemo& facts, std::string_view name) {
  const int at = find_fact(name);
  const Fact* fact = at >= 0 ? facts.get(at) : nullptr;
  const auto* text = fact != nullptr ? std::get_if<std::string>(&fact->value) : nullptr;
  return text != nullptr ? *text : std::string();
}

std::optional<model::Implementation> implementation_named(const std::string& name) {
  for (int value = 0; value <= static_cast<int>(model::Implementation::persistent_small_h);
       ++value) {
    const auto each = static_cast<model::Implementation>(value);
    if (!name.empty() && to_string(each) == name) return each;
  }
  return std::nullopt;
}

// "PyTorch takes standard (several layers)".
std::string choice_words(std::string_view framework, Algo picked, FactMemo& facts) {
  std::string why;
  if (picked == Algo::standard) {
    why = text_fact(facts, "framework.pytorch_clause_forward");
    std::replace(why.begin(), why.end(), '_', ' ');
    if (why == "none") why.clear();
  }
  return fmt::format("{} takes {}{}", framework, to_string(picked),
                     why.empty() ? "" : " (" + why + ")");
}

// cuDNN would take the algorithm, or not; the framework does not ask for it. The nearest
// configuration stays where the framework would.
void add_clause(model::WhyNot& table, model::Holds holds, const std::string& choice,
                const std::function<RnnConfig(const RnnConfig&)>& caller) {
  model::Clause clause;
  clause.id = "framework-asks";
  clause.title = "the framework asks for this algorithm";
  clause.required = true;
  clause.holds = holds;
  clause.observed = choice;
  clause.documented_by = "its source code [C]";
  table.clauses.insert(table.clauses.begin(), std::move(clause));
  table.eligible = table.eligible && holds == model::Holds::unknown;
  table.fast = false;
  if (table.has_nearest && (!caller || caller(table.nearest).algo != table.algo))
    table.changes.clear();
}

}  // namespace

void follow_framework(ConfigurationReport& report, const ModelAnswers& model, FactMemo& facts) {
  const auto& configuration = *report.configuration;
  const Subject subject{&facts.index().profile(), report.index};
  facts.begin(report.index);
  const auto framework = framework_of(subject);
  const FrameworkCall& call = facts.index().framework_call(report.index);
  report.framework = framework_title(framework);
  report.expected = implementation_named(text_fact(facts, "framework.runs_as"));
  const bool ran = configuration.from_program() || configuration.outcome != Outcome::not_run;
  report.stops = !ran && call.stops;
  report.no_call = !ran && !call.happens();
  if (const auto named = call_of_named_framework(subject))
    report.other_call = fmt::format("{} would ask for {}", text_fact(facts, "framework.named"),
                                    to_string(named->config.algo));
  if (!ran && call.happens() && !call.cudnn) {
    report.decides = what_decides(call.clause);
    report.decides_key = key_that_decides(call.clause);
  }
  if (report.no_call) {
    // No time, no memory and no condition of a call that is never made.
    report.memory = {};
    return;
  }
  if (const auto* predicted = model.eligibility()) report.predicted = *predicted;
  if (!ran) report.refusal = model::refusal(call.config, *report.device);
  for (const Algo algo :
       {Algo::persist_static, Algo::persist_static_small_h, Algo::persist_dynamic}) {
    if (const auto* table = model.why_not(algo)) report.why_not.push_back(*table);
  }
  if (call.picks_algo && !call.algo_known) {
    // The nearest configuration cannot be asked for.
    for (auto& table : report.why_not)
      add_clause(table, model::Holds::unknown, report.framework + " tries them and takes one", {});
  }
  if (!call.picks_algo || !call.algo_known) return;
  const Algo picked = call.config.algo;
  report.framework_choice = choice_words(report.framework, picked, facts);
  if (picked != configuration.config.algo)
    report.predicted = model::eligibility(call.config, *report.device);
  ProgramContext program = configuration.program;
  program.name = framework;
  const auto caller = framework_caller(program, *report.device, configuration.config);
  for (auto& table : report.why_not)
    if (table.algo != picked) add_clause(table, model::Holds::no, report.framework_choice, caller);
}

}  // namespace rnnadvisor::advisor
