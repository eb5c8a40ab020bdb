// JUnit XML for continuous integration: a suite per configuration, a case for what became of it and
// one per rule. A fired rule of severity error or warning is a failure; opportunities, remarks and
// what another finding covers pass, with a text in their output; a rule that does not apply or
// cannot be decided is skipped, and so is what became of a refused alternative. A program that an
// exception ended has a suite of its own, with one error.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "advisor/facts/experiments.h"
#include "advisor/report/program_end.h"
#include "advisor/report/report.h"
#include "advisor/report/trials.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

// A line break in an attribute would become a blank; as a reference it stays one.
std::string junit_text(std::string_view text) {
  std::string out;
  for (const char c : words::escape_markup(words::clean_lines(text)))
    out += c == '\n' ? std::string("&#10;") : std::string(1, c);
  return out;
}

std::string body(const Finding& f) {
  std::string text = words::clean(f.message) + "\n";
  for (const auto& c : f.comparisons) {
    if (c.holds) text += "because: " + words::comparison(c) + "\n";
  }
  if (const std::string gain = words::gain(f.gain); !gain.empty()) {
    text += fmt::format("gain: {} ({})\n", words::gain_in_full(*f.gain), in_words(f.gain->basis));
  }
  for (const auto& s : f.suggestions) {
    const bool off = withdrawn(f, s);
    if (off && !s.trial) continue;
    text += (off ? "not: " : "do: ") + words::clean(s.text) + "\n";
    if (!s.cannot.empty()) text += "cannot: " + words::clean(s.cannot) + "\n";
    if (s.trial) text += "tried: " + words::trial(*s.trial) + "\n";
  }
  if (const std::string why = words::refuted(f); !why.empty()) text += why + "\n";
  for (const auto& c : f.citations) {
    text += "source: " + words::citation(c);
    if (!c.quote.empty()) text += ": \"" + words::clean(c.quote) + "\"";
    text += "\n";
  }
  return text;
}

// What was tried, as properties of the suite.
std::string properties(const ConfigurationReport& each) {
  if (each.trials.empty()) return {};
  std::string text = "    <properties>\n";
  for (const auto& row : each.trials) {
    const std::string speedup = words::speedup(row.step);
    const std::string throttle = throttle_change(*row.experiment);
    text +=
        fmt::format("      <property name=\"tried: {}{}\" value=\"{}{}{}\"/>\n",
                    junit_text(row.change), row.where.empty() ? "" : " " + junit_text(row.where),
                    words::verdict(row.verdict), speedup.empty() ? std::string() : ", " + speedup,
                    throttle.empty() ? std::string() : "; " + junit_text(throttle));
  }
  if (const auto seen = words::clocks(each); !seen.empty())
    text += fmt::format("      <property name=\"clocks while trying\" value=\"{}\"/>\n",
                        junit_text(seen));
  return text + "    </properties>\n";
}

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

void open_case(Suite& suite, std::string_view class_name, std::string_view name) {
  ++suite.tests;
  suite.cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"",
                             junit_text(class_name), junit_text(name));
}

void outcome_case(Suite& suite, const ConfigurationReport& each) {
  open_case(suite, each.name, "outcome");
  const Outcome outcome = each.configuration->outcome;
  if (outcome == Outcome::completed || outcome == Outcome::not_run) {
    suite.cases += "/>\n";
  } else if (outcome == Outcome::interrupted || each.standing == Standing::refused) {
    ++suite.skipped;
    suite.cases += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                               junit_text(each.verdict));
  } else {
    ++suite.errors;
    suite.cases += fmt::format(">\n      <error type=\"{}\" message=\"{}\"/>\n    </testcase>\n",
                               to_string(outcome), junit_text(each.verdict));
  }
}

void fired(Suite& suite, const Finding& f) {
  if (f.severity >= Severity::warning && !f.in_baseline) {
    ++suite.failures;
    suite.cases +=
        fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                    to_string(f.severity), junit_text(f.title), junit_text(body(f)));
  } else {
    suite.cases += fmt::format(">\n      <system-out>{}: {}</system-out>\n    </testcase>\n",
                               to_string(f.severity), junit_text(body(f)));
  }
}

