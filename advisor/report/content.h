// What reports say, once for all formats, as documents. A builder leaves out what its medium has no
// room for; it does not arrange.
#pragma once

#include <span>

#include "advisor/errors/known_errors.h"
#include "advisor/report/document.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/maps.h"

namespace rnnadvisor::advisor::document {

enum Medium : unsigned {
  brief = 1,      // a terminal
  verbose = 2,    // a terminal, where everything is asked for
  text_file = 4,  // Markdown
  html_page = 8,
  window = 16  // pages about one thing, beside views that show the rest
};
inline constexpr unsigned terminals = brief | verbose;

struct Content {
  const Report& report;
  Medium medium;
  std::size_t details = 24;     // configurations that are shown in full
  PredictFor predict_for = {};  // for the times of maps
  bool maps = true;

  bool in(unsigned media) const { return (medium & media) != 0; }
};

// A whole report.
Blocks report_of(const Content& content);

// How the program ended; nothing where no exception ended it.
std::optional<Section> end_of(const Content& content);

// Names that lead to what they name.
Text link_to(const ConfigurationReport& each);
Text link_to(const Content& content, const Finding& finding);

Card finding_of(const Content& content, const FindingGroup& group);
Entry source_of(const Citation& citation, Medium medium);

// What a rule says, looks at and rests on. `devices`: of the profile that is open, if any.
Blocks rule_of(const Rule& rule, Medium medium, std::span<const DeviceSpec> devices = {});
// Where a rule was tried, and whether `devices` are among that.
std::vector<Entry> tried_on(std::span<const ValidityRecord> records,
                            std::span<const Citation> citations,
                            std::span<const DeviceSpec> devices);

// A card for each error that was found in a text; and the table of all that are known.
Blocks errors_of(std::span<const ExplainedError> errors);
Table known_errors_of(std::span<const KnownError> errors);

// Everything about a configuration, with its heading.
Section configuration_of(const Content& content, const ConfigurationReport& each, bool open);
List findings_of(const Content& content, const ConfigurationReport& each);
Blocks trials_of(const Content& content, const ConfigurationReport& each);
// What one experiment measured: before and after, memory, how far results moved.
Table measured_of(const Profile& profile, int experiment);
// What keeps a configuration from an algorithm. Nothing where that runs (or, without kernels, is
// expected to) and no condition is broken.
Blocks why_not_of(const ConfigurationReport& each, const model::WhyNot& table, Medium medium);

}  // namespace rnnadvisor::advisor::document
