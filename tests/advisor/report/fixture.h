// Judged profiles made by hand for the report's tests: they exercise what a reader can meet,
// independent of the cards and of any GPU. Times of the sweep are the recorded H200 measurements;
// all other times are made up for the tests and stand for nothing.
#pragma once

#include <memory>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor::fixture {

struct Judged {
  Profile profile;
  Judgement judgement;
  RuleSet rules;
  Report report() const { return make_report(profile, judgement, rules); }
};

// Text that breaks a writer which forgets to escape: markup, quotes, control and escape characters,
// invalid UTF-8, a bidirectional override, and the closing sequences of CDATA, comments and
// scripts.
extern const char* const hostile;

std::unique_ptr<Judged> rich();    // seven configurations, one of each fate, with hostile strings
std::unique_ptr<Judged> single();  // one configuration that ran, with findings
std::unique_ptr<Judged> fine();    // one configuration, nothing to do
std::unique_ptr<Judged> empty();   // no configurations at all
std::unique_ptr<Judged> bare();    // one configuration without device, timings, kernels or verdicts
std::unique_ptr<Judged> checked();  // one configuration on a device, not run
std::unique_ptr<Judged> tried();    // one configuration with changes that were tried, of every fate
std::unique_ptr<Judged> refuted_here();  // single(), its first suggestion tried here and refuted
std::unique_ptr<Judged>
sweep();  // the guide's figures 9 and 10 from tests/data/h200/guide-figures-9-10.jsonl
std::unique_ptr<Judged> many(
    int count);  // a sweep of `count` configurations with findings and kernels

}  // namespace rnnadvisor::advisor::fixture
