// The parts of the HTML report. Everything external goes through esc(); style and script are two
// constant files named by their hashes in the page's Content-Security-Policy, so no attribute of
// style or event exists anywhere.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "advisor/report/maps.h"
#include "advisor/report/report.h"

namespace rnnadvisor::advisor::html {

// Clean and escaped, for text and for attribute values in double quotes.
std::string esc(std::string_view text);
// The same, keeping line breaks: for <pre>.
std::string esc_lines(std::string_view text);
// What a rule card says: as esc(), with what stands between backticks as <code>. For text alone,
// not for attributes.
std::string prose(std::string_view text);
// A link when `url` is a plain web address, else the (escaped) text alone.
std::string link(std::string_view url, std::string_view text);
std::string_view class_of(Severity severity);  // "error", "warning", …
std::string_view class_of(Standing standing);
// A labelled chip with its icon: colour is never the only sign.
std::string chip(Standing standing);
std::string chip(Severity severity);
// The id of a finding's group on the page.
std::string anchor(const Report::Place& place);
// "1.44×" with what it is of and how it is known; empty when there is no gain.
std::string gain(const std::optional<Gain>& gain);

class Page {
 public:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void raw(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Sections. `many` is the number of configurations from which on details are folded.
inline constexpr std::size_t full_cards = 24;
inline constexpr std::size_t shown_findings = 40;

void summary(Page& page, const Report& report);
void actions(Page& page, const Report& report);
void remarks(Page& page, const Report& report);
void configurations(Page& page, const Report& report, const PredictFor& predict_for);
void figures(Page& page, const Report& report);
void rules(Page& page, const Report& report);
void environment(Page& page, const Report& report);

// A whole page around `body`, with style and script. Navigation and body are markup.
std::string whole_page(std::string_view title, std::string_view navigation, std::string_view body,
                       std::string_view footer);

// Maps of one configuration; `id` makes their ids unique.
void maps(Page& page, std::span<const model::ConfigurationMap> maps, const std::string& id);
// Those of a configuration of a report, folded.
void maps(Page& page, const Report& report, const ConfigurationReport& each,
          const PredictFor& predict_for);

// What was tried for a configuration; nothing where nothing was.
void trials(Page& page, const ConfigurationReport& each);
// Its matrix products as a table and drawn; nothing where its sizes are not known.
void products(Page& page, const ConfigurationReport& each);
void outcome(Page& page, const TrialOutcome& outcome);
std::string chip(ExperimentVerdict verdict);
// All samples of one timing on one logarithmic axis, outliers ringed; empty without samples.
std::string samples_strip(const ExperimentTiming& timing, const std::string& id);

// Charts: inline SVG with a title and a description; empty when there is nothing to draw. `id`
// makes their ids unique.
std::string timing_chart(const ConfigurationReport& each, const std::string& id);
std::string roofline_chart(const ConfigurationReport& each, const std::string& id);
std::string memory_bar(const ConfigurationReport& each, const std::string& id);

}  // namespace rnnadvisor::advisor::html
