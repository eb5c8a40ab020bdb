// Report: a judged profile, arranged for readers. One Report, one writer per format; writers only arrange and escape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"
#include "core/model/cost.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// A kernel's share of one phase of one configuration.
struct KernelRow {
  std::string name;        // full, demangled
  std::string short_name;
  Phase phase = Phase::forward_training;
  model::Implementation family = model::Implementation::none;
  KernelRole role = KernelRole::unknown;
  std::int64_t count = 0;
  double total_us = 0;
  double share = 0;        // of the phase's kernel time
};

struct PhaseRow {
  Phase phase = Phase::forward_training;
  const PhaseTiming* timing = nullptr;  // null: not timed
  double kernel_ms = -1;                // sum of kernel durations of one traced call; -1: not traced
  double busy = -1;                     // share of the traced call in which the GPU worked; -1: not known
  std::optional<model::Implementation> implementation;  // what ran
  model::PhaseCost cost;
  model::Bound bound;
  double tflops = -1;                   // achieved
  std::string tensor_cores;             // "yes (counters)", "yes (inferred from kernel names)", "no …", "unknown"
};

struct ConfigurationReport {
  int index = -1;                       // into Profile::configurations
  const Configuration* configuration = nullptr;
  const DeviceSpec* device = nullptr;
  std::string verdict;                  // one sentence
  model::Eligibility predicted;
  std::optional<model::Implementation> ran;  // from kernels
  std::vector<PhaseRow> phases;
  std::vector<KernelRow> kernels;       // by phase, then by time
  model::MemoryNeed memory;
  std::vector<model::WhyNot> why_not;
  std::vector<const Finding*> findings; // most gain first
  int passed = 0, not_applicable = 0, unknown = 0;
};

struct Report {
  const Profile* profile = nullptr;
  const Judgement* judgement = nullptr;
  const RuleSet* rules = nullptr;
  std::string headline;                 // the verdict in one sentence
  std::vector<ConfigurationReport> configurations;  // in profile order
  std::vector<const Finding*> findings; // of all configurations, most gain first
  int errors = 0, warnings = 0, opportunities = 0, infos = 0;
};

// The arguments must outlive the report.
Report make_report(const Profile& profile, const Judgement& judgement, const RuleSet& rules);

struct TextOptions {
  int width = 100;      // terminal columns
  bool color = false;
  bool ascii = false;   // no box-drawing or bar characters
  int max_configurations = 12;  // in detail; the rest as a table
  bool verbose = false; // passed and unknown rules, all kernels
};
std::string write_text(const Report& report, const TextOptions& options = {});
std::string write_markdown(const Report& report);
std::string write_html(const Report& report);
std::string write_json(const Report& report);      // docs/schema/report.schema.json
std::string write_sarif(const Report& report);     // SARIF 2.1.0
std::string write_junit(const Report& report);     // one test case per configuration and rule that applied
std::string write_csv(const Report& report);       // one line per configuration and phase

}  // namespace rnnadvisor::advisor
