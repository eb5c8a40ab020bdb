// What reports say, once for all formats, as documents. A builder leaves out what its medium has no
// room for; it does not arrange.
#pragma once

#include "advisor/report/document.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/maps.h"

namespace rnnadvisor::advisor::document {

enum Medium : unsigned {
  brief = 1,      // a terminal
  verbose = 2,    // a terminal, where everything is asked for
  text_file = 4,  // Markdown
  html_page = 8
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

// Names that lead to what they name.
Text link_to(const ConfigurationReport& each);
Text link_to(const Report& report, const Finding& finding);

Card finding_of(const Content& content, const FindingGroup& group);

// Everything about a configuration, with its heading.
Section configuration_of(const Content& content, const ConfigurationReport& each, bool open);
Blocks trials_of(const Content& content, const ConfigurationReport& each);

}  // namespace rnnadvisor::advisor::document