void rule_case(Suite& suite, const ConfigurationReport& each, const Verdict& verdict,
               const Finding* finding) {
  open_case(suite, each.name, verdict.rule_id);
  switch (verdict.kind) {
    case VerdictKind::fired:
      if (finding != nullptr) return fired(suite, *finding);
      break;
    case VerdictKind::passed:
      break;
    case VerdictKind::told_by_another:
      suite.cases +=
          fmt::format(">\n      <system-out>{}: {}</system-out>\n    </testcase>\n",
                      words::verdict(verdict.kind), junit_text(words::clean(verdict.message)));
      return;
    case VerdictKind::not_applicable:
      ++suite.skipped;
      suite.cases += ">\n      <skipped message=\"not applicable\"/>\n    </testcase>\n";
      return;
    case VerdictKind::unknown: {
      ++suite.skipped;
      std::string missing = "unknown";
      for (std::size_t i = 0; i < verdict.missing.size(); ++i)
        missing += (i == 0 ? ": not known: " : ", ") + verdict.missing[i];
      suite.cases +=
          fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", junit_text(missing));
      return;
    }
    case VerdictKind::error:
      ++suite.errors;
      suite.cases +=
          fmt::format(">\n      <error type=\"rule\" message=\"{}\"/>\n    </testcase>\n",
                      junit_text(verdict.message));
      return;
  }
  suite.cases += "/>\n";
}

void end_case(Suite& suite, const ProgramEnd& end) {
  constexpr std::size_t most_lines = 24;
  open_case(suite, "program", "end");
  std::string text;
  for (const auto& each : end.exceptions) {
    text += std::string(last_lines(each.text, most_lines)) + "\n";
    for (const auto& known : each.explained) {
      text += words::clean(known.error->title) + ": " + known.cause + "\n";
      for (const auto& fix : known.fixes) text += "do: " + fix + "\n";
    }
  }
  ++suite.errors;
  suite.cases +=
      fmt::format(">\n      <error type=\"{}\" message=\"{}\">{}</error>\n    </testcase>\n",
                  program_exception, junit_text(ended_with(end)), junit_text(text));
}

}  // namespace

std::string write_junit(const Report& report) {
  std::string suites;
  Suite sum;
  const auto put = [&](const Suite& suite, std::string_view name, std::size_t id,
                       const std::string& about) {
    suites += fmt::format(
        "  <testsuite name=\"{}\" id=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
        "skipped=\"{}\" time=\"0\"",
        junit_text(name), id, suite.tests, suite.failures, suite.errors, suite.skipped);
    if (!report.profile->environment.created.empty())
      suites += fmt::format(" timestamp=\"{}\"", junit_text(report.profile->environment.created));
    suites += ">\n" + about + suite.cases + "  </testsuite>\n";
    sum.tests += suite.tests;
    sum.failures += suite.failures;
    sum.errors += suite.errors;
    sum.skipped += suite.skipped;
  };
  std::vector<const Finding*> of_program;
  std::copy_if(report.findings.begin(), report.findings.end(), std::back_inserter(of_program),
               [](const Finding* f) { return f->of_program; });
  for (const auto& each : report.configurations) {
    if (each.tried) continue;
    Suite suite;
    std::map<std::string_view, const Finding*> findings;
    for (const Finding* f : each.findings) findings.try_emplace(f->rule_id, f);
    for (const Finding* f : of_program)
      if (f->configuration == each.index) findings.try_emplace(f->rule_id, f);
    outcome_case(suite, each);
    for (const Verdict* verdict : each.verdicts) {
      const auto found = findings.find(verdict->rule_id);
      rule_case(suite, each, *verdict, found == findings.end() ? nullptr : found->second);
      if (found != findings.end()) findings.erase(found);
    }
    // A judgement made without verdicts still has its findings.
    for (const auto& [rule, finding] : findings) {
      open_case(suite, each.name, rule);
      fired(suite, *finding);
    }
    put(suite, each.name, static_cast<std::size_t>(each.index), properties(each));
  }
  if (report.end) {
    Suite suite;
    end_case(suite, *report.end);
    put(suite, "program", report.configurations.size(), {});
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rnnadvisor\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" "
      "skipped=\"{}\" time=\"0\">\n{}</testsuites>\n",
      sum.tests, sum.failures, sum.errors, sum.skipped, suites);
}

}  // namespace rnnadvisor::advisor
